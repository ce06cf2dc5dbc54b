"""A yes is a yes, a no is a no, and everything else is neither (K-71)."""

from __future__ import annotations

import pytest

from capture.answers import answer


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes please",
        "y",
        "yep, do it",
        "Sure, go ahead.",
        "ok",
        "yes, delete it",
        "ja bitte",
        "Oui.",
        "sí",
        "yes!!",
        "correct, delete it",
        "ja, löschen",
        "yes please, get rid of it",
        "Yes, do.",
    ],
)
def test_a_yes(text: str) -> None:
    assert answer(text) == "yes"


@pytest.mark.parametrize(
    "text", ["no", "No, keep it", "nope", "don't", "never mind", "no thanks", "nein", "wait, yes"]
)
def test_a_no(text: str) -> None:
    assert answer(text) == "no"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yes but only the first one",
        "yes, and also fix the tests in billing",
        "which ones?",
        "ok so what does the parser do",
        "do the migration first",
        "yesterday it worked",
        "all tests fail",
        "it works now, thanks",
    ],
)
def test_neither(text: str) -> None:
    """What is said beside it may take it back."""
    assert answer(text) == ""
