"""Text for a terminal: on one line, without control characters.

Implements specs/cli.md (X-6, X-9, X-322).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.hidden_characters import named
from ledger.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.memory import Memory

SHORT = 12
"""How many digits of an id are printed for people; any 8 or more can be typed."""

ERASED = "(erased)"

_UNPRINTABLE = lazy_pattern("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


def short(id_: str) -> str:
    """Return the short form of an id for people."""
    return id_[:SHORT]


def few(names: Iterable[str], most: int = 3) -> str:
    """Return the first names of many, and a sign that there are more."""
    first = list(names)
    return " ".join(first[:most]) + (" …" if len(first) > most else "")


def shortened(text: str, most: int) -> str:
    """Return a text without what follows its first `most` characters, ended at a word if possible."""
    if len(text) <= most:
        return text
    cut = text.rfind(" ", most // 2, most)
    return f"{text[: cut if cut > 0 else most].rstrip(' ,;:')}…"


def plain(text: str) -> str:
    """Return text of unknown origin as one line without control sequences; invisible characters show their names."""
    return text if text.isprintable() else _UNPRINTABLE.sub(" ", named(text))


def who(name: str, role: str, via: str) -> str:
    """Return the writer, role and door of an event; a command without a terminal is a person's script."""
    if role == "system" and via in ("cli", "import"):
        return f"{name} (script)" if via == "cli" else f"{name} (script, {via})"
    return f"{name} ({role}, {via})"


def redacted(text: str) -> str:
    """Return a text for printing, without secrets and control characters."""
    from ledger.redaction import redact

    return plain(redact(text)) if text else ""


def said(memory: Memory) -> str:
    """Return a memory's text as a line for people."""
    return plain(memory.text) or ERASED
