"""Paths as reversible text: the bytes of a file's name need not be UTF-8 (F-24).

A path never has two strokes one behind the other, but at its beginning: so `//e9` stands for such a byte.
"""

from __future__ import annotations

from pathlib import Path

from ledger.lazy_pattern import lazy_pattern

_BYTE = lazy_pattern("[\udc80-\udcff]")
_WRITTEN = lazy_pattern(r"(?<=.)//([89a-f][0-9a-f])")


def name_of(path: Path | str) -> str:
    """Return a path as valid text, which is the path itself where that is UTF-8."""
    text = str(path)
    return text if text.isascii() else _BYTE.sub(lambda found: f"//{ord(found[0]) & 0xFF:02x}", text)


def path_of(name: str) -> Path:
    """Return the path that `name_of` named."""
    if "//" in name:
        name = _WRITTEN.sub(lambda found: chr(0xDC00 | int(found[1], 16)), name)
    return Path(name)
