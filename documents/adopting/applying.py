"""Records the edits of a document in the log before the document is written again.

Implements specs/editing.md (D-2, D-15, D-36, D-81, D-84).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from documents.adopting.adoption import Adoption
from documents.adopting.commit_dates import is_stale
from documents.adopting.edit_author import Hand
from documents.adopting.examining import examine
from documents.adopting.moved_entries import Elsewhere
from documents.adopting.received_order import follow
from documents.adopting.uncommitted_edit import forget_writer, why_it_waits
from documents.edited_documents import edited
from documents.folders import folder_of
from documents.git.repository import Repository
from ledger.command import Confirm, Written
from ledger.errors import LedgerError, NotFoundError, RecordError, StateError, StorageError
from ledger.event import By
from ledger.schema import MAX_TARGETS
from ledger.steps import reached
from projections import requests
from projections.local import Settled
from projections.shown_blocks import ShownBlock, keys_of, packed

if TYPE_CHECKING:
    from projections.workspace import Workspace

_LOOKS = 3


def adopt(
    memory: Workspace,
    git: Repository,
    paths: Iterable[str] | None = None,
    *,
    accept: bool = False,
    asked: bool = False,
) -> list[Adoption]:
    """Record the edits of documents; return for each document the result, or why it waits. The caller renders afterwards.

    Args:
        memory: the ledger.
        git: the repository of the documents' folder.
        paths: the documents; by default all that were rendered there.
        accept: also record what a guard would hold back.
        asked: the command is `adopt`, not another one that found the edits.

    Raises:
        As `Ledger.write` does.
    """
    folder = git.folder
    if why_it_waits(memory, folder, "", asked=asked):
        return [
            Adoption(path, "", None, guard=why_it_waits(memory, folder, path, asked=asked))
            for path in edited(folder_of(memory, git), memory.local, paths)
        ]
    done = []
    for path, elsewhere in _edits(memory, git, paths):
        try:
            done.append(_adopted(memory, git, path, accept=accept, asked=asked, elsewhere=elsewhere))
        except StorageError as error:
            if not done:
                raise
            # the edits of the other documents are in the log
            done.append(Adoption(path, "", None, guard=f"not recorded: {error}"))
    with suppress(StorageError, sqlite3.Error, OSError):
        follow(memory, git, done)
    return done


def examined(
    memory: Workspace, git: Repository, paths: Iterable[str] | None = None, *, accept: bool = False
) -> Iterator[Adoption]:
    """Return what `adopt` would do; nothing is written."""
    for path, elsewhere in _edits(memory, git, paths):
        yield examine(memory, git, path, accept=accept, elsewhere=elsewhere)


def replaced_by_candidates(memory: Workspace, folder: Path) -> dict[str, tuple[str, ...]]:
    """Return which memories each waiting candidate in a document replaces once a person accepts it (D-25); write nothing."""
    found: dict[str, tuple[str, ...]] = {}
    with Repository(folder) as git:
        looks = list(examined(memory, git))
    for look in looks:
        for each in look.waiting if not look.guard else ():
            if each.candidate and each.targets:
                found[each.candidate] = tuple(dict.fromkeys((*found.get(each.candidate, ()), *each.targets)))
    return found


def _edits(
    memory: Workspace, git: Repository, paths: Iterable[str] | None
) -> Iterator[tuple[str, Elsewhere]]:
    """Yield the edited documents among `paths`, each with the content of all others."""
    documents = folder_of(memory, git)
    everywhere = list(edited(documents, memory.local))
    looks = {path: examine(memory, git, path) for path in everywhere} if len(everywhere) > 1 else {}
    for path in everywhere if paths is None else list(edited(documents, memory.local, paths)):
        yield path, Elsewhere(looks, path, git.folder, memory.local)


def _adopted(
    memory: Workspace, git: Repository, path: str, *, accept: bool, asked: bool, elsewhere: Elsewhere
) -> Adoption:
    """Record one document's edit; examine it again if the log changed between the look and the write."""
    refused = ""
    for _ in range(_LOOKS):
        adoption = examine(memory, git, path, accept=accept, asked=asked, elsewhere=elsewhere)
        if adoption.guard:
            return adoption
        results: list[Written] = []
        try:
            for by, commands in groupby(
                zip(adoption.commands, adoption.hands, strict=True),
                lambda each: _by(memory, each[1], accept=accept),
            ):
                results += memory.append([command for command, _ in commands], by)
            _ask(memory, adoption, results)
        except (NotFoundError, RecordError, StateError) as error:
            refused = str(error)
            continue
        except StorageError as error:
            if not results:
                raise
            adoption.guard = f"only a part was recorded: {error}"
            return adoption
        # the edit is in the log: if this fails, the next look notes it (D-7)
        with suppress(LedgerError, sqlite3.Error, OSError):
            confirm_old(memory, adoption, results)
            remember(memory, git.folder, adoption, results)
            if not adoption.paused:
                forget_writer(memory, git.folder, path)
        return adoption
    adoption = examine(memory, git, path, accept=accept, asked=asked, elsewhere=elsewhere)
    adoption.guard = f"not recorded: {refused}"
    return adoption


