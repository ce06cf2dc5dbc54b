"""What became of the documents that were imported.

Implements specs/cli.md (X-32…X-36).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ledger.errors import LedgerError, SecretError
from ledger.memory import Memory


@dataclass(frozen=True, slots=True)
class Refused:
    """What was not imported: the line it begins in (None where unknown), and why; never what it says."""

    line: int | None
    error: LedgerError

    @property
    def why(self) -> str:
        """The reason in words."""
        if isinstance(self.error, SecretError):
            return (
                f"it looks like a secret ({', '.join(self.error.rules)}): leave it out, "
                "or import again with --redact"
            )
        return str(self.error)


@dataclass(slots=True)
class Imported:
    """What became of one document."""

    path: Path
    kind: str
    warnings: tuple[str, ...] = ()
    new: int = 0
    known: int = 0
    confirmed: int = 0
    redacted: int = 0
    refused: list[Refused] = field(default_factory=list)
    gone: int = 0
    """How many entries of a file of events were left out: they were deleted or replaced since."""
    ours: bool = False
    """It is a document of this ledger, of which nothing is imported."""
    titles: int = 0
    """How many headings and rules of it say nothing that could be remembered (I-29)."""
    planned: list[Memory] = field(default_factory=list)
    """What a dry run would store."""
    untaken: int = 0
    """How many lines of a file of events could not be taken."""
    lines: dict[str, int] = field(default_factory=dict)
    """In which line of a file of events each memory stands, by its key."""
    adopted: bool = False
    """It is a document of this ledger, all of it is known now, and it was written anew."""
    ids: list[str] = field(default_factory=list)
    """The memories that say now what the document says, one for each that was not refused."""

    def refuse(self, line: int | None, error: LedgerError) -> None:
        """Note what was not imported."""
        self.refused.append(Refused(line, error))
