"""Reads what `muniment export` wrote as JSON: each row gives the memory that it was, with its provenance.

Implements specs/import.md (I-30). Pure, but for the file; changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ledger.errors import RecordError
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory, Provenance

_BEGIN = lazy_pattern(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"id"\s*:\s*"[0-9a-f]{64}"\s*,\s*"seq"\s*:')
_LOOKED_AT = 4096
_TEXTS = (
    "text",
    "title",
    "body",
    "topic",
    "type",
    "section",
    "tier",
    "importance",
    "source",
    "category",
    "extra",
)
_LISTS = ("details", "when_to_use", "tags")


@dataclass(frozen=True, slots=True)
class ExportedRow:
    """One row: its line (its number in a JSON list), its id, its memory or its fault.

    The memory is None if it was no longer current when it was exported.
    """

    line: int
    id: str = ""
    memory: Memory | None = None
    error: RecordError | None = None


def is_export(path: Path) -> bool:
    """Return whether a file begins as the JSON of an export does, whatever its name."""
    try:
        with path.open("rb") as stream:
            return _BEGIN.match(stream.read(_LOOKED_AT)) is not None
    except OSError:
        return False  # reading it reports why


def read_export(path: Path) -> Iterator[ExportedRow]:
    """Yield every row of an export in its order.

    Raises:
        RecordError: it is a JSON list that is not whole.
    """
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if data.lstrip().startswith(b"["):
        try:
            rows = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise RecordError(f"{path}: is not a complete JSON list: {error}; export it again") from error
        yield from (_exported(number, row) for number, row in enumerate(rows, 1))
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                yield ExportedRow(number, error=RecordError("it is not JSON: the line is cut or was edited"))
            else:
                yield _exported(number, row)


def _exported(number: int, row: Any) -> ExportedRow:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        return ExportedRow(number, error=RecordError("it is not a row of an export"))
    if row.get("status") not in ("active", "candidate") or row.get("compromised"):
        return ExportedRow(number, row["id"])
    try:
        memory = _memory(row)
        memory.to_payload()  # raises its fault
    except (TypeError, ValueError, AttributeError):
        return ExportedRow(number, row["id"], error=RecordError("a member is not what an export writes"))
    except RecordError as error:
        return ExportedRow(number, row["id"], error=error)
    return ExportedRow(number, row["id"], memory)


def _memory(row: Mapping[str, Any]) -> Memory:
    """Return the memory of a row; one without a day has that on which it was learned, an agent's its name.

    Raises:
        RecordError, TypeError, ValueError, AttributeError: a member is not what it must be.
    """
    known = {"date": str(row["learned"])[:10]}
    if row.get("by", {}).get("role") == "agent":
        known["agent"] = str(row["by"]["name"])
    origin = {name: str(value) for name, value in (known | row.get("provenance", {})).items()}
    members: dict[str, Any] = {name: row[name] for name in _TEXTS if name in row}
    members |= {name: _list(row[name]) for name in _LISTS if name in row}
    memory = Memory(
        **members,
        confidence=float(row.get("confidence", 1)),
        inferred=bool(row.get("inferred")),
        status=row["status"],
        provenance=Provenance(**origin),
    )
    default = memory._replace(section="")
    return default if default.effective_section == memory.section else memory


def _list(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(value)
