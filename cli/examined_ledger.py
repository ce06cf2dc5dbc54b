"""The ledger that doctor examines, on its machine; and what a check says of it.

Implements specs/cli.md (X-54). Looking changes nothing but what opening a ledger brings up to date anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from cli.progress import ProgressBar
from documents.differing_documents import ARRIVED, DocumentDifference
from documents.writing.files import EARLIER, MISSING, UNREADABLE
from ledger.errors import LedgerError, NoLedgerError
from ledger.founding import identity_of
from ledger.mark import Mark, Pin
from ledger.verify import ChainReport, Expectation, verify_chain
from muniment import MemoryLedger

OK, ADVICE, FAULT = "ok", "advice", "fault"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of one check: `level` is ok, advice or fault; `mend` is what to do, "" if all is well."""

    check: str
    level: str
    message: str
    mend: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON-ready object; `ok` is false for a fault alone."""
        return {"ok": self.level != FAULT, **asdict(self)}


@dataclass
class Patient:
    """A ledger on its machine, with what several checks ask of it.

    A chain of up to `whole_up_to` bytes is verified whole.
    """

    memory: MemoryLedger
    whole_up_to: int = 64 << 20

    @property
    def directory(self) -> Path:
        """Where the ledger lies."""
        return self.memory.workspace.place.directory

    @property
    def founded(self) -> bool:
        """Whether there is, or was, a ledger."""
        return self.memory.workspace.chain.exists() or self.pin is not None

    @cached_property
    def pin(self) -> Pin | None:
        """What this machine remembers of the directory."""
        return self.memory.workspace.state.pin_of(self.directory)

    @cached_property
    def identity(self) -> tuple[str, str] | None:
        """The ledger's id and genesis as the chain says them; None if it has no good beginning."""
        try:
            identity, genesis = identity_of(self.memory.workspace.chain)
        except LedgerError:
            return None
        return identity.id, genesis

    @property
    def begins(self) -> bool:
        """Whether the chain has a good beginning, and is the pinned one."""
        return self.identity is not None and self.pin in (None, Pin(*self.identity))

    @property
    def ledger_id(self) -> str:
        """The ledger's id: the pinned one, else what the chain says."""
        return self.pin.ledger if self.pin else self.identity[0] if self.identity else ""

    @cached_property
    def mark(self) -> Mark | None:
        """The high-water mark."""
        return self.memory.workspace.state.mark_of(self.ledger_id).read() if self.ledger_id else None

    @cached_property
    def partly(self) -> bool:
        """Whether the chain is too long to be verified in full here, and a mark tells what is new."""
        try:
            return self.mark is not None and self.memory.workspace.chain.stat().st_size > self.whole_up_to
        except OSError:
            return False

    @cached_property
    def report(self) -> ChainReport | None:
        """The verdicts on the chain; None if it is gone and no mark speaks of it."""
        genesis = self.pin.genesis if self.pin else self.mark.genesis if self.mark else None
        expect = Expectation(genesis, None, self.mark)
        since = self.mark if self.partly else None
        try:
            with ProgressBar("verifying") as progress:
                return verify_chain(self.memory.workspace.chain, expect, since=since, progress=progress)
        except NoLedgerError:
            return None


LedgerCheck = Callable[[Patient], Iterator[Diagnosis]]
"""Looks at one thing and says what it found; nothing if there is nothing to look at."""


class DocumentState(NamedTuple):
    """A way in which documents are not as they were written: how a list of them is headed, and what a person does.

    `begins` is how the reason of such a document begins (`documents.differing_documents`).
    """

    begins: str
    said: str
    mend: str


STATES = (
    DocumentState(
        "",
        "not as it was written here",
        "run muniment adopt to record your text, or muniment replay FILE to restore ours and keep yours beside it",
    ),
    DocumentState(
        UNREADABLE,
        "cannot be read",
        "make it a file that you can read, or move it away; then run muniment replay to write it again",
    ),
    DocumentState(
        ARRIVED, "that came with git, or that you made", "run muniment adopt to record it in the log"
    ),
    DocumentState(
        EARLIER,
        "set back, by git or a crash",
        "muniment replay writes what the log says now; to remove for good what one lacks, run muniment delete ID",
    ),
    DocumentState(
        MISSING, "missing", "run muniment replay to write it again; or adopt --accept to delete what it said"
    ),
)
"""All of them, the first for every other name."""


def state_of(why: str) -> DocumentState:
    """Return the state that the reason of a difference names."""
    return next((state for state in STATES[1:] if why.startswith(state.begins)), STATES[0])


TORN_ADVICE = "muniment import FILE brings back the good events of chain.jsonl.torn-*"


def difference_said(difference: DocumentDifference) -> str:
    """Return why a document is not as it was written, and what recording it would do (X-62, X-145)."""
    if difference.edit is None:
        return difference.why
    from cli.commands.adopt import told

    return f"{difference.why}: {told(difference.edit)}"
