"""Reads a document that this copy never rendered: git brought it or a person made it, and all of it is new.

Implements specs/editing.md (D-36, D-37). It reads like `import`, and keeps the lines of each memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from documents.adopting.cutting import units_in
from documents.adopting.edit_author import Hand
from documents.foreign_files import is_document
from documents.git.repository import NoAnswerError, Repository
from documents.proposal import Proposal, memory_key
from documents.reading.blocks import frontmatter_end, split_lines
from documents.reading.edits import Edit
from documents.reading.memory_units import Unit
from documents.reading.topic_files import read_topic_file
from ledger.memory import Memory
from ledger.schema import MEMORY_KINDS
from projections import commonmark
from projections.index import Index
from projections.layout import MEMORY_FILE, topic_of_path
from projections.shown_blocks import key_maker, unpacked

if TYPE_CHECKING:
    from pathlib import Path

    from projections.workspace import Workspace

_NO_BASE = (
    "nothing was ever written here, so what was changed is unknown: run muniment import {path} to read it,"
    " or muniment replay {path} to write ours"
)
_COPY = (
    "it is a copy of {other}, so nothing was recorded: remove it, or change its text and run"
    " muniment adopt {path}"
)
_MISPLACED = (
    "it is the topic file {other}, moved to where topic files are not read, so nothing was recorded: move {path} below memories/,"
    " or run muniment replay {other} to write that again"
)
_STALE_BYLINE = "[?] *by "
_NO_NAME = (
    "its name is not that of a document here, so nothing was imported: run muniment import {path} to read it"
)


def refusal(git: Repository, path: str, *, joined: bool = False) -> str:
    """Return why a document that we never rendered is not recorded, or "" (D-10, D-36, D-63)."""
    folder = git.folder
    shown = str(folder / path)
    if not is_document(path):
        return _NO_NAME.format(path=shown)
    try:
        known = joined or path != MEMORY_FILE or git.is_committed(path)
    except NoAnswerError:
        known = False
    return "" if known else _NO_BASE.format(path=path)


def copied(memory: Workspace, folder: Path, path: str, digest: str) -> str:
    """Return why a document with the same bytes as another one is not recorded, or "" (D-48).

    Lines that somebody removes from the other document did not move to the copy.
    """
    for other in memory.local.shown_last(folder):
        if other == path or not (folder / other).is_file():
            continue
        if any(name == digest and blocks for name, blocks in memory.local.shown(folder, other)):
            return _COPY.format(path=path, other=other)
    return ""


def front_of(data: bytes) -> range:
    """Return the line numbers of a document's frontmatter, which applies to the whole document."""
    return range(1, (frontmatter_end(split_lines(data.decode("utf-8", "replace"))) or 0) + 1)


def topic_units(memory: Workspace, data: bytes, path: str, units: Sequence[Unit]) -> Sequence[Unit]:
    """Return the units of a new topic file, each with the members that the frontmatter gives it.

    Without a frontmatter there are no records, and the units stay as they are.
    """
    lines = split_lines(data.decode())
    if not topic_of_path(path) or not frontmatter_end(lines):
        return units
    proposals, _ = read_topic_file(data, path, topic_of_path(path), commonmark.unescape)
    said = [proposal.memory for proposal in proposals if proposal.memory is not None]
    key = key_maker(memory.local.secret())
    starts = _starts(said, lines)
    found = []
    for at, each in enumerate(said):
        end = starts[at + 1] if at + 1 < len(said) else len(lines)
        source = "".join(lines[starts[at] : end])
        stale = any(line.startswith(_STALE_BYLINE) for line in lines[starts[at] : starts[at] + 3])
        found.append(Unit(source, key(source), starts[at] + 1, each, stale))
    return found


def kept_front(edits: Iterable[Edit], front: range) -> list[Edit]:
    """Return the edits of a new document that is not a topic file; its frontmatter becomes a note (D-51).

    The note is a fenced block: without the fence, MEMORY.md would show these lines as a heading.
    """
    return [_fenced(edit) if edit.line in front else edit for edit in edits]


