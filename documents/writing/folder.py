"""Brings the documents of one folder up to date with the index: writes changed documents and removes obsolete ones.

Implements specs/projections.md (P-58, P-84, P-88); `documents.writing.files` writes the files. Order for one
rendering, under its own lock: render changed documents; put them in place; note the rendering. After a crash in between,
the next rendering does the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial

from documents.git.repository import Repository
from documents.writing.every_document import group_file, overflow_path, pages_of
from documents.writing.files import Files, Ours, Outcome
from documents.writing.markdown import DocumentPiece, memory_pieces
from documents.writing.overflow import Selection, group_of, select
from documents.writing.patching import DrawnPage, EntryChange
from ledger.durable import read_file
from ledger.instant import DAY, written
from ledger.lazy_pattern import lazy_pattern
from ledger.steps import reached
from projections.index import Index
from projections.index_source import IndexSource
from projections.layout import (
    DAILY,
    GROUPS,
    LINKS,
    MEMORY_FILE,
    SWEEP,
    TAG,
    DocumentKey,
    other_place,
    path_of,
    tag_key,
)
from projections.local import Local, Rendering
from projections.settings import RenderSettings
from projections.shown_blocks import digest, position_of

_NOBODYS = Ours(everything=False, overwrite=False, paths=())
_DAY = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def day_begin(instant: int) -> int:
    """Return the beginning of the UTC day in which an instant (µs) lies (P-58)."""
    return instant - instant % DAY


def _groups_in(keys: Iterable[DocumentKey]) -> set[str]:
    """Return the groups of these keys; a tag's key has its section before it."""
    names = {key.name for key in keys if key.kind == "memory" and key != LINKS}
    return names | {key.name.rpartition("/")[2] for key in keys if key.kind == TAG}


@lru_cache(maxsize=256)
def group_of_path(path: str) -> str:
    """Return the group, of a section or a tag, whose overflow file is at `path`, or "" for other documents."""
    name = path.removeprefix("memory/").removesuffix(".md")
    is_ours = path == f"memory/{name}.md" and "/" not in name and not _DAY.fullmatch(name)
    return name if is_ours else ""


