"""Answers questions about one ledger from index, local state and chain, now or as of a moment of the past.

Implements specs/projections.md (P-65…P-69, P-93, P-94). Changes nothing but counters. `muniment.MemoryLedger`
brings the parts; everything heavy is imported when it is first needed, because most commands ask one question
only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import AmbiguousIdError, NotFoundError, UsageError
from ledger.instant import Clock

if TYPE_CHECKING:
    from documents.past import Between, Blamed
    from ledger.fold import Entry
    from ledger.location import Location
    from projections.configuration import Configuration
    from projections.decay import Doubt
    from projections.index import Index
    from projections.local import Local
    from projections.query import Filter, LogFilter, LogRow
    from projections.search import Hit
    from projections.vanished import Project

MIN_PREFIX = 8
"""How many digits of an id a person must type at least."""


class Reading(ABC):
    """The questions; who inherits brings the parts that answer them."""

    configuration_faults: tuple[str, ...] = ()
    """What is wrong with the settings that `readable_configuration` does not have."""
    place: Location
    clock: Clock

    @property
    @abstractmethod
    def chain(self) -> Path:
        """The chain file."""

    @property
    @abstractmethod
    def index(self) -> Index:
        """The index, caught up with the chain."""

    @property
    @abstractmethod
    def local(self) -> Local:
        """What this machine observed."""

    @property
    @abstractmethod
    def configuration(self) -> Configuration:
        """The settings of user and project."""

    @property
    @abstractmethod
    def readable_configuration(self) -> Configuration:
        """The settings as far as they can be read (F-21)."""

    @abstractmethod
    def check_standing(self) -> None:
        """Refuse a chain that is gone, cut or another one (C-15)."""

    def resolve(self, text: str) -> str:
        """Return the full id that a person typed: a full id, a prefix of at least 8 characters, or @N.

        Raises:
            NotFoundError: nothing has it.
            AmbiguousIdError: several have it; it lists them.
            UsageError: too short, or no id at all.
        """
        index = self.index
        typed = text.strip().lower()
        if typed.startswith("@"):
            number = typed[1:]
            if not (number.isascii() and number.isdigit()):
                raise UsageError(f"{text!r} is no id: after @ stands the number of an event")
            found = index.at_seq(int(number)) if len(number) < 16 else None
            if found is None:
                raise NotFoundError(f"there is no event {text}: muniment log shows them all")
            return found
        if not typed or set(typed) - set("0123456789abcdef") or len(typed) > 64:
            raise UsageError(f"{text!r} is no id: give at least {MIN_PREFIX} of its hex digits, or @N")
        if len(typed) < MIN_PREFIX:
            raise UsageError(f"{text!r} is too short for an id: give at least {MIN_PREFIX} of its hex digits")
        ids = index.ids(typed)
        if not ids:
            raise NotFoundError(f"no event has an id that begins with {text}: muniment log shows them all")
        if len(ids) > 1:
            raise AmbiguousIdError(
                f"{text} is the beginning of several ids: {', '.join(ids)}: give more of it", tuple(ids)
            )
        return ids[0]

    def entry(self, id_: str) -> Entry:
        """Return one memory (id, prefix or @N).

        Raises:
            NotFoundError: nothing has it, or it is an event of another kind.
        """
        full = self.resolve(id_)
        entry = self.index.entry(full)
        if entry is None:
            raise NotFoundError(
                f"{id_} is an event, but no memory: muniment log --memory shows what it is about"
            )
        return entry

    def load_all(
        self, wanted: Filter | None = None, *, archived: bool = False, limit: int | None = None
    ) -> list[Entry]:
        """Return the memories that stand (or that `wanted` describes), oldest first; with a limit the newest that many."""
        from projections.query import Filter, entries

        return entries(self.index, wanted or Filter(), () if archived else self.local.archived(), limit)

    def each(self, wanted: Filter | None = None, *, archived: bool = False) -> Iterator[Entry]:
        """Give the same memories one by one, however many there are; nothing may be written meanwhile."""
        from projections.query import Filter, each

        return each(self.index, wanted or Filter(), () if archived else self.local.archived())

    def search(
        self,
        text: str,
        wanted: Filter | None = None,
        *,
        limit: int = 10,
        archived: bool = False,
        count: bool = True,
    ) -> list[Hit]:
        """Return the best memories for a query, best first, each with why it was found; see `projections.search`.

        Args:
            text: words, "phrases", beginnings* and filters such as `type:decision since:2026-11-01`.
            wanted: what is asked for beside it.
            limit: how many at most.
            archived: also what gc has archived.
            count: each counts as read.

        Raises:
            UsageError: the query asks for nothing, or one of its filters is malformed.
        """
        return self._searched(text, wanted, () if archived else self.local.archived(), limit, count=count)

    def search_overflow(
        self, text: str, wanted: Filter | None = None, *, limit: int = 10, count: bool = True
    ) -> list[Hit]:
        """Return the best memories for a query among those that MEMORY.md has no room for (P-110); see `search`."""
        from dataclasses import replace

        from documents.writing.folder import day_begin
        from documents.writing.markdown import select
        from projections.index_source import IndexSource
        from projections.query import Filter

        source = IndexSource(self.index)
        shown = select(source, self.readable_configuration.render_settings(), day_begin(self.clock())).shown
        hidden = {*self.local.archived(), *(entry.id for entry in shown)}
        left = replace(wanted or Filter(), statuses=("active",), document="memory")
        return self._searched(text, left, hidden, limit, count=count)

    def _searched(
        self, text: str, wanted: Filter | None, hidden: Iterable[str], limit: int, *, count: bool
    ) -> list[Hit]:
        from projections.search import search

        now, uses = self.clock(), self.local.uses
        found = search(self.index, text, wanted, limit=limit, hidden=hidden, now=now, uses=uses)
        if count:
            self.local.count(hit.id for hit in found)
        return found

    def stale_before(self) -> str:
        """Return the written instant before which an active memory's `fresh_since` is stale; "" where nothing is."""
        return self.readable_configuration.render_settings().stale_before(self.clock())

    def doubts(
        self, wanted: Filter | None = None, *, archived: bool = False, project: Project | None = None
    ) -> list[Doubt]:
        """Return the memories that are stale, or name what `project` does not have, the longest unconfirmed first."""
        from projections.decay import doubts
        from projections.query import Filter

        hidden = () if archived else self.local.archived()
        return doubts(
            self.index,
            wanted or Filter(),
            hidden,
            stale_before=self.stale_before(),
            now=self.clock(),
            project=project,
        )

    def history(self, id_: str) -> list[Entry]:
        """Return all versions of a memory, oldest first."""
        from projections.timeline import history_of

        return list(history_of(self.index.entry, self.resolve(id_)))

    def log(self, wanted: LogFilter | None = None) -> list[LogRow]:
        """Return the timeline, oldest first."""
        from projections.query import LogFilter, log

        return log(self.index, wanted or LogFilter(), self.chain)

    def event(self, id_: str) -> LogRow:
        """Return one event of any kind (id, prefix or @N).

        Raises:
            NotFoundError: nothing has it.
        """
        from projections.query import event

        found = event(self.index, self.resolve(id_), self.chain)
        if found is None:
            raise NotFoundError(f"there is no event {id_}: muniment log shows them all")
        return found

    def line(self, id_: str) -> bytes:
        """Return the line of the event with this full id as it stands in the chain, without its LF.

        Raises:
            NotFoundError: nothing has it.
        """
        from ledger import reader
        from projections.query import span

        found = span(self.index, id_)
        if found is None:
            raise NotFoundError(f"there is no event {id_[:16]}: muniment log shows them all")
        with reader.opened(self.chain) as fd:
            return reader.line_at(fd, *found)

    def damaged(self) -> list[str]:
        """Return the ids of events whose payload is not what was signed; no view shows what they say."""
        from projections.query import damaged

        return damaged(self.index)

    def said_of(self, id_: str) -> list[LogRow]:
        """Return the events that point at the one with this full id, oldest first."""
        from projections.query import pointing_at

        return pointing_at(self.index, id_, self.chain)

    @contextmanager
    def as_of(self, instant: str | None = None) -> Iterator[tuple[Index, int]]:
        """Give an index, made anew, of the history up to `instant`, and the instant in µs.

        `instant` is @N or a time, None now. The index is gone afterwards; that of this place is not looked at.

        Raises:
            NotFoundError: there is no such event.
            UsageError: neither @N nor a time.
            ChainError: the chain is gone, cut or another one.
        """
        import tempfile

        from documents.drift import fresh_index
        from projections.heads import verify_heads
        from projections.history import cut_at

        self.check_standing()
        end, moment, until = (None, self.clock(), "") if instant is None else cut_at(self.chain, instant)
        with tempfile.TemporaryDirectory() as scratch:
            index = fresh_index(self.chain, Path(scratch), end, verify_heads, until)
            try:
                yield index, moment
            finally:
                index.close()

    @contextmanager
    def at(self, instant: str | None = None) -> Iterator[Reading]:
        """Give the ledger as it was at `instant` (@N or a time), for the same questions; itself where it is None.

        Of the past no use is counted, and nothing that is younger exists (P-94). Raises as `as_of` does.
        """
        if instant is None:
            yield self
            return
        from documents.past import Past

        with self.as_of(instant) as (index, moment):
            past = Past(self, index, moment)
            try:
                yield past
            finally:
                past.close()

    def blame(self, name: str) -> Blamed:
        """Return the lines of a document, each with the version that last changed it; see `past.blamed`."""
        from documents.past import blamed

        return blamed(self, name)

    def difference(self, first: str, second: str | None = None) -> Between:
        """Return what was learned, changed and forgotten between two instants; see `past.between`."""
        from documents.past import between

        return between(self, first, second)

    def replayed(self, instant: str | None = None) -> dict[str, bytes]:
        """Return every document by its path as the log renders it now, or as of `instant` (@N or a time)."""
        from documents.writing.every_document import render_all
        from documents.writing.folder import day_begin
        from projections.index_source import IndexSource

        settings = self.readable_configuration.render_settings()
        with self.as_of(instant) as (index, moment):
            return render_all(IndexSource(index), settings, day_begin(moment))
