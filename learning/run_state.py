"""Facts of the local state for one run, which also stand where the disk takes none of them.

Implements specs/capture.md (K-76).
"""

from __future__ import annotations

import contextlib
import sqlite3

from ledger.errors import StorageError
from projections.local import Local


class Facts:
    """What this run noted, above what the local state of a ledger remembers; None remembers nothing.

    A dry run notes nothing there (K-78).
    """

    def __init__(self, local: Local | None, *, dry: bool = False) -> None:
        self._local = local
        self._dry = dry
        self._here: dict[str, str] = {}

    def fact(self, name: str) -> str:
        """Return a noted fact, or ""."""
        if name in self._here or self._local is None:
            return self._here.get(name, "")
        return self._local.fact(name)

    def note(self, name: str, value: str) -> None:
        """Note a fact; what the disk refuses is known in this run alone."""
        if self._dry:
            self._here[name] = value
            return
        try:
            if self._local is not None and self._local.fact(name) != value:
                self._local.note(name, value)
        except (StorageError, sqlite3.Error, OSError):
            self._here[name] = value
        else:
            with contextlib.suppress(KeyError):
                del self._here[name]