def _by(memory: Workspace, hand: Hand, *, accept: bool) -> By:
    """Return the author of an edit's events: the agent that wrote it, unless a person accepts it (D-8, D-84)."""
    if hand.agent and not (accept and memory.by.role != "agent"):
        return By(hand.agent, "agent", "edit")
    return By(memory.by.name, "user", hand.via)


def _ask(memory: Workspace, adoption: Adoption, results: Sequence[Written]) -> None:
    """File what an agent asks to replace or delete; it waits until a person decides in `review` (D-84)."""
    written = {line: each.id for line, each in zip(adoption.lines, results, strict=True) if line}
    units = {unit.line: unit for unit in adoption.units}
    for line, targets, hand in adoption.requests:
        new = written.get(line) or (memory.index.same(units[line].memory) if line in units else None)
        asked = (
            [requests.Request(requests.REPLACE, (new, *targets))]
            if new
            else [requests.Request(requests.DELETE, (id_,)) for id_ in targets]
        )
        for each in asked:
            requests.file(memory, each._replace(by=hand.agent, session=hand.session))


def confirm_old(memory: Workspace, adoption: Adoption, results: Sequence[Written]) -> None:
    """Confirm old entries from git without the stale mark: somebody confirmed them there (D-66)."""
    fresh = [written for line, written in zip(adoption.lines, results, strict=True) if line in adoption.fresh]
    ids = [each.id for each in fresh if not each.known or is_stale(each.id, memory)]
    commands = [Confirm(tuple(ids[at : at + MAX_TARGETS])) for at in range(0, len(ids), MAX_TARGETS)]
    if commands:
        memory.append(commands, By(memory.by.name, "user", "git"))


def remember(memory: Workspace, folder: Path, adoption: Adoption, results: Sequence[Written]) -> None:
    """Remember the document's content as the base of the next edit, and that a rendering may replace it (D-2).

    Content that is held back or waits is not remembered: it is examined again, and no rendering replaces it.
    """
    said = zip(adoption.lines, adoption.commands, results, strict=True)
    new = {
        line: command.targets[0] if isinstance(command, Confirm) else written.id
        for line, command, written in said
        if line
    }
    waiting = {each.line: each.target for each in adoption.waiting}
    old = {
        shown.id: ShownBlock(shown.id[:32], shown.key, shown.stale) for shown in adoption.base if shown.key
    }
    blocks = []
    for unit in adoption.units:
        if unit.line in waiting:
            blocks += [old[waiting[unit.line]]] if waiting[unit.line] in old else []
            continue
        if unit.line in adoption.doubled:
            continue  # it repeats another entry and is no longer written
        id_ = new.get(unit.line) or adoption.entries.get(unit.key) or memory.index.same(unit.memory)
        if id_ and unit.line not in adoption.held:
            blocks.append(ShownBlock(id_[:32], unit.key, unit.stale))
    taken_out = [old[each.target] for each in adoption.waiting if not each.line and each.target in old]
    blocks += [block._replace(gone=True) for block in taken_out]
    adoption.ids = [block.id for block in blocks]
    if adoption.came and adoption.paused:  # it is read as a whole until all of it is recorded
        memory.local.note_keys(keys_of(blocks))
        return
    if adoption.status is None:
        if not adoption.waiting:
            memory.local.unsettle(folder, adoption.path)
        return
    style = adoption.style
    if memory.is_shared(folder):
        style = style._replace(
            open_end=False
        )  # a line that another program appends would lengthen our last one
    memory.local.note_style(folder, adoption.path, style)
    digest_ = "" if adoption.held or adoption.waiting else adoption.digest
    # a dropped edit is no base: if the same bytes come back, they are an edit again
    base = None if adoption.undone else packed(blocks)
    changed = adoption.status.st_mtime_ns
    memory.local.settle(folder, [Settled(adoption.path, digest_, changed, base, keys_of(blocks))])
    reached("document.taken")
    if adoption.came and digest_:
        memory.local.note_standing(folder, adoption.path, digest_)
