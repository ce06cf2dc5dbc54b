"""What a sentence says is over, and where a person lives since.

Tests specs/capture.md (K-49).
"""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from language.pieces import Mark, marks
from learning.detection.detector import LearningDetector
from learning.detection.replacing import _BEHIND, _GIVEN_UP, given_up, lives
from learning.turn import Turn


@pytest.mark.parametrize(
    ("sentence", "old"),
    [
        ("we moved off Travis in spring", "Travis"),
        ("we switched from yarn to bun", "yarn"),
        ("I got rid of the Kindle", "Kindle"),
        ("Heroku is out, Render it is", "Heroku"),
        ("we no longer use Jenkins", "Jenkins"),
        ("I don't eat meat anymore", "meat"),
        ("no longer at the bakery, I drive a tram", "bakery"),
        ("Jira gibt es nicht mehr", "Jira"),
        ("we ditched moment last month", "moment"),
        ("80 columns is too narrow for me", "80 columns"),
        ("I prefer tabs", ""),
        ("we use Postgres", ""),
    ],
)
def test_what_is_over_is_named(sentence: str, old: str) -> None:
    assert given_up(sentence) == old


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("we moved off Travis in spring, GitHub Actions runs everything now", "Travis"),
        ("i no longer work at the bakery, I drive a tram now", "bakery"),
        ("Heroku is out, we deploy on Render these days", "Heroku"),
        ("we left Jenkins. we build on Drone these days", "Jenkins"),
    ],
)
def test_a_change_for_good_supersedes_what_it_names(message: str, about: str) -> None:
    (found,) = LearningDetector().analyze(Turn("user", message, conversation="c", message="1"))
    assert (found.action, found.about) == ("supersede", about)
    assert found.memory is not None
    assert found.memory.confidence == 0.9
    assert not found.memory.text.endswith((" now", " these days"))


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("we moved to Ghent in May, which school is good", "Ghent"),
        ("I moved to Oslo so what about my taxes", "Oslo"),
        ("we relocated to Turin, find me a doctor", "Turin"),
        ("I've moved to Cork, Ireland", "Cork, Ireland"),
        ("we moved to GitLab in May", ""),
        ("we moved to Neovim, fix my config", ""),
    ],
)
def test_where_a_person_lives_since(message: str, place: str) -> None:
    assert lives(message, message) == place


@pytest.mark.parametrize(
    ("needed", "pattern", "behind"),
    [(*one, behind) for one, behind in zip(_GIVEN_UP, _BEHIND, strict=True)],
    ids=range(len(_GIVEN_UP)),
)
@given(data=st.data())
@settings(max_examples=settings().max_examples // 4, suppress_health_check=list(HealthCheck))
def test_what_a_pattern_finds_has_one_of_its_words(
    needed: Mark, pattern: re.Pattern[str], behind: re.Pattern[str] | None, data: st.DataObject
) -> None:
    """K-46: a pattern is left out only where it finds nothing."""
    found = data.draw(
        st.from_regex(
            re.compile(pattern.pattern, pattern.flags),
            fullmatch=True,
            alphabet=st.characters(max_codepoint=0x17E, exclude_characters="İı"),
        )
    )
    assert marks(f"so {found} then") & needed
    assert behind is None or behind.search(found)
