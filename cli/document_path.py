"""Which document a person means by a path that they typed.

Implements specs/cli.md (X-82, X-90).
"""

from __future__ import annotations

from pathlib import Path

from ledger.errors import UsageError
from muniment import MemoryLedger


def document_name(memory: MemoryLedger, path: Path, advice: str) -> str:
    """Return the path of a document relative to the folder, whether typed from here or from there.

    One that was deleted is one still.

    Raises:
        UsageError: it is none; the message ends in `advice`.
    """
    folder = memory.workspace.place.documents.resolve()
    known = set(memory.workspace.local.rendered(memory.workspace.place.documents)) | set(
        memory.workspace.local.rendered_anywhere()
    )
    for candidate in (Path.cwd() / path, folder / path):
        resolved = candidate.resolve()
        if resolved.is_relative_to(folder):
            name = resolved.relative_to(folder).as_posix()
            if name in known or resolved.is_file():
                return name
    raise UsageError(f"{path} is not a document of {folder}: {advice}")
