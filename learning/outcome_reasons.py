"""Says in a sentence why a proposal came to what it came to, where more than a few words are needed.

Implements specs/capture.md (K-61, K-63, K-70, K-71). Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from documents.proposal import Proposal
from ledger.fold import Entry


def against_what(entries: Sequence[Entry]) -> str:
    """Name the memories that a proposal contradicts, three of them at most."""
    return f"contradicts {names(entries)}"


def names(entries: Sequence[Entry]) -> str:
    """Name memories by id and text, three of them at most."""
    texts = "; ".join(f"{entry.id[:12]} ({entry.memory.text[:120]})" for entry in entries[:3])
    return texts + (f" and {len(entries) - 3} more" if len(entries) > 3 else "")


def too_unsure(proposal: Proposal, least: float, policy: str) -> str:
    """Say that nothing comes of a proposal of so little confidence."""
    confidence = proposal.memory.confidence if proposal.memory else 0.0
    return f"confidence {confidence:.2f} is below ask_confidence ({least:.2f}, policy {policy})"


def not_here(proposal: Proposal, scopes: Collection[str]) -> str:
    """Say why what belongs to a project or to this machine waits, and which command makes a ledger for it (K-70)."""
    if proposal.scope == "local" and "project" in scopes:
        return "it is of this machine alone, for which there is no ledger: muniment init --scope local"
    return "it belongs to a project that is not bound here: muniment init --scope project"
