"""What a message of one sentence states of a lasting taste or rule is asked about; a mood, a fault and this one thing are not.

Tests specs/capture.md (K-42). The first of each list were written before the rule, the last ones behind it, in other words: of seven
positives five were found ("we never log customer names" has a p of 0.07), of twelve negatives one was proposed, as before
("requests must be timing out in this project").
"""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from learning.detection.detector import LearningDetector
from learning.turn import Turn

ACTIVE = 0.7


def proposed(text: str) -> list[Proposal]:
    return LearningDetector().analyze(Turn("user", text, conversation="c", message="m", session="s"))


@pytest.mark.parametrize(
    "text",
    [
        "I don't like emojis in commit messages",
        "I hate semicolons",
        "migrations must be reversible in this project",
        "we never deploy on Fridays",
        "all our services log JSON",
        "I can't stand nested ternaries",
        "we never commit generated files",
        "tests must not hit the network",
        "none of our services write to local disk",
        "I'm not a fan of wildcard imports",
        "we always rebase before a merge",
        "public functions must have docstrings here",
        "all our jobs publish metrics to Prometheus.",
    ],
)
def test_a_lasting_taste_or_rule_is_a_candidate(text: str) -> None:
    found = [one for one in proposed(text) if one.memory is not None]
    assert found
    assert all(one.memory is not None and one.memory.confidence >= 0.5 for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "I like it, thanks!",
        "I hate this bug",
        "the build must be broken",
        "I love weekends",
        "I don't like these results",
        "I like both options",
        "we never got an answer",
        "all our tests fail",
        "migrations must be running twice",
        "tests must be flaky",
        "we always get this error",
        "I hate your suggestions",
        "I like where the tests are going",
        "I can't stand it when builds hang",
        "I don't like the colors",
        "workers must have died again",
        "all our requests time out",
        "users must be confused",
        "we never merged that",
        "must be the cache",
        "I love these two endpoints",
        "I hate semicolons, can you remove them here?",
        "fix the lint errors. we never run it twice",
    ],
)
def test_moods_faults_and_what_lies_before_us_are_silent(text: str) -> None:
    assert proposed(text) == []


def test_it_is_never_active_by_itself() -> None:
    [one] = proposed("I hate semicolons")
    assert one.memory is not None
    assert one.memory.confidence < ACTIVE
    assert one.basis == "stated"
