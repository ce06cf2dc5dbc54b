"""One memory as events make it, and what is true of it by rules that the fold and its readers share.

Implements specs/state.md (S-2, S-6, S-7) and specs/keys.md (N-24, N-25). Pure; `projections.index_fold` folds events into
rows, from which these values are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger.event import By
from ledger.instant import is_instant
from ledger.memory import Memory
from ledger.named_tuple import NamedTuple

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any


LIVE = ("active", "candidate")
"""The statuses of a current memory."""


class Entry(NamedTuple):
    """One memory as it stands now.

    Times are as written in events. `order` sorts the memories of a document; `fresh_since` is the time from
    which staleness counts, "" if no key that the owner trusts signed it (N-24); `supersedes` are its
    targets, `superseded_by` what replaced it. `offset` and `size` are its line's place in the chain; `reason`
    is why it was written, mostly "". `n` counts the events as they came into the index; `writer` is whose chain
    holds it there, 0 for our own (specs/team.md TM-7).
    """

    id: str
    seq: int
    memory: Memory
    status: str
    ts: str
    learned: str
    by: By
    fresh_since: str
    order: tuple[str, str]
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    deleted_by: tuple[str, ...] = ()
    offset: int = 0
    size: int = 0
    reason: str = ""
    n: int = -1
    writer: int = 0

    @property
    def live(self) -> bool:
        """Whether the memory stands (active or candidate)."""
        return self.status in LIVE

    @property
    def compromised(self) -> bool:
        """Whether only a key that its owner disowned signed it in its current form (N-24)."""
        return not self.fresh_since


def age(entry: Entry) -> tuple[str, str]:
    """Return by what memories are ordered, the oldest first."""
    return entry.ts, entry.id


def fresh_from(at: str, via: str, date: str, *, replaces: bool) -> str:
    """Return the time from which a memory is fresh by its own event (S-6).

    Args:
        at: the event's.
        via: the door through which it came.
        date: the day that its provenance names, or "".
        replaces: whether it has targets.
    """
    if via != "git" or replaces or not date:
        return at
    begin = f"{date[:10]}T00:00:00.000000Z"
    return min(at, begin) if is_instant(begin) else at


def fresh(own: str, confirms: Iterable[str], *, vouched: bool) -> str:
    """Return the time from which a memory is fresh; "" if nothing that its owner stands by says it (S-6, N-24).

    Args:
        own: the time by its own event.
        confirms: when it was confirmed by keys that are not disowned.
        vouched: whether its own event counts.
    """
    return max([own, *confirms] if vouched else confirms, default="")


def is_disowned(seq: int, ranges: Iterable[tuple[int, int]]) -> bool:
    """Return whether a seq is in one of these ranges; a range excludes its end (N-24)."""
    return any(since <= seq < rotate for since, rotate in ranges)


def is_later_part(payload: Mapping[str, Any] | None) -> bool:
    """Return whether a payload only continues the body of another memory (M-9); a blanked one counts as no."""
    part = payload.get("part") if payload else None
    return bool(part and part["n"] > 1)


def is_stale(entry: Entry, stale_before: str) -> bool:
    """Return whether an active memory was not confirmed since the instant `stale_before`."""
    return entry.status == "active" and entry.fresh_since < stale_before
