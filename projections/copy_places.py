"""Files that may hold a copy of a ledger's texts, and the port that names more of them.

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
"""How a copy is cleaned: EVENTS: blank the payloads. TEXTS: empty strings of a JSON file. WHOLE: remove the file.
BOOKKEEPING: remove the file whatever it says. LINES: remove lines. EXPORT: remove the rows of erased memories. PROOF: leave
the text out of a proof. VECTORS: remove the vectors of erased memories. NAMED is not cleaned."""

WORKTREE = "document that git checked out"
LOCAL, BUFFER = "local state", "session buffer"
LINKED = "file behind a link"


class Copy(NamedTuple):
    """A file that may hold a copy: its kind in a word or two, and how it is cleaned."""

    path: Path
    kind: str
    way: str


class CopyPlaces(Protocol):
    """A part that keeps copies beside chain, index and documents."""

    def copies(self, workspace: Workspace, ledger_id: str) -> Iterator[Copy]:
        """Yield each of its files that may hold a copy."""

    def forget(self, workspace: Workspace, ids: Collection[str], holds: Callable[[Path], bool]) -> None:
        """Forget the notes about erased memories; `holds` returns whether a file still holds one of them."""


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder, without links."""
    return sorted(path for path in folder.glob("*") if path.is_file() and not path.is_symlink())
