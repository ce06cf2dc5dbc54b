"""Merges several memories that say the same: proposes first, and writes only agreed merges.

Implements specs/projections.md (P-155…P-158). Likeness alone judges pairs that share a word. A merge is a supersede that
names every replaced memory, so that `history` shows them and `revert` brings them back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count

from documents.scope import Scope
from language.likeness import PreparedText, likeness, read
from language.likeness.vocabulary import tables
from ledger.command import Supersede, Written
from ledger.errors import RecordError, SecretError
from ledger.event import By
from ledger.fold import Entry, age
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import FROM, IMPORTANCES, Memory
from ledger.progress import Progress, untold
from ledger.schema import MAX_TARGETS
from projections.layout import DAILY
from projections.recall import Recall
from projections.workspace import Workspace

COMMON = 40
"""A word that more memories of one section share makes no pair of them a candidate."""

_LACKING = 2
"""Two memories are compared if one lacks at most so many telling words of the other, plus one per three shared words."""

A_SERIES = 3
"""A memory that contradicts more memories than this is an entry of a list, and contradicts none of them."""

_OUTER = ".,;:!?\"'()[]{}<>`*_“”"

_END = lazy_pattern(r"(?<=\w\w)[.,;:!]$")
"""A mark after a word; after a sign it may be part of a name, as in `src/.`."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Memories that say the same, the earliest first, and the one memory that would replace them."""

    entries: tuple[Entry, ...]
    memory: Memory


@dataclass(frozen=True, slots=True)
class Proposals:
    """The possible merges, and the contradictions, which are never merged.

    `series` counts memories that are left out of the contradictions because they look like entries of a list;
    `compared` counts the judged pairs.
    """

    merges: tuple[Merge, ...] = ()
    contradictions: tuple[tuple[Entry, Entry], ...] = ()
    series: int = 0
    compared: int = 0


def proposed(workspace: Workspace) -> Proposals:
    """Return the possible merges of a ledger's memories, and the contradictions; write nothing.

    Leaves out a merge that redaction would refuse: a secret must be erased, not written again.
    """
    with workspace.on_progress("comparing memories") as progress:
        found = proposals(Recall(workspace).load_all(), progress=progress)
    return replace(found, merges=tuple(merge for merge in found.merges if _may_be_written(workspace, merge)))


def _may_be_written(workspace: Workspace, merge: Merge) -> bool:
    try:
        workspace.ledger.screened(merge.memory.to_payload(), redact=False)
    except SecretError:
        return False
    return True


def write(scope: Scope, merges: Sequence[Merge], by: By | None = None) -> list[Written]:
    """Write merges in one batch; raises as `Ledger.write` does, and a target that was replaced since is refused."""
    commands = [Supersede(tuple(entry.id for entry in merge.entries), merge.memory) for merge in merges]
    return scope.write(commands, by) if commands else []


def proposals(entries: Iterable[Entry], *, progress: Progress = untold) -> Proposals:
    """Return the possible merges of these memories, and the contradictions (P-155).

    Args:
        entries: memories of one ledger; only active ones count, and no daily notes.
        progress: is called with the number of judged pairs.
    """
    blocks: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=age):
        memory = entry.memory
        is_prose = memory.type == "note" and bool(memory.body)
        # a merge would confirm what only a disowned key signed (N-29)
        if entry.status == "active" and memory.tier != DAILY and not is_prose and not entry.compromised:
            blocks[memory.effective_section, memory.topic].append(entry)
    merges: list[Merge] = []
    contradictions: list[tuple[Entry, Entry]] = []
    ticks = count(1)
    for _, block in sorted(blocks.items()):
        same: dict[int, set[int]] = defaultdict(set)
        readings = [read(_whole(entry.memory)) for entry in block]
        for one, other in candidates(readings):
            progress(next(ticks), 0)
            verdict = likeness(readings[one], readings[other])
            if verdict == "contradicts":
                contradictions.append((block[one], block[other]))
            elif verdict == "same" and _can_be_one(block[one].memory, block[other].memory):
                same[one].add(other)
                same[other].add(one)
        wanted = (_merge([block[at] for at in members]) for members in _cliques(same))
        merges += [merge for merge in wanted if merge is not None]
    others = Counter(entry.id for pair in contradictions for entry in pair)
    listed = {id_ for id_, number in others.items() if number > A_SERIES}
    pairs = [pair for pair in contradictions if listed.isdisjoint((pair[0].id, pair[1].id))]
    return Proposals(
        tuple(sorted(merges, key=lambda merge: age(merge.entries[0]))),
        tuple(sorted(pairs, key=lambda pair: (age(pair[0]), age(pair[1])))),
        len(listed),
        next(ticks) - 1,
    )


