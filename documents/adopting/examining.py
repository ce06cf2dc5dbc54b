"""Derives the meaning of an edited document; nothing is written.

Implements specs/editing.md (D-8, D-10, D-16, D-17, D-25, D-35, D-37, D-45, D-82…D-85, D-92).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from documents.adopting import new_document
from documents.adopting.absence import DocumentHistory, Unseen
from documents.adopting.adoption import Adoption, WaitingEdit
from documents.adopting.commit_dates import after_second, dated, is_old
from documents.adopting.cutting import read_document
from documents.adopting.descent import CompareShown, Renderings, secret_in
from documents.adopting.edit_author import HERE, Hand, Hands
from documents.adopting.guards import (
    UNREAD,
    hindered,
    linked,
    mass_deletion,
    put_back,
    refusal,
    too_large,
    too_many,
    unreadable,
)
from documents.adopting.moved_entries import Elsewhere, moved
from documents.adopting.settling import (
    asked_for,
    brings_back,
    first_said,
    given_up,
    promoted,
    proposed,
    said_by,
    settled,
)
from documents.adopting.uncommitted_edit import hand_of, is_person
from documents.git.appeared import Appearances
from documents.git.repository import NoAnswerError, Repository
from documents.reading.edits import Edit
from documents.reading.memory_units import Unit
from ledger.command import Command, Create, Delete, Supersede
from ledger.errors import RecordError
from ledger.memory import Provenance
from ledger.schema import MAX_TARGETS
from projections.index import Index
from projections.layout import MEMORY_FILE, topic_of_path
from projections.line_endings import plain, style_of
from projections.local import Local
from projections.shown_blocks import digest

if TYPE_CHECKING:
    from projections.workspace import Workspace

_Document = tuple[bytes, Sequence[Unit], CompareShown, Renderings]
"""The bytes of a document, its units, the function that compares it with a rendering, and its renderings."""


def examine(
    memory: Workspace,
    git: Repository,
    path: str,
    *,
    accept: bool = False,
    asked: bool = True,
    elsewhere: Elsewhere | None = None,
    joining: Appearances | None = None,
) -> Adoption:
    """Return the meaning of an edited document; nothing is written.

    Args:
        memory: the ledger, whose index is caught up.
        git: the repository of its folder.
        path: its path in the folder.
        accept: a person accepts every removal; an agent cannot.
        asked: the command is `adopt`, not another one that found the edit.
        elsewhere: the content of other documents; entries there were moved, not removed.
        joining: when lines were written, for a project that is being joined (D-63).
    """
    accept = accept and memory.by.role != "agent"
    folder = git.folder
    if why := linked(folder, path):
        return Adoption(path, "", None, guard=why, unread=True)
    try:
        status, data = _read(folder / path)
    except OSError as error:
        return Adoption(path, "", None, guard=unreadable(error), unread=True)
    adoption = Adoption(path, digest(data), status)
    renderings = Renderings(memory, git, path)
    adoption.came = joining is not None or not renderings.known
    if why := too_large(data, path) or hindered(memory, git, adoption, data):
        adoption.guard, adoption.unread = why, adoption.unread or bool(too_large(data, path))
        return adoption
    adoption.style = style_of(data)
    text = plain(data, adoption.style)
    try:
        hands = Hands(memory, git, path, text, joining=joining)

        def stranger(lines: Sequence[int]) -> str:
            hand = hands.of_lines(lines)
            return "" if hand.trusted or accept else hand.author

        units, compared = read_document(memory, text, path, renderings, stranger)
        if adoption.came:
            units = new_document.topic_units(memory, text, path, units)
            hands.of_all(new_document.front_of(text))
    except NoAnswerError as error:
        adoption.guard = str(error)
        return adoption
    except RecordError as error:
        adoption.guard, adoption.unread = refusal(str(error), path), True
        return adoption
    elsewhere = elsewhere or Elsewhere({}, path, folder, memory.local)
    edits = _edits(memory, git, adoption, (data, units, compared, renderings), elsewhere)
    if elsewhere.unread and any(edit.proposal.action == "delete" for edit in edits):
        adoption.guard = UNREAD.format(path=elsewhere.unread[0])
        return adoption
    edits = _but(edits, adoption.unseen)
    here = HERE if joining is not None else hand_of(memory, folder, path)
    _settle(adoption, edits, memory, hands, here, accept=accept, joining=joining is not None)
    if not (asked and is_person(memory)) and joining is None:
        _leave_candidates(adoption, memory)
    if not accept:
        adoption.guard = (
            mass_deletion(adoption, edits, shared=memory.is_shared(folder))
            or too_many(adoption, memory.configuration.limits_per_hour)
            or put_back(memory, folder, adoption)
        )
    return adoption


def _edits(
    memory: Workspace, git: Repository, adoption: Adoption, document: _Document, elsewhere: Elsewhere
) -> list[Edit]:
    """Return the edits that turn the base of a document into the document, without those that its writer could not see.

    They include deletes of entries that HEAD has in another document (D-52); `unseen` has these, too.
    """
    path, (data, units, compared, renderings) = adoption.path, document
    if adoption.came:
        adoption.compare((), units, ())
        return list(
            moved(
                _all_of(plain(data, adoption.style), path, units, compared), adoption, elsewhere, memory.index
            )
        )
    set_back = memory.local.is_rendering(git.folder, path, adoption.digest)
    base, edits = renderings.base_of(data, units, compared, last=set_back or not units)
    past = DocumentHistory(memory, git, path, data, adoption.status.st_mtime_ns if adoption.status else None)
    unseen = Unseen()
    if not set_back and edits and base:
        adoption.explained, unseen = past.put is not None, past.unseen(base, units)
    if unseen.ids:
        adoption.unseen = sorted(unseen.ids)
        base = [replace(shown, gone=True) if shown.id in unseen.ids else shown for shown in base]
        edits = _but(compared(base), unseen.ids)
    adoption.compare(base, units, edits)
    if left := elsewhere.having(base, units, edits):  # a unit in the place of a moved entry is another memory
        without = [replace(shown, gone=True) if shown.id in left else shown for shown in base]
        edits = _but(compared(without), unseen.ids)
    edits = list(moved(edits, adoption, elsewhere, memory.index))
    adoption.unseen += [
        id_ for edit in edits if not edit.line for id_ in edit.proposal.targets if id_ in unseen.moved
    ]
    return edits


def _all_of(data: bytes, path: str, units: Sequence[Unit], compared: CompareShown) -> list[Edit]:
    """Return the creates of a new document (D-37)."""
    if topic_of_path(path):
        return new_document.created(units)
    front = range(0) if path == MEMORY_FILE else new_document.front_of(data)
    return new_document.kept_front(new_document.learned(compared(())), front)


def _but(edits: Iterable[Edit], ids: Collection[str]) -> list[Edit]:
    """Return the edits that are not about these memories."""
    return [edit for edit in edits if set(ids).isdisjoint(edit.proposal.targets)]


def _read(path: Path) -> tuple[os.stat_result | None, bytes]:
    """Return the status and bytes of a document; None and no bytes if there is no file."""
    try:
        with path.open("rb") as stream:
            return os.fstat(stream.fileno()), stream.read()
    except FileNotFoundError:
        return None, b""


# --- against the log as it is now ---


def _settle(
    adoption: Adoption,
    edits: Sequence[Edit],
    memory: Workspace,
    hands: Hands,
    here: Hand,
    *,
    accept: bool,
    joining: bool,
) -> None:
    """Turn edits into commands, unless the log has them already; with `accept` those of strangers, too.

    `here` is the author of lines that no commit has.
    """
    index = memory.index
    units = {unit.line: unit for unit in adoption.units}
    base = {shown.id: shown for shown in adoption.base}
    gone: dict[Hand, list[str]] = {}
    for edit in edits:
        hand = Hand(edit.waits, trusted=False) if edit.waits else hands.of(edit, units, base)
        hand = here if hand == HERE else hand
        if not joining and new_document.may_be_erased(index, edit, hand, units, hands.written_at):
            hand = hand._replace(trusted=False)
        counts = hand.trusted or accept
        adoption.undone = adoption.undone or (bool(hand.agent) and not counts)
        if edit.proposal.memory is not None and (rule := secret_in(memory, edit.proposal.memory)):
            adoption.held[edit.line] = rule
            gone.setdefault(hand, []).extend(given_up(index, edit) if counts else ())
            continue
        if joining:
            command, waits = first_said(edit, hand)
        elif edit.line in units and _is_known(
            adoption, (memory.local, index), (edit, units[edit.line], hand), hands
        ):
            continue
        else:
            command, waits = _as_log_is(adoption, index, edit, hand, accept=accept)
        if waits:
            targets = () if edit.waits else edit.proposal.targets
            adoption.waiting.append(WaitingEdit(edit.line, hand, targets, said_by(index, edit)))
        if isinstance(command, Delete):
            gone.setdefault(hand, []).extend(command.targets)
        elif command is not None:
            if edit.line in units and hand.via == "git":
                command = _as_committed(adoption, memory, command, units[edit.line], hands)
            adoption.add(command, edit.line, hand)
    supersedes = (each for each in adoption.commands if isinstance(each, Supersede))
    adoption.restored = {each.targets[0] for each in supersedes if brings_back(index, each)}
    for hand, ids in gone.items():
        where = Provenance(author=hand.author)
        for at in range(0, len(ids), MAX_TARGETS):
            chunk = tuple(ids[at : at + MAX_TARGETS])
            adoption.add(Delete(chunk, f"taken out of {adoption.path}", where), 0, hand)


def _as_log_is(
    adoption: Adoption, index: Index, edit: Edit, hand: Hand, *, accept: bool
) -> tuple[Command | None, bool]:
    """Return the command of an edit for the current log, and whether the edit waits in the document for a person."""
    if edit.waits:
        return None, True
    if hand.agent and not accept:
        command, targets = asked_for(index, edit, hand)
        known = said_by(index, edit)
        if targets:
            adoption.requests.append((edit.line, targets, hand))
        elif known and command is None:
            adoption.unpromoted.append(known)
        return command, adoption.came and (command is not None or bool(known))
    return (
        settled(index, edit, hand, accept=accept) if hand.trusted or accept else proposed(index, edit, hand)
    )


def _leave_candidates(adoption: Adoption, memory: Workspace) -> None:
    """Leave out commands that would confirm an agent's candidate: no person decided that (D-85)."""
    kept = []
    for each in zip(adoption.commands, adoption.lines, adoption.hands, strict=True):
        if id_ := promoted(memory.index, each[0]):
            adoption.unpromoted.append(id_)
            adoption.undone = True
        else:
            kept.append(each)
    adoption.commands = [command for command, _, _ in kept]
    adoption.lines = [line for _, line, _ in kept]
    adoption.hands = [hand for _, _, hand in kept]


def _as_committed(
    adoption: Adoption, memory: Workspace, command: Command, unit: Unit, hands: Hands
) -> Command:
    """Return a command from git with the time of its commit, and note old entries that were confirmed there (D-66)."""
    if not isinstance(command, Create | Supersede):
        return command
    when = after_second(hands.written_at(unit), len(adoption.commands))
    said = dated(command.memory, when, unit.stale, memory)
    if isinstance(command, Create) and is_old(said, memory) and not unit.stale:
        adoption.fresh.add(unit.line)
    return command._replace(memory=said)


def _is_known(
    adoption: Adoption, log: tuple[Local, Index], came: tuple[Edit, Unit, Hand], hands: Hands
) -> bool:
    """Return whether the log has nothing to learn from a unit of git: it is current, or past; past ones are noted."""
    (local, index), (edit, unit, hand) = log, came
    if adoption.came and new_document.is_settled(index, unit, local.id_of_block(unit.key)):
        return True
    asked = adoption.came or (adoption.explained and hand.trusted)
    if asked and new_document.is_past(index, edit, hand, hands.written_at(unit)):
        adoption.past.append(unit.memory.text)
        return True
    return False
