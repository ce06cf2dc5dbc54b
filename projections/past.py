"""Looks back: a ledger as it was, and its changes between two instants.

Implements specs/projections.md (P-93, P-94, P-97); the pure part is `projections.difference`. Changes nothing, not even
counters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import UsageError
from ledger.instant import written
from ledger.progress import ShowProgress, counted
from projections.difference import Difference, difference
from projections.history_cut import cut_at
from projections.index import Index
from projections.local import Local
from projections.query import LogRow, event, touched_since

if TYPE_CHECKING:
    from projections.configuration import Configuration
    from projections.source import Source


@contextmanager
def as_of(source: Source, instant: str | None = None) -> Iterator[tuple[Index, int]]:
    """Yield a new index of the history up to `instant`, and the instant in µs.

    `instant` is @N or a time; None means now. The index is temporary; the ledger's own index is not read.

    Raises:
        NotFoundError: there is no such event.
        UsageError: neither @N nor a date or time.
        ChainError: the chain is missing, cut or another one.
    """
    source.check_standing()
    end, moment, until = (
        (None, source.clock(), "")
        if instant is None
        else cut_at(source.chain, instant, source.clock(), shown=source.on_progress)
    )
    with tempfile.TemporaryDirectory() as scratch:
        others_until = "" if instant is None else written(moment)
        shown = source.on_progress
        with closing(Index(Path(scratch), until=until, others_until=others_until, shown=shown)) as index:
            index.follow(source.chain, None, end)
            yield index, moment


@contextmanager
def at(source: Source, instant: str | None = None) -> Iterator[Source]:
    """Yield the ledger as it was at `instant` (@N or a time), for the same questions; itself if that is None.

    Questions about the past count no use and see nothing newer (P-94). Raises as `as_of` does.
    """
    if instant is None:
        yield source
        return
    with as_of(source, instant) as (index, moment), closing(Past(source, index, moment)) as past:
        yield past


class Past:
    """The answers of `present` at the instant `moment` (µs), from the history `index`."""

    def __init__(self, present: Source, index: Index, moment: int) -> None:
        self.turn = present.turn
        self.place = present.place
        self.configuration_faults: tuple[str, ...] = ()
        self.clock = lambda: moment
        self._present = present
        self._index = index
        self._local = _LocalThen(present.place.directory, written(moment))

    @property
    def chain(self) -> Path:
        """The chain file, which continues after the instant."""
        return self._present.chain

    @property
    def index(self) -> Index:
        """The index of the history up to the instant."""
        return self._index

    @property
    def local(self) -> Local:
        """This machine's observations by then, as far as they are still known."""
        return self._local

    @property
    def on_progress(self) -> ShowProgress:
        """Shows the progress of long work."""
        return self._present.on_progress

    @property
    def readable_configuration(self) -> Configuration:
        """The settings as they are now, as far as they can be read."""
        return self._present.readable_configuration

    @property
    def vectors(self) -> None:
        """None: only vectors of the present exist."""

    def check_standing(self) -> None:
        """Refuse nothing: creating the index checked the chain."""

    def close(self) -> None:
        """Close the local state."""
        self._local.close()


class _LocalThen(Local):
    """The archive marks of that time; no uses, since only the current count is known."""

    def __init__(self, directory: Path, then: str) -> None:
        super().__init__(directory)
        self._then = then

    def count(self, ids: Iterable[str], *, injected: bool = False) -> None:
        """Count nothing."""

    def uses(self, ids: Sequence[str] | None = None) -> dict[str, int]:  # noqa: ARG002 - as it is now
        """Return none."""
        return {}

    def archived(self) -> dict[str, tuple[str, str]]:
        """Return the ids that are archived now and were archived by then."""
        return {id_: (at, why) for id_, (at, why) in super().archived().items() if at <= self._then}


@dataclass(frozen=True, slots=True)
class Instant:
    """The newest event of a history (-1: before the first), and its time as written."""

    seq: int
    at: str


@dataclass(frozen=True, slots=True)
class Between:
    """The changes between two instants, and for each forgotten or erased memory the event that ended it."""

    first: Instant
    second: Instant
    found: Difference
    ends: dict[str, LogRow]


def between(source: Source, first: str, second: str | None = None) -> Between:
    """Return the changes between two instants, each @N or a time; `second` is now by default.

    Raises:
        UsageError: `first` is later, or one of them is neither @N nor a time.
        NotFoundError: there is no such event.
    """
    with ExitStack() as opened:
        old, began = opened.enter_context(as_of(source, first))
        if second is None:
            new, ended = source.index, source.clock()
        else:
            new, ended = opened.enter_context(as_of(source, second))
        since, until = (
            Instant(old.position(), written(began)),
            Instant(new.position(), written(ended)),
        )
        if since.seq > until.seq or (began > ended and not first.startswith("@")):
            raise UsageError(
                f"{first} is later than {second or 'now'}: give the earlier one first; a day means its end"
            )
        touched, erased = touched_since(new, old)
        with source.on_progress("comparing") as progress:
            each = counted(touched, progress, len(touched))
            found = difference(each, erased, old.entry, new.entry)
        ends = {each.entry.id: each.by for each in found.forgotten if each.by}
        rows = {id_: event(new, by) for id_, by in ends.items()}
        return Between(since, until, found, {id_: row for id_, row in rows.items() if row})
