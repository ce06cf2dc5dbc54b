"""What a person concludes is no rule, and what they have by appearance is asked about.

Tests specs/capture.md (K-43, K-281).
"""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from learning.detection.detector import LearningDetector
from learning.detection.guessing import concludes
from learning.turn import Turn


def proposed(text: str) -> list[Proposal]:
    return LearningDetector().analyze(Turn("user", text, conversation="c", message="m", session="s"))


@pytest.mark.parametrize(
    "text",
    [
        "requests must be timing out in this project",
        "all our requests must be timing out in this project",
        "we must be using the old parser in this project",
        "workers must have run out of memory in this project",
        "tests must be flaky in our project",
        "workers have to be crashing in this project",
        "somebody must've changed the formatter in our repo",
    ],
)
def test_a_conclusion_is_not_learned(text: str) -> None:
    assert concludes(text)
    assert proposed(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "requests must be signed in this project",
        "handlers must have named parameters in this project",
        "containers must always be running as non-root in this project",
        "all our commits must have been signed by two people",
        "docker must be running to start the tests in this project",
        "remember that services must be listening on IPv6",
        "we must use spaces in this project",
    ],
)
def test_a_rule_with_must_is_still_one(text: str) -> None:
    assert any(one.memory is not None and one.memory.confidence >= 0.7 for one in proposed(text))


@pytest.mark.parametrize(
    "text", ["ids must be strings", "the log must be broken down by day in this project"]
)
def test_what_looks_like_a_conclusion_is_none(text: str) -> None:
    assert not concludes(text)


@pytest.mark.parametrize(
    "text",
    [
        "our tests appear to be using npm in this project",
        "we apparently use pnpm in this project",
        "our api presumably uses cursors",
    ],
)
def test_what_only_appears_so_is_a_candidate(text: str) -> None:
    (found,) = proposed(text)
    assert found.basis == "hedged"
    assert found.memory is not None
    assert found.memory.confidence <= 0.55


@pytest.mark.parametrize(
    "text",
    [
        "i might be allergic to shellfish",
        "maybe I'm allergic to shellfish",
        "I may have celiac disease",
        "my daughter might be dyslexic",
        "my son is called Max I think",
    ],
)
def test_what_somebody_is_not_sure_of_themselves_waits(text: str) -> None:
    """K-43: whatever rule speaks for it."""
    found = [one.memory.confidence for one in proposed(text) if one.memory is not None]
    assert found
    assert max(found) <= 0.55


@pytest.mark.parametrize(
    "text",
    [
        "I'm diabetic, so maybe suggest something without sugar",
        "my wife is allergic to nuts, so perhaps something else",
        "I'm vegan, I think you knew that",
    ],
)
def test_a_hedge_of_another_clause_says_nothing_of_what_is_sure(text: str) -> None:
    """K-43."""
    assert any(one.memory is not None and one.memory.confidence >= 0.7 for one in proposed(text))
