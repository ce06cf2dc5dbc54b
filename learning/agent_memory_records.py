"""What was taken from the folders of an agent's own memory, as local.db notes it.

Implements specs/doors.md (G-63) and specs/erasure.md (Z-30). Light: an erase asks for it and learns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import orjson

from ledger.path_names import name_of, path_of
from projections.workspace import Workspace

TAKEN = "memory of claude-code in "
"""Begins the name of the fact that lists what was imported from a folder; it names the agent."""

Seen = dict[str, dict[str, str]]
"""The ids of what was taken from each file of a folder, by the digests of what it said."""


def followed(workspace: Workspace) -> list[Path]:
    """Return the folders from which something was taken."""
    return [path_of(name.removeprefix(TAKEN)) for name, _ in workspace.local.facts(TAKEN)]


def seen_in(workspace: Workspace, folder: Path) -> Seen:
    """Return what was taken from a folder, nothing if that cannot be read."""
    try:
        value = orjson.loads(workspace.local.fact(f"{TAKEN}{name_of(folder)}") or b"{}")
        return {str(name): {str(d): str(i) for d, i in taken.items()} for name, taken in value.items()}
    except (ValueError, AttributeError):
        return {}


def forget(workspace: Workspace, ids: Collection[str], says: Callable[[Path], bool]) -> None:
    """Forget the digests by which erased memories are known; a file that says them still is remembered to have been taken.

    Args:
        workspace: the ledger.
        ids: of the erased events.
        says: whether a file says one of them.
    """
    for folder in followed(workspace):
        seen = seen_in(workspace, folder)
        left = {
            name: taken if says(folder / name) else {d: id_ for d, id_ in taken.items() if id_ not in ids}
            for name, taken in seen.items()
        }
        if left != seen:
            workspace.local.note(f"{TAKEN}{name_of(folder)}", orjson.dumps(left).decode())
