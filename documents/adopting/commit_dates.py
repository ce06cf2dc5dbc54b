"""Dates what git brought: when it was committed is when it was said, and from when it counts as fresh.

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
"""So many µs after a commit's second begins counts what came with it; joining counts from its beginning (D-64)."""
_DAY = 10
"""So many characters of an instant are its day."""


def after_second(said: str, number: int) -> str:
    """Return an instant in the second of a commit behind what was known to have been committed in it, or "".

    Git counts in seconds; what was brought together ranks in the order of the document.

    Args:
        said: the second.
        number: the how many-th of what was brought it is.
    """
    return written(parsed(said) + _LATE + number) if said else ""


def dated(memory: Memory, said: str, stale: bool, ledger: Workspace) -> Memory:
    """Return what git brought with the instant at which it was committed; of a topic's entry, with the day.

    A day that a document shows of it stays. What bears the mark of what is stale is so here too.

    Args:
        memory: the memory in a document.
        said: when it was committed, or "".
        stale: it has the mark.
        ledger: it says how old what is stale is.
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
    """Return whether what git brought would be stale at once, were it not confirmed; a candidate is not, since it waits."""
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
