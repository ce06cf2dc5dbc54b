"""Joins a project that already has documents: records all of them at once, in the order in which their lines were written.

Implements specs/editing.md (D-62…D-65). `examining` reads each document like any new one. This module orders the memories:
the ledger that wrote the documents ranks memories by time (specs/projections.md P-5), and this one must show the same
documents.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from documents.adopting.adoption import Adoption
from documents.adopting.applying import confirm_old, remember
from documents.adopting.edit_author import Hand
from documents.adopting.examining import examine
from documents.adopting.guards import JOINED
from documents.adopting.received_order import follow
from documents.foreign_files import FOLDERS, documents_in
from documents.git.appeared import Appearances, appearances
from documents.git.repository import Repository
from documents.reading.blocks import split_lines
from documents.writing.folder import group_of_path
from documents.writing.links import quoted, quotes_in
from ledger.command import Create, Written
from ledger.errors import NotFoundError, RecordError, StateError
from ledger.event import By
from ledger.instant import SECOND, is_instant, parsed, written
from ledger.memory import Memory, Place
from ledger.path_names import name_of
from projections.layout import GROUP_OF_SECTION, MEMORY_FILE, OTHER, tag_of_group, topic_of_path

if TYPE_CHECKING:
    from projections.workspace import Workspace


class Rank(NamedTuple):
    """The order in which memories of imported documents are written, the oldest first.

    Entries that MEMORY.md does not show (`shown` is false) are older than those that it shows. `at` is the number of the
    commit that wrote it; within a commit, entries of groups without an overflow file are the oldest (P-151).
    """

    shown: bool
    at: int
    group: int
    line: int


@dataclass(slots=True)
class JoinedMemory:
    """One memory of an imported document: its place, its time, and its rank.

    `order` is the order of writing here: the oldest entry of a section comes first (P-6). `time` is the time of the
    commit, in µs since 1970.
    """

    adoption: Adoption
    command: Create
    line: int
    hand: Hand
    order: Rank
    rank: Rank
    time: int
    written: Written | None = None

    @property
    def memory(self) -> Memory:
        """The memory itself."""
        return self.command.memory

    @property
    def stretch(self) -> tuple[str, str]:
        """The section of its document, or the topic, in which it has its place."""
        path = self.adoption.path
        return path, "" if topic_of_path(path) else self.memory.section


def join(memory: Workspace, git: Repository) -> list[Adoption]:
    """Record the documents of a project that is being joined; the caller renders them afterwards.

    Args:
        memory: the ledger; it is empty, unless an earlier run died: then the same steps give the same result (D-80).
        git: the repository of the documents' folder.

    Raises:
        As `Ledger.write` does.
    """
    folder = git.folder
    memory.local.note(f"{JOINED} {name_of(folder)}", "1")
    when = appearances(git, (MEMORY_FILE, *FOLDERS))
    paths = list(documents_in(folder))
    for path in paths:
        memory.local.forget_file(folder, path)
    looks = [examine(memory, git, path, joining=when) for path in paths]
    taken = [look for look in looks if not look.guard]
    everything = [each for look in taken for each in _said_in(look, when)]
    _keep_overflow_behind(everything)
    _rank_as_quoted(everything, _text_of(folder / MEMORY_FILE))
    _keep_headings_in_order(everything)
    _date(everything, memory.clock())
    _write(memory, sorted(everything, key=lambda each: each.order))
    for look in taken:
        mine = [each for each in everything if each.adoption is look]
        look.commands = [each.command for each in mine]
        look.lines, look.hands = [each.line for each in mine], [each.hand for each in mine]
        if not look.guard:  # else one of them was refused
            results = [each.written for each in mine if each.written is not None]
            confirm_old(memory, look, results)
            remember(memory, folder, look, results)
    follow(memory, git, looks)
    return looks


def _said_in(look: Adoption, when: Appearances) -> list[JoinedMemory]:
    """Return the memories of a document in its order, each as old as its newest line."""
    sources = {unit.line: unit.source for unit in look.units}
    found = []
    for command, line, hand in zip(look.commands, look.lines, look.hands, strict=True):
        if isinstance(command, Create):
            source = sources.get(line) or f"## {command.memory.section}"
            said = when.of(split_lines(source))
            order = Rank(False, said.at, look.path == MEMORY_FILE, line)
            rank = Rank(look.path == MEMORY_FILE, said.at, 0, line)
            tagged = _tagged(command, look.path)
            date = command.memory.provenance.date
            time = said.time * SECOND
            time = min(parsed(date), time or parsed(date)) if is_instant(date) else time
            found.append(JoinedMemory(look, tagged, line, hand, order, rank, time))
    return found


def _tagged(command: Create, path: str) -> Create:
    """Return a memory of a tag's overflow file with that tag (P-150)."""
    tag = tag_of_group(_overflow_of(path))
    return command._replace(memory=command.memory._replace(tags=(tag,))) if tag else command


def _overflow_of(path: str) -> str:
    return "" if path == MEMORY_FILE else group_of_path(path)


# --- in which order ---


