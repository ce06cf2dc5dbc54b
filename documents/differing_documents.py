"""Finds the documents that differ from what was written here, and what `adopt` would record of each.

Implements specs/cli.md (X-145). Reads only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from documents.edited_documents import edited
from documents.writing.files import EARLIER, EDITED, MISSING
from projections.local import Local

if TYPE_CHECKING:
    from documents.adopting import Adoption
    from documents.documents import Documents

ARRIVED = "not in the log yet"
"""The reason for a document that git brought or a person made."""

PULLED = "came with git"
"""The reason for an edit that came entirely from git."""


class DocumentDifference(NamedTuple):
    """Why a document differs from what was written, and the edit that `adopt` would record, if there is one.

    `why` is MISSING, EARLIER, EDITED, ARRIVED or PULLED, begins with UNREADABLE, or says why the document pauses.
    """

    why: str
    edit: Adoption | None = None


def differing(documents: Documents, local: Local) -> dict[str, DocumentDifference]:
    """Return the documents that differ from their last rendering, that pause, or that `adopt` would examine."""
    folder = documents.folder
    found = folder.edited()
    paused = {
        path: why
        for path, why in local.paused(folder.folder).items()
        if found.get(path) not in (EARLIER, MISSING)
    }
    differences = {path: DocumentDifference(why) for path, why in {**found, **paused}.items()}
    paths = [path for path in edited(folder, local) if found.get(path) != MISSING]
    for look in documents.examined(paths) if paths else ():
        how = ARRIVED if look.came else PULLED if look.by_git else EDITED
        differences[look.path] = (
            DocumentDifference(look.paused) if look.paused else DocumentDifference(how, look)
        )
    return differences
