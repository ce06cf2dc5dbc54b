"""Decides who made an uncommitted edit, and whether it is recorded now.

Implements specs/editing.md (D-81…D-83). specs/security.md lists the cases that look the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from documents import agent_writes
from documents.adopting.edit_author import HERE, Hand
from documents.writing.files import DELETED, EDITED
from projections.configuration import CONFIG_NAME, load

if TYPE_CHECKING:
    from projections.workspace import Workspace

_WAITS = "{what}, and it waits for a person: run muniment adopt in a terminal"


def is_person(memory: Workspace) -> bool:
    """Return whether a person acts in this process: at a terminal, or by a script if their `scripts` setting allows it."""
    by = memory.by
    if by.role != "system" or by.via == "hook":
        return by.role == "user"
    return load(memory.home.path / CONFIG_NAME).scripts


def why_it_waits(memory: Workspace, folder: Path, path: str, *, asked: bool) -> str:
    """Return why the edit of a document is not recorded now, or "" (D-81).

    Args:
        memory: the ledger, whose `by` is the actor.
        folder: the folder of the document.
        path: its path in it.
        asked: the command is `adopt`, not another one that found the edit.
    """
    held = memory.configuration.edits == "review"
    if is_person(memory) and (asked or not held):
        return ""
    if memory.by.role == "agent" and asked and not held:
        return ""
    return _WAITS.format(what=EDITED if (folder / path).exists() else DELETED)


def hand_of(memory: Workspace, folder: Path, path: str) -> Hand:
    """Return the author of the uncommitted part of an edit (D-82)."""
    since = memory.local.settled_at(folder, path)
    agent, session = agent_writes.writer_of(_hooks(memory), str(folder / path), since)
    if agent:
        return Hand(agent=agent, session=session, trusted=False)
    if memory.by.role == "agent":
        return Hand(agent=memory.by.name, trusted=False)
    return HERE


def forget_writer(memory: Workspace, folder: Path, path: str) -> None:
    """Forget that an agent's tool wrote a document, once the log has all of its content."""
    agent_writes.forget(_hooks(memory), str(folder / path))


def _hooks(memory: Workspace) -> str:
    return str(memory.home.state / "hooks")
