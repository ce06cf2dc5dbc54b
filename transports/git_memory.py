"""What the cache of a git remote remembers beside its repository; whatever is lost of it is found again.

Implements specs/team.md (TM-75).
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from transports.places import Spans


class CacheMemory:
    """One file, read and written while no other process has the turn.

    Attributes:
        spans: the lines that each folder of segments covers, by the name of its tree.
        commits: those that may be in the repository though the remote has replaced them.
        branches: the address of the host that accepts branches alone, or "".
    """

    def __init__(self, cache: Path) -> None:
        self._file = cache / "memory.json"
        self.spans: dict[str, Spans] = {}
        self.commits: set[str] = set()
        self.branches = ""
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            stored = json.loads(self._file.read_bytes())
            self.commits, self.branches = set(stored["commits"]), str(stored["branches"])
            self.spans = {
                name: [(first, end) for first, end in runs] for name, runs in stored["spans"].items()
            }
        self._stored = self._text()

    def store(self) -> None:
        """Write the file if anything has changed."""
        if (text := self._text()) != self._stored:
            made = self._file.with_suffix(".tmp")
            made.write_text(text)
            made.replace(self._file)
            self._stored = text

    def _text(self) -> str:
        return json.dumps({"spans": self.spans, "commits": sorted(self.commits), "branches": self.branches})
