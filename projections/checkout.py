"""Looks at a project's root: which paths exist below it.

Implements specs/projections.md (P-147) as `projections.missing_references.ProjectContents`. Reads names, and the few small
files that tell git what to ignore. Never leaves the root: it follows no link and runs no command. Bounded: for a tree with
too many entries it answers that it does not know.
"""

from __future__ import annotations

import os
import re
import stat
from fnmatch import fnmatchcase
from pathlib import Path

from ledger.lazy_pattern import lazy_pattern

MOST_ENTRIES = 100_000
"""A larger tree is unknown."""
MOST_BYTES = 1 << 20
_MOST_FILES = 200
_CLOSED = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache"}
)
"""Folders that are not read: their contents are not the project's own."""


_MODULE = lazy_pattern(r"^[ \t]*path[ \t]*=[ \t]*(.+?)/?[ \t]*$", re.MULTILINE)


class Checkout:
    """The contents of one root, read at the first question."""

    def __init__(self, root: Path, most: int | None = None) -> None:
        self._root = root
        self._most = MOST_ENTRIES if most is None else most
        self._by_name: dict[str, list[str]] | None = None
        self._unseen: set[str] = set()
        self._ignored: tuple[str, ...] = ()
        self.whole = True
        """Whether all of the root was read."""

    # --- what exists ---

    def has(self, path: str) -> bool | None:
        """Return whether a file or folder has this path, from the root or any folder below it; None if that is unknown.

        It is unknown if the path leads through a link, a submodule or an unread folder, or if git ignores it.
        """
        by_name = self._looked()
        name = path.rpartition("/")[2]
        if any(f"/{one}".endswith(f"/{path}") for one in by_name.get(name, ())):
            return True
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts))]
        hidden = any(f"/{folder}".endswith(f"/{one}") for one in above for folder in self._unseen)
        return None if hidden or not self.whole or self._is_ignored(path, parts) else False

    # --- looking ---

    def _looked(self) -> dict[str, list[str]]:
        """Return the paths of everything below the root by their last part."""
        if self._by_name is None:
            self._by_name = {}
            # A sparse checkout has a part of the tree only.
            self.whole = not os.path.lexists(self._git() / "info" / "sparse-checkout")
            self._unseen |= set(_MODULE.findall(self._text(".gitmodules") or ""))
            self._walk(self._by_name)
            ignoring = [*self._by_name.get(".gitignore", ())[:_MOST_FILES], ".git/info/exclude"]
            self._ignored = tuple(one for path in ignoring for one in _patterns(self._text(path) or ""))
        return self._by_name

    def _git(self) -> Path:
        """Return git's folder for this root; in a linked worktree the file `.git` names it."""
        named = (self._text(".git") or "") if (self._root / ".git").is_file() else ""
        return self._root / (named.removeprefix("gitdir:").strip() if named.startswith("gitdir:") else ".git")

    def _walk(self, by_name: dict[str, list[str]]) -> None:
        todo, seen = [""], 0
        while todo:
            folder = todo.pop()
            try:
                with os.scandir(self._root / folder) as entries:
                    for entry in entries:
                        seen += 1
                        if seen > self._most:
                            self.whole = False
                            return
                        path = f"{folder}/{entry.name}" if folder else entry.name
                        by_name.setdefault(entry.name, []).append(path)
                        if entry.is_symlink() or entry.name in _CLOSED:
                            self._unseen.add(path)
                        elif entry.is_dir(follow_symlinks=False):
                            todo.append(path)
            except OSError:
                self._unseen.add(folder)
                self.whole = self.whole and bool(folder)

    def _text(self, path: str) -> str | None:
        """Return the text of a small file below the root; None if it is a link, too large or unreadable."""
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            fd = os.open(self._root / path, flags)
        except OSError:
            return None
        with os.fdopen(fd, "rb") as stream:
            try:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    return None
                data = stream.read(MOST_BYTES + 1)
            except OSError:
                return None
        return data.decode("utf-8", "replace") if len(data) <= MOST_BYTES else None

    def _is_ignored(self, path: str, parts: list[str]) -> bool:
        return any(
            fnmatchcase(path, pattern) or any(fnmatchcase(part, pattern) for part in parts)
            or any(fnmatchcase("/".join(parts[:end]), pattern) for end in range(1, len(parts)))
            for pattern in self._ignored
        )  # fmt: skip


def _patterns(text: str) -> list[str]:
    """Return the patterns of a .gitignore. A pattern that matches too much only makes a path unknown."""
    lines = (line.strip() for line in text.splitlines())
    patterns = (line.removeprefix("**/").strip("/") for line in lines if line and line[0] not in "#!")
    return [pattern.removesuffix("/**").removesuffix("/*") for pattern in patterns if pattern.strip("*/")]
