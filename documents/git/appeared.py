"""Finds when the lines of a project's documents first appeared in git's history.

Implements specs/editing.md (D-64). If one commit removes a line from a document and adds it to
another, the line moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from documents.git.committed import log_of
from documents.git.repository import Repository
from ledger.lazy_pattern import lazy_pattern

_MARK = lazy_pattern(rb"^(\W*?)\[\?\] ")
_SPACES = lazy_pattern(rb"\s+")
_HEAD = lazy_pattern(rb"([0-9a-f]{40,64}) ([0-9]+)((?: [0-9a-f]{40,64})*)")


class Appearance(NamedTuple):
    """The commit in which a line first appeared: its number in history's order, and its time (s since 1970)."""

    at: int = 0
    time: int = 0


class Appearances:
    """The first appearances of the lines of documents.

    Args:
        lines: appearances of lines, without their marks and spaces.
        unknown: the appearance of lines without a commit: the newest.
    """

    def __init__(self, lines: Mapping[bytes, Appearance], unknown: Appearance) -> None:
        self._lines = lines
        self._unknown = unknown

    def of(self, lines: Iterable[str]) -> Appearance:
        """Return the appearance of the newest of some lines."""
        plain = (_plain(line.encode("utf-8", "surrogatepass")) for line in lines)
        return max((self._lines.get(line, self._unknown) for line in plain if line), default=self._unknown)


def appearances(git: Repository, below: Sequence[str]) -> Appearances:
    """Return when the lines of a folder's documents appeared in HEAD's history; nothing if git does not answer.

    Args:
        git: the repository of the folder.
        below: the paths of the documents, or of folders with them.
    """
    lines: dict[bytes, Appearance] = {}
    number = 0
    for each in log_of(git, below).split(b"\0")[1:]:
        head, _, text = each.partition(b"\n")
        told = _HEAD.fullmatch(head.strip())
        if told is None:
            continue
        number += 1
        commit = Appearance(number, int(told[2]))
        came, went = _changed(text)
        if told[3].count(b" ") > 1:  # a merge brings lines that others wrote before
            for line in came:
                lines.setdefault(line, commit)
        else:
            lines.update(dict.fromkeys(came - went, commit))
            for line in came & went:
                lines.setdefault(line, commit)
    return Appearances(lines, Appearance(number + 1))


def _changed(text: bytes) -> tuple[set[bytes], set[bytes]]:
    """Return the lines that a commit added, and those that it removed."""
    came, went = set[bytes](), set[bytes]()
    inside = False
    for line in text.split(b"\n"):
        if line.startswith(b"diff --git "):
            inside = False
        elif line.startswith(b"@@ "):
            inside = True
        elif inside and line[:1] in (b"+", b"-"):
            (came if line[:1] == b"+" else went).add(_plain(line[1:]))
    return came - {b""}, went - {b""}


def _plain(line: bytes) -> bytes:
    return _MARK.sub(rb"\1", _SPACES.sub(b" ", line).strip())
