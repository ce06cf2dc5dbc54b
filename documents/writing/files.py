"""Writes the documents that people read and edit. No other module writes them.

Implements specs/projections.md (P-80…P-87). If a file's bytes are not one of our renderings there, a person edited the
file: it stays as it is, and the outcome names it. Order, under a lock: note the digests; put each file in place with a
rename. After a crash in between, the files are still known as ours. `documents.writing.folder` decides what to write.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePath

from documents.git.repository import Repository
from documents.writing.earlier_rendering import Earlier
from documents.writing.markdown import DocumentPiece, joined
from documents.writing.moved_lines import Homeless, PendingDocument
from documents.writing.patching import Drawing, DrawnPage, patched
from ledger import exchange
from ledger.durable import read_file, replace_file, storage_error
from ledger.named_tuple import NamedTuple
from ledger.steps import reached
from projections.index import Index
from projections.line_endings import PLAIN, styled
from projections.local import Local, Settled
from projections.render_lock import LEFT
from projections.shown_blocks import (
    ShownBlock,
    digest,
    is_plain,
    key_maker,
    keys_of,
    not_in,
    packed_pieces,
    unpacked,
)
from projections.shown_rows import Before

EDITED = "edited by hand"
UNREADABLE = "cannot be read"
"""The beginning of the reason for a document that cannot be opened or is not a file."""
EARLIER = "an earlier rendering"
"""The reason of a document that git or a crash set back."""
MISSING = "missing"
DELETED = "deleted by hand"
_TOGETHER = 1 << 20
"""After drawing this many bytes, documents are put in place before the next is drawn, to bound memory."""
_BUSY = "git is in the middle of {}: finish it; then the next write, or muniment adopt, writes it"


class Outcome:
    """The result of a rendering: files written and removed, and files left alone with the reason."""

    def __init__(self, paused: dict[str, str] | None = None) -> None:
        self.written: list[str] = []
        self.removed: list[str] = []
        self.paused = paused or {}
        self.brought_back: dict[str, list[str]] = {}
        """By document that was an earlier rendering: the ids of entries that it lacked and now shows again (D-39)."""
        self.taken_away: dict[str, list[str]] = {}
        """The same for the ids of the deletes of entries that it showed and no longer shows (D-39)."""


class _There(NamedTuple):
    """A document on disk: its bytes (None if there is no file), their digest, and whether it is the last rendering."""

    data: bytes | None
    digest: str = ""
    is_last: bool = False


class _Page(NamedTuple):
    """A rendered document: path, bytes, digest, packed blocks, the blocks whose keys may be new, and the rendering before it."""

    path: str
    data: bytes
    digest: str
    shown: bytes
    blocks: list[ShownBlock]
    before: Before | None = None

    def settled(self, status: os.stat_result) -> Settled:
        """Return it as a file with this status."""
        return Settled(
            self.path, self.digest, status.st_mtime_ns, self.shown, keys_of(self.blocks), self.before
        )


class Ours(NamedTuple):
    """Which documents we write again: missing ones (`everything`), edited ones (`overwrite`)."""

    everything: bool
    overwrite: bool
    paths: Collection[str] | None

    def bring_back(self, path: str) -> bool:
        """Return whether to write a document again that somebody deleted."""
        return self.everything and (self.paths is None or path in self.paths)

    def take(self, path: str) -> bool:
        """Return whether to replace a document that somebody edited."""
        return self.overwrite and (self.paths is None or path in self.paths)


class Files:
    """The documents of one ledger in one folder, as files.

    Args:
        git: the repository of the folder where people read and edit.
        index: a caught-up index.
        local: it remembers the renderings.
    """

    def __init__(self, git: Repository, index: Index, local: Local) -> None:
        self._git = git
        self._folder = git.folder
        self._index = index
        self._local = local
        self.earlier = Earlier(git.folder, index, local)
        """Compares earlier renderings, to which git set documents back."""
        self._homeless = Homeless(self.earlier.entry, {})
        self._outside: dict[Path, bool] = {}

    def put(self, pages: Mapping[str, DrawnPage], ours: Ours, stale_before: str = "") -> Outcome:
        """Put documents in place, unless somebody edited or removed them, or git is changing them.

        Args:
            pages: the documents to write, by path.
            ours: which missing or edited documents to write again.
            stale_before: decides which memories were stale.

        Raises:
            StorageError: a file cannot be written.
        """
        outcome = Outcome()
        due: list[tuple[str, _There]] = []
        drawing = Drawing(self._index, key_maker(self._local.secret()), stale_before)
        busy = self._git.under_way
        homeless = self._homeless = Homeless(self.earlier.entry, self._stood_in_missing(ours))
        for path, wanted in sorted(pages.items()):
            there = self._look(path, outcome)
            if path in outcome.paused:
                homeless.add(path, wanted.pieces, there.data)
            elif not (why := self._hindered(path, there, busy, ours)):
                due.append((path, there))
            elif not self._is_known(self._page(path, wanted, there, drawing), there):
                outcome.paused[path] = why
                homeless.add(path, wanted.pieces, there.data, deleted=why == DELETED)
        if homeless:
            due = [
                (path, there)
                for path, there in due
                if not self._is_known(self._page(path, pages[path], there, drawing), there)
            ]
        due = self._kept_back(due, pages, outcome)
        drawn: list[tuple[_Page, _There]] = []
        size = 0
        for path, there in due:
            page = self._page(path, pages[path], there, drawing)
            pages[path].forget()
            drawn.append((page, there))
            size += len(page.data)
            if size > _TOGETHER:
                self._put_all(drawn, outcome)
                drawn, size = [], 0
        self._put_all(drawn, outcome)
        return outcome

    def _put_all(self, pages: Iterable[tuple[_Page, _There]], outcome: Outcome) -> None:
        """Put documents in place: note their digests before, and their blocks after.

        An edit in between descends from the earlier document.
        """
        new = [(page, there) for page, there in pages if not self._is_known(page, there)]
        for page, there in new:
            if there.data is not None and not there.is_last:  # otherwise the current command replaces it
                if self.is_edit(page.path, there.data):
                    self._keep_aside(page.path, there.data)
                else:
                    self._note_set_back(page.path, there.data, outcome)
        if not new:
            return
        digests = [(page.path, page.digest) for page, _ in new]
        self._local.note_files(self._folder, digests, self._index.newest())
        reached("file.noted")
        settled: list[Settled] = []
        try:
            for page, there in new:
                if (status := self._replaced(page, there.data, outcome)) is not None:
                    settled.append(page.settled(status))
        finally:
            self._local.settle(self._folder, settled)
        reached("file.settled")

    def _is_known(self, page: _Page, there: _There) -> bool:
        """Return whether a document already has the right bytes; note it if we did not write it."""
        if there.data != page.data:
            return False
        self._know(page)
        return True

    def _page(self, path: str, wanted: DrawnPage, there: _There, drawing: Drawing) -> _Page:
        return self._patched(path, wanted, there, drawing) or self._whole(path, wanted, there, drawing.key)

    def _look(self, path: str, outcome: Outcome) -> _There:
        data = self.read(path, outcome)
        if data is None:
            return _There(None)
        now = digest(data)
        return _There(data, now, self._local.is_last(self._folder, path, now))

    def _whole(self, path: str, wanted: DrawnPage, there: _There, key: Callable[[str], bytes]) -> _Page:
        data = styled(joined(wanted.pieces), self._local.style(self._folder, path))
        shown = packed_pieces(wanted.pieces, key, plain=wanted.plain)
        known = self._local.shown_as(self._folder, path, there.digest) if there.is_last else b""
        before = Before(there.digest, known) if known else None
        return _Page(path, data, digest(data), shown, unpacked(not_in(shown, known)), before)

    def _patched(self, path: str, wanted: DrawnPage, there: _There, drawing: Drawing) -> _Page | None:
        """Return the existing document with its changes applied, None if it must be rendered as a whole."""
        if wanted.changes is None or there.data is None or not there.is_last:
            return None
        if self._local.style(self._folder, path) != PLAIN:
            return None
        shown = self._local.shown_as(self._folder, path, there.digest)
        if not shown or not is_plain(shown):
            return None
        done = patched(wanted, there.data, shown, drawing)
        if done is None:
            return None
        return _Page(path, done.data, digest(done.data), done.shown, done.new, Before(there.digest, shown))

    def _hindered(self, path: str, there: _There, busy: str, ours: Ours) -> str:
        """Return why a document is not written now, or ""."""
        if busy and self._git.tracks(path):
            return _BUSY.format(busy)
        if there.data is None:
            taken_away = not ours.bring_back(path) and self._local.settled_at(self._folder, path)
            return DELETED if taken_away else ""
        if there.is_last or ours.take(path):
            return ""
        return EDITED if self.is_edit(path, there.data) else ""

    def _stood_in_missing(self, ours: Ours) -> dict[str, str]:
        """Return the paths of the entries in documents that somebody deleted without a decision yet, by id prefix."""
        found: dict[str, str] = {}
        for path in self._local.paused(self._folder):
            if (self._folder / path).exists() or ours.bring_back(path):
                continue
            if self._local.settled_at(self._folder, path):
                blocks = unpacked(self._local.shown_last(self._folder).get(path, b""))
                found.update((block.id, path) for block in blocks)
        return found

    def _kept_back(
        self, due: list[tuple[str, _There]], pages: Mapping[str, DrawnPage], outcome: Outcome
    ) -> list[tuple[str, _There]]:
        """Return the documents that can be written; one pauses if its lines would then be in no document (P-195)."""
        while self._homeless:
            kept = {}
            for path, there in due:
                if there.data is not None:
                    standing = self._standing(path, there.data, pages[path].pieces)
                    if why := self._homeless.why(standing):
                        kept[path] = why
                        self._homeless.add(path, pages[path].pieces, there.data)
            if not kept:
                return due
            outcome.paused.update(kept)
            due = [each for each in due if each[0] not in kept]
        return due

    def _standing(self, path: str, there: bytes, pieces: Iterable[DocumentPiece] = ()) -> PendingDocument:
        shown = self._local.shown_as(self._folder, path, digest(there))
        return PendingDocument(path, there, frozenset(block.id for block in unpacked(shown)), tuple(pieces))

    def _know(self, page: _Page) -> None:
        """Note a document that has the right bytes, if we did not write it."""
        with contextlib.suppress(OSError):
            status = os.stat(self._folder / page.path)
            last = self._local.is_last(self._folder, page.path, page.digest)
            if last and self._local.is_settled(self._folder, page.path, page.digest, status):
                return
            self._local.note_files(self._folder, [(page.path, page.digest)], self._index.newest())
            self._local.settle(self._folder, [page.settled(status)])
        reached("file.known")

    def _replaced(self, page: _Page, there: bytes | None, outcome: Outcome) -> os.stat_result | None:
        """Put a document in place and return its status.

        If somebody saved it since it was read, it stays, and None is returned (P-82).
        """
        path, target = page.path, self._folder / page.path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            made = exchange.put(target, page.data, there)
        except OSError as error:
            raise storage_error(error, "writing a document", target, left=LEFT) from error
        if made is None:
            outcome.brought_back.pop(path, None)
            outcome.taken_away.pop(path, None)
            outcome.paused.setdefault(path, EDITED)
            return None
        reached("file.renamed")
        outcome.written.append(path)
        return made

    def read(self, path: str, outcome: Outcome) -> bytes | None:
        """Return a document's bytes, None if there is none; a path that leaves the folder pauses."""
        if self._leads_out(path):
            outcome.paused[path] = "a link leads out of the folder: remove it"
            return None
        try:
            return read_file(self._folder / path)
        except FileNotFoundError:
            return None
        except OSError as error:
            outcome.paused[path] = f"{UNREADABLE}: {error.strerror}"
            return None

    def _leads_out(self, path: str) -> bool:
        """Return whether the folder of a document is outside ours; a rendering checks each folder once."""
        parent = (self._folder / path).parent
        if parent not in self._outside:
            inner = PurePath(path).parents[:-1]
            is_plain = not {"..", os.sep}.intersection(PurePath(path).parts)
            if is_plain and not any((self._folder / part).is_symlink() for part in inner):
                self._outside[parent] = False
            else:
                self._outside[parent] = not parent.resolve().is_relative_to(self._folder.resolve())
        return self._outside[parent]

    def _keep_aside(self, path: str, data: bytes) -> None:
        aside = exchange.kept_beside(self._folder / path)
        try:
            replace_file(aside, data)
        except OSError as error:
            raise storage_error(error, "keeping an edited document", aside, left=LEFT) from error
        reached("file.kept")

    def _remove_empty(self, path: str) -> None:
        """Remove the empty folders of a topic: their names are its words, and may have to be erased (P-4)."""
        with contextlib.suppress(OSError):  # one holds something else
            for above in PurePath(path).parents[:-2]:
                (self._folder / above).rmdir()

    def remove(self, path: str, known: str, outcome: Outcome, ours: Ours) -> None:
        """Remove a document, rendered last with the digest `known`, unless a person edited it.

        If a person removed it, it stays noted until somebody decides about that (D-16).
        """
        there = self.read(path, outcome)
        if path in outcome.paused:
            return
        if there is not None:
            if digest(there) != known and self.is_edit(path, there):
                outcome.paused[path] = f"{EDITED}; its memories are gone or moved"
                return
            if (busy := self._git.under_way) and self._git.tracks(path):
                outcome.paused[path] = _BUSY.format(busy)
                return
            if outcome.paused and not self._local.is_ours(self._folder, path, known):
                return  # git brought it, and until the others are written no other document has its content
            if self._homeless and (why := self._homeless.why(self._standing(path, there))):
                outcome.paused[path] = why
                return
            try:
                gone = exchange.take(self._folder / path, there)
            except OSError as error:
                raise storage_error(error, "removing a document", self._folder / path, left=LEFT) from error
            if not gone:  # somebody saved or removed it just now
                outcome.paused[path] = f"{EDITED}; its memories are gone or moved"
                return
            reached("file.removed")
            self._remove_empty(path)
            outcome.removed.append(path)
        elif not ours.bring_back(path) and path in self._stood_in_missing(ours).values():
            outcome.paused[path] = DELETED
            return
        self._local.forget_file(self._folder, path)
        reached("file.forgotten")

    def touched(self) -> Iterator[str]:
        """Yield the documents whose files changed or disappeared since we wrote them (D-15)."""
        folder = os.fspath(self._folder)
        for path, changed in self._local.settled_last(self._folder).items():
            try:
                if os.stat(f"{folder}{os.sep}{path}").st_mtime_ns == changed:
                    continue
            except FileNotFoundError:
                pass
            except OSError:
                continue
            yield path

    def edited(self) -> dict[str, str]:
        """Return the documents that differ from their last rendering, and why.

        The reason is MISSING, EARLIER or EDITED, or begins with UNREADABLE.
        """
        found: dict[str, str] = {}
        for path, known in sorted(self._local.rendered(self._folder).items()):
            try:
                data = read_file(self._folder / path)
            except FileNotFoundError:
                found[path] = MISSING
                continue
            except OSError as error:
                found[path] = f"{UNREADABLE}: {error.strerror}"
                continue
            if digest(data) != known:
                found[path] = EDITED if self.is_edit(path, data) else EARLIER
        return found

    def is_earlier(self, path: str) -> bool:
        """Return whether a document that nobody edited differs from its last rendering."""
        there = self._look(path, Outcome())
        return there.data is not None and not there.is_last and not self.is_edit(path, there.data)

    def is_edit(self, path: str, data: bytes) -> bool:
        """Return whether somebody other than us and git changed a document that has `data` now (D-13, D-14).

        An earlier rendering is an edit if it was saved after our last write: somebody removed the newest entries.
        If it is older, a crash left it or somebody copied it.
        """
        now = digest(data)
        if self._local.is_last(self._folder, path, now):
            return False
        try:
            status = os.stat(self._folder / path)
        except OSError:
            return False
        if self._local.is_settled(self._folder, path, now, status):
            return False
        if not self._local.is_rendering(self._folder, path, now):
            return True
        if not self._local.is_ours(self._folder, path, now):
            return False  # another folder of this ledger has this rendering: git or a copy brought it
        written_last = self._local.settled_at(self._folder, path)
        if not 0 < written_last <= status.st_mtime_ns:
            return False
        from documents.git.checked_out import may_have_restored

        return not may_have_restored(self._git, path, data, status.st_mtime_ns)

    def _note_set_back(self, path: str, data: bytes, outcome: Outcome) -> None:
        """Note the entries that rewriting an earlier rendering brings back, and those that it drops (D-39)."""
        if back := self.earlier.lacking(path, data):
            outcome.brought_back[path] = back
        if deletes := self.earlier.deletes(path, data):
            outcome.taken_away[path] = deletes
