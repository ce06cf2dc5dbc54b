"""Memories that a person should check again: not confirmed for a long time, or naming something that is gone.

Implements specs/projections.md (P-7, P-143). Reads the index; the caller says what exists in the project.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.fold import Entry
from ledger.instant import DAY, parsed
from projections.index import Index
from projections.missing_references import ProjectContents, gone
from projections.query import Filter, doubtful


@dataclass(frozen=True, slots=True)
class Doubt:
    """One active memory that a person should check.

    `days` are whole days since it was learned or last confirmed; `stale` says that these are too many; `gone` are
    the paths that it names and the project lacks.
    """

    entry: Entry
    days: int
    stale: bool
    gone: tuple[str, ...] = ()


def doubts(
    index: Index,
    wanted: Filter,
    hidden: Iterable[str],
    *,
    stale_before: str,
    now: int,
    project: ProjectContents | None = None,
) -> list[Doubt]:
    """Return the active memories that a person should check, the longest unconfirmed first.

    Args:
        index: up to date.
        wanted: which memories; its statuses do not count.
        hidden: ids to leave out.
        stale_before: as `RenderSettings.stale_before` returns it.
        now: microseconds since 1970.
        project: what exists; None skips that check.
    """
    found = []
    for entry in doubtful(index, wanted, hidden, stale_before, naming=project is not None):
        stale = entry.fresh_since < stale_before
        missing = gone(entry.memory, project) if project is not None else ()
        if stale or missing:
            found.append(Doubt(entry, days_since(entry, now), stale, missing))
    return found


def days_since(entry: Entry, now: int) -> int:
    """Return how many whole days ago a memory was learned or last confirmed, at `now` (µs); never less than 0."""
    return max((now - parsed(entry.fresh_since or entry.learned)) // DAY, 0)
