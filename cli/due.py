"""When a weekly job is due: once after each Sunday, at an hour in UTC, however late that is.

Implements specs/doors.md (G-31).
"""

from __future__ import annotations

from dataclasses import dataclass

from ledger.instant import DAY, is_instant, parsed, written

WEEK = 7 * DAY
_HOUR = DAY // 24
_FIRST_SUNDAY = 3 * DAY
"""1970-01-04, in microseconds since 1970 (`ledger.instant`)."""


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a job is due; `last` is when it was done last, "" where that is not known, `next` when it is due again."""

    now: bool
    last: str
    next: str

    def to_json(self) -> dict[str, object]:
        """Return it as `--json` has it."""
        return {"due": self.now, "last": self.last or None, "next": self.next}


def due(last: str, now: int, hour: int) -> Due:
    """Say whether a Sunday's hour has passed since the job was done last.

    Args:
        last: the written instant at which it was done, or "".
        now: the present instant.
        hour: of the Sunday, in UTC.
    """
    phase = _FIRST_SUNDAY + hour * _HOUR
    newest = (now - phase) // WEEK * WEEK + phase
    done = parsed(last) if is_instant(last) else None
    # A date that is still to come was written by a clock that went wrong.
    is_due = done is None or done < newest or done > now
    return Due(is_due, last if done is not None else "", written(newest + WEEK))
