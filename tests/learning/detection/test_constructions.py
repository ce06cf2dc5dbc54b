"""Constructions that no fixed phrase tells: comparisons of kinds, relatives by name, a purpose and its command.

Tests specs/capture.md (K-23, K-25).
"""

from __future__ import annotations

import pytest

from language.signals import signals
from learning.detection.detector import LearningDetector
from learning.detection.rewriting import stand_alone
from learning.turn import Turn

NEW = frozenset(("compares", "kin_fact", "to_do", "explained", "house", "works", "ending"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("I'd rather have short meetings than long ones", "The user would rather have short meetings than long ones"),
        ("I like paper books better than screens", "The user likes paper books better than screens"),
        ("my daughter Mara is allergic to bees", "The user's daughter Mara is allergic to bees"),
        ("my horse Luna is a haflinger", "The user's horse Luna is a haflinger"),
        ("I work as a welder in a shipyard", "The user works as a welder in a shipyard"),
        ("to lint the docs use `make prose`", "To lint the docs use `make prose`"),
        ("build the app with `just app`, the default target skips the assets",
         "Build the app with `just app`, the default target skips the assets"),
        ("in our codebase we write dates as ISO 8601", "In our codebase we write dates as ISO 8601"),
        ("ask before you delete anything, always", "Ask before you delete anything, always"),
        ("decision taken: we host it on Fly", "We host it on Fly"),
        ("note to self for next time: the cache lives in /var/tmp", "The cache lives in /var/tmp"),
    ],
)  # fmt: skip
def test_it_is_stored(text: str, line: str) -> None:
    (found,) = LearningDetector().analyze(Turn("user", text, conversation="c", message="m"))
    assert found.memory is not None
    assert (found.memory.text, found.memory.confidence >= 0.7) == (line, True)


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather have a list here than paragraphs",
        "I'd rather fix the tests than wait",
        "I like these icons better than the old ones",
        "I'd like two options rather than one",
        "my dog Bruno is sick",
        "my son Tim is a bit tired",
        "I work as fast as I can",
        "to fix this use `git reset`",
        "to test it run `pytest -x`",
        "to build the image run `docker build .` and send me the log",
        "run it with `--verbose`, the output is too short",
        "start the server with `npm start`, the page should load",
        "run the tests with `-k auth`, the rest is slow",
    ],
)
def test_what_only_looks_so_is_none(text: str) -> None:
    assert not signals(text) & NEW


@pytest.mark.parametrize(
    "text",
    ["in this repo we have two open PRs", "in this project we need a logo by Friday", "it fails, every time"],
)
def test_the_state_of_things_is_not_stored(text: str) -> None:
    found = LearningDetector().analyze(Turn("user", text, conversation="c", message="m"))
    assert all(one.memory is not None and one.memory.confidence < 0.7 for one in found)


def test_whom_it_is_for_goes() -> None:
    assert (
        stand_alone("I want type hints in the code you write for me")
        == "The user wants type hints in the code"
    )


def test_whom_it_is_for_stays_where_it_says_when() -> None:
    assert (
        stand_alone("please don't use emojis when you write to me")
        == "Don't use emojis when you write to the user"
    )
    assert stand_alone("SI units every time you give me, please") == "SI units every time you give the user"
