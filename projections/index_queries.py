"""The questions to the index: of a writer, which validates against it, and of the writer of documents.

Implements specs/projections.md (P-52, P-58) and `ledger.view.View`; opening the index and keeping it up to date is
`projections.index`.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ledger.fold import Entry
from ledger.memory import Memory
from ledger.schema import MAX_SEEN, MEMORY_KINDS
from ledger.view import MAX_CANDIDATES, LinePlace, statement_key
from projections.entry_rows import SELECT_MEMORY, entry_of
from projections.index_rows import as_json
from projections.layout import DocumentKey, Weight, tag_key

_AT_SEQ = "SELECT id FROM events WHERE n >= ?1 AND seq = ?1 AND writer = ?2 LIMIT 1"
"""An event's `n` is at least its seq; with one chain the first row is the right one."""
_NEWEST = "SELECT n, id, (SELECT file FROM cursor WHERE writer = 0) FROM events ORDER BY n DESC LIMIT 1"
_THIS = "n = (SELECT n FROM events WHERE id = ?)"
_VERSIONS = (
    "SELECT id FROM parts WHERE first = ?",
    "SELECT first FROM parts WHERE id = ?",
    "SELECT id FROM edges WHERE target = ? AND kind = 'supersede'",
    "SELECT target FROM edges WHERE id = ? AND kind = 'supersede'",
)
_MANY = 1000
_REMEMBERED = 4000
"""The most memories that are remembered between two renderings."""
_READ_AT_ONCE = 500
"""The most memories that one query reads: SQLite bounds the values of a query."""
_ABOUT_THEIR_OWN = MEMORY_KINDS | {"delete", "confirm", "erase", "genesis", "anchor"}
"""Kinds that change only their own memory and those that they point at."""


