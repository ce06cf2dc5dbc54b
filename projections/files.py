"""Writes documents where people read and edit them: the one place of the projections that touches such files.

Implements specs/projections.md (P-80…P-88). A file whose bytes are none that we rendered there before was
edited by a person: it is left as it is and named. Order for one rendering, under a lock of its own: render
what changed; note the digests; put each file in place with a rename; note the rendering. A crash in between
leaves files that are known as ours and work that is still to do.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from blake3 import blake3

from ledger.durable import replace_file, storage_error
from ledger.fold import Entry
from ledger.instant import DAY, written
from ledger.steps import reached
from projections.committed import is_tracked, may_have_restored, under_way
from projections.documents import group_pages, pages_of
from projections.fitting import Selection, select
from projections.index import Index
from projections.index_fold import LINKS, SWEEP
from projections.index_source import IndexSource
from projections.layout import GROUPS, MEMORY_FILE, TAG, DocumentKey, path_of, tag_key
from projections.local import Local, Rendering
from projections.markdown import Piece, joined, memory_pieces
from projections.reverted import taken_out
from projections.settings import RenderSettings
from projections.shown import ShownBlock, blocks_of, key_maker, keys_of, packed, unpacked
from projections.style import styled

EDITED = "edited by hand"
DELETED = "deleted by hand"
_LEFTOVER = re.compile(r"\..+\.md(\.edited-[0-9]+)?\.[0-9]+-[0-9]+\.tmp")  # see `ledger.durable.beside`
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_PATH = 1 << 16
_BUSY = "git is in the middle of {}: finish it; then the next write, or memledger adopt, writes it"
_LEFT = "the log has everything, and the next command tries again"


def day_begin(instant: int) -> int:
    """Return the beginning of the UTC day in which an instant (µs) lies (P-58)."""
    return instant - instant % DAY


def _groups_in(keys: Iterable[DocumentKey]) -> set[str]:
    """Return the groups that keys are about; a tag's key has its section before it."""
    names = {key.name for key in keys if key.kind == "memory" and key != LINKS}
    return names | {key.name.rpartition("/")[2] for key in keys if key.kind == TAG}


def digest(data: bytes) -> str:
    """Return the digest by which a rendered file is known again."""
    return blake3(data).hexdigest()


def group_of_path(path: str) -> str:
    """Return the group, of a section or a tag, whose overflow file lies at `path`, "" for other documents."""
    name = path.removeprefix("memory/").removesuffix(".md")
    is_ours = path == f"memory/{name}.md" and "/" not in name and not _DAY.fullmatch(name)
    return name if is_ours else ""


@dataclass(slots=True)
class Outcome:
    """What a rendering did: files written and removed, and files left alone with the reason."""

    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    paused: dict[str, str] = field(default_factory=dict)
    brought_back: dict[str, list[str]] = field(default_factory=dict)
    """Of documents that were earlier renderings, the ids of what they lacked and say again (D-39)."""


class _Page(NamedTuple):
    """A rendered document: its path, bytes and digest, and what it shows as local.db remembers it."""

    path: str
    data: bytes
    digest: str
    blocks: list[ShownBlock]


class _Ours(NamedTuple):
    """Of which documents ours are taken: of all that are missing (`everything`), or edited (`overwrite`)."""

    everything: bool
    overwrite: bool
    paths: Collection[str] | None

    def bring_back(self, path: str) -> bool:
        """Say whether a document that somebody deleted is written again."""
        return self.everything and (self.paths is None or path in self.paths)

    def take(self, path: str) -> bool:
        """Say whether ours takes the place of a document that somebody edited."""
        return self.overwrite and (self.paths is None or path in self.paths)


