"""Decides what becomes of a proposal by its confidence: an active memory, a candidate, nothing.

Implements specs/capture.md (K-60, K-61, K-65). Pure; what stands in the ledger already is judged in `learning`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from capture.proposal import Basis, Proposal

Standing = Literal["active", "candidate", "discard"]


class Thresholds(NamedTuple):
    """From which confidence a proposal is active at once, and from which it is a candidate; both 0 to 1."""

    active: float
    candidate: float


POLICIES: Mapping[str, Thresholds] = MappingProxyType(
    {"ask-first": Thresholds(0.7, 0.5), "wundr": Thresholds(0.6, 0.3)}
)
"""The presets by the names that the configuration knows (K-61)."""

CONFIDENCE: Mapping[Basis, float] = MappingProxyType(
    {
        "asked": 0.9,
        "stated": 0.9,
        "repeated": 0.8,
        "fixed": 0.7,
        "observed": 0.5,
        "corrected": 0.4,
        "hedged": 0.45,
    }
)
"""How sure a proposal is at most, by its basis (K-60)."""

INFERRED = frozenset[Basis](("observed", "fixed"))
"""What is derived rather than read (K-65)."""

SURELY_SAID = 0.8
"""From here on a person's own words may replace what they wrote by hand (K-63)."""


def judge(proposal: Proposal, thresholds: Thresholds) -> Standing:
    """Return what becomes of a create or supersede, as far as its confidence says."""
    confidence = proposal.memory.confidence if proposal.memory is not None else 0.0
    if confidence >= thresholds.active:
        return "active"
    if confidence >= thresholds.candidate or proposal.basis == "corrected":
        return "candidate"
    return "discard"
