"""Dates entries from git: an entry was said, and counts as fresh, from the time of its commit.

Implements specs/editing.md (D-66).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from documents.writing.folder import day_begin
from ledger.fold import fresh_from
from ledger.instant import DAY, is_instant, parsed, written
from ledger.memory import Memory
from projections.settings import BEFORE_TIME

if TYPE_CHECKING:
    from projections.workspace import Workspace

_LATE = 900_000
"""µs into a commit's second at which its entries are dated; joining dates from its beginning (D-64)."""
_DAY = 10
"""The length of the day in a written instant."""


def after_second(said: str, number: int) -> str:
    """Return an instant late in the second of a commit, or "".

    Git counts in seconds; entries of one commit rank in the order of the document.

    Args:
        said: the second.
        number: the position of the entry among those of the document.
    """
    return written(parsed(said) + _LATE + number) if said else ""


def dated(memory: Memory, said: str, stale: bool, ledger: Workspace) -> Memory:
    """Return a memory from git with the instant of its commit, or a topic's entry with the day of it.

    A day that the document shows stays. An entry with the stale mark is stale here too.

    Args:
        memory: the memory in a document.
        said: when it was committed, or "".
        stale: whether it has the stale mark.
        ledger: its settings say when a memory becomes stale.
    """
    date = memory.provenance.date
    if date and not is_instant(date):
        return memory
    limit = _limit(ledger)
    if stale and limit != BEFORE_TIME and (not said or said >= limit):
        said = written(parsed(limit) - DAY)
    said = said[:_DAY] if memory.topic or memory.tier == "daily" else said
    return memory._replace(provenance=memory.provenance._replace(date=said or date))


def is_old(memory: Memory, ledger: Workspace) -> bool:
    """Return whether a memory from git would be stale at once unless confirmed; a candidate waits, so it is not."""
    date = memory.provenance.date
    return memory.status == "active" and fresh_from(
        written(ledger.clock()), "git", date, replaces=False
    ) < _limit(ledger)


def is_stale(id_: str, ledger: Workspace) -> bool:
    """Return whether a memory is stale in the log."""
    entry = ledger.index.entry(id_)
    return entry is not None and entry.fresh_since < _limit(ledger)


def _limit(ledger: Workspace) -> str:
    return ledger.configuration.render_settings().stale_before(day_begin(ledger.clock()))
