"""Holds what was written of a conversation against what was expected.

Implements specs/capture.md (K-122).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from eval.memory_writes.golden import TEXTUAL, Conversation, Expected
from eval.memory_writes.hearing import Heard, Write

Met = Literal["met", "half", "missed"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one expectation: `half` where only a candidate stands for it; `by` the write that does."""

    expected: Expected
    met: Met
    by: Write | None = None


@dataclass(frozen=True, slots=True)
class Wrong:
    """A false positive: a write that nothing expected, or (`is_harm`) a seed that a write took away."""

    write: Write
    is_harm: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    """A conversation, what was expected of it, and what was written of it though it should not have been."""

    conversation: Conversation
    heard: Heard
    judged: tuple[Judged, ...]
    wrong: tuple[Wrong, ...]


def account(conversation: Conversation, heard: Heard) -> Account:
    """Hold the writes of a conversation against its expectations.

    An expectation that few writes could meet chooses first, so that it does not matter in which order they are
    written down.
    """
    lines = _lines(heard.writes)
    hits = {at: list(_hits(each, heard)) for at, each in enumerate(conversation.expected)}
    judged: dict[int, Judged] = {}
    due: set[int] = set()
    taken: set[str] = set()
    for at in sorted(hits, key=lambda at: (len({lines[write.id] for write in hits[at]}), at)):
        expected = conversation.expected[at]
        judged[at], line = _judged(expected, hits[at], lines, taken, heard)
        if line:
            taken.add(line)
            due.update(
                number
                for number, write in enumerate(heard.writes)
                if write in hits[at] and lines[write.id] == line and _is_due(expected, write)
            )
    wrong = [Wrong(write) for number, write in enumerate(heard.writes) if number not in due]
    wrong += list(_taken_away(conversation, heard))
    return Account(conversation, heard, tuple(judged[at] for at in sorted(judged)), tuple(wrong))


def _hits(expected: Expected, heard: Heard) -> Iterator[Write]:
    """Give the writes that say what is expected, whatever their standing and turn."""
    for write in heard.writes:
        if expected.op in TEXTUAL:
            if (
                write.outcome != "forgotten"
                and write.id not in heard.seeds
                and expected.is_said_by(write.text)
            ):
                yield write
        elif _is_of_its_seed(expected, write, heard):
            yield write


def _is_of_its_seed(expected: Expected, write: Write, heard: Heard) -> bool:
    assert expected.of is not None
    seed = heard.seeds[expected.of]
    if expected.op == "delete":
        return write.outcome == "forgotten" and write.id == seed
    return (write.outcome == "confirmed" and write.id == seed) or (
        write.outcome == "promoted" and seed in (write.id, *write.targets)
    )


def _is_due(expected: Expected, write: Write) -> bool:
    """Say whether a write is one that an expectation asks for, or a candidate that stands in its place."""
    if expected.op == "candidate":
        return write.is_candidate and write.turn >= expected.turn
    if expected.op in TEXTUAL and write.is_candidate:
        return True
    return write.turn >= expected.turn


def _judged(
    expected: Expected, hits: Sequence[Write], lines: dict[str, str], taken: set[str], heard: Heard
) -> tuple[Judged, str]:
    """Choose the memory that stands for an expectation: return the judgement and the line of that memory."""
    ranked = sorted(hits, key=lambda write: (not _meets(expected, write, heard), lines[write.id] in taken))
    if not ranked:
        return Judged(expected, "missed"), ""
    best = ranked[0]
    line = lines[best.id]
    if _meets(expected, best, heard):
        return Judged(expected, "met", best), line
    is_half = best.is_candidate and expected.op != "candidate"
    return Judged(expected, "half" if is_half else "missed", best), line


def _meets(expected: Expected, write: Write, heard: Heard) -> bool:
    if write.turn < expected.turn or write.is_candidate != (expected.op == "candidate"):
        return False
    if expected.op in {"save", "supersede"} and not _stands(expected, write, heard):
        return False
    if expected.op == "supersede":
        assert expected.of is not None
        return heard.seeds[expected.of] not in heard.standing
    return True


def _stands(expected: Expected, write: Write, heard: Heard) -> bool:
    """Say whether a memory is active in the end, or what took its place is and says the same."""
    ids = {write.id}
    for later in heard.writes:
        if ids.intersection(later.targets) and expected.is_said_by(later.text):
            ids.add(later.id)
    return bool(ids & heard.standing)


def _taken_away(conversation: Conversation, heard: Heard) -> Iterator[Wrong]:
    """Give the seeds that went though no expectation replaces, deletes or confirms them."""
    meant = {heard.seeds[each.of] for each in conversation.expected if each.of is not None}
    for write in heard.writes:
        for seed in set(write.targets) & set(heard.seeds) - meant:
            if seed not in heard.standing and not write.is_candidate:
                yield Wrong(write, is_harm=True)


def _lines(writes: Sequence[Write]) -> dict[str, str]:
    """Return of each memory the first one of its line: a candidate and what it was promoted to are one."""
    first: dict[str, str] = {}
    for write in writes:
        before = next((first[target] for target in write.targets if target in first), write.id)
        first.setdefault(write.id, before if write.outcome in {"promoted", "superseded"} else write.id)
    return first
