"""A file that may hold a copy of what a ledger says, and who knows of more of them.

Implements specs/erasure.md (Z-7…Z-9) as values: `proofs.erasing` cleans or names the files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from projections.workspace import Workspace

EVENTS, TEXTS, WHOLE, BOOKKEEPING, LINES, EXPORT, PROOF, VECTORS, NAMED = (
    "events", "texts", "whole", "bookkeeping", "lines", "export", "proof", "vectors", "named",
)  # fmt: skip
"""How a copy is cleaned: the payloads of its events blanked; strings of a JSON file emptied; the file taken away, of
BOOKKEEPING whatever it says; lines taken out; the rows of erased memories taken out; the text left out of a proof;
the vectors of erased memories taken out. NAMED is not cleaned."""

WORKTREE = "document that git checked out"
LOCAL, BUFFER = "local state", "session buffer"
LINKED = "file behind a link"


class Copy(NamedTuple):
    """A file that may hold a copy: what it is, in a word or two, and how it is cleaned."""

    path: Path
    kind: str
    way: str


class CopyPlaces(Protocol):
    """Who keeps copies of its own beside chain, index and documents."""

    def copies(self, workspace: Workspace, ledger_id: str) -> Iterator[Copy]:
        """Yield every file of it that may hold a copy."""

    def forget(self, workspace: Workspace, ids: Collection[str], holds: Callable[[Path], bool]) -> None:
        """Forget what is noted of erased memories; `holds` says whether a file still holds one of them."""


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder, not those that a link leads to."""
    return sorted(path for path in folder.glob("*") if path.is_file() and not path.is_symlink())
