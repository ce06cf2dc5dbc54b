"""Screens texts quickly: one pass shows that most texts cannot have any sign of an instruction.

Python's `re` takes half a millisecond to look for all signs in a line, RE2 some microseconds for all of them at once. Its
patterns have no look-around: without it they find more, never less, so that a text that passes has no sign.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from ledger.lazy_pattern import lazy_pattern

_MOST_BYTES = 256 << 20
"""The memory limit for RE2's states."""
_LOOK_AROUND = ("(?!", "(?=", "(?<!", "(?<=")
_PART = lazy_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[!=]|[()]|.", re.DOTALL)
_ESCAPE = lazy_pattern(r"\\u([0-9a-fA-F]{4})")


class InstructionScreen:
    """All patterns as one.

    Args:
        patterns: in Python's syntax, with case and line ends as in the texts.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        engine = _engine()
        self._found = None
        if engine is not None:
            options = engine.Options()
            options.max_mem, options.never_capture = _MOST_BYTES, True
            union = "|".join(f"(?:{without_look_around(each)})" for each in patterns)
            self._found = engine.compile(f"(?m){union}", options).search

    def passes(self, text: str) -> bool:
        """Return whether a text surely matches no pattern; only for ASCII, since RE2 treats other letters differently."""
        return self._found is not None and text.isascii() and self._found(text) is None


def without_look_around(pattern: str) -> str:
    """Return a pattern for RE2 that matches at least every match of `pattern`."""
    kept, depth, dropped = [], 0, 0
    for part in _PART.findall(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), pattern)):
        depth += (part[0] == "(") - (part == ")")
        if part in _LOOK_AROUND and not dropped:
            dropped = depth
        if not dropped:
            kept.append(part)
        elif part == ")" and depth < dropped:
            dropped = 0
    return "".join(kept)


@cache
def _engine() -> Any:
    """Return google-re2, or None if it is not installed."""
    try:
        return importlib.import_module("re2")
    except ImportError:
        return None
