"""Decides by confidence what a proposal becomes: an active memory, a candidate, nothing.

Implements specs/capture.md (K-60, K-61). Pure; `learning` compares it with the ledger's current memories.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from documents.proposal import Basis, Proposal

Standing = Literal["active", "candidate", "discard"]

CONFIDENCE: Mapping[Basis, float] = {
    "asked": 0.9,
    "stated": 0.9,
    "fixed": 0.6,
    "observed": 0.5,
    "hedged": 0.55,
}
"""How sure a proposal is at most, by its basis (K-60)."""

LEAST, SURE = 0.5, 0.69
"""The confidence of what the model finds just worth asking about, and of what is just not certain (K-60)."""

INFERRED = frozenset[Basis](("observed", "fixed"))
"""What is derived rather than read (K-60)."""

SURELY_SAID = 0.8
"""From here on a person's own words may replace what they wrote by hand (K-63)."""


def judge(proposal: Proposal, min_confidence: float, ask_confidence: float) -> Standing:
    """Return what becomes of a create or supersede, as far as its confidence says.

    From `min_confidence` on it is active at once, from `ask_confidence` on a candidate.
    """
    confidence = proposal.memory.confidence if proposal.memory is not None else 0.0
    if confidence >= min_confidence:
        return "active"
    if confidence >= ask_confidence:
        return "candidate"
    return "discard"
