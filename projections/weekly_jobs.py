"""The weekly jobs: each is due once after its hour (UTC) of each Sunday, however late.

Implements specs/doors.md (G-31). Imports little: a schedule asks every hour, and mostly nothing is due.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass

from ledger.errors import StorageError
from ledger.instant import DAY, is_instant, parsed, written
from projections.source import Source

WEEK = 7 * DAY
_HOUR = DAY // 24
_FIRST_SUNDAY = 3 * DAY
"""1970-01-04, in microseconds since 1970 (`ledger.instant`)."""


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a job is due; `last` is when it last ran, or "" if unknown, `next` when it is due again."""

    now: bool
    last: str
    next: str

    def to_json(self) -> dict[str, object]:
        """Return it as `--json` has it."""
        return {"due": self.now, "last": self.last or None, "next": self.next}


@dataclass(frozen=True, slots=True)
class WeeklyJob:
    """A job: the fact in the local state with its last run, and the hour of Sunday (UTC) when it is due."""

    fact: str
    hour: int

    def due(self, source: Source) -> Due:
        """Return whether the job is due for a ledger."""
        return due(source.local.fact(self.fact), source.clock(), self.hour)

    def note_done(self, source: Source) -> None:
        """Note that the job was done for a ledger; if that fails, it is due again."""
        with suppress(sqlite3.Error, StorageError, OSError):
            source.local.note(self.fact, written(source.clock()))


CURATE = WeeklyJob("curated_at", 10)
MAINTAIN = WeeklyJob("maintained_at", 11)


def due(last: str, now: int, hour: int) -> Due:
    """Return whether a Sunday's hour has passed since the job last ran.

    Args:
        last: the written instant of its last run, or "".
        now: the present instant.
        hour: of the Sunday, in UTC.
    """
    phase = _FIRST_SUNDAY + hour * _HOUR
    newest = (now - phase) // WEEK * WEEK + phase
    done = parsed(last) if is_instant(last) else None
    # A wrong clock wrote a date in the future.
    is_due = done is None or done < newest or done > now
    return Due(is_due, last if done is not None else "", written(newest + WEEK))
