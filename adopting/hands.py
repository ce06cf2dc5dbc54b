"""Whose an edit is: of who sits here, of somebody they trust, or of somebody else, through git.

Implements specs/editing.md (D-23, D-24).
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from adopting.descent import keys_in
from projections.committed import Author, Lines, is_tracked, lines_of

if TYPE_CHECKING:
    from adopting.adoption import Adoption
    from capture.edits import Edit
    from keeping import Keeping


class Hand(NamedTuple):
    """Who made an edit: `author` as git names them, "" for who sits here; what others say is a proposal."""

    author: str = ""
    trusted: bool = True

    @property
    def via(self) -> str:
        """The door through which it came."""
        return "git" if self.author else "edit"


HERE = Hand()
WhoseEdit = Callable[["Edit"], Hand]


class NoAnswerError(Exception):
    """Git did not say who wrote a document."""


def whose(memory: Keeping, folder: Path, adoption: Adoption, data: bytes) -> WhoseEdit:
    """Return what tells of each edit of a document whose it is (D-23).

    Args:
        memory: the ledger, whose configuration says who is trusted.
        folder: where the document lies.
        adoption: what was found in it: its units, and the blocks that it has no more.
        data: its bytes.

    Raises:
        NoAnswerError: git did not answer in time.
    """
    if not is_tracked(folder, adoption.path):
        return lambda _: HERE
    try:
        lines = lines_of(folder, adoption.path, data)
    except subprocess.SubprocessError:
        raise NoAnswerError("git did not say who changed it: try again; the log goes on meanwhile") from None
    return (lambda _: HERE) if lines is None else _Whose(memory, adoption, data, lines)


class _Whose:
    def __init__(self, memory: Keeping, adoption: Adoption, data: bytes, lines: Lines) -> None:
        self._lines = lines
        self._units = {unit.line: unit for unit in adoption.units}
        self._known = adoption.entries.keys()
        trusted = {name.casefold() for name in memory.configuration.trust_git}
        self._trusted = trusted | ({lines.email.casefold()} if lines.email else set())
        self._taken_out: set[str] = set()
        if gone := adoption.gone:
            path = adoption.path
            now, before = (keys_in(memory, each, path, gone) for each in (lines.committed, lines.before))
            as_committed = _text(data) == _text(lines.committed)
            by_git = {key for key in gone if key not in now and (as_committed or key in before)}
            self._taken_out = {gone[key] for key in by_git}

    def __call__(self, edit: Edit) -> Hand:
        if not edit.line:
            return self._hand(self._lines.last if edit.proposal.targets[0] in self._taken_out else None)
        unit = self._units.get(edit.line)
        above = range(1, min(self._units, default=1))
        if unit is None:
            return self._hand(self._lines.latest([edit.line]))
        if unit.key in self._known and edit.proposal.action == "supersede" and above:
            return self._hand(
                self._lines.latest(above)
            )  # its own lines are as they were, but not those above
        return self._hand(self._lines.latest(range(unit.line, unit.line + len(unit.source.splitlines()))))

    def _hand(self, author: Author | None) -> Hand:
        if author is None:
            return HERE
        names = {author.name.casefold(), author.email.casefold()}
        return Hand(str(author), not self._trusted.isdisjoint(names))


def _text(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