def _fenced(edit: Edit) -> Edit:
    new = edit.proposal.memory
    if new is None or not new.body.startswith("---"):
        return edit
    inner = "".join(split_lines(new.body.strip("\r\n"))[1:-1])
    ticks = max((len(run) for run in re.findall("`+", inner)), default=0)
    fence = "`" * max(3, ticks + 1)
    return Edit(Proposal("create", new._replace(body=f"{fence}yaml\n{inner}{fence}\n")), edit.line)


def misplaced(memory: Workspace, folder: Path, path: str, data: bytes) -> str:
    """Return why a topic file outside memories/ is not recorded, or "" (D-51).

    Somebody may have edited it while moving it: half of the entries are enough to recognize it.
    """
    if topic_of_path(path):
        return ""
    for other, blocks in memory.local.shown_last(folder).items():
        if not topic_of_path(other) or (folder / other).is_file():
            continue
        had = {block.key for block in unpacked(blocks) if block.key}
        there = {unit.key for unit in units_in(memory, data, other, had)} & had
        if 2 * len(there) >= len(had) > 0:
            return _MISPLACED.format(path=path, other=other)
    return ""


def _starts(said: Sequence[Memory], lines: Sequence[str]) -> list[int]:
    """Return the lines (from 0) where memories begin, in their order."""
    starts: list[int] = []
    at = 0
    for each in said:
        words = [
            word for word in (each.title, each.text, next(iter(split_lines(each.body)), "")) if word.strip()
        ]
        hits = (
            number for number in range(at, len(lines)) if any(word.strip() in lines[number] for word in words)
        )
        at = next(hits, at)
        starts.append(min(at, max(len(lines) - 1, 0)))
        at += 1
    return starts


def is_past(index: Index, edit: Edit, hand: Hand, written_at: str) -> bool:
    """Return whether git brought an entry that was deleted or replaced here, and no trusted author wrote it again since (D-46)."""
    new = edit.proposal.memory
    if (
        not hand.author
        or edit.proposal.action not in MEMORY_KINDS
        or new is None
        or index.same(new) is not None
    ):
        return False
    until = index.said_until(new)
    return bool(until) and not (hand.trusted and written_at > until)


def may_be_erased(
    index: Index, edit: Edit, hand: Hand, units: Mapping[int, Unit], written_at: Callable[[Unit], str]
) -> bool:
    """Return whether git brought an entry that may have been erased since: nobody can tell, so it waits for a person (D-91)."""
    unit, new = units.get(edit.line), edit.proposal.memory
    if not hand.author or not hand.trusted or unit is None or new is None or index.same(new) is not None:
        return False
    at = written_at(unit)
    return bool(at) and at <= index.last_erase()


def is_settled(index: Index, unit: Unit, prefix: str) -> bool:
    """Return whether the log already has a unit of a new document.

    `prefix` begins the id of the entry that was rendered with these words, or is "". The same text below the same
    heading is the same memory, even in another place (M-8).
    """
    ids = index.ids(prefix) if prefix else []
    entry = index.entry(ids[0]) if len(ids) == 1 else None
    return (
        entry is not None and entry.status == "active" and memory_key(entry.memory) == memory_key(unit.memory)
    )


def learned(edits: Iterable[Edit]) -> list[Edit]:
    """Return the creates of a new document in its order."""
    found = []
    for edit in sorted(edits, key=lambda edit: edit.line):
        new = edit.proposal.memory
        if edit.proposal.action == "create" and new is not None:
            found.append(Edit(Proposal("create", new._replace(place=None)), edit.line))
    return found


def created(units: Iterable[Unit]) -> list[Edit]:
    """Return the creates of a new topic file."""
    return [Edit(Proposal("create", unit.memory), unit.line) for unit in units]
