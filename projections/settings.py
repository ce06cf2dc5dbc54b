"""The settings of a rendering, beside the log and the instant: the limits of documents and prompt.

Implements specs/projections.md (P-2, P-7).
"""

from __future__ import annotations

from ledger.instant import DAY, written
from ledger.named_tuple import NamedTuple

BEFORE_TIME = "0"
"""Sorts before every written instant and after "", the time of memories that no trusted key signed (N-24)."""


class RenderSettings(NamedTuple):
    """Limits and switches; the same settings, log and instant always give the same bytes.

    `max_lines` and `max_bytes` bound MEMORY.md; with `overflow` off nothing is moved and it may exceed them.
    With `decay` on, an entry not confirmed for `decay_days` days is shown as stale. Daily notes older than
    `archive_days` days lie in the archive. `token_budget` bounds the prompt.
    """

    max_lines: int = 200
    max_bytes: int = 25_000
    overflow: bool = True
    decay: bool = True
    decay_days: int = 90
    archive_days: int = 30
    token_budget: int = 2000

    def stale_before(self, as_of: int) -> str:
        """Return the written instant before which a `fresh_since` is stale; BEFORE_TIME if none is.

        Written instants sort as text, so one comparison per entry is enough.

        Args:
            as_of: microseconds since 1970.
        """
        return _written(as_of - self.decay_days * DAY) if self.decay else BEFORE_TIME

    def archived_before(self, as_of: int) -> str:
        """Return the day (`YYYY-MM-DD`) before which daily notes lie in the archive; "" if none do."""
        return _written(as_of - self.archive_days * DAY)[:10]


DEFAULTS = RenderSettings()


def _written(instant: int) -> str:
    try:
        return written(instant)
    except OverflowError:  # before the year 1, where no event can be
        return BEFORE_TIME
