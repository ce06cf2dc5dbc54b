"""Folds events into the rows of the index, one by one or many in a transaction; the result is the same.

Implements specs/projections.md (P-52). The table `documents` counts the entries of each document
and notes the event that changed it last; with that the file writer renders only changed documents. Erasure forgets,
so `changed` is bookkeeping and does not follow from the log: a rebuild marks every document as changed.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import orjson

from language.unspaced import indexed
from ledger.errors import LedgerError
from ledger.event import By, Event
from ledger.fold import LIVE, fresh, fresh_from, is_disowned, is_later_part
from ledger.view import said_key
from projections.entry_rows import NO_LIST
from projections.index_rows import INSERT_EVENT, INSERT_MEMORY, as_json, event_row, memory_row, placed
from projections.index_schema import MEMORY_COLUMNS
from projections.layout import LINKS, SWEEP, DocumentKey, document_key, tag_key, tag_of
from projections.proposal_edges import ProposalEdges
from writers.proposals import promotes

_THIS = "n = (SELECT n FROM events WHERE id = ?)"
"""Finds a memory by its id through the index `events_id`; memories have none for it."""
_SAID_ALIKE = "SELECT m.id, m.ts, e.writer FROM memories m JOIN events e USING (n) WHERE m.statement = ?"
_TO_SETTLE = (
    "SELECT statement FROM memories WHERE statement IN (SELECT value FROM json_each(?)) "
    "GROUP BY statement HAVING count(*) > 1 OR min(status NOT IN ('active', 'candidate'))"
)
"""Finds statements of several memories, or of one that is not current."""

_BLANK_TEXTS = (
    "text",
    "title",
    "body",
    "topic",
    "extra",
    "category",
    "reason",
    "statement",
    "own_section",
    "pieces",
)
_BLANK_LISTS = ("details", "when_to_use", "tags", "place", "unknown")
_BLANK_PROVENANCE = ("conversation", "message", "session", "agent", "task", "tool", "file", "author", "date")


def disowned_ranges(connection: sqlite3.Connection) -> dict[int, list[tuple[int, int]]]:
    """Return which seqs each writer's rotates disown, as `ledger.fold.is_disowned` takes them."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for writer, since, rotate in connection.execute("SELECT writer, since, rotate FROM disowned"):
        found[writer].append((since, rotate))
    return found


