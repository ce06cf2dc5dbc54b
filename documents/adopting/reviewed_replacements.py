"""What takes the place of what, once a person says yes to what others changed through git.

Implements specs/cli.md (X-194) over specs/editing.md (D-25). It is read from the documents as they stand now, by what
carries it out then.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from documents.adopting.applying import examined
from documents.git.repository import Repository

if TYPE_CHECKING:
    from projections.workspace import Workspace


def replaced_by_candidates(memory: Workspace, folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the ids of what each candidate that waits in a document stands in the place of; nothing is written."""
    found: dict[str, tuple[str, ...]] = {}
    with Repository(folder) as git:
        looks = list(examined(memory, git))
    for look in looks:
        for each in look.waiting if not look.guard else ():
            if each.candidate and each.targets:
                found[each.candidate] = tuple(dict.fromkeys((*found.get(each.candidate, ()), *each.targets)))
    return found
