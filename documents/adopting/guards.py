"""The guards that hold an edit back until a person has looked at it.

Implements specs/editing.md (D-16, D-21, D-26, D-35, D-92).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from documents.adopting import new_document
from documents.adopting.adoption import Adoption
from documents.git.repository import Repository
from documents.reading.edits import Edit
from documents.reading.matching import alike, lines_said
from ledger.command import Create, Delete, Supersede
from ledger.instant import parsed
from ledger.path_names import name_of

if TYPE_CHECKING:
    from projections.workspace import Workspace

MAX_BYTES = 1024 * 1024
"""A larger document is left to the person (D-16)."""
MAX_LINES = 20_000
"""A longer document, too: reading it would take too long."""
MANY = 5
"""A person must accept an edit that removes more entries than this, and more than half (D-16)."""

FEW = 1
"""The same in a shared folder: another program may overwrite our file with its own."""

JOINED = "joined in"
"""The beginning of the name of the fact that a project was joined in a folder (D-63)."""
UNREAD = (
    "{path} cannot be read, and may hold what is missing here, so nothing was recorded: see muniment adopt"
)
_ACCEPT = "accept the edit with muniment adopt --accept {path}, or write ours with muniment replay {path}"


def unreadable(error: OSError) -> str:
    """Return why a document that this user may not read waits (D-16)."""
    return f"cannot be read ({error.strerror}): once it can be, run muniment adopt"


def linked(folder: Path, path: str) -> str:
    """Return why a document behind a link is not recorded, or "" (D-94): anybody may have written its lines."""
    inner = [path, *map(str, PurePath(path).parents[:-1])]
    found = next((each for each in inner if (folder / each).is_symlink()), "")
    return (
        f"{found} is a link, so nothing was recorded: replace it by a plain file or folder" if found else ""
    )


def too_large(data: bytes, path: str) -> str:
    """Return why a document is left to the person, or "" (D-16)."""
    else_ = f", or write ours with muniment replay {path}; the log continues meanwhile"
    if len(data) > MAX_BYTES:
        return f"larger than {MAX_BYTES >> 20} MiB: make it smaller{else_}"
    lines = data.count(b"\n")
    return f"longer than {MAX_LINES:,} lines: make it shorter{else_}" if lines > MAX_LINES else ""


def hindered(memory: Workspace, git: Repository, adoption: Adoption, data: bytes) -> str:
    """Return why nothing of a document can be recorded now, or "" (D-26)."""
    path, folder = adoption.path, git.folder
    if (what := git.under_way) and git.tracks(path):
        return f"git is in the middle of {what}: finish it; the log continues meanwhile"
    if not adoption.came:
        return ""
    if why := new_document.misplaced(memory, folder, path, data):
        adoption.unread = True
        return why
    joined = memory.is_shared(folder) or bool(memory.local.fact(f"{JOINED} {name_of(folder)}"))
    return new_document.refusal(git, path, joined=joined) or new_document.copied(
        memory, folder, path, adoption.digest
    )


def refusal(why: str, path: str) -> str:
    """Return why a document cannot be read, reworded for the person who edits it."""
    for old, new in (
        (f"{path}: ", ""),
        ("imported", "taken in"),
        ("import it again", "go on"),
        ("import the file again", "go on"),
    ):
        why = why.replace(old, new)
    return f"{why}; or write ours with muniment replay {path}"


def too_many(adoption: Adoption, most: int) -> str:
    """Return why an agent's edit with more entries and requests than limits.per_hour is held back, or "" (D-84)."""
    number = sum(bool(hand.agent) for hand in adoption.hands) + len(adoption.requests)
    if number <= most:
        return ""
    return (
        f"an agent wrote {number} things there, more than limits.per_hour, so nothing was recorded:"
        f" {_ACCEPT.format(path=adoption.path)}"
    )


def put_back(memory: Workspace, folder: Path, adoption: Adoption) -> str:
    """Return why a copy from before the last erase is held back if it adds text, or "": that may be the erased text (D-92)."""
    said = zip(adoption.commands, adoption.hands, strict=True)
    if adoption.status is None or not any(
        isinstance(command, Create | Supersede) and not hand.author for command, hand in said
    ):
        return ""
    saved = adoption.status.st_mtime_ns
    if saved >= memory.local.settled_at(folder, adoption.path):
        return ""
    if not (erased := memory.index.last_erase()) or saved // 1000 > parsed(erased):
        return ""
    return (
        "it was saved before something was erased here, and may contain the erased text, so nothing was recorded:"
        f" {_ACCEPT.format(path=adoption.path)}"
    )


def mass_deletion(adoption: Adoption, edits: Sequence[Edit], *, shared: bool = False) -> str:
    """Return why an edit that removes or overwrites most of a document is held back, or "" (D-16)."""
    shown = {each.id: each.memory for each in adoption.base}
    still = {line for unit in adoption.units for line in lines_said(unit.memory)}
    out = [id_ for command in adoption.commands if isinstance(command, Delete) for id_ in command.targets]
    gone = sum(not (memory := shown.get(id_)) or not still.issuperset(lines_said(memory)) for id_ in out)
    for edit in edits:
        new = edit.proposal.memory if edit.proposal.action == "supersede" else None
        old = shown.get(edit.proposal.targets[0]) if new is not None else None
        gone += new is not None and old is not None and not alike(old, new)
    empty = not adoption.units and not (adoption.status is None and adoption.explained)
    if not gone or not (empty or (gone > (FEW if shared else MANY) and gone * 2 > len(shown))):
        return ""
    what = "it was deleted" if adoption.status is None else "it is empty"
    what = what if empty else f"it removes or overwrites {gone} of {len(shown)} entries"
    return f"{what}, so nothing was recorded: {_ACCEPT.format(path=adoption.path)}"