class IndexFold:
    """Writes events into an index whose transaction is open; `flush` must be called before the commit.

    Each chain's own events come in their order; those of different chains in any (S-1).

    Args:
        connection: the index.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self.writer = 0
        """The writer of the events, 0 for our own chain; set it before the events of another chain."""
        self._documents: dict[DocumentKey, list[int]] = {}
        self._disowned = disowned_ranges(connection)
        self._proposals = ProposalEdges(connection)
        self._stated: set[str] = set()
        self._unjoined: set[str] = set()
        """Memories that got parts of their bodies. `flush` joins each once, since joining costs the time of the whole body."""
        (newest,) = connection.execute("SELECT max(n) FROM events").fetchone()
        self._n = -1 if newest is None else int(newest)

    def apply(self, event: Event) -> None:
        """Fold one event in.

        Raises:
            LedgerError: its kind is unknown; nothing was changed.
        """
        handler = HANDLERS.get(event.kind)
        if handler is None:
            raise LedgerError(f"cannot index an event of kind {event.kind!r}: update muniment")
        if self._proposals:
            event = self._proposals.as_folded(event, self.writer)
        self._n += 1
        self._db.execute(INSERT_EVENT, event_row(event, self._n, self.writer))
        for target in event.seen:
            self._db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", (target, event.id, self.writer))
        handler(self, event)

    def flush(self) -> None:
        """Join bodies, settle equal statements of several writers, and write the counts of the documents."""
        db = self._db
        for first in sorted(self._unjoined):
            self._join_parts(first)
        if db.execute("SELECT 1 FROM cursor WHERE writer > 0 LIMIT 1").fetchone():
            self._settle()
        for key, (entries, changed) in self._documents.items():
            name = _plain(key)
            if entries or key in (LINKS, SWEEP):
                db.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)", (*name, entries, changed))
            else:
                db.execute("DELETE FROM documents WHERE kind = ? AND name = ?", name)
        self._documents.clear()

    def mark_all_changed(self) -> None:
        """Mark every document as changed, at the end of a rebuild."""
        self.flush()
        self._db.execute("UPDATE documents SET changed = ?", (self._n,))
        for key in (LINKS, SWEEP):
            self._db.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, 0, ?)", (*_plain(key), self._n))

    # --- one handler per kind ---

    def memory(self, event: Event) -> None:
        """Fold a create or supersede."""
        if event.payload is not None and is_later_part(event.payload):
            self._part(event, event.payload)
            return
        order = self._order_of(event.targets) or (event.ts, event.id)
        row = memory_row(event, self._n, order)
        db, payload = self._db, event.payload or {}
        db.execute(INSERT_MEMORY, row)
        tags = ((tag, event.id) for tag in payload.get("tags", ()))
        db.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", tags)
        patterns = ((event.id, pattern) for pattern in payload.get("when_to_use", ()))
        db.executemany("INSERT OR IGNORE INTO patterns VALUES (?, ?)", patterns)
        if row[_DOC_KIND]:
            self._note(DocumentKey(row[_DOC_KIND], row[_DOC_NAME]), row[_DOC_TAG], 1)
        if event.targets:
            self.pointing(event)
        self._stated.add(row[_STATEMENT])
        if self._points_at(event.id):
            self._awaited(event.id)

    def pointing(self, event: Event) -> None:
        """Fold an event that points at its targets."""
        self._point(event, event.targets)

    def _point(self, event: Event, targets: Sequence[str]) -> None:
        edges = ((target, event.id, event.kind, event.ts, event.at, n, 1) for n, target in enumerate(targets))
        self._db.executemany("INSERT OR IGNORE INTO edges VALUES (?, ?, ?, ?, ?, ?, ?)", edges)
        for target in targets:
            self._refresh(target)
        if self._proposals:
            for id_ in self._proposals.concerned(targets):
                self._refresh(id_)

    def erase(self, event: Event) -> None:
        """Fold an erase: remove its targets' texts from every row. It counts for targets of its own chain (TM-23)."""
        own = [target for target in event.targets if self._is_mine(target)]
        for target in own:
            (payload,) = self._db.execute("SELECT payload FROM events WHERE id = ?", (target,)).fetchone()
            if payload in (1, 3):
                self._db.execute("INSERT OR IGNORE INTO unfinished VALUES (?)", (target,))
            if payload and self.writer:  # the sync that brought the erase blanked the copy
                self._db.execute("UPDATE events SET payload = 2 WHERE id = ?", (target,))
            self._blank(target)
        self._point(event, own)

    def rotate(self, event: Event) -> None:
        """Fold the events that a rotate disowns: derive the affected memories again (N-24)."""
        since = event.head.get("since")
        if since is None or since >= event.seq:
            return
        self._disowned[self.writer].append((since, event.seq))
        self._db.execute("INSERT OR REPLACE INTO disowned VALUES (?, ?, ?)", (self.writer, since, event.seq))
        concerned = self._db.execute(
            "SELECT id FROM events WHERE writer = ?3 AND seq >= ?1 AND seq < ?2 "
            "UNION SELECT target FROM edges x JOIN events e ON e.id = x.id "
            "WHERE x.kind = 'confirm' AND e.writer = ?3 AND e.seq >= ?1 AND e.seq < ?2",
            (since, event.seq, self.writer),
        ).fetchall()
        for (id_,) in concerned:
            self._refresh(id_)

    def ignore(self, event: Event) -> None:
        """Genesis, recover and anchor have a row among the events and change no memory."""

    # --- details ---

    def _settle(self) -> None:
        """Of equal memories in different chains, show one: the oldest active one (TM-30)."""
        stated = as_json(sorted(self._stated - {""}))
        for (statement,) in self._db.execute(_TO_SETTLE, (stated,)).fetchall():
            rows = self._db.execute(_SAID_ALIKE, (statement,)).fetchall()
            live = []
            for id_, ts, writer in rows:
                status = self._refresh(id_)
                if status in LIVE:
                    live.append((status != "active", ts, id_, writer))
            shown = min(live, default=None)
            for _, _, id_, writer in live:
                if shown is not None and writer != shown[-1]:
                    self._refresh(id_, shown[-2])
        self._stated.clear()

    def _awaited(self, id_: str) -> None:
        """Fold the events about a memory that came before it: its later versions get its order (S-7)."""
        self._refresh(id_)
        todo = [id_]
        while todo:
            older = todo.pop()
            query = "SELECT id FROM edges WHERE target = ? AND kind = 'supersede'"
            for (newer,) in self._db.execute(query, (older,)).fetchall():
                if self._reordered(newer):
                    todo.append(newer)

    def _reordered(self, id_: str) -> bool:
        """Set a memory's order from its lineage as known now; return whether it changed."""
        row = self._db.execute(
            f"SELECT order_ts, order_id, ts, supersedes, doc_kind, doc_name, doc_tag FROM memories WHERE {_THIS}",
            (id_,),
        ).fetchone()
        if row is None:
            return False
        order = self._order_of(orjson.loads(row[3])) or (row[2], id_)
        if order == row[:2]:
            return False
        self._db.execute(f"UPDATE memories SET order_ts = ?, order_id = ? WHERE {_THIS}", (*order, id_))
        if row[4]:
            self._note(DocumentKey(*row[4:6]), row[6], 0)
        return True

    def _part(self, event: Event, payload: Mapping[str, Any]) -> None:
        """Add a later part of a long body to its first (M-9); it counts only in the chain of the first (TM-22)."""
        part = payload["part"]
        first = part["first"]
        if not self._is_mine(first):
            return
        self._db.execute(
            "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)",
            (first, part["n"], event.id, payload.get("body", "")),
        )
        self._unjoined.add(first)

    def _is_mine(self, id_: str) -> bool:
        """Return whether an event is in the chain that is folded now."""
        row = self._db.execute("SELECT writer FROM events WHERE id = ?", (id_,)).fetchone()
        return row is not None and row[0] == self.writer

    def _join_parts(self, first: str) -> None:
        """Write the body of a memory from its present parts."""
        self._unjoined.discard(first)
        row = self._db.execute(
            "SELECT text, details, title, topic, tier, section, body, date, doc_kind, doc_name, doc_tag, type, place, "
            "tags, when_to_use "
            f"FROM memories WHERE {_THIS} AND status != 'erased'",
            (first,),
        ).fetchone()
        if row is None:
            return
        (
            text,
            details,
            title,
            topic,
            tier,
            section,
            body,
            date,
            kind,
            name,
            tag,
            form,
            place,
            tags,
            phrases,
        ) = row
        own = self._db.execute("SELECT body FROM parts WHERE first = ? AND n = 1", (first,)).fetchone()
        if own is None:
            self._db.execute("INSERT INTO parts VALUES (?, 1, ?, ?)", (first, first, body))
        bodies = self._db.execute("SELECT body FROM parts WHERE first = ? ORDER BY n", (first,)).fetchall()
        whole = "".join(body for (body,) in bodies)
        where = placed(form, orjson.loads(place) or None)
        said = tuple(orjson.loads(details))
        statement = said_key(section, topic, tier, text, said, title, whole, date, where)
        texts = (text, title, whole, *said, topic, *orjson.loads(tags), *orjson.loads(phrases))
        self._db.execute(
            f"UPDATE memories SET body = ?, statement = ?, pieces = ? WHERE {_THIS}",
            (whole, statement, indexed(texts), first),
        )
        self._stated.add(statement)
        if kind:
            self._note(DocumentKey(kind, name), tag, 0)

    def _blank(self, id_: str) -> None:
        """Remove the texts of an event."""
        db = self._db
        row = db.execute(
            f"SELECT doc_kind, doc_name, doc_tag, statement FROM memories WHERE {_THIS}",
            (id_,),
        ).fetchone()
        if row:
            self._stated.add(row[3])
        if row and row[0]:
            self._note(DocumentKey(*row[:2]), row[2], -1)
        blanks = [f"{name} = ''" for name in (*_BLANK_TEXTS, *_BLANK_PROVENANCE)] + [
            f"{name} = '[]'" for name in _BLANK_LISTS
        ]
        defaults = (
            "type = 'fact', section = 'Project Conventions', tier = 'curated', importance = 'medium', confidence = 1.0, inferred = 0, "
            "source = 'manual', record_status = 'active', parts = 0, rank_class = 0, doc_kind = '', doc_name = '', doc_tag = '', "
            "said = ts, status = 'erased'"
        )
        db.execute(f"UPDATE memories SET {', '.join([*blanks, defaults])} WHERE {_THIS}", (id_,))
        db.execute("UPDATE events SET what = '', conversation = '', session = '' WHERE id = ?", (id_,))
        for statement in ("DELETE FROM tags WHERE memory = ?", "DELETE FROM patterns WHERE memory = ?"):
            db.execute(statement, (id_,))
        part = db.execute("SELECT first, n FROM parts WHERE id = ?", (id_,)).fetchone()
        if part:
            db.execute("DELETE FROM parts WHERE id = ?", (id_,))
            if part[1] > 1:
                self._part_erased(id_, part[0])

    def _part_erased(self, id_: str, first: str) -> None:
        """Give a blanked later part a row of its own: it no longer says that it is a part (S-2, M-9)."""
        self._join_parts(first)
        if self._db.execute("SELECT count(*) FROM parts WHERE first = ?", (first,)).fetchone() == (1,):
            self._db.execute("DELETE FROM parts WHERE first = ? AND n = 1", (first,))
        row = self._db.execute("SELECT * FROM events WHERE id = ?", (id_,)).fetchone()
        self._db.execute(INSERT_MEMORY, _erased_memory(row))

    def _points_at(self, id_: str) -> bool:
        return self._db.execute("SELECT 1 FROM edges WHERE target = ? LIMIT 1", (id_,)).fetchone() is not None

    def _order_of(self, targets: Iterable[str]) -> tuple[str, str] | None:
        """Return the order of the first known target; a version without one has its own (S-7)."""
        for target in targets:
            row = self._db.execute(
                f"SELECT order_ts, order_id FROM memories WHERE {_THIS}",
                (target,),
            ).fetchone()
            if row:
                return row[0], row[1]
        return None

    def _refresh(self, id_: str, twin: str = "") -> str:
        """Derive the columns that depend on the events pointing at a memory (S-2, S-6); return its status, or "".

        `twin` is an equal memory of another chain that is shown in its place (TM-30).
        """
        db = self._db
        row = db.execute(
            "SELECT n, status, record_status, learned, tier, topic, section, date, tags, doc_kind, doc_name, doc_tag, statement, "
            f"via, supersedes FROM memories WHERE {_THIS}",
            (id_,),
        ).fetchone()
        if row is None:
            return ""
        (
            n,
            before,
            record_status,
            learned,
            tier,
            topic,
            section,
            date,
            tags,
            kind,
            name,
            old_tag,
            statement,
            via,
            targets,
        ) = row
        self._stated.add(statement)
        own_seq, writer = db.execute("SELECT seq, writer FROM events WHERE n = ?", (n,)).fetchone()
        if self._proposals:
            self._proposals.weigh(id_)
        edges = db.execute(
            "SELECT kind, id, at FROM edges WHERE target = ? AND counts ORDER BY ts, id", (id_,)
        ).fetchall()
        by_kind: dict[str, list[str]] = defaultdict(list)
        for edge_kind, edge_id, _ in edges:
            by_kind[edge_kind].append(edge_id)
        agreed = record_status == "candidate" and self._is_promoted(by_kind["confirm"])
        is_candidate = record_status == "candidate" and not agreed
        status = "superseded" if twin else _status(by_kind, before, is_candidate=is_candidate)
        since = fresh_from(learned, via, date, replaces=targets != NO_LIST)
        confirms = [
            at
            for edge_kind, edge_id, at in edges
            if edge_kind == "confirm" and not self._is_disowned(edge_id)
        ]
        promoted = agreed and not confirms
        vouched = not promoted and not is_disowned(own_seq, self._disowned.get(writer, ()))
        fresh_since = fresh(since, confirms, vouched=vouched)
        new = document_key(status, tier, topic, section, date, learned)
        tag = tag_of(new, () if tags == NO_LIST else orjson.loads(tags))
        pointing = (as_json([twin] if twin else by_kind["supersede"]), as_json(by_kind["delete"]))
        db.execute(
            "UPDATE memories SET status = ?, fresh_since = ?, superseded_by = ?, deleted_by = ?, doc_kind = ?, "
            f"doc_name = ?, doc_tag = ? WHERE {_THIS}",
            (status, fresh_since, *pointing, *_plain(new), tag, id_),
        )
        old = DocumentKey(kind, name) if kind else None
        if old == new and old is not None:
            self._note(old, tag, 0)
            return status
        if old is not None:
            self._note(old, old_tag, -1)
        if new is not None:
            self._note(new, tag, 1)
        return status

    def _is_promoted(self, confirms: Iterable[str]) -> bool:
        rows = (
            self._db.execute("SELECT role, via FROM events WHERE id = ?", (id_,)).fetchone()
            for id_ in confirms
        )
        return any(promotes(*row) for row in rows)

    def _is_disowned(self, id_: str) -> bool:
        if not self._disowned:
            return False
        row = self._db.execute("SELECT seq, writer FROM events WHERE id = ?", (id_,)).fetchone()
        return row is not None and is_disowned(row[0], self._disowned.get(row[1], ()))

    def _note(self, key: DocumentKey, tag: str, change: int) -> None:
        """Note that this event changed a document, and its entries with a tag, and by how many entries."""
        if tag:
            self._note(tag_key(key.name, tag), "", change)
        counts = self._counts(key)
        before = counts[0]
        counts[0] += change
        counts[1] = self._n
        if key.kind == "topic" and (before == 0) != (counts[0] == 0):
            self._counts(LINKS)[1] = self._n
        if counts[0] == 0:
            self._counts(SWEEP)[1] = self._n

    def _counts(self, key: DocumentKey) -> list[int]:
        counts = self._documents.get(key)
        if counts is None:
            row = self._db.execute(
                "SELECT entries FROM documents WHERE kind = ? AND name = ?", _plain(key)
            ).fetchone()
            counts = self._documents[key] = [row[0] if row else 0, 0]
        return counts