class DocumentFolder:
    """The documents of one ledger in one folder.

    Args:
        git: the repository of the folder where people read and edit.
        index: a caught-up index.
        local: it remembers the renderings.
        settings: limits and switches.
        shared: whether `[render]` names the folder, so that other programs keep files there (specs/doors.md, G-25).
    """

    def __init__(
        self, git: Repository, index: Index, local: Local, settings: RenderSettings, *, shared: bool = False
    ) -> None:
        self.folder = git.folder
        self.shared = shared
        self._index = index
        self._local = local
        self._files = Files(git, self._index, local)
        self._settings = settings

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
            as_of: decides what is stale and which days are archived; only its day counts, so that bytes do not change
                within a day.
            everything: check every document, not only changed ones, and write deleted ones again.
            overwrite: replace edited files, and keep the person's copy beside ours.
            paths: the documents to which these two apply; by default all.
            thorough: afterwards check every document that nobody edited, as after an erasure (P-58).

        Raises:
            StorageError: a file cannot be written.
            BusyError: another process is writing documents of this ledger.
            ViewUnavailableError: the index cannot be read.
        """
        as_of = day_begin(as_of)
        fingerprint = repr(self._settings) + self._index.counted_writers()
        wanted = self._index.newest()

        def is_done() -> bool:
            """Return whether the holder of the lock already rendered these events."""
            last = self._last(fingerprint)
            return last is not None and self._is_current(last, wanted, as_of)

        asked = everything or overwrite or thorough or paths is not None
        with self._local.render_lock.held(self.folder, None if asked else is_done) as held:
            if not held:
                return Outcome()
            with self._index.holding_still(wanted):
                return self._render_as_of(as_of, fingerprint, Ours(everything, overwrite, paths), thorough)

    def _render_as_of(self, as_of: int, fingerprint: str, ours: Ours, thorough: bool) -> Outcome:
        self._source = IndexSource(self._index)
        last = None if ours.everything else self._last(fingerprint)
        if last is not None and self._is_current(last, self._index.newest(), as_of):
            return self._look_again(as_of) if thorough else Outcome()
        outcome = self._render(last, as_of, fingerprint, ours)
        if thorough:
            again = self._look_again(as_of)
            outcome.written += again.written
            outcome.removed += again.removed
            outcome.paused = {**again.paused, **outcome.paused}
        return outcome

    def _last(self, fingerprint: str) -> Rendering | None:
        """Return the last rendering if it had the same settings and the index still has its newest event.

        A recover may have removed that event (P-88).
        """
        last = self._local.rendering(self.folder)
        is_known = (
            last is not None and last.settings == fingerprint and self._index.id_at(last.seq) == last.id
        )
        return last if is_known else None

    def _is_current(self, last: Rendering, seq: int, as_of: int) -> bool:
        """Return whether a rendering shows the events up to `seq`, and time changed no document since."""
        return last.seq >= seq and not self._local.paused(self.folder) and not self._aged(last, as_of)

    def _look_again(self, as_of: int) -> Outcome:
        """Rewrite or remove documents that differ from their last rendering; a person's edits and removals stay."""
        others = self._index.document_keys()
        selection = select(self._source, self._settings)
        pages = self._other_pages(others, as_of)
        pages |= self._memory_pages(selection, dict.fromkeys(selection.overflow), as_of)
        untouched = {path: page for path, page in pages.items() if self._files.is_earlier(path)}
        outcome = self._files.put(untouched, _NOBODYS)
        self._sweep(None, set(), set(selection.overflow), as_of, outcome, _NOBODYS)
        return outcome

    def _memory_pages(
        self, selection: Selection, groups: Mapping[str, list[EntryChange] | None], as_of: int
    ) -> dict[str, DrawnPage]:
        """Return MEMORY.md and the overflow files of groups, each with its changes, None if they are unknown."""
        topics = self._source.topic_count()
        pages = {MEMORY_FILE: DrawnPage(list(memory_pieces(selection, topics, self._settings, as_of)))}
        for group, changes in groups.items():
            if group in selection.overflow:
                draw = partial(self._overflow_file, selection, group, as_of)
                pages[overflow_path(group)] = DrawnPage(draw, changes, selection.overflow[group])
        return pages

    def _overflow_file(
        self, selection: Selection, group: str, as_of: int
    ) -> tuple[Iterable[DocumentPiece], bool]:
        return group_file(self._source, selection, group, self._settings, as_of)

    def _other_pages(self, keys: Iterable[DocumentKey], as_of: int) -> dict[str, DrawnPage]:
        """Return the topic files and daily notes among these documents."""
        others = sorted(key for key in keys if key.kind in ("topic", "daily"))
        return {
            path_of(key, as_of, self._settings): DrawnPage(partial(self._other_file, key, as_of))
            for key in others
        }

    def _other_file(self, key: DocumentKey, as_of: int) -> tuple[Iterable[DocumentPiece], bool]:
        ((_, pieces),) = pages_of(self._source, [key], self._settings, as_of)
        return pieces, False

    def _render(self, last: Rendering | None, as_of: int, fingerprint: str, ours: Ours) -> Outcome:
        """Render what changed since `last` (None: everything)."""
        keys, aside = self._changed(last, as_of)
        pages = self._other_pages(keys, as_of)
        shown = last.shown if last else ()
        # A group that lost its last entry has no row that could have changed; the same holds for a section's entries
        # with a tag. Only SWEEP tells of these.
        if last is None or SWEEP in keys or any(key.kind in ("memory", TAG) for key in keys):
            selection = select(self._source, self._settings)
            new = tuple(entry.id for entry in selection.shown)
            groups: dict[str, list[EntryChange] | None] = dict.fromkeys(selection.overflow)
            tags = {group_of_path(path) for path in self._local.rendered(self.folder)} - {"", *GROUPS}
            if (
                last is not None and groups.keys() - set(GROUPS) == tags
            ):  # otherwise entries moved between files
                groups = self._changed_groups(last, keys, aside, selection)
            pages |= self._memory_pages(selection, groups, as_of)
            shown = new
            keep_groups: set[str] | None = set(selection.overflow)
        else:
            keep_groups = None
        outcome = self._files.put(pages, ours, self._settings.stale_before(as_of))
        self._sweep(last, keys, keep_groups, as_of, outcome, ours)
        seq = self._index.newest()
        done = Rendering(seq, as_of, fingerprint, shown, self._index.id_at(seq))
        self._local.save_rendering(self.folder, done, outcome.paused)
        reached("file.recorded")
        return outcome

    # --- what changed ---

    def _changed(self, last: Rendering | None, as_of: int) -> tuple[set[DocumentKey], set[DocumentKey]]:
        """Return the documents to check, and those of them that differ from their last rendering or aged."""
        if last is None:
            return self._index.document_keys(), set()
        aside = self._aged(last, as_of)
        for path in {*self._local.paused(self.folder), *self._files.touched()}:
            aside |= self._standing(self._key_of(path))
        return aside | self._index.changed_since(last.seq), aside

    def _changed_groups(
        self, last: Rendering, keys: set[DocumentKey], aside: set[DocumentKey], selection: Selection
    ) -> dict[str, list[EntryChange] | None]:
        """Return the groups whose files changed, each with its changes, None if they are unknown."""
        before, shown = set(last.shown), {entry.id for entry in selection.shown}
        moved = before ^ shown
        changed = self._index.changes_since(last.seq)
        if changed is None:
            tagged = selection.overflow.keys() - set(GROUPS) if SWEEP in keys else set()
            return dict.fromkeys(tagged | _groups_in(keys) | self._groups_of(moved))
        groups: dict[str, list[EntryChange]] = {}
        erased = []
        for entry in self._index.memories(sorted(changed | moved)):
            if entry.memory.topic or entry.memory.tier == DAILY:
                continue
            if entry.status == "erased":
                erased.append(EntryChange(entry, stood=True, stands=False))
                continue
            stood = entry.n <= last.seq and entry.id not in before
            stands = entry.status == "active" and entry.id not in shown
            if stood or stands:
                groups.setdefault(group_of(entry, selection.groups), []).append(
                    EntryChange(entry, stood, stands)
                )
        whole = _groups_in(aside)
        if erased:  # their section and tags are gone: check each file for them
            for path, blocks in self._local.shown_last(self.folder).items():
                taken = [change for change in erased if position_of(change.entry.id, blocks) >= 0]
                if taken and (group := group_of_path(path)):
                    groups.setdefault(group, []).extend(taken)
            whole |= {group for group in _groups_in(keys) if group not in groups}
        return {**groups, **dict.fromkeys(whole)}

    def _standing(self, keys: set[DocumentKey]) -> set[DocumentKey]:
        """Return the keys of documents with entries; if others have none, with SWEEP, so that their files are removed."""
        there = {
            key
            for key in keys
            if (key.kind != "topic" or self._source.topic(key.name))
            and (key.kind != "daily" or self._source.day(key.name))
        }
        return there if there == keys else {*there, SWEEP}

    def _aged(self, last: Rendering, as_of: int) -> set[DocumentKey]:
        """Return documents that change only because time passed: an entry became stale, or a day goes to the archive."""
        keys: set[DocumentKey] = set()
        early, late = sorted((last.as_of, as_of))
        if self._settings.decay:
            decay = int(self._settings.decay_days * DAY)
            if early != late:  # once a day; no index serves this, so that no append pays for one
                keys |= self._index.fresh_between(written(early - decay), written(late - decay))
        archive = int(self._settings.archive_days * DAY)
        first, final = written(early - archive)[:10], written(late - archive)[:10]
        if first != final:
            keys |= {
                DocumentKey("daily", date) for date in self._index.names("daily") if first <= date <= final
            }
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
        """Return the groups that may have these memories now or had them before: those of their sections and tags."""
        places = filter(None, map(self._index.place_of, ids))
        return {name for key, tag in places if key.kind == "memory" for name in (key.name, tag)}

    def _sweep(  # noqa: PLR0917 - what a rendering came to
        self,
        last: Rendering | None,
        keys: set[DocumentKey],
        groups: set[str] | None,
        as_of: int,
        outcome: Outcome,
        ours: Ours,
    ) -> None:
        """Remove files of removed documents, unless a person edited them.

        `keys` are those that changed, `groups` those that have files.
        """
        if (
            last is not None
            and SWEEP not in keys
            and groups is None
            and not any(key.kind == "daily" for key in keys)
        ):
            return
        standing = (
            DocumentKey(kind, name) for kind in ("topic", "daily") for name in self._index.names(kind)
        )
        wanted = {MEMORY_FILE, *(path_of(key, as_of, self._settings) for key in standing)}
        if self._local.rendering(self.folder) is None:
            from documents.foreign_files import documents_in

            others = [path for path in documents_in(self.folder, shared=self.shared) if path not in wanted]
            found = list(self._left_over(others))
            self._local.note_files(self.folder, found, self._index.newest())
        for path, known in self._local.rendered(self.folder).items():
            if path in wanted:
                continue
            group = group_of_path(path)
            if group and (groups is None or group in groups):
                continue
            self._files.remove(path, known, outcome, ours)

    def _left_over(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield path and digest of each of our renderings at `paths`, in a folder where nothing was rendered yet (P-84).

        Git or a copy brought it from another folder of the ledger, or local.db was lost and a day's note is archived now.
        """
        rendered = self._local.rendered(self.folder)
        for path in paths:
            try:
                now = digest(read_file(self.folder / path))
            except OSError:
                continue
            other = other_place(path)
            is_archived = rendered.get(other) == now and (self.folder / other).is_file()
            if path not in rendered and (is_archived or self._local.is_rendering(self.folder, path, now)):
                yield path, now

    def leave(self) -> Outcome:
        """Remove every document that nobody edited here, and forget all documents; the outcome names those that stay.

        Raises:
            BusyError: another process is writing documents of this ledger.
        """
        outcome = Outcome()
        with self._local.render_lock.held(self.folder):
            for path, known in sorted(self._local.rendered(self.folder).items()):
                self._files.remove(path, known, outcome, _NOBODYS)
            self._local.forget_folder(self.folder)
        return outcome

    # --- as they are on disk ---

    def edited(self) -> dict[str, str]:
        """Return the documents that differ from their last rendering; see `Files.edited`."""
        return self._files.edited()

    def is_edit(self, path: str, data: bytes) -> bool:
        """Return whether somebody changed a document that has `data` now; see `Files.is_edit`."""
        return self._files.is_edit(path, data)
