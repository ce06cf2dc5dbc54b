"""Matches the blocks of an edited document with those of the rendering that it descends from, and finds those that stayed.

Implements specs/editing.md (D-3, D-9, D-60). Pure. The text of a rendering is not
kept: the caller makes a key for each block, and the log has the texts of the entries.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from documents.reading.shown_entries import MatchedUnit, Shown
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

CHANGED = 0.5
"""From this likeness on (0 to 1, `difflib`) a new block in the place of a removed one is that block, changed."""

NEARLY = 0.8
"""From this likeness on it is that block in any place."""

_MOST_PAIRS = 20_000
_LOOKED_AT = 300
"""How many characters of a block are compared: the time grows with their square."""

_MARKERS = lazy_pattern(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)]|#{1,6})[ \t]+|\[[?xX ]\][ \t]+)*\\?")


def matched(
    standing: Sequence[MatchedUnit], base: Sequence[Shown], others: Collection[bytes] = ()
) -> list[int]:
    """Find the entry of each unit; return the positions of entries without a unit.

    A unit with a key of `others` is another memory: no entry changed into it.
    """
    left = _by_key(standing, base)
    taken_out = {at for at in left if base[at].gone}
    left -= taken_out
    for between, went in _gaps(standing, left):
        come = [each for each in between if each.unit.key not in others]
        _pair(come, went, base, left, CHANGED)
        rest = [each for each in come if each.is_new]
        unpaired = [at for at in went if at in left]
        if len(rest) == len(unpaired):
            for each, at in zip(rest, unpaired, strict=True):
                if _same_form(each.unit.memory, base[at].memory):
                    each.shown = at
                    left.discard(at)
    come = [each for each in standing if each.is_new and each.unit.key not in others]
    _pair(come, sorted(left), base, left, NEARLY)
    return sorted(left | taken_out | {at for at, shown in enumerate(base) if not shown.key})


def _by_key(standing: Sequence[MatchedUnit], base: Sequence[Shown]) -> set[int]:
    """Match units and entries with the same key, first in the same section, then anywhere; return the unmatched entries."""
    with_lines = [at for at, shown in enumerate(base) if shown.key]
    there = [(_section(base[at].memory), base[at].key) for at in with_lines]
    here = [(each.unit.memory.section, each.unit.key) for each in standing]
    blocks = SequenceMatcher(None, there, here, autojunk=False).get_matching_blocks()
    left = set(with_lines)
    for ours, theirs, size in blocks:
        for step in range(size):
            standing[theirs + step].shown = with_lines[ours + step]
            left.discard(with_lines[ours + step])
    elsewhere: dict[bytes, list[int]] = {}
    for at in sorted(left, reverse=True):
        elsewhere.setdefault(base[at].key, []).append(at)
    for each in standing:
        if each.shown is None and (found := elsewhere.get(each.unit.key)):
            each.shown = found.pop()
            left.discard(each.shown)
    return left


def _section(memory: Memory | None) -> str:
    return memory.heading if memory is not None and not memory.topic else ""


def _gaps(
    standing: Sequence[MatchedUnit], left: Collection[int]
) -> Iterator[tuple[list[MatchedUnit], list[int]]]:
    """Yield the new units and the missing entries between each two neighbours that both documents have."""
    went = sorted(left)
    come: list[MatchedUnit] = []
    before = -1
    for each in [*standing, None]:
        if each is not None and each.shown is None:
            come.append(each)
            continue
        after = each.shown if each is not None and each.shown is not None else None
        if come:
            upper = len(went) if after is None else bisect_left(went, after)
            lower = bisect_left(went, before)
            yield come, went[lower:upper] if lower <= upper else []
            come = []
        if after is not None:
            before = after


def _pair(
    come: Sequence[MatchedUnit], went: Sequence[int], base: Sequence[Shown], left: set[int], least: float
) -> None:
    """Match units with entries that are alike, the most alike first, unless there are too many to compare."""
    told = {at: words_said(memory) for at in went if at in left and (memory := base[at].memory) is not None}
    if len(come) * len(told) > _MOST_PAIRS:
        return
    pairs = []
    for each in come:
        matcher = SequenceMatcher(None, b=words_said(each.unit.memory), autojunk=False)
        for at, said in told.items():
            matcher.set_seq1(said)
            if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
                continue
            if (likeness := matcher.ratio()) >= least:
                pairs.append((likeness, -at, each))
    for _, at, each in sorted(pairs, key=lambda pair: pair[:2], reverse=True):
        if each.shown is None and -at in left:
            each.shown = -at
            left.discard(-at)


def alike(before: Memory, now: Memory, least: float = CHANGED) -> bool:
    """Return whether one block may be the other, changed; `least` is the least likeness."""
    return SequenceMatcher(None, words_said(before), words_said(now), autojunk=False).ratio() >= least


def is_block(memory: Memory) -> bool:
    """Return whether a memory is a block of prose rather than a bullet."""
    return memory.type == "note" and bool(memory.body)


def lines_said(memory: Memory) -> list[str]:
    """Return the lines that a reader sees, in one case and without the marks of items, quotes and headings."""
    said = [memory.title, memory.text, *memory.details, memory.body]
    source = memory.body if is_block(memory) else "\n".join(said)
    bare = (_MARKERS.sub("", line, count=1).strip().casefold() for line in source.splitlines())
    return [line for line in bare if line]


def words_said(memory: Memory) -> str:
    """Return these lines as one text to be compared."""
    return "\n".join(lines_said(memory))[:_LOOKED_AT]


def _same_form(now: Memory, before: Memory | None) -> bool:
    """Return whether both are bullets or both are prose; all entries of topic files have the same form."""
    return before is not None and (bool(now.topic) or is_block(now) == is_block(before))


# --- what stayed in its place ---


def keep_in_place(standing: Sequence[MatchedUnit], base: Sequence[Shown]) -> None:
    """Mark as many units as possible that kept the order of the rendering; the others were moved."""
    known = [each for each in standing if each.shown is not None]
    for at in _longest_rising([each.shown or 0 for each in known]):
        known[at].kept = True
    lineages = {base[each.shown].lineage: each for each in known if each.shown is not None}
    moved = True
    while moved:  # a block placed after a moved one would move with it
        moved = False
        for each in known:
            follows = base[each.shown].follows if each.shown is not None else ""
            anchor = lineages.get(follows) if each.kept and follows else None
            if anchor is not None and not anchor.kept:
                each.kept, moved = False, True


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """Return the positions of a longest rising subsequence (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, number in enumerate(numbers):
        pile = bisect_left(tops, number)
        if pile == len(tops):
            tops.append(number)
            ends.append(at)
        else:
            tops[pile], ends[pile] = number, at
        before.append(ends[pile - 1] if pile else -1)
    found = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(at)
        at = before[at]
    return found[::-1]
