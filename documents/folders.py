"""The folders of a ledger's documents.

Implements specs/projections.md (P-88) and specs/doors.md (G-25).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from documents.git.repository import Repository
from documents.writing.folder import DocumentFolder
from ledger.location import folders_that_show

if TYPE_CHECKING:
    from projections.workspace import Workspace


def folder_of(workspace: Workspace, git: Repository) -> DocumentFolder:
    """Return the documents in the folder of `git`."""
    settings = workspace.configuration.render_settings()
    shared = workspace.is_shared(git.folder)
    return DocumentFolder(git, workspace.current.own, workspace.local, settings, shared=shared)


def document_folders(workspace: Workspace) -> list[Path]:
    """Return the folders that show a ledger: that of its place, those of bound roots and of their worktrees."""
    place, local = workspace.place, workspace.local
    folders = folders_that_show(place, workspace.home, local.folders())
    if (
        place.scope == "user"
    ):  # [render] named other folders before, or a file in our own could not be removed
        known = [place.own_folder, *local.shared()]
        folders += [folder for folder in known if folder.is_dir() and local.rendering(folder) is not None]
    return list(dict.fromkeys(folders))
