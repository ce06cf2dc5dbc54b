"""Which edges between events count when a writer's events are proposals.

Implements specs/team.md (TM-21, TM-25). Whether a proposal's edge counts depends on the events that point at its two ends, so each
such event weighs it again. Without such writers this module does nothing, and each edge counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from ledger.event import Event
from projections.index_queries import IndexQuestions
from writers.proposals import as_proposal, is_proposal, promotes, takes_effect

_POINTING = (
    "SELECT x.id, x.kind, x.counts, e.seq, e.writer, e.role, e.via FROM edges x JOIN events e ON e.id = x.id "
    "WHERE x.target = ?"
)
_PLACE = "SELECT seq, writer FROM events WHERE id = ?"
_TARGETS = "SELECT target FROM edges WHERE id = ? AND kind = 'supersede'"


class ProposalEdges:
    """The edges of an index, and the writers that wait for a person; false without such writers."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._waits = dict(connection.execute("SELECT number, waits FROM writers WHERE waits >= 0"))

    def __bool__(self) -> bool:
        return bool(self._waits)

    def as_folded(self, event: Event, writer: int) -> Event:
        """Return an event as it is folded: as a proposal if its writer waits."""
        return as_proposal(event) if self._is_proposal(event.seq, writer) else event

    def weigh(self, target: str) -> None:
        """Note which edges that point at a memory count."""
        rows = self._db.execute(_POINTING, (target,)).fetchall()
        place = self._db.execute(_PLACE, (target,)).fetchone()
        open_to = place[1] if place and self._is_proposal(*place) and not self._confirmed(rows) else None
        for id_, kind, counted, seq, writer, *_ in rows:
            if not self._is_proposal(seq, writer):
                continue
            adopted = kind == "supersede" and self._is_adopted(id_)
            counts = takes_effect(kind, adopted=adopted, withdraws=writer == open_to)
            if counts != counted:
                self._db.execute(
                    "UPDATE edges SET counts = ? WHERE target = ? AND id = ?", (counts, target, id_)
                )

    def concerned(self, ids: Iterable[str]) -> Iterator[str]:
        """Yield the memories that proposals among `ids` would replace, directly or through other proposals."""
        todo, seen = list(ids), set[str]()
        while todo:
            id_ = todo.pop()
            place = self._db.execute(_PLACE, (id_,)).fetchone()
            if id_ in seen or place is None or not self._is_proposal(*place):
                continue
            seen.add(id_)
            for (older,) in self._db.execute(_TARGETS, (id_,)).fetchall():
                todo.append(older)
                yield older

    def _is_proposal(self, seq: int, writer: int) -> bool:
        return is_proposal(seq, self._waits.get(writer, -1))

    def _is_adopted(self, id_: str) -> bool:
        rows = self._db.execute(_POINTING, (id_,)).fetchall()
        return self._confirmed(rows) or any(
            kind == "supersede" and self._is_proposal(seq, writer) and self._is_adopted(newer)
            for newer, kind, _, seq, writer, *_ in rows
        )

    def _confirmed(self, rows: Iterable[tuple[str, str, int, int, int, str, str]]) -> bool:
        return any(
            kind == "confirm" and not self._is_proposal(seq, writer) and promotes(role, via)
            for _, kind, _, seq, writer, role, via in rows
        )


def proposals(index: IndexQuestions) -> list[str]:
    """Return the ids of the events that are proposals."""
    query = "SELECT e.id FROM events e JOIN writers w ON w.number = e.writer WHERE w.waits >= 0 AND e.seq >= w.waits"
    return [id_ for (id_,) in index.connection().execute(query)]


def uncounted(index: IndexQuestions) -> list[tuple[str, str]]:
    """Return the edges of proposals that do not count: the target, and the event that points at it."""
    return list(index.connection().execute("SELECT target, id FROM edges WHERE NOT counts"))
