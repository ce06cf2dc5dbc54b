"""Moves the documents of a user's ledger into the folder that `[render]` names, or out of it again, without losing any.

Implements specs/doors.md (G-61). The order: record edits in the old folder; record the documents that
are already in the new folder; the caller renders the new folder; if it could write all documents, remove those in the old
folder, if that is the ledger's own. After a crash in between, the next rendering continues.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from documents.adopting.adoption import Adoption
from documents.adopting.applying import adopt
from documents.adopting.uncommitted_edit import why_it_waits
from documents.edited_documents import edited
from documents.folders import folder_of
from documents.git.repository import Repository
from documents.targets import LEAVING, settle_in
from documents.writing.files import Outcome
from ledger.errors import UsageError
from ledger.steps import reached

if TYPE_CHECKING:
    from projections.workspace import Workspace


def move_in(memory: Workspace, before: Path) -> list[Adoption]:
    """Record the edits in the documents' old folder, and the content of the new one.

    Raises:
        UsageError: a document in the old folder was edited, and the edit waits for a person (D-81).
        As `Ledger.write` does.
    """
    folder = memory.place.documents
    if memory.local.fact(LEAVING):
        return []  # an earlier run that died did all this
    with Repository(before) as git:
        waits = bool(why_it_waits(memory, before, "", asked=False))
        waits = waits and any(edited(folder_of(memory, git), memory.local))
    if waits:
        raise UsageError(
            f"documents in {before} were edited, and are to move to {folder}: run muniment adopt in a terminal first"
        )
    if memory.place.usual is not None:
        memory.local.share(folder)
    done = []
    if memory.local.rendering(before) is not None and before.is_dir():
        with Repository(before) as git:
            for each in adopt(memory, git):
                each.path = str(before / each.path)
                done.append(each)
    reached("documents.leaving")
    with Repository(folder) as git:
        done += adopt(memory, git)
    reached("documents.entering")
    return done


def move_out(memory: Workspace, before: Path, outcome: Outcome) -> None:
    """Remove the documents from the old folder if all of them could be written to the new one.

    In a shared folder they stay: another program reads them. `outcome` names the documents that cannot be removed.

    Raises:
        BusyError: another process is writing documents of this ledger.
    """
    if outcome.paused:
        return
    settle_in(memory.local, memory.place, before)  # from here on we removed whatever is missing there
    reached("documents.left")
    if not memory.is_shared(before):
        with Repository(before) as git:
            left = folder_of(memory, git).leave()
        outcome.paused.update({str(before / path): _stays(why) for path, why in left.paused.items()})
    memory.local.note(LEAVING, "")


def _stays(why: str) -> str:
    return f"{why}: it stays, and is no longer read; run muniment import to keep what it says"