def candidates(readings: Sequence[PreparedText]) -> Iterator[tuple[int, int]]:
    """Yield the pairs, as places in `readings`, that are worth judging: each once, the lower place first (P-156).

    A pair shares a word that few have, or is close in the order of its words, and neither text lacks more than a few
    telling words of the other. This check of a pair is a hundred times faster than likeness.
    """
    bearing: dict[str, list[int]] = defaultdict(list)
    for at, reading in enumerate(readings):
        for word in reading.tokens:
            bearing[word].append(at)
    groups = [places for places in bearing.values() if 1 < len(places) <= COMMON]
    alike = sorted(range(len(readings)), key=lambda at: (sorted(readings[at].tokens), readings[at].flat, at))
    groups += [alike[place : place + COMMON] for place in range(0, len(alike), COMMON // 2)]
    soft = tables().soft
    telling = [frozenset(reading.tokens.keys() - soft) for reading in readings]
    seen: set[tuple[int, int]] = set()
    for pair in (tuple(sorted(pair)) for places in groups for pair in combinations(places, 2)):
        one, other = pair
        if (one, other) not in seen:
            seen.add((one, other))
            if _are_near(telling[one], telling[other]):
                yield one, other


def _are_near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether texts with these telling words can be the same or contradict each other at all."""
    shared = len(one & other)
    return min(len(one), len(other)) - shared <= _LACKING + shared // 3


def _whole(memory: Memory) -> str:
    """Return the text to compare: in a topic the title names the subject."""
    return f"{memory.title}: {memory.text}" if memory.topic and memory.title else memory.text


def _can_be_one(one: Memory, other: Memory) -> bool:
    """Return whether two memories could be one record, apart from their texts."""
    if one.tier != other.tier:
        return False
    for mine, theirs in ((one.extra, other.extra), (one.body, other.body)):
        if mine and theirs and mine != theirs:
            return False  # equal texts above different bodies are not duplicates
    shared = one.unknown.keys() & other.unknown.keys() - {
        FROM
    }  # a merge may be built on both, since it replaces them
    return all(one.unknown[name] == other.unknown[name] for name in shared)


def _cliques(same: dict[int, set[int]]) -> Iterator[list[int]]:
    """Yield groups in which each memory is the same as each other one, since likeness is not transitive."""
    taken: set[int] = set()
    for first in sorted(same):
        if first in taken:
            continue
        members = [first]
        for other in sorted(same[first] - taken):
            if len(members) < MAX_TARGETS and all(other in same[each] for each in members):
                members.append(other)
        if len(members) > 1:
            taken.update(members)
            yield members


def _merge(entries: Sequence[Entry]) -> Merge | None:
    """Return the merge of memories, None if one record cannot hold everything they say."""
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
    """Return one memory with everything that two memories of the same content say (P-157).

    The fuller text becomes the text; the other one becomes a detail, unless it is the same. A note takes the other's type.
    """
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
    """Return a text without case of its first letter, spacing and final mark, which may differ in equal texts (P-157)."""
    text = _END.sub("", " ".join(text.split()))
    return text[:1].casefold() + text[1:]


def _words(text: str) -> set[str]:
    """Return the words of a text as written, without case and surrounding signs."""
    return {word for raw in text.split() if (word := raw.strip(_OUTER).casefold() or raw)}
