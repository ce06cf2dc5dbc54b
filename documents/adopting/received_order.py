"""Lets MEMORY.md show what it shows on the machine that git brought it from, where this log ranks otherwise.

Implements specs/editing.md (D-65). Of what one commit brought nobody knows what was said first, and of importance a
document shows nothing: so two machines may differ in what moves to overflow files next (specs/adr/0016). What a
document that came does not show has the lower rank here too, from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from documents.adopting.absence import DocumentHistory
from documents.adopting.adoption import Adoption
from documents.git.repository import Repository
from documents.writing.folder import group_of_path
from documents.writing.overflow import Selection, group_of, select
from ledger.command import Supersede
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import SECOND, is_instant, parsed, written
from projections.index_source import IndexSource
from projections.layout import MEMORY_FILE, document_of, rank_key, tag_of, tag_of_group
from projections.settings import RenderSettings
from projections.shown_blocks import contents, unpacked

if TYPE_CHECKING:
    from projections.workspace import Workspace


_ROUNDS = 4
"""So often what is shown is looked at again after it was ranked anew: one change may move another."""


def follow(memory: Workspace, git: Repository, done: Sequence[Adoption]) -> None:
    """Rank anew what documents that git brought show otherwise than this log would.

    Args:
        memory: the ledger.
        git: what git knows of the folder where the documents lie.
        done: what was taken in just now.

    Raises:
        As `Ledger.write` does.
    """
    own = next((each for each in done if each.path == MEMORY_FILE), None)
    settings = memory.configuration.render_settings()
    if own is None or not settings.overflow or any(each.paused for each in done):
        return
    if not _came_with_git(memory, git, own, settings):
        return
    _write(memory, _tagged(memory, done))
    there, overflow = set(own.ids), _overflow_there(memory, git.folder, done)
    for _ in range(_ROUNDS):
        commands = _ranked_anew(memory, there, overflow, select(IndexSource(memory.index), settings))
        if not commands:
            return
        for command, id_ in zip(commands, _write(memory, commands), strict=True):
            for ids in (there, overflow):
                if command.targets[0][:32] in ids:
                    ids.add(id_[:32])


def _write(memory: Workspace, commands: Sequence[Supersede]) -> list[str]:
    if not commands:
        return []
    return [done.id for done in memory.append(commands, By(memory.by.name, "user", "git"))]


def _tagged(memory: Workspace, done: Sequence[Adoption]) -> list[Supersede]:
    """Return supersedes that give what stands in a tag's overflow file that tag (P-150)."""
    found = []
    for each in done:
        tag = tag_of_group(group_of_path(each.path))
        for entry in _entries(memory, each.ids) if tag else ():
            if tag_of(document_of(entry), entry.memory.tags) != group_of_path(each.path):
                memory_ = entry.memory._replace(tags=(tag, *entry.memory.tags))
                found.append(_said_again(entry._replace(memory=memory_), _said(entry)))
    return found


def _ranked_anew(
    memory: Workspace, there: set[str], overflow: set[str], selection: Selection
) -> list[Supersede]:
    """Return supersedes that let the log show what MEMORY.md shows.

    What it does not show, and stands in an overflow file, is older than all that it shows; or where it shows what
    is older than what is in the overflow file of its group, that is as new as can be: it must be important.

    Args:
        memory: the ledger.
        there: the beginnings of the ids of what it shows.
        overflow: those of what overflow files show.
        selection: what the log would show.
    """
    ours = {entry.id[:32]: entry for entry in selection.shown}
    kept = _entries(memory, there - ours.keys()) if selection.overflow else []
    if not kept or not overflow:
        return []
    groups = {entry.id: group_of(entry, selection.groups) for entry in [*kept, *ours.values()]}
    out = [entry for entry in _entries(memory, overflow - ours.keys()) if not rank_key(entry).rank_class]
    newest: dict[str, int] = {}
    for entry in out:
        group = groups[entry.id] = group_of(entry, selection.groups)
        newest[group] = max(newest.get(group, 0), _said(entry))
    hidden = [entry for id_, entry in ours.items() if id_ in overflow and not rank_key(entry).rank_class]
    moving = {groups[entry.id] for entry in hidden}

    def is_important(entry: Entry) -> bool:
        group = groups[entry.id]
        older = newest.get(group, 0) - _said(entry) >= SECOND
        return older or (group in newest and group not in moving) or not hidden

    raised = [entry for entry in kept if is_important(entry)]
    commands = [_said_again(entry, memory.clock() - at) for at, entry in enumerate(reversed(raised), 1)]
    lowered = sorted(hidden, key=rank_key)[: len(kept) - len(raised)]
    shown = [entry for id_, entry in ours.items() if id_ in there and not rank_key(entry).rank_class]
    below = min((_said(entry) for entry in [*shown, *kept] if entry not in raised), default=0)
    moving = {groups[entry.id] for entry in lowered}
    lowered += [entry for entry in out if _said(entry) >= below and groups[entry.id] in moving]
    lowered.sort(key=rank_key, reverse=True)
    return [*commands, *(_said_again(entry, below - at) for at, entry in enumerate(lowered, 1))]


def _came_with_git(memory: Workspace, git: Repository, own: Adoption, settings: RenderSettings) -> bool:
    """Say whether git brought a MEMORY.md that keeps the limits: a merge may have made one that does not."""
    try:
        data = contents(git.folder / own.path)
    except OSError:
        return False
    if data.count(b"\n") > settings.max_lines or len(data) > settings.max_bytes:
        return False
    changed = own.status.st_mtime_ns if own.status else None
    return DocumentHistory(memory, git, own.path, data, changed).explains


def _overflow_there(memory: Workspace, folder: Path, done: Sequence[Adoption]) -> set[str]:
    """Return the beginnings of the ids of what stands in overflow files."""
    found = {
        block.id
        for path, blocks in memory.local.shown_last(folder).items()
        if group_of_path(path) and path != MEMORY_FILE and (folder / path).is_file()
        for block in unpacked(blocks)
    }
    for each in done:
        if group_of_path(each.path) and each.path != MEMORY_FILE:
            found |= set(each.ids)
    return found


def _entries(memory: Workspace, prefixes: Iterable[str]) -> list[Entry]:
    """Return what stands of entries with these beginnings of ids, the lowest rank first."""
    index = memory.index
    found = [index.entry(id_) for prefix in prefixes for id_ in index.ids(prefix)]
    return sorted((entry for entry in found if entry is not None and entry.status == "active"), key=rank_key)


def _said(entry: Entry) -> int:
    """Return the instant by which an entry ranks: of what a document brought that of git's, or the hour's beginning (P-5)."""
    said = rank_key(entry).said.partition(" ")[0]
    return parsed(said if is_instant(said) else f"{said}:00:00.000000Z")


def _said_again(entry: Entry, said: int) -> Supersede:
    """Return the supersede of an entry by itself, said at this instant (µs since 1970)."""
    where = entry.memory.provenance._replace(date=written(said))
    memory = entry.memory._replace(status="active", provenance=where)
    return Supersede((entry.id,), memory, reason="ranked as git brought it")
