"""How many lines the segments of a bucket have, which nothing but their bytes says; whatever is lost of it is counted again.

Implements specs/team.md (TM-76).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection
from pathlib import Path


class LineCounts:
    """One file in the cache of an address.

    Args:
        cache: the folder, which `store` makes.
    """

    def __init__(self, cache: Path) -> None:
        self._file = cache / "lines.json"
        self._known: dict[str, tuple[str, int]] = {}
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            stored = json.loads(self._file.read_bytes())
            self._known = {str(path): (str(tag), int(lines)) for path, (tag, lines) in stored.items()}
        self._changed = False

    def lines(self, path: str, tag: str) -> int | None:
        """Return how many lines the object has, None if that was not counted since its tag changed."""
        known = self._known.get(path)
        return known[1] if known and known[0] == tag else None

    def note(self, path: str, tag: str, lines: int) -> None:
        """Note how many lines an object has."""
        self._known[path] = tag, lines
        self._changed = True

    def keep(self, paths: Collection[str]) -> None:
        """Forget all other objects."""
        for gone in self._known.keys() - set(paths):
            del self._known[gone]
            self._changed = True

    def store(self) -> None:
        """Write the file if anything has changed."""
        if not self._changed:
            return
        with contextlib.suppress(OSError):  # then it is counted again
            self._file.parent.mkdir(parents=True, exist_ok=True)
            made = self._file.with_suffix(".tmp")
            made.write_text(json.dumps(self._known))
            made.replace(self._file)
            self._changed = False
