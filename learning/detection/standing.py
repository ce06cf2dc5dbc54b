"""Decides by confidence whether a proposal becomes an active memory, a candidate, or nothing.

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
"""The highest confidence of a proposal, by its basis (K-60)."""

LEAST, SURE = 0.5, 0.69
"""The confidence of a sentence that is just worth asking about, and of one that is just not certain (K-60)."""

INFERRED = frozenset[Basis](("observed", "fixed"))
"""The bases of proposals that are inferred instead of read (K-60)."""

SURELY_SAID = 0.8
"""A person's words of at least this confidence may replace a memory that they wrote themselves (K-63)."""


def judge(proposal: Proposal, min_confidence: float, ask_confidence: float) -> Standing:
    """Return the standing of a create or supersede by its confidence.

    With at least `min_confidence` it is active, with at least `ask_confidence` a candidate.
    """
    confidence = proposal.memory.confidence if proposal.memory is not None else 0.0
    if confidence >= min_confidence:
        return "active"
    if confidence >= ask_confidence:
        return "candidate"
    return "discard"
