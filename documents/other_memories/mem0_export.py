"""Reads the data of mem0: its history.db, or the JSON that `get_all` returns.

Implements specs/import.md (I-33). The files of its vector stores hold Python pickles or belong to a server, and are not read:
history.db has the same texts whatever the store is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from documents.memory_chain.javascript_json import stringify
from documents.other_memories import source_files
from documents.other_memories.foreign_records import (
    TOO_DEEP,
    ForeignSource,
    LeftOut,
    metadata,
    origin_line,
    readable,
    text_and_body,
)
from documents.other_memories.mem0_records import IDS, NAME, OWN, scoped, worded
from ledger.errors import FormatError
from ledger.event import By
from ledger.memory import Memory, Provenance

TOOL = NAME
USUAL = "mem0's history.db, usually ~/.mem0/history.db, or the JSON that get_all returns"
_COLUMNS = ("memory_id", "new_memory", "event", "created_at", "updated_at")
_HELD = frozenset(
    {"id", "memory", "hash", "score", "created_at", "updated_at", "user_id", "agent_id", "run_id"}
)
"""Members of an exported memory that our members cover, or that carry no information."""


def read_mem0(path: Path) -> ForeignSource:
    """Read a history.db or an export.

    Raises:
        NotFoundError, StorageError, FormatError: as `source_files`; nothing of it was read.
    """
    left_out = LeftOut()
    by = None
    if source_files.is_database(path, USUAL):
        found = list(_history(path, left_out))
    else:
        data = source_files.bytes_of(path, USUAL)
        found = list(_exported(path, source_files.json_of(path, data, USUAL), left_out))
        by = By(NAME, "agent", "import")  # as the adapter writes, so that a program can still change them
    return ForeignSource(path, TOOL, [(None, memory) for memory in found], left_out, by=by)


def _history(path: Path, left_out: LeftOut) -> Iterator[Memory]:
    """Yield the newest text of each memory that was not deleted."""
    current: dict[str, dict[str, Any]] = {}
    with source_files.database(path, USUAL) as db:
        for row in db.rows("history", _COLUMNS):
            if row["event"] in ("ADD", "UPDATE"):
                current[str(row["memory_id"])] = row
            elif row["event"] == "DELETE":
                if current.pop(str(row["memory_id"]), None):
                    left_out.add("deleted there, and left out")
            else:
                left_out.add("changed in a way that is not known; left out", str(row["memory_id"]))
    for id_, row in current.items():
        said = {"role": row["role"]} if isinstance(row.get("role"), str) else {}
        origin = Provenance(message=origin_line(id_), agent=origin_line(row.get("actor_id")))
        if memory := _memory(path, row["new_memory"], row, origin, said):
            yield memory
        else:
            left_out.add("without a text that can be read; left out", id_)


def _exported(path: Path, value: Any, left_out: LeftOut) -> Iterator[Memory]:
    rows = value.get("results") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise FormatError(
            source_files.RULE, f"{path} holds no list of memories, and nothing was imported; give {USUAL}"
        )
    if isinstance(value, dict) and value.get("next"):
        left_out.add("page of several; export the other pages, and import them too")
    for number, row in enumerate(rows, 1):
        memory = None
        if isinstance(row, dict):
            said = {name: each for name, each in row.items() if name not in _HELD and each is not None}
            ids = {name: line for name in IDS if (line := origin_line(row.get(name)))}
            origin = Provenance(message=origin_line(row.get("id")), date=origin_line(row.get("created_at")))
            try:
                memory = _memory(path, row.get("memory"), row, origin, said)
                if memory and ids:
                    memory = _owned(memory, row["memory"], ids, said)
            except ValueError:
                left_out.add(TOO_DEEP, f"number {number}")
                continue
        if memory:
            yield memory
        else:
            left_out.add("without a text that can be read; left out", f"number {number}")


def _owned(memory: Memory, content: str, ids: dict[str, str], said: dict[str, Any]) -> Memory:
    """Return a memory as the adapter would store it for these ids; metadata that it cannot store stays in `extra`."""
    given = said.get("metadata")
    own = {name: said[name] for name in OWN if name in said and (name, said[name]) != ("role", "user")}
    kept = json.loads(
        stringify((given if isinstance(given, dict) else {}) | own)
    )  # whole numbers become integers again
    rest = {name: each for name, each in said.items() if name not in OWN}
    if isinstance(given, dict):
        del rest["metadata"]
    record = worded(content)
    try:
        return scoped(record._replace(extra=metadata(rest)), ids, kept, memory.provenance)
    except ValueError:
        return scoped(record._replace(extra=memory.extra), ids, {}, memory.provenance)


def _memory(
    path: Path, content: object, row: dict[str, Any], origin: Provenance, said: dict[str, Any]
) -> Memory | None:
    """Return a memory with the rest of its origin; `said` has the members that ours do not cover."""
    text, body = text_and_body(readable(content))
    if not text:
        return None
    provenance = origin._replace(
        tool=TOOL,
        file=origin_line(path.name),
        date=origin.date or origin_line(row.get("updated_at")) or origin_line(row.get("created_at")),
    )
    return Memory(text, body=body, source="auto", provenance=provenance, extra=metadata(said))
