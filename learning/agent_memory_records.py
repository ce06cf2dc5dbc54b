"""The records in local.db of what was imported from the folders of an agent's own memory.

Implements specs/doors.md (G-63) and specs/erasure.md (Z-30). Light, because an erase loads it without learning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import orjson

from ledger.path_names import name_of, path_of
from projections.workspace import Workspace

TAKEN = "memory of claude-code in "
"""The fact that lists the imports from a folder has this prefix, which names the agent."""

Seen = dict[str, dict[str, str]]
"""For each file of a folder: the ids of the imported memories by the digests of the notes."""


def followed(workspace: Workspace) -> list[Path]:
    """Return the folders from which something was imported."""
    return [path_of(name.removeprefix(TAKEN)) for name, _ in workspace.local.facts(TAKEN)]


def seen_in(workspace: Workspace, folder: Path) -> Seen:
    """Return the record of a folder, an empty one if it cannot be read."""
    try:
        value = orjson.loads(workspace.local.fact(f"{TAKEN}{name_of(folder)}") or b"{}")
        return {str(name): {str(d): str(i) for d, i in taken.items()} for name, taken in value.items()}
    except (ValueError, AttributeError):
        return {}


def forget(workspace: Workspace, ids: Collection[str], says: Callable[[Path], bool]) -> None:
    """Forget the digests of erased memories; keep those of a file that still says one, so that it is not imported again.

    Args:
        workspace: the ledger.
        ids: of the erased events.
        says: whether a file still says one of them.
    """
    for folder in followed(workspace):
        seen = seen_in(workspace, folder)
        left = {
            name: taken if says(folder / name) else {d: id_ for d, id_ in taken.items() if id_ not in ids}
            for name, taken in seen.items()
        }
        if left != seen:
            workspace.local.note(f"{TAKEN}{name_of(folder)}", orjson.dumps(left).decode())
