"""What a writer must know before it signs: the View port, which `projections.index` implements.

Implements specs/state.md (S-8, S-9).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import orjson
from blake3 import blake3

from ledger.check import Link
from ledger.errors import LedgerError, StorageError
from ledger.event import Event
from ledger.fold import Entry
from ledger.memory import Memory
from ledger.named_tuple import NamedTuple
from ledger.tail import ChainTip

MAX_CANDIDATES = 20
"""At most so many ids of one prefix are named."""


class ViewUnavailableError(LedgerError):
    """The view cannot answer now (locked or damaged); nothing is written."""

    exit_code = StorageError.exit_code


class LinePlace(NamedTuple):
    """The place of an event's line in the chain: id, offset and size in bytes (LF not counted)."""

    id: str
    offset: int
    size: int


class View(Protocol):
    """The state behind validation. Every method may raise ViewUnavailableError."""

    def follow(self, chain: Path, tip: ChainTip) -> None:
        """Take in what `chain` holds up to `tip`."""

    def apply(self, events: Sequence[Event], link: Link) -> None:
        """Add events that were just appended after the known ones; `link` is the state after them.

        Never raises: `follow` catches up what is missed.
        """

    def entry(self, id_: str) -> Entry | None:
        """Return the memory with this full id."""

    def ids(self, prefix: str) -> list[str]:
        """Return ids of events that begin with `prefix`, at most 20, sorted."""

    def at_seq(self, seq: int) -> str | None:
        """Return the id of the event with this seq."""

    def same(self, memory: Memory) -> str | None:
        """Return the id of a live memory that makes the same statement (M-8)."""

    def family(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of all events that carry text of these memories, in the chain's order.

        That is: all versions, later parts, and what was said of them.
        """

    def places(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of those of these events that carry a payload which is not erased."""

    def twins(self, id_: str) -> list[str]:
        """Return the memories of other chains in whose place this one is shown, because they say the same (TM-30)."""

    def written_by_others(self, ids: Iterable[str], *, family: bool) -> list[str]:
        """Return the ids of what `family`, or `places`, leaves out because other writers wrote it (TM-23)."""

    def unseen_tips(self) -> list[str]:
        """Return the newest events of other chains that no event of our own names yet, newest first, at most 64 (TM-3)."""

    def unfinished_erasures(self) -> list[LinePlace]:
        """Return the events that an erase names and whose payload may still stand."""

    def erased(self, ids: Iterable[str]) -> None:
        """Note that the payloads of these events are blank now."""


def statement_key(memory: Memory) -> str:
    """Return a key of 32 hex digits that two memories share where they make the same statement (M-8)."""
    return said_key(
        memory.effective_section,
        memory.topic,
        memory.tier,
        memory.text,
        tuple(memory.details),
        memory.title,
        memory.body,
        memory.provenance.date,
        (memory.place.doc, memory.place.after or "") if memory.place and memory.type == "note" else (),
    )


@lru_cache(maxsize=32)
def said_key(  # noqa: PLR0917 - the members of M-8 in its order
    section: str,
    topic: str,
    tier: str,
    text: str,
    details: tuple[str, ...],
    title: str,
    body: str,
    date: str,
    place: tuple[str, ...] = (),
) -> str:
    """Return `statement_key` of a memory with these members; the date counts in the daily tier alone.

    `place` is given for a note that a person placed: document and the id before it.

    The newest are remembered: validation, fold and index ask for the same one in turn.
    """
    day = date[:10] if tier == "daily" else ""
    said = orjson.dumps([section, topic, tier, text, details, title, body, day, *place])
    return blake3(said).hexdigest()[:32]
