"""What becomes of a proposal by its confidence, under each policy (K-60, K-61)."""

from __future__ import annotations

import pytest

from documents.proposal import Basis, Proposal
from learning.detection.standing import CONFIDENCE, judge
from ledger.memory import Memory
from projections.configuration import POLICIES


def said(confidence: float, basis: Basis = "stated") -> Proposal:
    return Proposal("create", Memory("Use pnpm", confidence=confidence), basis=basis)


@pytest.mark.parametrize(
    ("policy", "confidence", "expected"),
    [
        ("ask-first", 0.7, "active"),
        ("ask-first", 0.69, "candidate"),
        ("ask-first", 0.5, "candidate"),
        ("ask-first", 0.49, "discard"),
        ("wundr", 0.6, "active"),
        ("wundr", 0.59, "candidate"),
        ("wundr", 0.3, "candidate"),
        ("wundr", 0.29, "discard"),
    ],
)
def test_the_two_numbers_of_a_policy_decide(policy: str, confidence: float, expected: str) -> None:
    """A number is reached where it is met."""
    assert judge(said(confidence), *POLICIES[policy]) == expected


@pytest.mark.parametrize("policy", POLICIES)
def test_a_hedge_is_never_active(policy: str) -> None:
    """What somebody thinks about is not decided yet."""
    assert judge(said(CONFIDENCE["hedged"], "hedged"), *POLICIES[policy]) != "active"
