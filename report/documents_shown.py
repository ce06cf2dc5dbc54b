"""The documents of a report, line by line, each with the version that wrote it.

Implements specs/report.md (H-12).
"""

from __future__ import annotations

from typing import Any

from documents.document_blame import all_blamed
from ledger.progress import counted
from muniment import MemoryLedger


def documents_shown(memory: MemoryLedger) -> list[dict[str, Any]]:
    """Return each rendered document: its path, how the file stands, and its lines with the ids that they say."""
    shown = []
    with memory.workspace.on_progress("reading documents") as progress:
        for found in counted(all_blamed(memory.workspace), progress):
            lines = [
                [line.text.rstrip("\r\n").encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
                 line.version.id if line.version else None, line.state]
                for line in found.lines
            ]  # fmt: skip
            shown.append({"path": found.path, "file": found.file, "lines": lines})
    return shown
