"""A yes is a yes, a no is a no, and everything else is neither (K-71)."""

from __future__ import annotations

import pytest

from learning.detection.answers import answer, rest


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
        "confirmed",
        "ja, weg damit",
        "jo, streich das",
        "oui, vas-y, merci",
        "sí, bórralo",
        "sim, pode apagar",
        "yes it can go",
        "affirmative",
        "please do, thanks! what's left on the board?",
        "Yes, thank you. And can you check whether the form is filled in?",
        "Ja, mach das. Danke dir!",
        "Oui, efface-le. Et traduis la page 3",
    ],
)
def test_a_yes(text: str) -> None:
    assert answer(text) == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "nee, lass mal",
        "non, garde-le",
        "no, déjalo",
        "no",
        "No, keep it",
        "nope",
        "don't",
        "never mind",
        "no thanks",
        "nein",
        "wait, yes",
    ],
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
        "yes, but only after you've told me the new time",
        "Yes. No, hang on, keep that one.",
        "yes. actually scratch that, it's right",
        "Ja. Aber erst nach dem Umzug",
        "Oui. Mais garde l'adresse",
        "thanks. now the timetable",
        "ok. now fix the test",
        "yes? which one",
        "all good",
        "delete it from package.json",
    ],
)
def test_neither(text: str) -> None:
    """What is said beside it may take it back."""
    assert answer(text) == ""


def test_what_follows_a_yes_is_no_part_of_it() -> None:
    """K-240."""
    assert rest("Yes, delete it. And use tabs from now on") == "And use tabs from now on"
    assert rest("yes, delete it") == rest("no") == ""
