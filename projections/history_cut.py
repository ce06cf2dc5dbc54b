"""Finds the byte of the chain at which history up to an instant or an event ends.

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
    """Return where the past `typed` ends: a byte, the instant in µs, and a bound for the events' clocks.

    The byte follows the last event; it is 0 before the first. The bound is a written time: an event whose clock (`at`)
    is later does not count; "" counts every event before that byte.

    Args:
        chain: the chain file.
        typed: `@N` (the event with that seq, as of its own clock), or a date or time; a day means its end (P-93).
        now: the instant (µs) from which a relative date counts; the machine's clock by default.
        shown: shows how many events were read.

    Raises:
        UsageError: `typed` is neither.
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
            if event.at <= bound:  # one clock that was ahead must not hide later events
                end = event.offset + event.size + 1
    return end, limit, bound


def _at_seq(chain: Path, seq: int) -> tuple[int, int, str]:
    for event in reader.events(chain, signatures=False):
        if event.seq == seq:
            return event.offset + event.size + 1, parsed(event.at), ""
    raise NotFoundError(f"there is no event @{seq}: see muniment log")
