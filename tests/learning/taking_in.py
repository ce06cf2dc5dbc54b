"""Proposals as a detector makes them, and ledgers to take them into: support for the tests of `learning`."""

from __future__ import annotations

from pathlib import Path

import muniment
from documents.proposal import Action, Basis, Proposal
from learning.detection.standing import CONFIDENCE
from learning.intake import Taking
from ledger.event import By
from muniment import Memory, MemoryLedger, Provenance

CAPTURE = By("capture", "system", "hook")
AGENT = By("claude-code", "agent", "mcp")


def said(
    text: str,
    *,
    basis: Basis = "stated",
    confidence: float | None = None,
    scope: str = "user",
    conversation: str = "c-1",
    message: str = "m-1",
    action: Action = "create",
    about: str = "",
) -> Proposal:
    """Return what a detector proposes of a message."""
    memory = Memory(
        text,
        confidence=CONFIDENCE[basis] if confidence is None else confidence,
        source="auto",
        provenance=Provenance(conversation=conversation, message=message, session=conversation),
    )
    return Proposal(action, None if action == "delete" else memory, scope=scope, basis=basis, about=about)


def taking(memory: MemoryLedger, by: By = CAPTURE, *, dry: bool = False) -> Taking:
    """Return what takes everything into one ledger."""
    return Taking({"": memory.scope}, by, dry=dry)


def ledger(folder: Path) -> MemoryLedger:
    """Return a new ledger."""
    return muniment.init(folder / "ledger")


def texts(memory: MemoryLedger, status: str = "active") -> list[str]:
    """Return what stands, oldest first."""
    return [entry.memory.text for entry in memory.load_all() if entry.status == status]
