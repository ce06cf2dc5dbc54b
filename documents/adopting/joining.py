"""Joins a project that has documents already: all of them are taken in at once.

Implements specs/editing.md (D-62…D-64, D-80).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from documents.adopting.adoption import Adoption
from documents.adopting.applying import adopted
from documents.adopting.guards import JOINED
from documents.foreign_files import FOLDERS, documents_in
from documents.git.appeared import appearances
from documents.git.repository import Repository
from ledger.path_names import name_of
from projections.layout import MEMORY_FILE

if TYPE_CHECKING:
    from projections.workspace import Workspace


def join(memory: Workspace, git: Repository) -> list[Adoption]:
    """Take in the documents that came with a project that is being joined; what is rendered then is the caller's.

    Args:
        memory: the ledger, in which nothing was learned yet, but by a run that died: what that did is done again,
            and comes to the same (D-80).
        git: what git knows of the folder where the documents lie.

    Raises:
        As `Ledger.write` does.
    """
    memory.local.note(f"{JOINED} {name_of(git.folder)}", "1")
    when = appearances(git, (MEMORY_FILE, *FOLDERS))
    paths = sorted(documents_in(git.folder), key=MEMORY_FILE.__eq__)  # what it shows is newer than the rest
    for path in paths:
        memory.local.forget_file(git.folder, path)
    return [adopted(memory, git, path, joining=when) for path in paths]
