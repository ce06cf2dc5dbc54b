"""Entries that a document from git lacks: either its writer never saw them, or a commit removed them.

Implements specs/editing.md (D-45, D-52, D-77). This copy never rendered the bytes that
another machine rendered or that a merge made. If a commit has them, only HEAD's own history tells whether somebody
removed an entry or the entry came later (specs/adr/0015).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from documents.adopting.cutting import units_in
from documents.adopting.moved_entries import said
from documents.foreign_files import FOLDERS, is_document
from documents.git.checked_out import may_have_restored, object_name, put_since
from documents.git.committed import changes, is_removed, is_version, versions
from documents.git.repository import Repository
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import Shown
from ledger.instant import written
from ledger.lazy_pattern import lazy_pattern
from projections.layout import MEMORY_FILE

if TYPE_CHECKING:
    from projections.workspace import Workspace

_COMMITS = 256
"""How many commits are searched for removed entries."""
_BELOW = (MEMORY_FILE, *FOLDERS)
_WORD = lazy_pattern(r"\w+")


class Unseen(NamedTuple):
    """Ids of entries that a document lacks and its writer did not remove; HEAD has those in `moved` in another document."""

    ids: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()


class DocumentHistory:
    """The history of a document in git.

    Args:
        memory: the ledger.
        git: what git knows of its folder.
        path: its path in it.
        data: its bytes.
        changed: its time of change, in ns since 1970; None if there is no such file.
    """

    def __init__(
        self, memory: Workspace, git: Repository, path: str, data: bytes, changed: int | None
    ) -> None:
        self._memory = memory
        self._git = git
        self._path = path
        self._data = data
        self._changed = changed

    @cached_property
    def explains(self) -> bool:
        """Whether a commit brought these bytes or removed the file, so that nobody typed the change here."""
        if self._changed is None:
            return is_removed(self._git, self._path)
        return may_have_restored(self._git, self._path, self._data, self._changed) and is_version(
            self._git, self._path, object_name(self._git, self._path, self._data)
        )

    @cached_property
    def put(self) -> bytes | None:
        """The bytes that git put there, even if somebody edited them since (D-77); None if there are none, or none are known."""
        if self.explains:
            return self._data
        local = self._memory.local
        since = local.settled_at(self._git.folder, self._path) if self._changed is not None else 0
        for there in put_since(self._git, self._path, since) if since else ():
            if is_version(self._git, self._path, there.name):
                return there.data
        return None

    def unseen(self, base: Sequence[Shown], units: Sequence[Unit]) -> Unseen:
        """Return the entries that the document lacks and its writer did not remove, as far as git's history tells.

        These are the entries that no commit of HEAD removed from all documents (D-52), and those learned again since.
        """
        there = {unit.key for unit in units}
        missing = {
            shown.key: shown
            for shown in base
            if shown.key and shown.memory is not None and not shown.gone and shown.key not in there
        }
        if not missing or self.put is None:
            return Unseen()
        if not self.explains:  # git put these there: whoever edited the file removed them
            had = _Blocks(self._memory, self._git, missing).of(self._path, self.put)
            missing = {key: shown for key, shown in missing.items() if key not in had}
        found = _Blocks(self._memory, self._git, missing)
        moved = found.there(self._git.files("HEAD", _BELOW)) if self._is_committed else set()
        taken = self._taken_out({key: missing[key] for key in missing.keys() - moved})
        beside = set[bytes]()
        for change in changes(self._git, _BELOW, _COMMITS, beside=True) if taken else ():
            beside |= found.there(change.after)
        left = missing.keys() - moved
        back = {
            key
            for key in left
            if key not in taken or self._is_newer(key in beside, missing[key].id, taken[key])
        }
        return Unseen(frozenset(missing[key].id for key in back), frozenset(missing[key].id for key in moved))

    @cached_property
    def _is_committed(self) -> bool:
        """Return whether HEAD has the document as git put it there, or does not have it either."""
        if self._changed is None:
            return self.explains
        history = versions(self._git, self._path, 1)
        put = self._data if self.put is None else self.put
        return bool(history) and history[0].data.split() == put.split()

    def _taken_out(self, wanted: Mapping[bytes, Shown]) -> dict[bytes, int]:
        """Return the keys of the blocks that one commit of HEAD removed from all documents, each with its time.

        If the same commit has a block in another document, the block moved there. If a block was added again since and is
        still missing, a merge lost it; that is no removal. The times are in seconds since 1970.
        """
        taken: dict[bytes, int] = {}
        if not self._is_committed:
            return taken
        found = _Blocks(self._memory, self._git, wanted)
        left = set(wanted)
        for change in changes(self._git, _BELOW, _COMMITS):
            old, new = found.there(change.before) & left, found.there(change.after) & left
            if gone := old - new:
                gone -= found.there(self._git.files(change.commit, _BELOW))
                taken.update(dict.fromkeys(gone, change.at))
                left -= gone
            if came := new - old:
                left -= came - found.there(self._git.files(f"{change.commit}^", _BELOW))
            if not left:
                break
        return taken

    def _is_newer(self, standing: bool, id_: str, gone: int) -> bool:
        """Return whether a memory was learned after a commit took it out.

        A memory from git was learned when it was pulled: it is newer if a commit outside HEAD has it.
        """
        entry = self._memory.index.entry(id_)
        if entry is None or entry.ts < written((gone + 1) * 10**6):
            return False
        return entry.by.via != "git" or standing


class _Blocks:
    """Finds blocks in versions of documents; it reads each version once."""

    def __init__(self, memory: Workspace, git: Repository, wanted: Mapping[bytes, Shown]) -> None:
        self._memory = memory
        self._git = git
        self._keys = set(wanted)
        self._said = {said(shown.memory): key for key, shown in wanted.items() if shown.memory is not None}
        texts = [
            shown.memory.text or shown.memory.body for shown in wanted.values() if shown.memory is not None
        ]
        self._words = [max(_WORD.findall(text), key=len, default="").encode() for text in texts]
        self._known: dict[tuple[str, str], set[bytes]] = {}

    def there(self, files: Mapping[str, str]) -> set[bytes]:
        """Return the keys of the blocks in these files; `files` maps each path to git's name for its bytes."""
        return set[bytes]().union(*(self._of_file(*each) for each in files.items() if is_document(each[0])))

    def _of_file(self, path: str, name: str) -> set[bytes]:
        if (path, name) not in self._known:
            found = self._git.file(name)
            self._known[path, name] = self.of(path, found.data) if found is not None else set()
        return self._known[path, name]

    def of(self, path: str, data: bytes) -> set[bytes]:
        """Return the keys of the blocks in a document that holds `data`."""
        if not any(word in data for word in self._words):
            return set()
        units: Iterable[Unit] = units_in(self._memory, data, path, self._keys)
        found = {
            unit.key if unit.key in self._keys else self._said.get(said(unit.memory), b"") for unit in units
        }
        return found - {b""}
