"""The result of every reader of another program's memory: memories with their origin, and the count of skipped records.

Implements specs/import.md (I-31, I-32). Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from documents.memory_chain.javascript_json import stringify
from documents.reading.blocks import summary, trimmed
from ledger.event import By
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_LINE, MAX_TEXT, SPACES, record_fault

TOO_DEEP = "nested too deeply; left out"

_NAMED = 20
_BREAKS = lazy_pattern("[\x7f-\x9f\u2028\u2029\ufeff]")
"""Characters that JSON does not escape and YAML would read differently in `extra`."""

_UNSTORABLE = lazy_pattern("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class LeftOut:
    """Counts skipped records by reason, and keeps their places."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, why: str, place: str = "") -> None:
        """Count one record; `place` tells a person where it is."""
        self.counts[why] += 1
        if place:
            self.places.setdefault(why, []).append(place)

    def warnings(self) -> list[str]:
        """Return one line for each reason."""
        return [f"{count} {why}{self._named(why)}" for why, count in self.counts.items()]

    def _named(self, why: str) -> str:
        places = self.places.get(why, [])
        more = ", …" if len(places) > _NAMED else ""
        return f" ({', '.join(places[:_NAMED])}{more})" if places else ""


@dataclass(slots=True)
class ForeignSource:
    """One file of another program: its memories, each with its line (None if it has none), and the skipped records.

    The memories are read once; `left_out` is complete only after that. `titles` counts notes that have only headings
    (I-29). `by` is the writer of the memories, if that is not the importing person.
    """

    path: Path
    kind: str
    memories: Iterable[tuple[int | None, Any]]
    left_out: LeftOut = field(default_factory=LeftOut)
    warnings: tuple[str, ...] = ()
    titles: int = 0
    by: By | None = None


def text_and_body(content: str) -> tuple[str, str]:
    """Return the text and the body of a memory with this content; both are "" if nothing of it is visible.

    The first of several lines is the text and the rest the body; if that line is too long, its summary (I-14) is the
    text, and the whole content is the body.
    """
    lines = content.splitlines(keepends=True)
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return "", ""
    text = lines[first].strip(f"{SPACES}\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    if text and len(text) <= MAX_TEXT:
        return text, trimmed(lines[first + 1 :])
    text = summary(content)
    return text, trimmed(lines) if text else ""


def readable(value: object) -> str:
    """Return a value if it is a text that is not blank and that a memory can hold, else ""."""
    good = isinstance(value, str) and value.strip() and not _UNSTORABLE.search(value)
    return str(value) if good else ""


def origin_line(value: object) -> str:
    """Return a text as one line that provenance can hold; other values are ""."""
    text = value if isinstance(value, str) else ""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:MAX_LINE]


def metadata(said: Mapping[str, Any]) -> str:
    """Return the members that a memory has no member for as a line of `extra`, or "".

    Raises:
        ValueError: they are nested too deeply.
    """
    return f"metadata: {_BREAKS.sub(_escaped, stringify(said))}\n" if said else ""


def fits(**members: Any) -> bool:
    """Return whether a memory can hold these members as they are."""
    return record_fault({"text": "x", **members}) is None


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
