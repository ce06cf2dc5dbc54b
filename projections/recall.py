"""Answers questions about one ledger from index, local state and chain, now or as of a moment of the past.

Implements specs/projections.md (P-45, P-65…P-67, P-69, P-93, P-94, P-213) and specs/team.md (TM-2). Changes nothing but counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from ledger.errors import AmbiguousIdError, NotFoundError, UsageError
from projections import event_names
from projections.turns import takes_turns
from writers.counted import copy_of

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from ledger.fold import Entry
    from projections.decay import Doubt
    from projections.missing_references import ProjectContents
    from projections.query import Filter, LogFilter, LogRow
    from projections.search import Hit
    from projections.seen import SeenFilter, Sighting
    from projections.source import Source

MIN_PREFIX = 8
"""The fewest digits of an id that a person may type."""


@takes_turns
class Recall:
    """The questions about one ledger.

    Args:
        source: gives the answers.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.turn = source.turn

    def resolve(self, text: str) -> str:
        """Return the full id for a typed one: a full id, a prefix of at least 8 characters, @N, or desk/3f9c12ab@N.

        Raises:
            NotFoundError: no event has it.
            AmbiguousIdError: several events have it; it lists them.
            UsageError: it is too short, or not an id.
        """
        index = self.source.index
        typed = text.strip().lower()
        if "@" in typed:
            return event_names.resolved(index, text.strip())
        if not typed or set(typed) - set("0123456789abcdef") or len(typed) > 64:
            raise UsageError(f"{text!r} is not an id: give at least {MIN_PREFIX} of its hex digits, or @N")
        if len(typed) < MIN_PREFIX:
            raise UsageError(f"{text!r} is too short for an id: give at least {MIN_PREFIX} of its hex digits")
        ids = index.ids(typed)
        if not ids:
            raise NotFoundError(f"no event has an id that begins with {text}: see muniment log")
        if len(ids) > 1:
            raise AmbiguousIdError(
                f"{text} is the beginning of several ids: {', '.join(ids)}: give more digits", tuple(ids)
            )
        return ids[0]

    def resolve_all(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the full ids for several typed ones; a single text is one id. Raises as `resolve` does."""
        return tuple(self.resolve(id_) for id_ in ((ids,) if isinstance(ids, str) else ids))

    def entry(self, id_: str) -> Entry:
        """Return one memory (id, prefix or @N).

        Raises:
            NotFoundError: no event has it, or it is an event of another kind.
        """
        full = self.resolve(id_)
        entry = self.source.index.entry(full)
        if entry is None:
            raise NotFoundError(
                f"{id_} is an event, not a memory: run muniment log --memory to see what it is about"
            )
        return entry

    def load_all(
        self, wanted: Filter | None = None, *, archived: bool = False, limit: int | None = None
    ) -> list[Entry]:
        """Return the current memories (or those that `wanted` describes), oldest first; with a limit the newest."""
        from projections.query import Filter, entries

        return entries(
            self.source.index, wanted or Filter(), () if archived else self.source.local.archived(), limit
        )

    def each(self, wanted: Filter | None = None, *, archived: bool = False) -> Iterator[Entry]:
        """Yield the same memories one by one; write nothing meanwhile."""
        from projections.query import Filter, each

        return each(self.source.index, wanted or Filter(), () if archived else self.source.local.archived())

    def search(
        self,
        text: str,
        wanted: Filter | None = None,
        *,
        limit: int = 10,
        archived: bool = False,
        count: bool = True,
        by_meaning: bool = True,
    ) -> list[Hit]:
        """Return the best memories for a query, best first, each with why it was found; see `projections.search`.

        Args:
            text: words, "phrases", beginnings* and filters such as `type:decision since:2026-11-01`.
            wanted: a filter beside it.
            limit: how many at most.
            archived: also memories that gc has archived.
            count: count each hit as read, and correct a query that finds nothing (P-213): somebody asks.
            by_meaning: also compare vectors, if there are any; it can take half a second.

        Raises:
            UsageError: the query asks for nothing, or one of its filters is malformed.
        """
        from projections.search import search

        source = self.source
        out = () if archived else source.local.archived()
        vectors = source.vectors if by_meaning else None
        if vectors:
            vectors.prepare()

        def find(query: str) -> list[Hit]:
            return search(
                source.index,
                query,
                wanted,
                limit=limit,
                hidden=out,
                now=source.clock(),
                uses=source.local.uses,
                closest=vectors.closest if vectors else None,
            )

        found = find(text)
        if count:
            found = found or self._found_instead(text, find)
            source.local.count(hit.id for hit in found)
        return found

    def _found_instead(self, text: str, find: Callable[[str], list[Hit]]) -> list[Hit]:
        """Return the hits of the query with corrected typos."""
        from dataclasses import replace

        from projections.did_you_mean import corrected

        meant = corrected(self.source.index, text, find)
        return [replace(hit, meant=meant) for hit in find(meant)] if meant else []

    def stale_before(self) -> str:
        """Return the written instant before which an active memory's `fresh_since` is stale; "" if nothing is."""
        return self.source.readable_configuration.render_settings().stale_before(self.source.clock())

    def doubts(
        self, wanted: Filter | None = None, *, archived: bool = False, project: ProjectContents | None = None
    ) -> list[Doubt]:
        """Return the memories that are stale, or name paths that `project` lacks, the longest unconfirmed first."""
        from projections.decay import doubts
        from projections.query import Filter

        hidden = () if archived else self.source.local.archived()
        return doubts(
            self.source.index,
            wanted or Filter(),
            hidden,
            stale_before=self.stale_before(),
            now=self.source.clock(),
            project=project,
        )

    def history(self, id_: str) -> list[Entry]:
        """Return all versions of a memory, oldest first."""
        return list(history_of(self.source.index.entry, self.resolve(id_)))

    def log(self, wanted: LogFilter | None = None) -> list[LogRow]:
        """Return the timeline, oldest first."""
        from projections.query import LogFilter, log

        return log(self.source.index, wanted or LogFilter())

    def seen(self, wanted: SeenFilter | None = None) -> list[Sighting]:
        """Return the records of memories shown to agents on this machine, newest first (H-44)."""
        from language import dates
        from projections.seen import SeenFilter

        asked = wanted or SeenFilter()
        memory = self.resolve(asked.memory) if asked.memory else ""
        since, until = dates.since(asked.since), dates.until(asked.until)
        self.source.check_standing()
        return self.source.local.seen.newest(asked._replace(memory=memory, since=since, until=until))

    def event(self, id_: str) -> LogRow:
        """Return one event of any kind (id, prefix or @N).

        Raises:
            NotFoundError: nothing has it.
        """
        from projections.query import event

        found = event(self.source.index, self.resolve(id_))
        if found is None:
            raise NotFoundError(f"there is no event {id_}: see muniment log")
        return found

    def line(self, id_: str) -> bytes:
        """Return the line of the event with this full id as it stands in the chain, without its LF.

        Raises:
            NotFoundError: nothing has it.
        """
        from ledger import reader
        from projections.query import span

        found = span(self.source.index, id_)
        if found is None:
            raise NotFoundError(f"there is no event {id_[:16]}: see muniment log")
        writer, start, end = found
        chain = self.source.chain
        with reader.opened(copy_of(chain.parent, writer) if writer else chain) as fd:
            return reader.line_at(fd, start, end)

    def damaged(self) -> list[str]:
        """Return the ids of events with an altered payload; no view shows their text."""
        from projections.query import damaged

        return damaged(self.source.index)

    def said_of(self, id_: str) -> list[LogRow]:
        """Return the events that point at the one with this full id, oldest first."""
        from projections.query import pointing_at

        return pointing_at(self.source.index, id_)

    @contextmanager
    def at(self, instant: str | None = None) -> Iterator[Recall]:
        """Yield the ledger as it was at `instant` (@N or a time), for the same questions; itself if that is None.

        Questions about the past count no use and see nothing newer (P-94). Raises as `projections.past.as_of` does.
        """
        from projections.past import at

        with at(self.source, instant) as source:
            yield Recall(source)


def history_of(lookup: Callable[[str], Entry | None], id_: str) -> tuple[Entry, ...]:
    """Return all versions of a memory, earlier and later ones, oldest first (P-45).

    Args:
        lookup: finds memories by full id.
        id_: any version's full id.

    Raises:
        NotFoundError: no memory has the id.
    """
    found: dict[str, Entry] = {}
    looked_up = {id_}
    todo = [id_]
    while todo:
        entry = lookup(todo.pop())
        if entry is None:
            continue
        found[entry.id] = entry
        near = [near for near in (*entry.supersedes, *entry.superseded_by) if near not in looked_up]
        looked_up.update(near)
        todo.extend(near)
    if id_ not in found:
        raise NotFoundError(f"no memory has the id {id_}: run muniment list to see current memories")
    return tuple(sorted(found.values(), key=lambda entry: (entry.ts, entry.id)))