class IndexQuestions(ABC):
    """Answers from an open index; a subclass opens it."""

    def __init__(self) -> None:
        self.still = False
        """Whether it answers as of one event while others write."""
        self._remembered: dict[str, Entry] = {}
        self.weights: dict[str, Weight] = {}
        """The weights of remembered memories, remembered as long as these."""
        self._remembered_at: tuple[int, str, str] | None = None
        """The event and the file that the cached answers are valid for."""

    @abstractmethod
    def connection(self) -> sqlite3.Connection:
        """Return the open connection."""

    @abstractmethod
    def _answering(self) -> contextlib.AbstractContextManager[None]:
        """Turn SQLite's errors into the one error that a writer handles."""

    def _rows(self, query: str, *values: str | int) -> list[Any]:
        """Return the answer of a query; raises as `_answering` does."""
        with self._answering():
            return self.connection().execute(query, values).fetchall()

    def _ids(self, query: str, *values: str | int) -> list[str]:
        return [row[0] for row in self._rows(query, *values)]

    # --- questions of a writer (the View port) ---

    def entry(self, id_: str) -> Entry | None:
        """Return the memory with this full id."""
        return next(map(entry_of, self._rows(f"{SELECT_MEMORY} WHERE e.id = ?", id_)), None)

    def ids(self, prefix: str) -> list[str]:
        """Return ids of events that begin with `prefix` (hex), at most 20, sorted."""
        query = "SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        return self._ids(query, prefix, prefix + "g", MAX_CANDIDATES)

    def at_seq(self, seq: int, writer: int = 0) -> str | None:
        """Return the id of the event with this seq in our own chain, or in that of another writer."""
        return next(iter(self._ids(_AT_SEQ, seq, writer)), None)

    def same(self, memory: Memory) -> str | None:
        """Return the id of a live memory that makes the same statement (M-8)."""
        query = "SELECT id FROM memories WHERE statement = ? AND status IN ('active', 'candidate') ORDER BY ts, id LIMIT 1"
        return next(iter(self._ids(query, statement_key(memory))), None)

    def proposed(self, memory: Memory) -> bool:
        """Return whether a text is a candidate, under any heading, or was one when it was last deleted (S-13)."""
        waits = "SELECT 1 FROM memories WHERE status = 'candidate' AND text = ? AND topic = ? LIMIT 1"
        if self._rows(waits, memory.text, memory.topic):
            return True
        id_ = self.deleted_same(memory)
        entry = self.entry(id_) if id_ else None
        if entry is None or entry.memory.status != "candidate":
            return False
        confirmed = "SELECT 1 FROM edges WHERE target = ? AND kind = 'confirm' AND counts LIMIT 1"
        return not self._rows(confirmed, entry.id)

    def same_wherever(self, memory: Memory) -> str | None:
        """Return the id of a live memory that makes the same statement; a waiting note is the same in any place (D-25)."""
        known = self.same(memory)
        if known or memory.type != "note":
            return known
        query = (
            f"{SELECT_MEMORY} WHERE m.status = 'candidate' AND m.text = ? AND m.topic = ? ORDER BY m.ts, m.id"
        )
        said = statement_key(memory._replace(place=None))
        waiting = map(entry_of, self._rows(query, memory.text, memory.topic))
        notes = (each for each in waiting if statement_key(each.memory._replace(place=None)) == said)
        return next((each.id for each in notes), None)

    def deleted_same(self, memory: Memory) -> str | None:
        """Return the id of the memory deleted last that made the same statement (M-8)."""
        query = "SELECT id FROM memories WHERE statement = ? AND status = 'deleted' ORDER BY ts DESC, id DESC LIMIT 1"
        return next(iter(self._ids(query, statement_key(memory))), None)

    def taken_out_since(self, instant: str, most: int) -> list[str]:
        """Return the ids of memories that edits of documents deleted since, the latest first."""
        query = (
            "SELECT edges.target FROM edges JOIN events ON events.id = edges.id WHERE edges.kind = 'delete' AND edges.counts "
            "AND edges.at >= ? AND events.via IN ('edit', 'git') ORDER BY edges.ts DESC, edges.target LIMIT ?"
        )
        return self._ids(query, instant, most)

    def said_until(self, memory: Memory) -> str:
        """Return when the last memory with the same statement (M-8) was deleted or replaced, or ""."""
        query = (
            "SELECT max(ts) FROM edges WHERE counts AND kind IN ('delete', 'supersede') AND target IN "
            "(SELECT id FROM memories WHERE statement = ? AND status IN ('deleted', 'superseded'))"
        )
        return self._ids(query, statement_key(memory))[0] or ""

    def family(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of all events with text about these memories: versions, parts, and events that point at them."""
        return self.places(self._related(ids))

    def _related(self, ids: Iterable[str]) -> set[str]:
        """Return the ids of all versions and parts of these memories, and of the events that point at them."""
        said = "SELECT id FROM edges WHERE target = ? AND kind NOT IN ('supersede', 'erase')"
        found = self.versions(ids)
        return found.union(*(self._ids(said, id_) for id_ in found))

    def versions(self, ids: Iterable[str]) -> set[str]:
        """Return the ids of these memories, of all their earlier and later versions, and of the parts of their bodies."""
        found: set[str] = set()
        todo = list(ids)
        while todo:
            id_ = todo.pop()
            if id_ not in found:
                found.add(id_)
                todo += [other for query in _VERSIONS for other in self._ids(query, id_)]
        return found

    def places(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places in our own chain of those of these events that have a payload, in order; erased ones are left out."""
        rows = self._carrying(ids, "writer = 0")
        return [LinePlace(*row[:3]) for row in sorted(rows, key=lambda row: int(row[3]))]

    def written_by_others(self, ids: Iterable[str], *, family: bool) -> list[str]:
        """Return the ids that `family`, or `places`, leaves out because other writers wrote these events (TM-23)."""
        rows = self._carrying(self._related(ids) if family else ids, "writer > 0")
        return sorted(row[0] for row in rows)

    def _carrying(self, ids: Iterable[str], whose: str) -> list[tuple[str, int, int, int]]:
        """Return id, offset, size and number of those of these events that have a payload; erased ones are left out."""
        query = (
            f"SELECT id, offset, size, n FROM events WHERE id = ? AND {whose} AND payload IN (1, 3) "
            "AND NOT EXISTS (SELECT 1 FROM edges WHERE target = events.id AND kind = 'erase')"
        )
        return [row for id_ in set(ids) for row in self._rows(query, id_)]

    def first_of(self, ids: Iterable[str]) -> int:
        """Return the number of the earliest of these events, 0 if one is unknown."""
        found = [self._rows("SELECT n FROM events WHERE id = ?", id_) for id_ in set(ids)]
        return min((int(rows[0][0]) if rows else 0 for rows in found), default=0)

    def last_erase(self) -> str:
        """Return the instant of the last erase by its writer's clock; "" if there is none."""
        row = self.connection().execute("SELECT max(at) FROM events WHERE kind = 'erase'").fetchone()
        return str(row[0] or "")

    def twins(self, id_: str) -> list[str]:
        """Return the equal memories of other chains that are hidden in favour of this one (TM-30)."""
        query = (
            "SELECT m.id FROM memories m WHERE m.status = 'superseded' AND m.superseded_by = ? AND m.statement = "
            f"(SELECT statement FROM memories WHERE {_THIS}) AND NOT EXISTS "
            "(SELECT 1 FROM edges WHERE target = m.id AND kind = 'supersede' AND counts) ORDER BY m.ts, m.id"
        )
        return self._ids(query, as_json([id_]), id_)

    def unseen_tips(self) -> list[str]:
        """Return the newest events of other chains that no event of our own names yet, newest first (TM-3)."""
        query = (
            "SELECT c.id FROM cursor c WHERE c.writer > 0 AND NOT EXISTS "
            "(SELECT 1 FROM seen s WHERE s.target = c.id AND s.writer = 0) ORDER BY c.ts DESC, c.id LIMIT ?"
        )
        return self._ids(query, MAX_SEEN)

    def unfinished_erasures(self) -> list[LinePlace]:
        """Return the events that an erase names and that may still have a payload."""
        query = "SELECT e.id, e.offset, e.size FROM unfinished u CROSS JOIN events e ON e.id = u.id WHERE e.writer = 0"
        return [LinePlace(*row) for row in self._rows(query)]

    def erased_by_others(self) -> list[str]:
        """Return the events of other chains that their writers erased; pages may still hold their words."""
        query = "SELECT e.id FROM unfinished u CROSS JOIN events e ON e.id = u.id WHERE e.writer > 0"
        return self._ids(query)

    # --- questions of the file writer ---

    def newest(self) -> int:
        """Return the number of the newest event, -1 if there is none."""
        (n,) = self.connection().execute("SELECT max(n) FROM events").fetchone()
        return -1 if n is None else int(n)

    def position(self) -> int:
        """Return the seq of the newest event of our own chain, -1 if there is none."""
        row = self.connection().execute("SELECT seq FROM cursor WHERE writer = 0").fetchone()
        return int(row[0]) if row else -1

    def has_others(self) -> bool:
        """Return whether events of other writers were folded."""
        return (
            self.connection().execute("SELECT 1 FROM cursor WHERE writer > 0 LIMIT 1").fetchone() is not None
        )

    def counted_writers(self) -> str:
        """Return in one text how far each other chain counts, and which writers wait (TM-14, TM-25); "" without others."""
        rows = self.connection().execute("SELECT id, until, waits FROM writers ORDER BY id").fetchall()
        return repr(rows) if rows else ""

    def id_at(self, n: int) -> str:
        """Return the id of the `n`-th event, or ""."""
        row = self.connection().execute("SELECT id FROM events WHERE n = ?", (n,)).fetchone()
        return str(row[0]) if row else ""

    def names(self, kind: str) -> list[str]:
        """Return the names of the documents of a kind that hold a memory."""
        query = "SELECT name FROM documents WHERE kind = ? AND entries > 0 ORDER BY name"
        return [name for (name,) in self.connection().execute(query, (kind,))]

    def document_keys(self) -> set[DocumentKey]:
        """Return every document that holds a memory, and the counted tags."""
        return {
            DocumentKey(*row)
            for row in self.connection().execute("SELECT kind, name FROM documents WHERE entries > 0")
        }

    def changed_since(self, n: int) -> AbstractSet[DocumentKey]:
        """Return the documents that changed after the `n`-th event, and the marks LINKS and SWEEP."""
        return {
            DocumentKey(*row)
            for row in self.connection().execute("SELECT kind, name FROM documents WHERE changed > ?", (n,))
        }

    def fresh_between(self, after: str, until: str) -> set[DocumentKey]:
        """Return the documents with a memory whose `fresh_since` lies in (after, until]."""
        query = "SELECT DISTINCT doc_kind, doc_name, doc_tag FROM memories WHERE status = 'active' AND fresh_since > ? AND fresh_since <= ?"
        rows = [row for row in self.connection().execute(query, (after, until)) if row[0]]
        return {DocumentKey(*row[:2]) for row in rows} | {tag_key(*row[1:]) for row in rows if row[2]}

    def changes_since(self, n: int) -> AbstractSet[str] | None:
        """Return the ids of memories that events after the `n`-th made or point at.

        None if they are many, or one of the events touches other memories too: a rotate, or an event about a part of
        a long body.
        """
        db = self.connection()
        query = (
            "SELECT e.id, e.kind, m.n FROM events e LEFT JOIN memories m ON m.n = e.n WHERE e.n > ? "
            "ORDER BY e.n LIMIT ?"
        )
        events = db.execute(query, (n, _MANY + 1)).fetchall()
        if (
            any(kind == "erase" for _, kind, _ in events)
            and db.execute("SELECT 1 FROM parts LIMIT 1").fetchone()
        ):
            return None
        if self.has_others() and any(kind == "erase" for _, kind, _ in events):
            return None  # an equal memory may be shown now (TM-30)
        found = {id_ for id_, _, _ in events}
        for id_, kind, made in events:
            if kind not in _ABOUT_THEIR_OWN or (made is None and kind in MEMORY_KINDS):
                return None
            found.update(row[0] for row in db.execute("SELECT target FROM edges WHERE id = ?", (id_,)))
        if db.execute("SELECT 1 FROM writers WHERE waits >= 0").fetchone():
            found |= self._older(found)  # a confirmed proposal replaces what it names (TM-21)
        if self.has_others():
            found |= self._reordered(n)
            found |= self._said_alike(found)
        return found if len(events) <= _MANY else None

    def _older(self, ids: AbstractSet[str]) -> set[str]:
        """Return the memories from which these descend."""
        query = (
            "WITH RECURSIVE older(id) AS (SELECT value FROM json_each(?) UNION SELECT x.target FROM older CROSS JOIN edges x "
            "ON x.id = older.id WHERE x.kind = 'supersede') SELECT id FROM older"
        )
        return {id_ for (id_,) in self.connection().execute(query, (json.dumps(sorted(ids)),))}

    def _reordered(self, n: int) -> set[str]:
        """Return the descendants of the events after the `n`-th: one that came before its ancestor has a new order now (S-7)."""
        query = (
            "WITH RECURSIVE newer(id) AS (SELECT x.id FROM events e CROSS JOIN edges x ON x.target = e.id "
            "WHERE e.n > ? AND x.kind = 'supersede' UNION SELECT x.id FROM newer CROSS JOIN edges x "
            "ON x.target = newer.id WHERE x.kind = 'supersede') SELECT id FROM newer"
        )
        return {id_ for (id_,) in self.connection().execute(query, (n,))}

    def _said_alike(self, ids: AbstractSet[str]) -> set[str]:
        """Return the memories that say the same as one of these (M-8)."""
        query = (
            "SELECT b.id FROM json_each(?) j CROSS JOIN events e ON e.id = j.value CROSS JOIN memories a ON a.n = e.n "
            "CROSS JOIN memories b ON b.statement = a.statement WHERE a.statement != ''"
        )
        return {id_ for (id_,) in self.connection().execute(query, (json.dumps(sorted(ids)),))}

    def memories(self, ids: Sequence[str]) -> list[Entry]:
        """Return the memories with these full ids, in their order."""
        found: dict[str, Entry] = {}
        for at in range(0, len(ids), _READ_AT_ONCE):
            some = ids[at : at + _READ_AT_ONCE]
            query = f"{SELECT_MEMORY} WHERE e.id IN ({', '.join('?' * len(some))})"
            found.update((entry.id, entry) for entry in map(entry_of, self._rows(query, *some)))
        return [found[id_] for id_ in ids if id_ in found]

    def remembered(self, ids: Sequence[str]) -> list[Entry]:
        """Return the memories with these full ids: as they were at the last `forget_changed`, or as they are now."""
        known = self._remembered
        known.update((entry.id, entry) for entry in self.memories([id_ for id_ in ids if id_ not in known]))
        return [known[id_] for id_ in ids if id_ in known]

    def forget_changed(self) -> None:
        """Forget the remembered memories that events have changed; all of them if these are unknown."""
        now = self.connection().execute(_NEWEST).fetchone()
        then, self._remembered_at = self._remembered_at, now
        goes_on = then and now and then[2] == now[2] and self.id_at(then[0]) == then[1]
        changed = self.changes_since(then[0]) if then and goes_on else None
        if changed is None or len(self._remembered) > _REMEMBERED:
            changed = set(self._remembered)
        for id_ in changed:
            self._remembered.pop(id_, None)
            self.weights.pop(id_, None)

    def order_of(self, prefix: str) -> tuple[str, str, str, str, str] | None:
        """Return the section and the order (P-6) of the memory with this prefix; None if there is not exactly one."""
        query = (
            "SELECT m.section, m.order_ts, m.order_id, m.ts, m.id FROM events e CROSS JOIN memories m ON m.n = e.n "
            "WHERE e.id >= ? AND e.id < ? LIMIT 2"
        )
        rows = self.connection().execute(query, (prefix, prefix + "g")).fetchall()
        return rows[0] if len(rows) == 1 else None

    def place_of(self, id_: str) -> tuple[DocumentKey, str] | None:
        """Return the document that shows a memory, and its tag."""
        query = f"SELECT doc_kind, doc_name, doc_tag FROM memories WHERE {_THIS}"
        row = self.connection().execute(query, (id_,)).fetchone()
        return (DocumentKey(*row[:2]), row[2]) if row and row[0] else None
