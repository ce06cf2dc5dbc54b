"""Notes that an agent's tool wrote a document, so that what it typed there is not taken for a person's.

Implements specs/doors.md (G-3) for specs/editing.md (D-83). A file is noted where it has a name that a document can have, whosever it
is: nobody waits here for a ledger.
"""

from __future__ import annotations

import os
import re
import time

from agents.hooks import user_folders
from agents.hooks.hook_event import AGENTS, text_of
from documents import agent_writes
from ledger.lazy_pattern import lazy_pattern

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from learning.turn import Turn

TOOLS = frozenset(("Write", "Edit", "MultiEdit", "apply_patch"))
"""The tools by which programs write files."""
_FOLDERS = frozenset(("memory", "memories"))
_PATCHED = lazy_pattern(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)


def note(program: str, event: dict[str, Any]) -> None:
    """Note the documents that a tool wrote just now."""
    given = event.get("tool_input")
    for path in written_by(text_of(event, "tool_name"), given if isinstance(given, dict) else {}):
        whole = os.path.join(text_of(event, "cwd"), path)
        if os.path.isabs(whole) and is_document(whole):
            agent_writes.note(
                user_folders.hooks(), whole, AGENTS[program], text_of(event, "session_id"), _changed(whole)
            )


def note_turn(turn: Turn) -> None:
    """Note the document that a call of a tool wrote, as a transcript has it: where no hook told."""
    if turn.tool not in TOOLS or turn.failed or turn.rejected:
        return
    from learning.statement_times import instant_of

    whole = os.path.join(turn.folder, turn.command)
    at = instant_of(turn.at)
    if os.path.isabs(whole) and is_document(whole) and at is not None:
        agent_writes.note(user_folders.hooks(), whole, turn.agent, turn.session, at * 1000)


def written_by(tool: str, given: dict[str, Any]) -> Iterator[str]:
    """Yield the paths that a call of a tool wrote, as it names them; none for a tool that writes no file."""
    if tool not in TOOLS:
        return
    if isinstance(path := given.get("file_path"), str):
        yield path
    patch = given.get("command", given.get("input"))
    if isinstance(patch, list):
        patch = "\n".join(each for each in patch if isinstance(each, str))
    if isinstance(patch, str):
        yield from _PATCHED.findall(patch)


def is_document(path: str) -> bool:
    """Return whether a file has the name of a document (projections.md P-4)."""
    folder, name = os.path.split(path)
    return name == "MEMORY.md" or (name.endswith(".md") and not _FOLDERS.isdisjoint(folder.split(os.sep)))


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return time.time_ns()
