"""Finds which block of an edited document is which block of the rendering that it descends from, and which stayed.

Implements specs/editing.md (D-3, D-9, D-60, D-61, D-73, D-75). Pure: a block is known by a key that the caller makes, since the text of a
rendering is kept nowhere; what its entries say comes from the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from documents.reading.forms import has_line, is_block, lines_said, unmarked, words_said
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import NOTHING, GoneMemories, MatchedUnit, Shown
from documents.reading.splits_and_merges import NEARLY_ALL, find_lines, find_parts, join_lines, join_words
from ledger.memory import Memory

CHANGED = 0.5
"""From this likeness on (0 to 1, `difflib`) a block that came where another went is that one, changed."""

NEARLY = 0.8
"""From this likeness on it is that one wherever it came, and before others are asked whether it is a part of them."""

_MOST_PAIRS = 20_000
_LOOKED_AT = 300
"""So many characters of a block are compared: likeness takes the square of the time."""


def matched(
    standing: list[MatchedUnit],
    base: Sequence[Shown],
    others: Collection[bytes] = (),
    past: GoneMemories = NOTHING,
    doubled: Collection[int] = (),
) -> list[int]:
    """Find the entry that each unit is; return the positions of entries that no unit is.

    No entry was changed into a unit with a key of `others`: that is another memory; nor into one that `past` knows,
    unless that memory became the entry; and into those on the lines `doubled` only what else were gone.
    """
    left = _by_key(standing, base)
    taken_out = {at for at in left if base[at].gone}
    left -= taken_out
    _come_back(standing, base, left, past)
    for come, went in _gaps(standing, left):
        come = [each for each in come if _may_be(each, others, doubled)]  # noqa: PLW2901
        if len(come) * len(went) <= _MOST_PAIRS:
            for least in (NEARLY, CHANGED):  # halves are less alike than what has all words
                _pair(come, went, base, left, least)
                _pair(come, went, base, left, least, across=True)
                _join(come, went, base, left)
                join_words(come, went, base, left)
                find_parts(come, went, base, left)
        rest = [each for each in come if each.is_new]
        unpaired = [at for at in went if at in left]
        if len(rest) == len(unpaired):
            for each, at in zip(rest, unpaired, strict=True):
                if _same_form(each.unit, base[at]):
                    each.shown = at
                    left.discard(at)
    _anywhere([each for each in standing if each.unit.line not in doubled], base, left, others)
    _pair([each for each in standing if each.unit.line in doubled], sorted(left), base, left, NEARLY)
    back = {each.once.id for each in standing if each.once is not None}
    for each in standing:
        if each.is_new and _may_be(each, others, doubled):
            once = past.nearly(each.unit)
            each.once = once if once is not None and once.id not in back else None
            back |= {once.id} if once is not None else set()
        if each.unit.unwrapped is not None and _is_bullet(each, base):
            each.unit = replace(each.unit, memory=each.unit.unwrapped)
    return sorted(left | taken_out | {at for at, shown in enumerate(base) if not shown.key})


def _may_be(each: MatchedUnit, others: Collection[bytes], doubled: Collection[int]) -> bool:
    """Say whether a unit may be an entry that was changed."""
    return each.unit.key not in others and each.once is None and each.unit.line not in doubled


def _by_key(standing: Sequence[MatchedUnit], base: Sequence[Shown]) -> set[int]:
    """Let units with the key of an entry be that one, in order and then elsewhere; return those that none is."""
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
    _stay(standing, base)
    elsewhere: dict[bytes, list[int]] = {}
    for at in sorted(left, reverse=True):
        elsewhere.setdefault(base[at].key, []).append(at)
    for each in standing:
        if each.shown is None and (found := elsewhere.get(each.unit.key)):
            each.shown = found.pop()
            left.discard(each.shown)
    for each in standing:
        if each.shown is None and each.unit.flat and (found := elsewhere.get(each.unit.flat)):
            each.shown = found.pop()
            left.discard(each.shown)
    return left


def _stay(standing: Sequence[MatchedUnit], base: Sequence[Shown]) -> None:
    """Let an entry whose line stands in its section still be that one, and not its copy in another section."""
    at_home: dict[tuple[str, bytes], list[MatchedUnit]] = {}
    for each in reversed(standing):
        if each.shown is None:
            at_home.setdefault((each.unit.memory.section, each.unit.key), []).append(each)
    for each in standing if at_home else ():
        memory = base[each.shown].memory if each.shown is not None else None
        if memory is None or memory.heading == each.unit.memory.section:
            continue
        if same := at_home.get((memory.heading, each.unit.key)):
            same.pop().shown, each.shown = each.shown, None


def _anywhere(
    standing: Sequence[MatchedUnit], base: Sequence[Shown], left: set[int], others: Collection[bytes]
) -> None:
    """Find what was changed and moved, and lines that were drawn in or out far from where they stood."""
    come = [each for each in standing if each.is_new and each.unit.key not in others]
    if len(come) * len(left) <= _MOST_PAIRS:
        _pair(come, sorted(left), base, left, NEARLY)
        _pair(come, sorted(left), base, left, NEARLY, across=True)
    changed = [each for each in standing if each.shown is None or each.unit.key != base[each.shown].key]
    changed = [each for each in changed if each.once is None and each.unit.key not in others]
    if len(changed) * (len(left) + len(changed)) <= _MOST_PAIRS:
        join_lines(changed, base, left)
        join_words(changed, sorted(left), base, left, NEARLY_ALL)
        find_lines(changed, base)
        find_parts(changed, sorted(left), base, left, NEARLY_ALL)


def _come_back(
    standing: Sequence[MatchedUnit], base: Sequence[Shown], left: set[int], past: GoneMemories
) -> None:
    """Let a unit that says what an entry said once be that entry; of what stands no more note what it is (D-73)."""
    by_id = {base[at].id: at for at in left}
    for each in standing:
        if each.shown is not None or (once := past.exactly(each.unit)) is None:
            continue
        at = next((by_id[id_] for id_ in once.became if id_ in by_id and by_id[id_] in left), None)
        if at is None:
            each.once = once
        else:
            each.shown = at
            left.discard(at)


def _is_bullet(each: MatchedUnit, base: Sequence[Shown]) -> bool:
    """Say whether the entry that a unit is, or comes from, is a bullet."""
    if each.once is not None:
        return not is_block(each.once.memory)
    at = each.part_of if each.shown is None else each.shown
    memory = base[at].memory if at is not None else None
    return memory is not None and not is_block(memory)


def _gaps(
    standing: Sequence[MatchedUnit], left: Collection[int]
) -> Iterator[tuple[list[MatchedUnit], list[int]]]:
    """Give what came and what went between each two neighbours that both documents have."""
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
    come: Iterable[MatchedUnit],
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
        if not each.is_new:
            continue
        matcher = SequenceMatcher(None, autojunk=False)
        seen = None
        for at, said in told.items():
            if _same_form(each.unit, base[at]) is across:
                continue
            if (now := _as_form(each.unit, base[at])) is not seen:
                matcher.set_seq2(words(now))
                seen = now
            matcher.set_seq1(said)
            if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
                continue
            if (likeness := matcher.ratio()) >= least:
                pairs.append((likeness, -at, each))
    for _, at, each in sorted(pairs, key=lambda pair: pair[:2], reverse=True):
        if each.shown is None and -at in left:
            each.shown = -at
            left.discard(-at)


def _join(come: Iterable[MatchedUnit], went: Sequence[int], base: Sequence[Shown], left: set[int]) -> None:
    """Let bullets whose text is a line of a block of prose that came there be that block, and blocks of its lines (D-61)."""
    entries = {at: memory for at in went if (memory := base[at].memory)}
    bullets = {at: lines_said(memory) for at, memory in entries.items()}
    for each in come:
        if not is_block(each.unit.memory) or each.unit.memory.topic or each.unit.unwrapped is not None:
            continue
        lines = lines_said(each.unit.memory)
        compared = lines if len(lines) * len(bullets) <= _MOST_PAIRS else []
        known = set(lines)
        for at in went:
            if at not in left or not (said := bullets.get(at)):
                continue
            is_there = known.issuperset(said) if is_block(entries[at]) else has_line(compared, known, said[0])
            if is_there:
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
    lines = [*title, memory.text, *memory.details, memory.body]
    return unmarked("\n".join(lines)[:_LOOKED_AT]).casefold()


def _same_form(unit: Unit, shown: Shown) -> bool:
    """Say whether a unit can be this entry, changed: notes are notes, but for topics, whose entries look alike."""
    if shown.memory is None:
        return False
    if unit.unwrapped is not None:
        return True
    return bool(unit.memory.topic) or is_block(unit.memory) == is_block(shown.memory)


def _as_form(unit: Unit, shown: Shown) -> Memory:
    """Return what a unit says in the form of an entry: on one line, where that is a bullet (D-72)."""
    bullet = unit.unwrapped
    return bullet if bullet is not None and shown.memory and not is_block(shown.memory) else unit.memory


# --- what stayed in its place ---


def keep_in_place(standing: Sequence[MatchedUnit], base: Sequence[Shown]) -> None:
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