def _keep_overflow_behind(everything: Sequence[JoinedMemory]) -> None:
    """Raise the rank of what MEMORY.md shows, so that it stays shown (P-151).

    If MEMORY.md shows an entry that is older than one in the overflow file of its group, the entry was important there:
    it becomes the newest. Of the groups with such a file, the one with the most shown entries began to move last.
    """
    newest: dict[str, int] = {}
    shown: Counter[str] = Counter()
    for each in everything:
        if group := _overflow_of(each.adoption.path):
            newest[group] = max(newest.get(group, 0), each.rank.at)
        elif (
            each.rank.shown and each.memory.status == "active"
        ):  # the machine that rendered this did not have waiting entries
            shown[_group(each.memory)] += 1
    last = max((group for group in newest if shown[group]), key=lambda group: shown[group], default="")
    latest = max((each.rank.at for each in everything), default=0)
    for each in everything:
        if last and _overflow_of(each.adoption.path) == last:
            each.rank = each.rank._replace(group=1)
        elif each.rank.shown and (group := _group(each.memory)) in newest:
            at = latest if each.rank.at < newest[group] else each.rank.at
            each.rank = each.rank._replace(at=at, group=1 if group == last else 2)


def _rank_as_quoted(everything: Sequence[JoinedMemory], memory_file: str) -> None:
    """Give the entries that Links quotes the lowest rank in their overflow file (P-154)."""
    for path, quotes in quotes_in(memory_file).items():
        there = [each for each in everything if each.adoption.path == path]
        first = min((each.rank for each in there), default=None)
        for number, quote in enumerate(quotes, -len(quotes)):
            found = next((each for each in there if quoted(each.memory.text) == quote), None)
            if found is not None and first is not None:
                found.rank = first._replace(line=number)
                found.time = min(each.time for each in there)


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _group(memory: Memory) -> str:
    return GROUP_OF_SECTION.get(memory.effective_section, OTHER)


def _keep_headings_in_order(everything: Iterable[JoinedMemory]) -> None:
    """Date the first entry of each heading before those below the next heading: headings keep their order (P-8, P-28)."""
    first: dict[str, dict[str, JoinedMemory]] = {}
    for each in everything:
        path, section = each.stretch
        if topic_of_path(path) or (_group(each.memory) != OTHER and each.memory.tier != "daily"):
            continue
        oldest = first.setdefault(path, {}).setdefault(section, each)
        if each.order < oldest.order:
            first[path][section] = each
    for firsts in first.values():
        after: JoinedMemory | None = None
        for each in reversed(firsts.values()):
            if after is not None and each.order > after.order:
                each.order = after.order._replace(line=each.line)
            after = each


def _date(everything: Sequence[JoinedMemory], now: int) -> None:
    """Give the entries that rank by time instants that rise with their rank, none in the future (P-5)."""
    ranked = sorted((each for each in everything if not _shows_day(each.memory)), key=lambda each: each.rank)
    last = 0
    for each in ranked:
        last = each.time = max(each.time, last + 1)
    last = now
    for each in reversed(ranked):
        last = each.time = min(each.time, last - 1)
    for each in ranked:
        date = each.memory.provenance.date
        if each.hand.via == "git" and is_instant(date):
            where = each.memory.provenance._replace(date=written(each.time))
            each.command = each.command._replace(memory=each.memory._replace(provenance=where))


def _shows_day(memory: Memory) -> bool:
    """Return whether the document of a memory shows its day: then no rank is needed."""
    return bool(memory.topic) or memory.tier == "daily"


# --- writing ---


def _write(memory: Workspace, ordered: Sequence[JoinedMemory]) -> None:
    """Write memories in their order; if one stands before an older one, it names the entry that it follows (P-6)."""
    waiting: list[JoinedMemory] = []
    written: dict[tuple[str, str], list[tuple[int, JoinedMemory]]] = {}
    for each in ordered:
        there = written.setdefault(each.stretch, [])
        at = bisect_left(there, each.line, key=lambda other: other[0])
        before = there[at - 1][1] if at else None
        if at < len(there) or _is_preamble(each):
            if before is not None and before.written is None:
                _flush(memory, waiting)
            after = before.written.id if before is not None and before.written is not None else None
            place = Place(each.adoption.path, after)
            each.command = each.command._replace(memory=each.memory._replace(place=place))
        waiting.append(each)
        insort(there, (each.line, each), key=lambda other: other[0])
    _flush(memory, waiting)


def _is_preamble(each: JoinedMemory) -> bool:
    """Return whether a memory is above the first section: without a place it would not stay there (P-8)."""
    path, _ = each.stretch
    return not each.memory.section and each.memory.tier != "daily" and not topic_of_path(path)


def _flush(memory: Workspace, waiting: list[JoinedMemory]) -> None:
    """Write the waiting memories, and empty the list."""
    for via, some in groupby(waiting, lambda each: each.hand.via):
        _write_some(memory, list(some), By(memory.by.name, "user", via))
    waiting.clear()


def _write_some(memory: Workspace, some: Sequence[JoinedMemory], by: By) -> None:
    try:
        results = memory.append([each.command for each in some], by)
    except (NotFoundError, RecordError, StateError) as error:
        if len(some) > 1:
            _write_some(memory, some[: len(some) // 2], by)
            _write_some(memory, some[len(some) // 2 :], by)
        else:
            some[0].adoption.guard = f"not recorded: {error}"
    else:
        for each, result in zip(some, results, strict=True):
            each.written = result