_STATEMENT = list(MEMORY_COLUMNS).index("statement")
_DOC_KIND = list(MEMORY_COLUMNS).index("doc_kind")
_DOC_NAME, _DOC_TAG = _DOC_KIND + 1, _DOC_KIND + 2


def _plain(key: DocumentKey | None) -> tuple[str, str]:
    return (key.kind, key.name) if key else ("", "")


def _status(by_kind: Mapping[str, list[str]], before: str, *, is_candidate: bool) -> str:
    if by_kind["erase"] or before == "erased":
        return "erased"
    if by_kind["supersede"]:
        return "superseded"
    if by_kind["delete"]:
        return "deleted"
    return "candidate" if is_candidate else "active"


def _erased_memory(row: tuple[Any, ...]) -> tuple[Any, ...]:
    n, _, seq, id_, kind, ts, at, name, role, via, offset, size, *_ = row
    event = Event(id_, seq, kind, ts, at, 0, By(name, role, via), (), (), None, True, "", offset, size, {})
    return memory_row(event, n, (ts, id_))


HANDLERS: Mapping[str, Callable[[IndexFold, Event], None]] = MappingProxyType(
    {
        "genesis": IndexFold.ignore,
        "create": IndexFold.memory,
        "supersede": IndexFold.memory,
        "delete": IndexFold.pointing,
        "confirm": IndexFold.pointing,
        "erase": IndexFold.erase,
        "rotate": IndexFold.rotate,
        "recover": IndexFold.ignore,
        "anchor": IndexFold.ignore,
    }
)
