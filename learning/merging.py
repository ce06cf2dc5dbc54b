"""Which memories say the same and could be one, and what that one would say: pure, a proposal and no decision.

Implements specs/projections.md (P-155…P-158). Likeness alone judges, of the pairs that `learning.pairing` finds;
here is how much of that is done at once, and how nothing that either says is lost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from language.likeness import PreparedText, likeness, read
from learning.pairing import are_near, candidates, telling
from ledger.errors import RecordError
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import IMPORTANCES, Memory
from ledger.progress import Progress, untold
from projections.layout import DAILY

MOST_PAIRS = 200_000
"""So many pairs are judged at most; where there are more, it is said."""

_JUDGED = 5
"""What a pair counts that likeness has to judge; one that has too few words in common counts one."""

A_SERIES = 3
"""What differs in a value from more memories than this is an entry of a list, and contradicts none of them."""

MOST_TARGETS = 16
"""So many memories one event can replace (E-17)."""

_OUTER = ".,;:!?\"'()[]{}<>`*_“”"

_BULLET = lazy_pattern(r"[-*+][ \t]+(?:\[\?\][ \t]+)*(.*)")

_OF_ANOTHER = lazy_pattern(r"\[[ xX]\][ \t]|\W*\w+(?:[ \t-]\w+){0,2}\W*:")
"""A task, or a field of the line above (`Risk: low`): a person repeats these on purpose (editing.md D-71)."""

_END = lazy_pattern(r"(?<=\w\w)[.,;:!]$")
"""A mark after a word: after a sign it may be part of what is named, as in `src/.`."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Memories that say the same, the earliest first, and the one memory that would replace them."""

    entries: tuple[Entry, ...]
    memory: Memory


@dataclass(frozen=True, slots=True)
class Proposals:
    """What could be merged; what contradicts each other, which nobody merges; and how far it was looked.

    `series` counts memories that are left out of the contradictions, since they read like entries of a list.
    `compared` counts the pairs that were looked at; `unfinished` are the sections and topics that had more of them than there was room for.
    """

    merges: tuple[Merge, ...] = ()
    contradictions: tuple[tuple[Entry, Entry], ...] = ()
    series: int = 0
    compared: int = 0
    unfinished: tuple[tuple[str, str], ...] = ()

    @property
    def bounded(self) -> bool:
        """Say whether there were more pairs than are compared at once."""
        return bool(self.unfinished)


