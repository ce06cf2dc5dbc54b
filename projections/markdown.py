"""MEMORY.md and its overflow files: what is shown where, and the bytes.

Implements specs/projections.md (P-1, P-7…P-9, P-13…P-22). The state is the fold's; `render` is a function of
state, instant and settings. Files are made of pieces, so that of each line it is known which entry says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ledger.fold import INITIAL, Entry, State, apply
from ledger.memory import SECTIONS
from projections import commonmark
from projections.layout import (
    GROUP_OF_SECTION,
    GROUPS,
    MEMORY,
    MEMORY_FILE,
    OTHER,
    TITLE_OF_GROUP,
    DocumentKey,
    Lookup,
    Source,
    StateSource,
    arrange,
    nowhere,
    order_key,
    path_of,
)
from projections.settings import DEFAULTS, RenderSettings

__all__ = [
    "INITIAL",
    "STALE",
    "Block",
    "Piece",
    "Selection",
    "apply",
    "block_of",
    "bullet_lines",
    "joined",
    "memory_pieces",
    "overflow_pieces",
    "render",
    "render_memory",
    "render_overflow",
    "section_pieces",
    "select",
]

STALE = "[?] "

_TITLE = f"# {commonmark.TITLE}\n"
_LINKS = "Links"


class Piece(NamedTuple):
    """Whole lines of a document: the id of the entry that says them ("" for what is no entry's), the text."""

    id: str
    text: str


class Block(NamedTuple):
    """An entry in a section: whole lines, if blank lines go around them, if they are indented."""

    text: str
    loose: bool = False
    indented: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """What MEMORY.md shows, the highest rank first, and how many entries of each group it does not show.

    `lookup` finds what stands there no more, for the order of what was placed behind it.
    """

    shown: tuple[Entry, ...]
    overflow: Mapping[str, int] = field(default_factory=dict)
    lookup: Lookup = nowhere


# --- one entry ---


def bullet_lines(entry: Entry, stale_before: str) -> list[str]:
    """Return an entry as a bullet with its sub-bullets, a line each, without line ends (P-9).

    Args:
        entry: any entry.
        stale_before: as `RenderSettings.stale_before` returns it.
    """
    memory = entry.memory
    mark = STALE if entry.fresh_since < stale_before else ""
    lines = [f"- {mark}{commonmark.escape(memory.text)}"]
    if memory.details:
        lines += [f"  - {commonmark.escape(detail)}" for detail in memory.details]
    return lines


def block_of(entry: Entry, stale_before: str) -> Block:
    """Return an entry as it stands in a section: a bullet, a bullet with its body, or a verbatim block.

    A note whose body is blank is a block without lines: only the heading that it keeps is seen.
    """
    memory = entry.memory
    if not memory.body:
        return Block("\n".join(bullet_lines(entry, stale_before)) + "\n")
    body = commonmark.trimmed(memory.body)
    if memory.type == "note":
        if not body:
            return Block("")
        if (standing := commonmark.verbatim(body)) is not None:
            return Block(standing, loose=True, indented=body[0] in " \t")
    bullet = "\n".join(bullet_lines(entry, stale_before)) + "\n"
    return Block(f"{bullet}\n{commonmark.indented(body)}", loose=True) if body else Block(bullet)


# --- pieces ---


def section_pieces(
    heading: str, entries: Iterable[Entry], stale_before: str, lookup: Lookup = nowhere
) -> Iterator[Piece]:
    """Give a section: its heading ("" for none), its entries in order, and the blank lines between (P-8)."""
    if heading:
        yield Piece("", f"\n## {commonmark.escape_heading(heading)}\n")
    before: Block | None = None
    for entry in arrange(entries, lookup):
        block = block_of(entry, stale_before)
        if block.text:
            if before is None or before.loose or block.loose:
                yield Piece("", "\n")
            if before is not None and block.indented and (guard := commonmark.guard(before.text, block.text)):
                yield Piece("", guard)
            before = block
        yield Piece(entry.id, block.text)


def memory_pieces(
    selection: Selection, topic_count: int, settings: RenderSettings, as_of: int
) -> Iterator[Piece]:
    """Give MEMORY.md; see `render_memory`."""
    front = _front(selection.shown)
    if front:
        yield Piece(front.id, commonmark.trimmed(front.memory.body))
        yield Piece("", "\n")
    yield Piece("", _TITLE)
    rest = (entry for entry in selection.shown if entry is not front)
    yield from _sections(rest, settings.stale_before(as_of), selection.lookup)
    if lines := _link_lines(selection.overflow, topic_count):
        yield Piece("", f"\n## {_LINKS}\n\n" + "".join(lines))


def _front(entries: Iterable[Entry]) -> Entry | None:
    """Return the earliest note that is a frontmatter, which is one only before all else (P-8).

    One that a person put into a section is none.
    """
    notes = (
        entry
        for entry in entries
        if entry.memory.type == "note" and entry.memory.body and not entry.memory.section
    )
    fronts = (entry for entry in notes if commonmark.is_frontmatter(commonmark.trimmed(entry.memory.body)))
    return min(fronts, key=order_key, default=None)


def overflow_pieces(
    entries: Iterable[Entry], settings: RenderSettings, as_of: int, lookup: Lookup = nowhere
) -> Iterator[Piece]:
    """Give an overflow file; see `render_overflow`."""
    yield Piece("", _TITLE)
    yield from _sections(entries, settings.stale_before(as_of), lookup)


def joined(pieces: Iterable[Piece]) -> bytes:
    """Return the bytes of a document."""
    return "".join([piece.text for piece in pieces]).encode()


def _sections(entries: Iterable[Entry], stale_before: str, lookup: Lookup) -> Iterator[Piece]:
    by_section: dict[str, list[Entry]] = {section: [] for section in ("", *SECTIONS)}
    for entry in entries:
        by_section.setdefault(entry.memory.heading, []).append(entry)
    own = [section for section in by_section if section and section not in GROUP_OF_SECTION]
    own.sort(key=lambda section: min(map(order_key, by_section[section])))
    for section in ("", *SECTIONS, *own):
        if by_section[section]:
            yield from section_pieces(section, by_section[section], stale_before, lookup)


def _link_lines(overflow: Mapping[str, int], topic_count: int) -> list[str]:
    lines = []
    for group in GROUPS:
        if count := overflow.get(group, 0):
            path = path_of(DocumentKey(MEMORY, group), 0)
            lines.append(
                f"- [{TITLE_OF_GROUP[group]}]({path}) — {count} more {'entry' if count == 1 else 'entries'}\n"
            )
    if topic_count:
        files = (
            "1 topic file, read when its"
            if topic_count == 1
            else f"{topic_count} topic files, read when their"
        )
        lines.append(f"- [Topics](memories/) — {files} whenToUse matches\n")
    return lines


# --- what fits ---


class _Room:
    """The lines and bytes left under the limits; a section's first entry pays for its heading (P-17)."""

    def __init__(self, settings: RenderSettings, links: Sequence[str]) -> None:
        self.lines = settings.max_lines - 1
        self.bytes = settings.max_bytes - len(_TITLE)
        self._opened: set[str] = set()
        if links:
            self.lines -= 3 + len(links)
            self.bytes -= len(f"\n## {_LINKS}\n\n") + sum(len(line.encode()) for line in links)

    def take(self, section: str, cost: tuple[int, int]) -> bool:
        """Take the room of an entry; return whether it was there."""
        lines, size = cost
        if section not in self._opened:
            lines += 3
            size += len(f"\n## {commonmark.escape_heading(section)}\n\n".encode())
        if lines > self.lines or size > self.bytes:
            return False
        self.lines -= lines
        self.bytes -= size
        self._opened.add(section)
        return True


def _cost(entry: Entry) -> tuple[int, int]:
    """Return the lines and bytes that an entry counts for, whatever its neighbours and its age (P-17)."""
    block = block_of(entry, "")
    text = block.text
    lines, size = max(text.count("\n"), 1), len(text.encode()) + (0 if not text else len(STALE))
    if block.loose:
        lines, size = lines + 2, size + 2
    if block.indented:
        lines, size = lines + 2, size + len(commonmark.GUARD)
    return lines, size


def select(source: Source, settings: RenderSettings, _as_of: int = 0) -> Selection:
    """Choose what MEMORY.md shows: by rank, up to the first that does not fit (P-17…P-20).

    Looks at no more than 2 · `max_lines` entries, however many there are. The instant is taken so that all
    renderers are called alike; time alone moves no entry, as each is counted as if it were marked stale.
    """
    if not settings.overflow:
        return Selection(tuple(source.ranked()), lookup=source.entry)
    counts, topics = source.group_counts(), source.topic_count()
    fitting, everything = _looked_at(source, settings, _link_lines({}, topics))
    if everything:
        return Selection(tuple(entry for entry, _ in fitting), lookup=source.entry)
    room = _Room(settings, _link_lines(counts, topics))
    shown: list[Entry] = []
    for entry, cost in fitting:
        if not room.take(entry.memory.effective_section, cost):
            break
        shown.append(entry)
    left = dict(counts)
    for entry in shown:
        left[GROUP_OF_SECTION.get(entry.memory.effective_section, OTHER)] -= 1
    overflow = {group: left[group] for group in GROUPS if left.get(group, 0) > 0}
    return Selection(tuple(shown), overflow, source.entry)


def _looked_at(
    source: Source, settings: RenderSettings, links: Sequence[str]
) -> tuple[list[tuple[Entry, tuple[int, int]]], bool]:
    """Return the entries that fit where nothing overflows, with what each counts for; and if they are all."""
    room = _Room(settings, links)
    fitting: list[tuple[Entry, tuple[int, int]]] = []
    large = 0
    for entry in source.ranked():
        cost = _cost(entry)
        if cost[0] * 4 > settings.max_lines or cost[1] * 4 > settings.max_bytes:
            large += 1
            if large > settings.max_lines:
                break
        elif room.take(entry.memory.effective_section, cost):
            fitting.append((entry, cost))
        else:
            return fitting, False
    return fitting, large == 0


# --- the bytes ---


def render_memory(selection: Selection, topic_count: int, settings: RenderSettings, as_of: int) -> bytes:
    """Return MEMORY.md: title, sections, links (P-8, P-21); of an empty ledger the title alone.

    Args:
        selection: as `select` returns it.
        topic_count: how many topic files there are.
        settings: `decay` and `decay_days` are read.
        as_of: microseconds since 1970; decides what is stale.
    """
    return joined(memory_pieces(selection, topic_count, settings, as_of))


def render_overflow(
    _group: str, entries: Iterable[Entry], settings: RenderSettings, as_of: int, lookup: Lookup = nowhere
) -> bytes:
    """Return the overflow file of a group: of the form of MEMORY.md, without links (P-22).

    Args:
        _group: the group's name; its entries say under which headings they stand.
        entries: the group's entries that MEMORY.md does not show.
        settings: `decay` and `decay_days` are read.
        as_of: microseconds since 1970; decides what is stale.
        lookup: finds what stands there no more.
    """
    return joined(overflow_pieces(entries, settings, as_of, lookup))


def render(state: State, as_of: int, settings: RenderSettings = DEFAULTS) -> dict[str, bytes]:
    """Return MEMORY.md and the overflow files of a folded state, by path (P-1)."""
    source = StateSource(state)
    selection = select(source, settings, as_of)
    shown = {entry.id for entry in selection.shown}
    files = {MEMORY_FILE: render_memory(selection, source.topic_count(), settings, as_of)}
    for group in selection.overflow:
        rest = [entry for entry in source.group(group) if entry.id not in shown]
        path = path_of(DocumentKey(MEMORY, group), as_of, settings)
        files[path] = render_overflow(group, rest, settings, as_of, source.entry)
    return files
