"""The outcome of a proposal, as every door that learns automatically reports it, with the reason in a sentence.

Implements specs/capture.md (K-61…K-73, K-151, K-155). Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from documents.proposal import Proposal
from ledger.fold import Entry
from ledger.named_tuple import NamedTuple

ProposalOutcome = Literal[
    "created", "superseded", "confirmed", "promoted", "candidate", "known", "refused", "discarded", "queued", "asked",
    "forgotten", "unwritten", "older",
]  # fmt: skip
WRITTEN: frozenset[ProposalOutcome] = frozenset(
    ("created", "superseded", "confirmed", "promoted", "candidate", "forgotten")
)
"""The outcomes that wrote an event."""

WAITING: frozenset[ProposalOutcome] = frozenset(("queued", "unwritten"))
"""Not processed: it waits in the outbox, or the outbox could not keep it and it must be proposed again."""


class Taken(NamedTuple):
    """The outcome of a proposal.

    `id` is the current memory, or ""; `targets` are the ids of the memories that it replaced or would forget;
    `scope` names the ledger; `why` is a sentence with the reason why it was refused, discarded, queued or only filed.
    `replaced` has the texts of the memories that it replaced (K-284).
    """

    proposal: Proposal
    outcome: ProposalOutcome
    id: str = ""
    targets: tuple[str, ...] = ()
    scope: str = ""
    why: str = ""
    replaced: tuple[str, ...] = ()


def against_what(entries: Sequence[Entry]) -> str:
    """Name the memories that a proposal contradicts, three of them at most."""
    return f"contradicts {names(entries)}"


def names(entries: Sequence[Entry]) -> str:
    """Name memories by id and text, three of them at most."""
    texts = "; ".join(f"{entry.id[:12]} ({entry.memory.text[:120]})" for entry in entries[:3])
    return texts + (f" and {len(entries) - 3} more" if len(entries) > 3 else "")


def too_unsure(proposal: Proposal, least: float, policy: str) -> str:
    """Return why a proposal is discarded whose confidence is too low."""
    confidence = proposal.memory.confidence if proposal.memory else 0.0
    return f"confidence {confidence:.2f} is below ask_confidence ({least:.2f}, policy {policy})"


def not_here(proposal: Proposal, scopes: Collection[str]) -> str:
    """Return why a memory of a project or of this machine waits, and the command that creates its ledger (K-70)."""
    if proposal.scope == "local" and "project" in scopes:
        return "it is of this machine alone, for which there is no ledger: muniment init --scope local"
    return "it belongs to a project that is not bound here: muniment init --scope project"
