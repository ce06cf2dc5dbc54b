"""Finds every event that contains a text, and the files of a ledger and of its documents.

Implements specs/cli.md (X-29, X-31). Reads only. The text may be a secret: no message here holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger import reader
from ledger.canonical import encode
from ledger.event import Event
from ledger.memory import PROVENANCE_MEMBERS, RECORD_MEMBERS

_NAMES = frozenset(
    {*RECORD_MEMBERS, *PROVENANCE_MEMBERS, "reason", "n", "of", "first", "doc", "after"}
    | {"method", "size", "root", "digest", "where"}
)
_PART = b'"part":{'
"""Stands in the line of each part of a body."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The events whose payload contains a text, by id and by seq, in the chain's order.

    `named` counts those with the text in the name of a writer or of the ledger, which cannot be erased.
    """

    ids: tuple[str, ...]
    named: int = 0
    seqs: tuple[int, ...] = ()


def events_that_say(chain: Path, text: str) -> Matches:
    """Return the events whose payload holds `text` in any string (X-29).

    A split body counts as one text: if it contains the text, even across two parts, all its parts are found.

    Args:
        chain: a chain file that was verified a moment ago.
        text: compared code point by code point, case included.

    Raises:
        NoLedgerError, ChainError: the chain cannot be read.
    """
    found: dict[str, int] = {}
    bodies: dict[str, dict[int, tuple[str, int, str]]] = {}
    named = 0
    signs = (encode(text)[1:-1], _PART)
    for event in reader.events_where(chain, lambda data: any(sign in data for sign in signs)):
        named += _is_named(event, text)
        if not event.payload:
            continue
        if any(text in string for string in strings(event.payload)):
            found[event.id] = event.seq
        part = event.payload.get("part")
        if part:
            parts = bodies.setdefault(part["first"] or event.id, {})
            parts[part["n"]] = (event.id, event.seq, event.payload.get("body", ""))
    for parts in bodies.values():
        each = [parts[n] for n in sorted(parts)]
        if any(id_ in found for id_, _, _ in each) or text in "".join(body for _, _, body in each):
            found.update((id_, seq) for id_, seq, _ in each)
    ids = tuple(sorted(found, key=found.__getitem__))
    return Matches(ids, named, tuple(found[id_] for id_ in ids))


def _is_named(event: Event, text: str) -> bool:
    ledger = event.head.get("ledger", {})
    return text in event.by.name or text in str(ledger.get("name", ""))


def strings(payload: Mapping[str, Any]) -> Iterator[str]:
    """Yield every string of a payload except the salt, and the names of members that the format does not know."""
    for name, value in payload.items():
        if name != "salt":
            yield from _strings_of({name: value})


def _strings_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            if name not in _NAMES:
                yield name
            yield from _strings_of(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings_of(each)


# --- what is left on disk ---


def cannot_be_read(path: Path) -> str:
    """Return why an existing file cannot be read, or ""."""
    try:
        path.open("rb").close()
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    return ""


def ledger_files(directory: Path) -> Iterator[Path]:
    """Yield the files that belong to a ledger: chain, databases, torn tails.

    This includes the index and documents that a recovery kept; specs/files.md lists the places.
    """
    if directory.is_dir():
        yield from sorted(path for path in directory.iterdir() if path.is_file() and not path.is_symlink())
    for kept in sorted(directory.glob("before-recover-*")):
        yield from sorted(path for path in kept.rglob("*") if path.is_file() and not path.is_symlink())


def document_files(folder: Path) -> Iterator[Path]:
    """Yield the documents in a folder, and the copies of edited ones beside them."""
    for pattern in ("MEMORY.md*", "memory/**/*.md*", "memories/**/*.md*"):
        yield from sorted(path for path in folder.glob(pattern) if path.is_file())