class DocumentFolder:
    """The documents of one ledger in one folder.

    Args:
        folder: where people read and edit.
        index: a caught-up index.
        local: where renderings are noted.
        settings: limits and switches.
    """

    def __init__(self, folder: Path, index: Index, local: Local, settings: RenderSettings) -> None:
        self.folder = folder
        self._index = index
        self._local = local
        self._settings = settings
        self._source = IndexSource(index)

    def render(
        self,
        as_of: int,
        *,
        everything: bool = False,
        overwrite: bool = False,
        paths: Collection[str] | None = None,
        thorough: bool = False,
    ) -> Outcome:
        """Bring the documents up to the index as of the UTC day in which `as_of` (µs) lies.

        Args:
            as_of: decides what is stale and which days are archived; the day counts, so that bytes stand
                still within it.
            everything: look at every document, not only at those that changed, and write one again that somebody
                deleted.
            overwrite: where a file was edited, keep the person's copy beside it and put ours in its place.
            paths: the documents of which these two hold; by default all.
            thorough: look then at every document that nobody edited, whatever changed: after an erasure (P-59).

        Raises:
            StorageError: a file cannot be written.
        """
        with self._alone():
            as_of = day_begin(as_of)
            seq = self._index.seq()
            last = self._local.rendering(self.folder)
            fingerprint = repr(self._settings)
            if everything or last is None or last.settings != fingerprint:
                last = None
            elif last.seq == seq and not self._local.paused(self.folder) and not self._aged(last, as_of):
                return self._look_again(as_of) if thorough else Outcome()
            outcome = self._render(last, seq, as_of, fingerprint, _Ours(everything, overwrite, paths))
            if thorough:
                again = self._look_again(as_of)
                outcome.written += again.written
                outcome.removed += again.removed
                outcome.paused = {**again.paused, **outcome.paused}
            return outcome

    def _look_again(self, as_of: int) -> Outcome:
        """Write anew, or remove, what is not as it would be rendered; but what a person edited or took away stays."""
        others = [key for key in self._index.document_keys() if key.kind in ("topic", "daily")]
        selection = select(self._source, self._settings, as_of)
        pages = dict(pages_of(self._source, sorted(others), self._settings, as_of))
        pages |= self._memory_pages(selection, selection.overflow, as_of)
        untouched = {}
        for path, pieces in pages.items():
            there = self._read(path, Outcome())
            if there is not None and not self.is_edit(path, there):
                untouched[path] = pieces
        outcome = self._put(untouched, _Ours(everything=False, overwrite=False, paths=()))
        self._sweep(None, set(), set(selection.overflow), as_of, outcome)
        return outcome

    def _memory_pages(
        self, selection: Selection, groups: Iterable[str], as_of: int
    ) -> dict[str, list[Piece]]:
        """Return MEMORY.md and the overflow files of groups."""
        topics = self._source.topic_count()
        memory = list(memory_pieces(selection, topics, self._settings, as_of))
        others = group_pages(self._source, selection, sorted(groups), self._settings, as_of)
        return {MEMORY_FILE: memory, **dict(others)}

    def _render(self, last: Rendering | None, seq: int, as_of: int, fingerprint: str, ours: _Ours) -> Outcome:
        keys = self._changed(last, as_of)
        others = sorted(key for key in keys if key.kind in ("topic", "daily"))
        pages = dict(pages_of(self._source, others, self._settings, as_of))
        shown = last.shown if last else ()
        # What lost its last entry has no row any more that could have changed: only SWEEP says so, of a group, and
        # of a section's entries that bear a tag, whose file others may keep.
        if last is None or SWEEP in keys or any(key.kind in ("memory", TAG) for key in keys):
            selection = select(self._source, self._settings, as_of)
            new = tuple(entry.id for entry in selection.shown)
            groups = set(selection.overflow)
            if last is not None and groups - set(GROUPS) == self._tags_with_files():
                tagged = groups - set(GROUPS) if SWEEP in keys else set()
                groups = tagged | _groups_in(keys) | self._groups_of(set(shown) ^ set(new))
            pages |= self._memory_pages(selection, groups, as_of)
            shown = new
            keep_groups: set[str] | None = set(selection.overflow)
        else:
            keep_groups = None
        outcome = self._put(pages, ours)
        self._sweep(last, keys, keep_groups, as_of, outcome)
        self._local.save_rendering(self.folder, Rendering(seq, as_of, fingerprint, shown), outcome.paused)
        reached("file.recorded")
        return outcome

    # --- what changed ---

    def _changed(self, last: Rendering | None, as_of: int) -> set[DocumentKey]:
        if last is None:
            return self._index.document_keys()
        keys = self._index.changed_since(last.seq)
        keys |= self._aged(last, as_of)
        for path in self._local.paused(self.folder):
            keys |= self._standing(self._key_of(path))
        return keys

    def _standing(self, keys: set[DocumentKey]) -> set[DocumentKey]:
        """Return the keys of documents that have entries; in place of others that what is left is to be removed."""
        there = {
            key
            for key in keys
            if (key.kind != "topic" or self._source.topic(key.name))
            and (key.kind != "daily" or self._source.day(key.name))
        }
        return there if there == keys else {*there, SWEEP}

    def _aged(self, last: Rendering, as_of: int) -> set[DocumentKey]:
        """Return documents that look different only because time has passed.

        Something grew stale, or a day goes to the archive.
        """
        keys: set[DocumentKey] = set()
        early, late = sorted((last.as_of, as_of))
        if self._settings.decay:
            decay = int(self._settings.decay_days * DAY)
            if early != late:  # once a day; no index serves this, so that no append pays for one
                keys |= self._index.fresh_between(written(early - decay), written(late - decay))
        archive = int(self._settings.archive_days * DAY)
        first, final = written(early - archive)[:10], written(late - archive)[:10]
        if first != final:
            keys |= {DocumentKey("daily", date) for date in self._source.days() if first <= date <= final}
        return keys

    def _key_of(self, path: str) -> set[DocumentKey]:
        if path == MEMORY_FILE:
            return {LINKS}
        group = group_of_path(path)
        if group:
            return {DocumentKey("memory", group) if group in GROUPS else tag_key("", group)}
        stem = path.removesuffix(".md")
        if stem.startswith("memories/"):
            return {DocumentKey("topic", stem.removeprefix("memories/"))}
        return {DocumentKey("daily", stem.rpartition("/")[2])}

    def _groups_of(self, ids: set[str]) -> set[str]:
        """Return the groups that these memories may stand in, now or before: their sections' and their tags'."""
        places = filter(None, map(self._index.place_of, ids))
        return {name for key, tag in places if key.kind == "memory" for name in (key.name, tag)}

    def _tags_with_files(self) -> set[str]:
        """Return the tags that had overflow files so far; where others have, entries went between files."""
        return {group_of_path(path) for path in self._local.rendered(self.folder)} - {"", *GROUPS}

    # --- files ---

    def _put(self, pages: dict[str, list[Piece]], ours: _Ours) -> Outcome:
        outcome = Outcome()
        due: list[tuple[_Page, bytes | None]] = []
        key = key_maker(self._local.secret())
        busy = under_way(self.folder)
        for path, pieces in sorted(pages.items()):
            there = self._read(path, outcome)
            if path in outcome.paused:
                continue
            data = styled(joined(pieces), self._local.style(self.folder, path))
            page = _Page(path, data, digest(data), blocks_of(pieces, key))
            if there == data:
                self._know(page)
                continue
            if busy and is_tracked(self.folder, path):
                outcome.paused[path] = _BUSY.format(busy)
                continue
            if there is None and not ours.bring_back(path) and self._local.settled_at(self.folder, path):
                outcome.paused[path] = DELETED
                continue
            if there is not None and self.is_edit(path, there):
                if not ours.take(path):
                    outcome.paused[path] = EDITED
                    continue
                self._keep_aside(path, there)
            elif there is not None and (back := self.lacking(path, there)):
                outcome.brought_back[path] = back
            due.append((page, there))
        self._local.note_files(self.folder, [(page.path, page.digest) for page, _ in due])
        reached("file.noted")
        for page, there in due:
            self._replace(page, there, outcome)
        return outcome

    def _know(self, page: _Page) -> None:
        """Note a document that is as it would be written, if we did not write it."""
        with contextlib.suppress(OSError):
            status = os.stat(self.folder / page.path)
            last = self._local.is_last(self.folder, page.path, page.digest)
            if last and self._local.is_settled(self.folder, page.path, page.digest, status):
                return
            self._local.note_files(self.folder, [(page.path, page.digest)])
            self._settle(page, status)
        reached("file.known")

    def _settle(self, page: _Page, status: os.stat_result) -> None:
        self._local.settle(
            self.folder, page.path, page.digest, status, packed(page.blocks), keys_of(page.blocks)
        )

    def _replace(self, page: _Page, there: bytes | None, outcome: Outcome) -> None:
        """Put a document in place unless somebody saved it since it was read (P-82).

        What it shows is noted behind the rename: an edit that comes before descends from the one that stood.
        """
        path, target = page.path, self.folder / page.path
        made: list[os.stat_result] = []

        def unchanged(new: os.stat_result) -> bool:
            reached("file.written")
            made.append(new)
            return self._read(path, outcome) == there

        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            done = replace_file(target, page.data, sync=False, only_if=unchanged)
        except OSError as error:
            raise storage_error(error, "writing a document", target, left=_LEFT) from error
        if not done:
            outcome.brought_back.pop(path, None)
            outcome.paused.setdefault(path, EDITED)
            return
        reached("file.renamed")
        self._settle(page, made[0])
        reached("file.settled")
        outcome.written.append(path)

    def _read(self, path: str, outcome: Outcome) -> bytes | None:
        """Return a document's bytes, None where there is none; a path that leaves the folder is paused."""
        target = self.folder / path
        parent = os.path.realpath(target.parent)
        home = os.path.realpath(self.folder)
        if parent != home and not parent.startswith(home + os.sep):
            outcome.paused[path] = "a link leads out of the folder: remove it"
            return None
        try:
            return target.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            outcome.paused[path] = f"cannot be read: {error.strerror}"
            return None

    def _keep_aside(self, path: str, data: bytes) -> None:
        target = self.folder / path
        number = 1
        while (aside := target.with_name(f"{target.name}.edited-{number}")).exists():
            number += 1
        try:
            replace_file(aside, data)
        except OSError as error:
            raise storage_error(error, "keeping an edited document", aside, left=_LEFT) from error
        reached("file.kept")

    def _sweep(
        self,
        last: Rendering | None,
        keys: set[DocumentKey],
        groups: set[str] | None,
        as_of: int,
        outcome: Outcome,
    ) -> None:
        """Remove files of documents that are no more, unless a person edited them."""
        if (
            last is not None
            and SWEEP not in keys
            and groups is None
            and not any(key.kind == "daily" for key in keys)
        ):
            return
        wanted = {
            path_of(key, as_of, self._settings)
            for key in self._index.document_keys()
            if key.kind in ("topic", "daily")
        }
        for path, known in self._local.rendered(self.folder).items():
            if path == MEMORY_FILE or path in wanted:
                continue
            group = group_of_path(path)
            if group and (groups is None or group in groups):
                continue
            self._remove(path, known, outcome)

    def _remove(self, path: str, known: str, outcome: Outcome) -> None:
        there = self._read(path, outcome)
        if path in outcome.paused:
            return
        if there is not None:
            if digest(there) != known and self.is_edit(path, there):
                outcome.paused[path] = f"{EDITED}; its memories are gone or moved"
                return
            if (busy := under_way(self.folder)) and is_tracked(self.folder, path):
                outcome.paused[path] = _BUSY.format(busy)
                return
            if outcome.paused and not self._local.is_ours(self.folder, path, known):
                return  # it came, and what it says stands nowhere else as long as the others are not written
            with contextlib.suppress(FileNotFoundError):
                (self.folder / path).unlink()
            reached("file.removed")
            outcome.removed.append(path)
        self._local.forget_file(self.folder, path)
        reached("file.forgotten")

    def edited(self) -> dict[str, str]:
        """Return the documents that are not as they were rendered last, with "edited by hand" or "missing"."""
        found: dict[str, str] = {}
        for path, known in sorted(self._local.rendered(self.folder).items()):
            try:
                data = (self.folder / path).read_bytes()
            except FileNotFoundError:
                found[path] = "missing"
                continue
            except OSError as error:
                found[path] = f"cannot be read: {error.strerror}"
                continue
            if digest(data) != known:
                found[path] = EDITED if self.is_edit(path, data) else "an earlier rendering"
        return found

    def is_edit(self, path: str, data: bytes) -> bool:
        """Say whether somebody changed a document that holds `data` now, other than we and git (D-13, D-14).

        An earlier rendering is one where it was saved after we wrote last: by somebody who took out what came
        last. One that is older was left by a death, or copied from elsewhere.
        """
        now = digest(data)
        if self._local.is_last(self.folder, path, now):
            return False
        try:
            status = os.stat(self.folder / path)
        except OSError:
            return False
        if self._local.is_settled(self.folder, path, now, status):
            return False
        if not self._local.is_rendering(self.folder, path, now):
            return True
        if not self._local.is_ours(self.folder, path, now):
            return False  # a rendering of another folder of this ledger: git or a copy brought it
        written_last = self._local.settled_at(self.folder, path)
        if not 0 < written_last <= status.st_mtime_ns:
            return False
        restored = may_have_restored(self.folder, path, data, status.st_mtime_ns)
        return not restored or bool(self.taken_out(path, data))

    def taken_out(self, path: str, data: bytes) -> set[bytes]:
        """Return the keys of the blocks that this user's own commits took out of a document that git set back (D-38).

        What was learned since such a commit is not among them, though it say the same.
        """
        shown = [(name, unpacked(blocks)) for name, blocks in self._local.shown(self.folder, path)]
        keys = {name: [block.key for block in blocks if block.key] for name, blocks in reversed(shown)}
        style = self._local.style(self.folder, path)
        times = taken_out(
            self.folder, path, digest(data), keys, lambda had: (digest(had), digest(styled(had, style)))
        )
        entries = {block.key: self._entry(block.id) for block in shown[0][1]} if times and shown else {}
        return {
            key
            for key, at in times.items()
            if (entry := entries.get(key)) is not None and entry.ts < written((at + 1) * 10**6)
        }

    def lacking(self, path: str, data: bytes) -> list[str]:
        """Return the ids of what stands and was shown last, and what an earlier rendering that holds `data` lacks."""
        now = digest(data)
        shown = [(name, unpacked(blocks)) for name, blocks in self._local.shown(self.folder, path)]
        there = next(({block.id for block in blocks} for name, blocks in shown if name == now), None)
        if there is None:
            return []
        entries = (self._entry(block.id) for block in shown[0][1] if block.key and block.id not in there)
        return [entry.id for entry in entries if entry is not None and entry.status == "active"]

    def _entry(self, prefix: str) -> Entry | None:
        ids = self._index.ids(prefix)
        return self._index.entry(ids[0]) if len(ids) == 1 else None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of this folder's rendering, so that an older state never overwrites a newer one.

        The lock's file names the folder at work, so that the next one finds what a death left there.
        """
        path = self._local.path.with_name("render.lock")
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise storage_error(error, "locking the documents", path, left=_LEFT) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            if died := os.pread(fd, _LONGEST_PATH, 0):
                _sweep_leftovers(Path(os.fsdecode(died)))
                os.ftruncate(fd, 0)
            with contextlib.suppress(OSError):  # a full disk: only what a crash just now leaves stays unknown
                os.pwrite(fd, os.fsencode(self.folder), 0)
            try:
                yield
            finally:
                os.ftruncate(fd, 0)
        finally:
            os.close(fd)


def _sweep_leftovers(folder: Path) -> None:
    """Remove the documents that a rendering which died had made beside their place (P-82)."""
    home = os.path.realpath(folder)
    for pattern in (".*.tmp", "memory/**/.*.tmp", "memories/**/.*.tmp"):
        for path in list(folder.glob(pattern)):
            inside = os.path.realpath(path.parent) + os.sep
            if _LEFTOVER.fullmatch(path.name) and inside.startswith(home + os.sep):
                with contextlib.suppress(OSError):
                    path.unlink()
                reached("file.swept")