def proposals(entries: Iterable[Entry], most: int = MOST_PAIRS, *, progress: Progress = untold) -> Proposals:
    """Return what of these memories says the same, and what contradicts each other (P-155).

    Args:
        entries: memories of one ledger; only active ones are looked at, and no daily notes.
        most: how many pairs likeness may judge, shared evenly among the sections that have some left.
        progress: told how many memories and pairs were looked at.
    """
    blocks: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda each: (each.ts, each.id)):
        memory = entry.memory
        if entry.compromised:
            continue  # a merge would vouch for it (N-29)
        if entry.status == "active" and memory.tier != DAILY and not _is_verbatim(memory):
            blocks[memory.effective_section, memory.topic].append(entry)
    ticks = count(1)
    compares = [
        _Comparing(place, block, lambda: progress(next(ticks), 0)) for place, block in sorted(blocks.items())
    ]
    compared, room, unfinished = 0, most * _JUDGED, compares
    while unfinished and room > 0:
        share = max(_JUDGED, room // len(unfinished))
        for each in unfinished:
            used, looked_at = each.compare(min(share, room))
            room, compared = room - used, compared + looked_at
        unfinished = [each for each in unfinished if not each.finished]
    merges: list[Merge] = []
    contradictions: list[tuple[Entry, Entry]] = []
    for each in compares:
        contradictions += each.contradictions
        wanted = (_merge([each.block[at] for at in members]) for members in _cliques(each.same))
        merges += [merge for merge in wanted if merge is not None]
    others = Counter(entry.id for pair in contradictions for entry in pair)
    listed = {id_ for id_, number in others.items() if number > A_SERIES}
    pairs = [pair for pair in contradictions if listed.isdisjoint((pair[0].id, pair[1].id))]
    return Proposals(
        tuple(sorted(merges, key=lambda merge: rank_of(merge.entries[0]))),
        tuple(sorted(pairs, key=lambda pair: (rank_of(pair[0]), rank_of(pair[1])))),
        len(listed),
        compared,
        tuple(each.place for each in unfinished),
    )


class _Comparing:
    """The memories of one section and topic, compared as far as there is room for."""

    def __init__(self, place: tuple[str, str], block: list[Entry], tick: Callable[[], None]) -> None:
        self.place, self.block, self._tick = place, block, tick
        self.same: dict[int, set[int]] = defaultdict(set)
        self.contradictions: list[tuple[Entry, Entry]] = []
        self._readings = [self._read(entry) for entry in block]
        self._telling = telling(self._readings)
        self._pairs = candidates(self._readings)
        self._next = next(self._pairs, None)

    @property
    def finished(self) -> bool:
        return self._next is None

    def compare(self, room: int) -> tuple[int, int]:
        """Go on until the room is used up; return how much was, and how many pairs were looked at."""
        used = looked_at = 0
        while self._next is not None and used < room:
            one, other = self._next
            if are_near(self._telling[one], self._telling[other]):
                self._judge(one, other)
                used += _JUDGED
            else:
                used += 1
            looked_at += 1
            self._tick()
            self._next = next(self._pairs, None)
        return used, looked_at

    def _read(self, entry: Entry) -> PreparedText:
        self._tick()
        return read(_whole(entry.memory))

    def _judge(self, one: int, other: int) -> None:
        verdict = likeness(self._readings[one], self._readings[other])
        if verdict == "contradicts":
            self.contradictions.append((self.block[one], self.block[other]))
        elif verdict == "same" and _can_be_one(self.block[one].memory, self.block[other].memory):
            self.same[one].add(other)
            self.same[other].add(one)


def rank_of(entry: Entry) -> tuple[str, str]:
    """Return by what proposals are ordered: when the memory came."""
    return (entry.ts, entry.id)


def _whole(memory: Memory) -> str:
    """Return what of a memory is compared: in a topic the title says what the text is about."""
    return f"{memory.title}: {memory.text}" if memory.topic and memory.title else memory.text


def _is_verbatim(memory: Memory) -> bool:
    """Say whether a memory is a block of a person's document, which stays as it is; a repeated bullet is none."""
    return memory.type == "note" and bool(memory.body) and not _is_bullet(memory)


def _is_bullet(memory: Memory) -> bool:
    """Say whether a note's body is one bullet that says its text and no field: a repetition (editing.md D-71)."""
    line = _BULLET.fullmatch(memory.body.strip("\r\n")) if memory.type == "note" else None
    return line is not None and line[1].strip() == memory.text and not _OF_ANOTHER.match(memory.text)


def _plain(memory: Memory) -> Memory:
    """Return a memory without a body that says its text again."""
    return memory._replace(body="") if _is_bullet(memory) else memory


def _can_be_one(one: Memory, other: Memory) -> bool:
    """Say whether nothing but what they say stands between two memories and one record."""
    if one.tier != other.tier:
        return False
    one, other = _plain(one), _plain(other)
    for mine, theirs in ((one.extra, other.extra), (one.body, other.body)):
        if mine and theirs and mine != theirs:
            return False  # equal texts above different bodies are no duplicates
    shared = one.unknown.keys() & other.unknown.keys()
    return all(one.unknown[name] == other.unknown[name] for name in shared)


def _cliques(same: dict[int, set[int]]) -> Iterator[list[int]]:
    """Give sets of which each is the same as each other: likeness is not transitive, and no bridge counts."""
    taken: set[int] = set()
    for first in sorted(same):
        if first in taken:
            continue
        members = [first]
        for other in sorted(same[first] - taken):
            if len(members) < MOST_TARGETS and all(other in same[each] for each in members):
                members.append(other)
        if len(members) > 1:
            taken.update(members)
            yield members


def _merge(entries: Sequence[Entry]) -> Merge | None:
    """Return the merge of memories, None where one record cannot hold all that they say."""
    merged = entries[0].memory
    for entry in entries[1:]:
        if not _can_be_one(merged, entry.memory):
            return None
        merged = merged_of(merged, entry.memory)
    try:
        merged.to_payload()
    except RecordError:
        return None
    return Merge(tuple(entries), merged)


def merged_of(earlier: Memory, newer: Memory) -> Memory:
    """Return one memory that says all that two of the same say (P-157).

    The fuller text stands; the other is a detail, unless it is the same text. A note becomes what the other is.
    """
    earlier, newer = _plain(earlier), _plain(newer)
    fuller, other = (newer, earlier) if _fullness(newer.text) > _fullness(earlier.text) else (earlier, newer)
    details = [*fuller.details, *other.details]
    title = fuller.title or other.title
    if other.title and other.title != title:
        details.insert(len(fuller.details), other.title)
    if _bare(other.text) not in {_bare(text) for text in (fuller.text, *fuller.details)}:
        details.insert(len(fuller.details), other.text)
    bodies = dict.fromkeys(body for body in (fuller.body, other.body) if body)
    return earlier._replace(
        type=newer.type if earlier.type == "note" else earlier.type,
        section=earlier.section or ("" if earlier.type == newer.type else earlier.effective_section),
        text=fuller.text,
        details=tuple(dict.fromkeys(details)),
        title=title,
        body="\n\n".join(body.strip("\r\n") for body in bodies) if len(bodies) > 1 else "".join(bodies),
        part=None,
        when_to_use=_united(earlier.when_to_use, newer.when_to_use),
        tags=_united(earlier.tags, newer.tags),
        importance=max(earlier.importance, newer.importance, key=IMPORTANCES.index),
        confidence=max(earlier.confidence, newer.confidence),
        inferred=earlier.inferred and newer.inferred,
        source="manual" if "manual" in (earlier.source, newer.source) else "auto",
        category=newer.category or earlier.category,
        provenance=newer.provenance,
        extra=newer.extra or earlier.extra,
        unknown={**earlier.unknown, **newer.unknown},
    )


def _united(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*one, *other]))


def _fullness(text: str) -> tuple[int, int]:
    return len(_words(text)), len(text)


def _bare(text: str) -> str:
    """Return a text without what may differ between two that are the same text (P-157)."""
    text = _END.sub("", " ".join(text.split()))
    return text[:1].casefold() + text[1:]


def _words(text: str) -> set[str]:
    """Return the words of a text as they are written, but for case and what stands around them."""
    return {word for raw in text.split() if (word := raw.strip(_OUTER).casefold() or raw)}
