"""Cuts history at an instant or an event: where in the chain the past ends.

Implements specs/projections.md (P-93).
"""

from __future__ import annotations

from pathlib import Path

from language import dates
from ledger import reader
from ledger.errors import NotFoundError, UsageError
from ledger.instant import parsed, written
from ledger.progress import ShowProgress, counted, unseen


def cut_at(
    chain: Path, typed: str, now: int | None = None, *, shown: ShowProgress = unseen
) -> tuple[int, int, str]:
    """Return the byte after the last event of the past `typed`, 0 before the first, and the instant (µs) meant.

    Also the written time after which the clock (`at`) of an event must not be, or "" if every event before that
    byte counts.

    Args:
        chain: the chain file.
        typed: `@N` (the event with that seq, as of its own clock) or a date or time, of a day its end (P-93).
        now: what a relative date counts from; the machine's clock by default.
        shown: shows how many events were read.

    Raises:
        UsageError: neither.
        NotFoundError: there is no such event.
        ChainError: the chain does not verify up to there.
    """
    if typed.startswith("@"):
        if not (typed[1:].isascii() and typed[1:].isdigit()):
            raise UsageError(f"{typed!r} is not an event: write @ and its number, such as @42")
        return _at_seq(chain, int(typed[1:]))
    try:
        limit = dates.span(typed, now).last
    except UsageError as error:
        raise UsageError(f"{error}, or an event such as @42") from None
    end = 0
    bound = written(limit)
    with shown("reading the log") as progress:
        for event in counted(reader.events(chain, signatures=False), progress):
            if event.at <= bound:  # a clock that was ahead says nothing of the events after it
                end = event.offset + event.size + 1
    return end, limit, bound


def _at_seq(chain: Path, seq: int) -> tuple[int, int, str]:
    for event in reader.events(chain, signatures=False):
        if event.seq == seq:
            return event.offset + event.size + 1, parsed(event.at), ""
    raise NotFoundError(f"there is no event @{seq}: see muniment log")
