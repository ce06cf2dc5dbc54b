"""Lets MEMORY.md show what it shows on the machine that git brought it from, where this log ranks otherwise.

Implements specs/editing.md (D-65). Of what one commit brought nobody knows what was said first, and of importance a
document shows nothing: so two machines may differ in what moves to overflow files next (specs/adr/0016). What a
document that came does not show has the lower rank here too, from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from adopting.absence import Past
from adopting.adoption import Adoption
from adopting.hands import Hand
from ledger.command import Supersede
from ledger.event import By
from ledger.instant import SECOND, parsed, written
from projections.fitting import group_of, select
from projections.folder import group_of_path
from projections.index_source import IndexSource
from projections.layout import MEMORY_FILE, rank_key
from projections.shown import unpacked

if TYPE_CHECKING:
    from keeping import Keeping
    from ledger.fold import Entry


def follow(memory: Keeping, folder: Path, done: Sequence[Adoption]) -> None:
    """Rank anew what documents that git brought show otherwise than this log would.

    Args:
        memory: the ledger.
        folder: where the documents lie.
        done: what was taken in just now.

    Raises:
        As `Ledger.write` does.
    """
    own = next((each for each in done if each.path == MEMORY_FILE), None)
    settings = memory.configuration.render_settings()
    if own is None or not settings.overflow or any(each.paused for each in done):
        return
    overflow = _overflow_there(memory, folder, done)
    if not overflow or not _came_with_git(memory, folder, own):
        return
    selection = select(IndexSource(memory.index), settings)
    ours = {entry.id[:32]: entry for entry in selection.shown}
    there = set(own.ids)
    hidden = [entry for id_, entry in ours.items() if id_ in overflow and not rank_key(entry).rank_class]
    kept = [entry for entry in _entries(memory, there - ours.keys()) if selection.overflow]
    if not hidden or not kept:
        return
    out = [entry for entry in _entries(memory, overflow - ours.keys()) if not rank_key(entry).rank_class]
    newest: dict[str, int] = {}
    for entry in out:
        group = group_of(entry, selection.groups)
        newest[group] = max(newest.get(group, 0), _said(entry))
    raised = [
        entry
        for entry in kept
        if newest.get(group_of(entry, selection.groups), 0) - _said(entry) >= SECOND
    ]
    commands = [_ranked(entry, memory.clock() - at) for at, entry in enumerate(raised, 1)]
    shown = [entry for id_, entry in ours.items() if id_ in there and not rank_key(entry).rank_class]
    lowered = sorted(hidden, key=rank_key)[: len(kept) - len(raised)]
    below = min((_said(entry) for entry in [*shown, *kept] if entry not in raised), default=0)
    groups = {group_of(entry, selection.groups) for entry in lowered}
    lowered += [e for e in out if _said(e) >= below and group_of(e, selection.groups) in groups]
    lowered.sort(key=rank_key, reverse=True)
    commands += [_ranked(entry, below - at) for at, entry in enumerate(lowered, 1)]
    if commands:
        memory.write(commands, By(memory.by.name, "user", Hand(trusted=False).via), render=False)


def _came_with_git(memory: Keeping, folder: Path, own: Adoption) -> bool:
    try:
        data = (folder / own.path).read_bytes()
    except OSError:
        return False
    changed = own.status.st_mtime_ns if own.status else None
    return Past(memory, folder, own.path, data, changed).explains


def _overflow_there(memory: Keeping, folder: Path, done: Sequence[Adoption]) -> set[str]:
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


def _entries(memory: Keeping, prefixes: Iterable[str]) -> list[Entry]:
    """Return what stands of entries with these beginnings of ids, the lowest rank first."""
    found = [memory.index.entry(id_) for prefix in prefixes for id_ in memory.index.ids(prefix)]
    return sorted((entry for entry in found if entry is not None and entry.status == "active"), key=rank_key)


def _said(entry: Entry) -> int:
    return parsed(rank_key(entry).said)


def _ranked(entry: Entry, said: int) -> Supersede:
    """Return the supersede of an entry by itself, said at another instant (µs since 1970)."""
    where = replace(entry.memory.provenance, date=written(said))
    return Supersede((entry.id,), replace(entry.memory, provenance=where), reason="ranked as git brought it")
