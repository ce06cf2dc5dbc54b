"""Folds events into the rows of the index, one by one or many in a transaction; the result is the same.

Implements specs/projections.md (P-52). `documents` counts the entries of each document
and notes the seq that changed it last, which is all that the file writer needs in order to render only what
changed. Erasure forgets, so `changed` is bookkeeping and no function of the log: a rebuild marks every
document as changed.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import orjson

from language.unspaced import indexed
from ledger.errors import LedgerError
from ledger.event import By, Event
from ledger.fold import fresh, fresh_from, is_disowned, is_later_part
from ledger.view import said_key
from projections.entry_rows import NO_LIST
from projections.index_rows import INSERT_EVENT, INSERT_MEMORY, as_json, event_row, memory_row, placed
from projections.index_schema import MEMORY_COLUMNS
from projections.layout import LINKS, SWEEP, DocumentKey, document_key, tag_key, tag_of

_THIS = "seq = (SELECT seq FROM events WHERE id = ?)"
"""Finds a memory by its id: memories have no index of their own for it, `events_id` serves."""

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


class IndexFold:
    """Writes events into an index whose transaction is open; `flush` must be called before the commit."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._documents: dict[DocumentKey, list[int]] = {}
        self._disowned: list[tuple[int, int]] = connection.execute(
            "SELECT since, rotate FROM disowned"
        ).fetchall()

    def apply(self, event: Event) -> None:
        """Fold one event in.

        Raises:
            LedgerError: its kind is unknown; nothing was changed.
        """
        handler = HANDLERS.get(event.kind)
        if handler is None:
            raise LedgerError(f"cannot index an event of kind {event.kind!r}: update muniment")
        self._db.execute(INSERT_EVENT, event_row(event))
        handler(self, event)

    def flush(self) -> None:
        """Write the counts of the documents."""
        db = self._db
        for key, (entries, changed) in self._documents.items():
            name = _plain(key)
            if entries or key in (LINKS, SWEEP):
                db.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)", (*name, entries, changed))
            else:
                db.execute("DELETE FROM documents WHERE kind = ? AND name = ?", name)
        self._documents.clear()

    def mark_all_changed(self, seq: int) -> None:
        """Note that every document is to be looked at again, after a rebuild that ends at `seq`."""
        self.flush()
        self._db.execute("UPDATE documents SET changed = ?", (seq,))
        for key in (LINKS, SWEEP):
            self._db.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, 0, ?)", (*_plain(key), seq))

    # --- a handler a kind ---

    def memory(self, event: Event) -> None:
        """Fold a create or supersede."""
        if event.payload is not None and is_later_part(event.payload):
            self._part(event, event.payload)
            return
        order = self._order(event) if event.targets else (event.ts, event.id)
        row = memory_row(event, order)
        db, payload = self._db, event.payload or {}
        db.execute(INSERT_MEMORY, row)
        tags = ((tag, event.id) for tag in payload.get("tags", ()))
        db.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", tags)
        patterns = ((event.id, pattern) for pattern in payload.get("when_to_use", ()))
        db.executemany("INSERT OR IGNORE INTO patterns VALUES (?, ?)", patterns)
        if row[_DOC_KIND]:
            self._note(DocumentKey(row[_DOC_KIND], row[_DOC_NAME]), row[_DOC_TAG], event.seq, 1)
        if event.targets:
            self.pointing(event)
        if self._points_at(event.id):
            self._refresh(event.id, event.seq)

    def pointing(self, event: Event) -> None:
        """Fold what an event says about its targets."""
        edges = (
            (target, event.id, event.kind, event.ts, event.at, n) for n, target in enumerate(event.targets)
        )
        self._db.executemany("INSERT OR IGNORE INTO edges VALUES (?, ?, ?, ?, ?, ?)", edges)
        for target in event.targets:
            self._refresh(target, event.seq)

    def erase(self, event: Event) -> None:
        """Fold an erase: what its targets said leaves every row."""
        for target in event.targets:
            row = self._db.execute("SELECT payload FROM events WHERE id = ?", (target,)).fetchone()
            if row and row[0] in (1, 3):
                self._db.execute("INSERT OR IGNORE INTO unfinished VALUES (?)", (target,))
            self._blank(target, event.seq)
        self.pointing(event)

    def rotate(self, event: Event) -> None:
        """Fold what a rotate disowns: the memories concerned are looked at anew (N-24)."""
        since = event.head.get("since")
        if since is None or since >= event.seq:
            return
        self._disowned.append((since, event.seq))
        self._db.execute("INSERT OR REPLACE INTO disowned VALUES (?, ?)", (since, event.seq))
        concerned = self._db.execute(
            "SELECT id FROM events WHERE seq >= ?1 AND seq < ?2 UNION SELECT target FROM edges x JOIN events e ON e.id = x.id "
            "WHERE x.kind = 'confirm' AND e.seq >= ?1 AND e.seq < ?2",
            (since, event.seq),
        ).fetchall()
        for (id_,) in concerned:
            self._refresh(id_, event.seq)

    def ignore(self, event: Event) -> None:
        """Genesis, recover and anchor have their row among the events and say nothing about memories."""

    # --- details ---

    def _part(self, event: Event, payload: Mapping[str, Any]) -> None:
        """Add a later part of a long body to its first (M-9)."""
        part = payload["part"]
        first = part["first"]
        self._db.execute(
            "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)",
            (first, part["n"], event.id, payload.get("body", "")),
        )
        self._join_parts(first, event.seq)

    def _join_parts(self, first: str, seq: int) -> None:
        """Write the body of a memory as its parts say it now."""
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
        if kind:
            self._note(DocumentKey(kind, name), tag, seq, 0)

    def _blank(self, id_: str, seq: int) -> None:
        """Take out what an event said."""
        db = self._db
        row = db.execute(
            f"SELECT doc_kind, doc_name, doc_tag FROM memories WHERE {_THIS}",
            (id_,),
        ).fetchone()
        if row and row[0]:
            self._note(DocumentKey(*row[:2]), row[2], seq, -1)
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
                self._part_erased(id_, part[0], seq)

    def _part_erased(self, id_: str, first: str, seq: int) -> None:
        """A blanked later part no longer says that it is one.

        It counts as an erased memory of its own (S-2, M-9).
        """
        self._join_parts(first, seq)
        if self._db.execute("SELECT count(*) FROM parts WHERE first = ?", (first,)).fetchone() == (1,):
            self._db.execute("DELETE FROM parts WHERE first = ? AND n = 1", (first,))
        row = self._db.execute("SELECT * FROM events WHERE id = ?", (id_,)).fetchone()
        self._db.execute(INSERT_MEMORY, _erased_memory(row))

    def _points_at(self, id_: str) -> bool:
        return self._db.execute("SELECT 1 FROM edges WHERE target = ? LIMIT 1", (id_,)).fetchone() is not None

    def _order(self, event: Event) -> tuple[str, str]:
        """Return the lineage's order: that of the first known target, else its own (S-7)."""
        for target in event.targets:
            row = self._db.execute(
                f"SELECT order_ts, order_id FROM memories WHERE {_THIS}",
                (target,),
            ).fetchone()
            if row:
                return row[0], row[1]
        return event.ts, event.id

    def _refresh(self, id_: str, seq: int) -> None:
        """Derive anew what depends on the events that point at a memory (S-2, S-6)."""
        db = self._db
        row = db.execute(
            "SELECT seq, status, record_status, learned, tier, topic, section, date, tags, doc_kind, doc_name, doc_tag, via, "
            f"supersedes FROM memories WHERE {_THIS}",
            (id_,),
        ).fetchone()
        if row is None:
            return
        (
            own_seq,
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
            *own,
        ) = row
        via, targets = own
        edges = db.execute(
            "SELECT kind, id, at FROM edges WHERE target = ? ORDER BY ts, id", (id_,)
        ).fetchall()
        by_kind: dict[str, list[str]] = defaultdict(list)
        for edge_kind, edge_id, _ in edges:
            by_kind[edge_kind].append(edge_id)
        status = _status(by_kind, before, record_status)
        since = fresh_from(learned, via, date, replaces=targets != NO_LIST)
        confirms = [
            at
            for edge_kind, edge_id, at in edges
            if edge_kind == "confirm" and not self._is_disowned(edge_id)
        ]
        promoted = record_status == "candidate" and bool(by_kind["confirm"]) and not confirms
        vouched = not promoted and not is_disowned(own_seq, self._disowned)
        fresh_since = fresh(since, confirms, vouched=vouched)
        new = document_key(status, tier, topic, section, date, learned)
        tag = tag_of(new, () if tags == NO_LIST else orjson.loads(tags))
        pointing = (as_json(by_kind["supersede"]), as_json(by_kind["delete"]))
        db.execute(
            "UPDATE memories SET status = ?, fresh_since = ?, superseded_by = ?, deleted_by = ?, doc_kind = ?, "
            f"doc_name = ?, doc_tag = ? WHERE {_THIS}",
            (status, fresh_since, *pointing, *_plain(new), tag, id_),
        )
        old = DocumentKey(kind, name) if kind else None
        if old == new and old is not None:
            self._note(old, tag, seq, 0)
            return
        if old is not None:
            self._note(old, old_tag, seq, -1)
        if new is not None:
            self._note(new, tag, seq, 1)

    def _is_disowned(self, id_: str) -> bool:
        if not self._disowned:
            return False
        row = self._db.execute("SELECT seq FROM events WHERE id = ?", (id_,)).fetchone()
        return row is not None and is_disowned(row[0], self._disowned)

    def _note(self, key: DocumentKey, tag: str, seq: int, change: int) -> None:
        """Note that a document, and what bears a tag in it, changed at `seq`, and by how many entries."""
        if tag:
            self._note(tag_key(key.name, tag), "", seq, change)
        counts = self._counts(key)
        before = counts[0]
        counts[0] += change
        counts[1] = seq
        if key.kind == "topic" and (before == 0) != (counts[0] == 0):
            self._counts(LINKS)[1] = seq
        if counts[0] == 0:
            self._counts(SWEEP)[1] = seq

    def _counts(self, key: DocumentKey) -> list[int]:
        counts = self._documents.get(key)
        if counts is None:
            row = self._db.execute(
                "SELECT entries FROM documents WHERE kind = ? AND name = ?", _plain(key)
            ).fetchone()
            counts = self._documents[key] = [row[0] if row else 0, 0]
        return counts


_DOC_KIND = list(MEMORY_COLUMNS).index("doc_kind")
_DOC_NAME, _DOC_TAG = _DOC_KIND + 1, _DOC_KIND + 2


def _plain(key: DocumentKey | None) -> tuple[str, str]:
    return (key.kind, key.name) if key else ("", "")


def _status(by_kind: Mapping[str, list[str]], before: str, record_status: str) -> str:
    if by_kind["erase"] or before == "erased":
        return "erased"
    if by_kind["supersede"]:
        return "superseded"
    if by_kind["delete"]:
        return "deleted"
    return "candidate" if record_status == "candidate" and not by_kind["confirm"] else "active"


def _erased_memory(row: tuple[Any, ...]) -> tuple[Any, ...]:
    seq, id_, kind, ts, at, name, role, via, offset, size, *_ = row
    event = Event(id_, seq, kind, ts, at, 0, By(name, role, via), (), (), None, True, "", offset, size, {})
    return memory_row(event, (ts, id_))


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
