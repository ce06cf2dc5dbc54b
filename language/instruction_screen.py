"""Screens texts quickly: one pass shows that most texts cannot have any sign of an instruction.

Python's `re` takes half a millisecond to look for all signs in a line, RE2 some microseconds for all of them at once. Its
patterns have no look-around: without it they find more, never less, so that a text that passes has no sign.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from typing import Any

from ledger.lazy_pattern import lazy_pattern

_MOST_BYTES = 256 << 20
"""The memory limit for RE2's states."""
_LOOK_AROUND = ("(?!", "(?=", "(?<!", "(?<=")
_PART = lazy_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[!=]|[()]|.", re.DOTALL)
_ESCAPE = lazy_pattern(r"\\u([0-9a-fA-F]{4})")


def screen_of(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that returns whether a text surely matches none of the patterns.

    It is false for all texts without google-re2, and for all that are not ASCII, since RE2 treats other letters differently.

    Args:
        patterns: in Python's syntax, with case and line ends as in the texts.
    """
    try:
        engine: Any = importlib.import_module("re2")
    except ImportError:
        return lambda _: False
    options = engine.Options()
    options.max_mem, options.never_capture = _MOST_BYTES, True
    union = "|".join(f"(?:{without_look_around(each)})" for each in patterns)
    search = engine.compile(f"(?m){union}", options).search
    return lambda text: text.isascii() and search(text) is None


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
