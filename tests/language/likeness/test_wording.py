"""Tests language/likeness/wording.py against specs/likeness.md (L-20, L-22): what small words and signs turn, and what not."""

from __future__ import annotations

import pytest

from eval.likeness import HARD, pairs
from language.likeness import likeness
from tests.work import growth

TEXTS = sorted({text for pair in (*pairs(), *pairs(HARD)) for text in (pair.one, pair.other)})


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("opt in", "opt out", "different"),
        ("Log in with SSO", "Log out with SSO", "different"),
        ("Log out users after 1 hour", "Log in users after 1 hour", "different"),
        ("Keep tests in the package", "Keep tests out of the package", "different"),
        ("We are for mocks", "We are against mocks", "different"),
        ("Use the fixtures for mocks", "Use the fixtures against mocks", "different"),
        ("Work with Bob", "Work against Bob", "different"),
        ("Work with Bob", "Work for Bob", "different"),
        ("Meetings at noon", "Meetings after noon", "different"),
        ("Deploy within 5 days", "Deploy after five days", "different"),
        ("Keep logs for 5 days", "Keep logs in 5 days", "different"),
        ("Deploy to prod", "Deploy from prod", "different"),
        ("Price is $5", "Price is €5", "different"),
        ("Version is ~1.2", "Version is ^1.2", "different"),
        ("a + b", "a - b", "different"),
        (".env is ignored", "env is ignored", "different"),
        ("Ignore *.log", "Ignore .log", "different"),
        ("C++ for tools", "C for tools", "different"),
    ],
)
def test_what_turns(one: str, other: str, expected: str) -> None:
    """L-20, L-22."""
    assert likeness(one, other) == likeness(other, one) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tests in CI", "Tests on CI"),
        ("The docs for the API", "The docs of the API"),
        ("Use pnpm for installs", "Use pnpm with installs"),
        ("Use Redis as the cache", "Use Redis for the cache"),
        ("Find out the cause first", "Find the cause first"),
        ("Roll features out behind flags", "Roll out features behind flags"),
        ("Reviews by Ann for infra", "Reviews for infra by Ann"),
        ("**Testing:** run vitest", "Testing: run vitest"),
        ("* Use tabs", "- Use tabs"),
        ("Edit ./src/app.ts", "Edit src/app.ts"),
    ],
)
def test_what_does_not_turn(one: str, other: str) -> None:
    """L-20, L-22: most small words can stand for each other, and emphasis is no sign."""
    assert likeness(one, other) == likeness(other, one) == "same"


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_no_text_turns_itself_however_it_ends(every: int) -> None:
    """Over every text of the sets, or one in four; one that begins with a path or a glob is not made bold by a star before it."""
    plain = [text for text in TEXTS if text[0] not in "*/." and text[-1] not in "?.*"]
    assert len(plain) > 1000
    assert not [text for text in plain[::every] if likeness(text, f"{text}.") != "same"]


@pytest.mark.parametrize("unit", ["*", "*a ", "_", "in on ", "out of ", "a out ", "$", "5 + ", "a-"])
def test_work_grows_with_the_length_only(unit: str) -> None:
    """L-2: five times the text is less than eight times the work (a square would be 25)."""

    def compare(size: int) -> None:
        text = unit * (size // len(unit))
        likeness(text, f"x {text}")

    assert growth(compare) < 8
