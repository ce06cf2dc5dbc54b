"""Reads the knowledge graph of the MCP server `server-memory`: a file with one JSON object on each line.

Implements specs/import.md (I-36).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from documents.memory_chain.javascript_json import parse
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
from ledger.errors import FormatError
from ledger.memory import Memory, Provenance

TOOL = "server-memory"
USUAL = "the file that MEMORY_FILE_PATH names, usually memory.jsonl"
PEOPLE = "People & Roles"
_KINDS = ("entity", "relation")


def read_server_memory(path: Path) -> ForeignSource:
    """Read a graph; a line that cannot be read is named and skipped.

    Raises:
        NotFoundError, StorageError: as `source_files`.
        FormatError: it is not UTF-8, or no line belongs to a graph.
    """
    text = source_files.text_of(path, source_files.bytes_of(path, USUAL), USUAL)
    left_out = LeftOut()
    found: list[tuple[int | None, Memory]] = []
    lines = [(number, each) for number, each in enumerate(text.split("\n"), 1) if each.strip()]
    seen = False
    for number, each in lines:
        try:
            record = parse(each)
        except ValueError:
            record = None
        if not isinstance(record, dict) or record.get("type") not in _KINDS:
            left_out.add("no entity and no relation, and left out", f"line {number}")
            continue
        seen = True
        said = _entity if record["type"] == "entity" else _relation
        try:
            found += [(number, memory) for memory in said(path, record, number, left_out)]
        except ValueError:
            left_out.add(TOO_DEEP, f"line {number}")
    if lines and not seen:
        raise FormatError(
            source_files.RULE,
            f"{path} holds no entity and no relation, and nothing was imported; give {USUAL}",
        )
    return ForeignSource(path, TOOL, found, left_out)


def _entity(path: Path, record: dict[str, Any], number: int, left_out: LeftOut) -> Iterator[Memory]:
    """Yield one memory for each observation of an entity, with the entity's name in front."""
    name, kind, observations = (record.get(key) for key in ("name", "entityType", "observations"))
    if not readable(name) or not isinstance(observations, list):
        left_out.add("without a name or a list of observations; left out", f"line {number}")
        return
    if not observations:
        left_out.add("without an observation; left out", f"line {number}")
    is_person = isinstance(kind, str) and kind.casefold() == "person"
    for each in observations:
        if content := readable(each):
            yield _memory(
                path,
                f"{name}: {content}",
                name=str(name),
                section=PEOPLE if is_person else "",
                extra=metadata({"entity": name, "entityType": kind}),
            )
        else:
            left_out.add("without a text that can be read; left out", f"line {number}")


def _relation(path: Path, record: dict[str, Any], number: int, left_out: LeftOut) -> Iterator[Memory]:
    """Yield the memory of a relation: source, relation, target."""
    words = [readable(record.get(name)) for name in ("from", "relationType", "to")]
    if all(words):
        yield _memory(path, " ".join(words), name=words[0])
    else:
        left_out.add("without two names and a kind of relation; left out", f"line {number}")


def _memory(path: Path, content: str, *, name: str, section: str = "", extra: str = "") -> Memory:
    text, body = text_and_body(content)
    provenance = Provenance(message=origin_line(name), tool=TOOL, file=origin_line(path.name))
    return Memory(text, body=body, section=section, source="auto", provenance=provenance, extra=extra)
