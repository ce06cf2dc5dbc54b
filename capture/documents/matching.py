"""Finds which block of an edited document is which block of the rendering that it descends from, and which stayed.

Implements specs/editing.md (D-3, D-9, D-60, D-61). Pure: a block is known by a key that the caller makes, since the text of a
rendering is kept nowhere; what its entries say comes from the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from capture.documents.forms import has_line, is_block, lines_said, words_said
from capture.documents.memory_units import Unit
from ledger.memory import Memory

CHANGED = 0.5
"""From this likeness on (0 to 1, `difflib`) a block that came where another went is that one, changed."""

_MOST_PAIRS = 20_000
_LOOKED_AT = 300
"""So many characters of a block are compared: likeness takes the square of the time."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry as a rendering showed it.

    `key` is that of its block, b"" where it has no lines; `memory` what it says, None where that was erased;
    `stale` tells that it bore the mark; `gone` that it had been taken out already, so that nothing is it, changed.
    `lineage` is the id that all its versions have in common, `follows` that of the entry behind which it was placed,
    "" for none.
    """

    id: str
    key: bytes
    memory: Memory | None
    stale: bool = False
    gone: bool = False
    lineage: str = ""
    follows: str = ""


@dataclass(slots=True)
class Standing:
    """A unit of the document, and the entry of the rendering that it is; `kept` where it stayed in its place.

    `joined` are other entries whose lines stand in it now (D-61), each after the one that it is.
    """

    unit: Unit
    shown: int | None = None
    kept: bool = False
    joined: list[int] = field(default_factory=list)


def matched(standing: list[Standing], base: Sequence[Shown], others: Collection[bytes] = ()) -> list[int]:
    """Find the entry that each unit is; return the positions of entries that no unit is.

    No entry was changed into a unit with a key of `others`: that is another memory.
    """
    with_lines = [at for at, shown in enumerate(base) if shown.key]
    keys = [each.unit.key for each in standing]
    blocks = SequenceMatcher(
        None, [base[at].key for at in with_lines], keys, autojunk=False
    ).get_matching_blocks()
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
    taken_out = {at for at in left if base[at].gone}
    left -= taken_out
    for come, went in _gaps(standing, left):
        come = [each for each in come if each.unit.key not in others]  # noqa: PLW2901
        if len(come) * len(went) <= _MOST_PAIRS:
            _pair(come, went, base, left, CHANGED)
            _pair(come, went, base, left, CHANGED, across=True)
            _join(come, went, base, left)
        rest = [each for each in come if each.shown is None]
        unpaired = [at for at in went if at in left]
        if len(rest) == len(unpaired):
            for each, at in zip(rest, unpaired, strict=True):
                if _same_form(each.unit, base[at]):
                    each.shown = at
                    left.discard(at)
    come = [each for each in standing if each.shown is None and each.unit.key not in others]
    if len(come) * len(left) <= _MOST_PAIRS:
        _pair(come, sorted(left), base, left, 0.8)
        _pair(come, sorted(left), base, left, 0.8, across=True)
    return sorted(left | taken_out | {at for at, shown in enumerate(base) if not shown.key})


def _gaps(standing: Sequence[Standing], left: Collection[int]) -> Iterator[tuple[list[Standing], list[int]]]:
    """Give what came and what went between each two neighbours that both documents have."""
    went = sorted(left)
    come: list[Standing] = []
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
    come: Iterable[Standing],
    went: Sequence[int],
    base: Sequence[Shown],
    left: set[int],
    least: float,
    *,
    across: bool = False,
) -> None:
    """Let what is alike be the same, the most alike first; of one form, or `across` the two (D-60)."""
    pairs = []
    words = words_said if across else _words
    told = {at: words(memory) for at in went if at in left and (memory := base[at].memory) is not None}
    for each in come:
        if each.shown is not None:
            continue
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(words(each.unit.memory))
        for at, said in told.items():
            if _same_form(each.unit, base[at]) is across:
                continue
            matcher.set_seq1(said)
            if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
                continue
            if (likeness := matcher.ratio()) >= least:
                pairs.append((likeness, -at, each))
    for _, at, each in sorted(pairs, key=lambda pair: pair[:2], reverse=True):
        if each.shown is None and -at in left:
            each.shown = -at
            left.discard(-at)


def _join(come: Iterable[Standing], went: Sequence[int], base: Sequence[Shown], left: set[int]) -> None:
    """Let bullets whose text is a line of a block of prose that came there be that block (D-61)."""
    bullets = {at: lines_said(memory) for at in went if (memory := base[at].memory) and not is_block(memory)}
    for each in come:
        if not is_block(each.unit.memory) or each.unit.memory.topic:
            continue
        lines = lines_said(each.unit.memory)
        compared = lines if len(lines) * len(bullets) <= _MOST_PAIRS else []
        known = set(lines)
        for at in went:
            if at in left and (said := bullets.get(at)) and has_line(compared, known, said[0]):
                left.discard(at)
                each.joined.append(at)
        if each.joined:
            first, *each.joined = sorted([*each.joined, *([] if each.shown is None else [each.shown])])
            each.shown = first


def alike(before: Memory, now: Memory, least: float = CHANGED) -> bool:
    """Say whether one block may well be the other, changed; `least` is the likeness that it takes."""
    if is_block(before) != is_block(now) and not now.topic:
        if set(lines_said(before)) <= set(lines_said(now)):
            return True
        return SequenceMatcher(None, words_said(before), words_said(now), autojunk=False).ratio() >= least
    return SequenceMatcher(None, _words(before), _words(now), autojunk=False).ratio() >= least


def _words(memory: Memory) -> str:
    title = [memory.title] if memory.title else []
    return "\n".join([*title, memory.text, *memory.details, memory.body])[:_LOOKED_AT].casefold()


def _same_form(unit: Unit, shown: Shown) -> bool:
    """Say whether a unit can be this entry, changed: notes are notes, but for topics, whose entries look alike."""
    if shown.memory is None:
        return False
    return bool(unit.memory.topic) or is_block(unit.memory) == is_block(shown.memory)


# --- what stayed in its place ---


def keep_in_place(standing: Sequence[Standing], base: Sequence[Shown]) -> None:
    """Mark the units that stand in the order of the rendering: as many as can be; the others were moved."""
    known = [each for each in standing if each.shown is not None]
    for at in _longest_rising([each.shown or 0 for each in known]):
        known[at].kept = True
    lineages = {base[each.shown].lineage: each for each in known if each.shown is not None}
    moved = True
    while moved:  # what follows a block that was moved would go with it
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
