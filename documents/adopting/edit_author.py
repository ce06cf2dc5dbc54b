"""The author of an edit: the local person, an agent, or through git somebody trusted or a stranger.

Implements specs/editing.md (D-23, D-24). `uncommitted_edit` decides whether it is an agent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from documents.adopting.cutting import units_in
from documents.git.appeared import Appearances
from documents.git.authors import LineAuthors, lines_of
from documents.git.committed import MOST, Author, CommittedVersion, is_aside
from documents.git.repository import NoAnswerError, Repository
from documents.reading.blocks import split_lines
from documents.reading.edits import Edit
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import Shown
from ledger.instant import written
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

if TYPE_CHECKING:
    from projections.workspace import Workspace

_MARKS = lazy_pattern(r"^(?:[\s>]|[-*+](?=\s)|#+(?=\s)|\[\?\])+")
_SPACES = lazy_pattern(r"[\s\\]+")


class Hand(NamedTuple):
    """Who made an edit: `author` as git names them, "" for the local person; edits by strangers are proposals.

    `agent` names the agent that made it, `session` its session, or "" if unknown.
    """

    author: str = ""
    trusted: bool = True
    agent: str = ""
    session: str = ""

    @property
    def via(self) -> str:
        """The door of the edit: `git` or `edit`."""
        return "git" if self.author or not (self.trusted or self.agent) else "edit"

    @property
    def name(self) -> str:
        """The author's name, for messages."""
        return self.agent or self.author or "somebody whom git does not name"


HERE = Hand()
NOBODY = Hand(trusted=False)
"""The author of lines that git does not know, in a project that is being joined (D-63)."""


class Hands:
    """Finds the author of each edit of a document (D-23).

    Args:
        memory: the ledger, whose configuration names the trusted authors.
        git: the repository of its folder.
        path: its path in the folder.
        data: its bytes.
        joining: when the lines of a project were written, if it is being joined: then lines that git does not know
            were not written here (D-63).

    Raises:
        NoAnswerError: the document is in a repository, and git does not answer.
    """

    def __init__(
        self,
        memory: Workspace,
        git: Repository,
        path: str,
        data: bytes,
        *,
        joining: Appearances | None = None,
    ) -> None:
        self._memory = memory
        self._git = git
        self._path = path
        self._joining = joining
        self._unknown = HERE if joining is None else NOBODY
        try:
            self._lines: LineAuthors | None = lines_of(git, path, data)
        except NoAnswerError:
            if joining is None:
                raise
            self._lines = None
        trusted = {name.casefold() for name in memory.configuration.trust_git}
        email = self._lines.email if self._lines else ""
        self._trusted = trusted | ({email.casefold()} if email else set())
        self._text = split_lines(data.decode("utf-8", "replace"))
        self._numbers = list(_numbered(self._text))
        history = self._lines.history if self._lines else ()
        self._everywhere: range = range(0)
        self._base: Mapping[str, Shown] = {}
        self._read: dict[bytes, Counter[bytes]] = {}
        self._is_committed = bool(history) and history[0].data.split() == data.split()

    def of_all(self, lines: range) -> None:
        """Note lines that apply to every unit: the author of one of them is an author of each unit (D-37)."""
        self._everywhere = lines

    def of(self, edit: Edit, units: Mapping[int, Unit], base: Mapping[str, Shown]) -> Hand:
        """Return the author of an edit.

        Args:
            edit: the edit of the document.
            units: its units, by the lines where they begin.
            base: the units of the rendering that it descends from, by ids.
        """
        if self._lines is None:
            return self._unknown
        old = base.get(edit.proposal.targets[0]) if edit.proposal.targets else None
        if not edit.line:
            return HERE if old is None else self._of_gone(old.key, units, base)
        unit = units.get(edit.line)
        if unit is None:
            return self.of_lines([edit.line])
        lines = range(unit.line, unit.line + len(split_lines(unit.source)))
        if old is None or old.memory is None or old.key == unit.key:
            return self.of_lines([*lines, *self._everywhere])
        known = {_plain(line) for line in _said(old.memory)}
        return self.of_lines([line for line in lines if _plain(self._text[line - 1]) not in known])

    def of_lines(self, lines: Iterable[int]) -> Hand:
        """Return the author of new lines: a stranger if one of them wrote any; for no lines, the last committer."""
        if self._lines is None:
            return self._unknown
        numbers = [self._numbers[line - 1] for line in lines if line <= len(self._numbers)]
        authors = [self._lines.authors.get(number) for number in numbers]
        if not authors:
            return self._hand(self._lines.history[0].author) if self._is_committed else HERE
        hands = [self._hand(author) if author is not None else HERE for author in authors]
        return next((hand for hand in hands if not hand.trusted), HERE if HERE in hands else hands[0])

    def written_at(self, unit: Unit) -> str:
        """Return when the newest line of a unit was written, as its commit says, or ""."""
        if self._joining is not None:
            said = self._joining.of(split_lines(unit.source))
            return written(said.time * 10**6) if said.time else ""
        lines = range(unit.line, unit.line + len(split_lines(unit.source)))
        times = self._lines.times if self._lines else {}
        newest = max(
            (times.get(self._numbers[line - 1], 0) for line in lines if line <= len(self._numbers)), default=0
        )
        return written(newest * 10**6) if newest else ""

    def _keys_in(self, version: CommittedVersion, base: Mapping[str, Shown]) -> Counter[bytes]:
        """Count the keys of `base` in a version; each version is read once, however many blocks are gone."""
        if self._base is not base:
            self._base, self._read = base, {}
        if version.data not in self._read:
            known = {shown.key for shown in base.values()}
            units = units_in(self._memory, version.data, self._path, known)
            self._read[version.data] = Counter(unit.key for unit in units)
        return self._read[version.data]

    def _of_gone(self, key: bytes, units: Mapping[int, Unit], base: Mapping[str, Shown]) -> Hand:
        """Return who removed a block: a stranger if one committed, or came in by a merge, since the last version that had it.

        A version had it if it has more blocks with this key than the document has now.
        """
        history = self._lines.history if self._lines else ()
        now = sum(unit.key == key for unit in units.values())
        since = []
        for version in history:
            if self._keys_in(version, base)[key] > now:
                break
            since.append(version)
        else:
            if len(history) < MOST:
                return HERE  # no commit had it
        if any(version.merges for version in since):
            since += [version for version in history if is_aside(self._git, version)]
        hands = [self._hand(version.author) for version in since]
        return next((hand for hand in hands if not hand.trusted), hands[0] if hands else HERE)

    def _hand(self, author: Author) -> Hand:
        names = {author.name.casefold(), author.email.casefold()}
        return Hand(str(author), not self._trusted.isdisjoint(names))


def _numbered(lines: Sequence[str]) -> Iterator[int]:
    """Yield git's number of each line; git ends lines at LF alone."""
    number = 1
    for line in lines:
        yield number
        number += line.endswith("\n")


def _plain(line: str) -> str:
    return _SPACES.sub(" ", _MARKS.sub("", line)).strip()


def _said(memory: Memory) -> Iterator[str]:
    yield from ("", memory.text, memory.title, *memory.details)
    yield from split_lines(memory.body)
