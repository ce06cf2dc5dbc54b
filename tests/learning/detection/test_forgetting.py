"""Wishes to forget, the thing or the order first: K-41, K-242, K-244."""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from learning.detection.detector import LearningDetector
from learning.turn import Turn


def heard(text: str) -> list[Proposal]:
    """Return what a message proposes."""
    return LearningDetector().analyze(Turn("user", text, conversation="c", message="m"))


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Forget that I use npm", "npm"),
        ("forget pnpm", "pnpm"),
        ("you can stop remembering my piano lessons", "piano lessons"),
        ("that memory about me wanting semicolons, get rid of it", "semicolons"),
        ("Please remove my phone number from whatever you keep about me.", "phone"),
        (
            "You keep telling me about the blue cluster. Please remove it from your memory.",
            "blue cluster",
        ),
        ("the sharp thing in your notes, scrap it", "sharp"),
        ("Your note on the VPN can go", "VPN"),
        ("Das mit der Hafermilch kannst du streichen.", "Hafermilch"),
        ("Nimm die Sache mit dem Hund aus deinem Gedächtnis", "Hund"),
        ("tu peux oublier l'histoire du violoncelle", "violoncelle"),
        ("La note sur mes horaires, supprime-la", "horaires"),
        ("borra lo que te conté de mi jefe", "jefe"),
    ],
)
def test_what_is_to_be_forgotten_is_named(said: str, named: str) -> None:
    """K-41, K-242."""
    [wish] = heard(said)
    assert wish.action == "delete"
    assert set(named.split()) <= set(wish.about.split())


@pytest.mark.parametrize(
    "said",
    [
        "forget it",
        "don't forget to run the tests",
        "I forgot my password",
        "The sidebar looks broken. Get rid of it.",
        "the old sidebar, out with it. and the flexbox hack too",
        "in the docs, the paragraph about sharp, get rid of it",
        "this line about retries in the config, remove it",
        "you have a bug in line 3, remove it",
        "the test about refunds, delete it",
        "you keep telling me the build is green, but it isn't. take another look",
        "you still think we use npm, it's pnpm",
        "out with it",
        "nimm das raus",
    ],
)
def test_what_is_no_memory_is_not(said: str) -> None:
    assert not [each for each in heard(said) if each.action == "delete"]


def test_no_memory_is_made_of_what_may_ask_to_forget() -> None:
    """K-41."""
    assert not [each for each in heard("please forget: Use pnpm, not npm") if each.memory is not None]


def test_what_is_stated_beside_takes_the_place_of_what_is_unwanted() -> None:
    """K-244."""
    forget, instead = heard("scrap what I said about redpanda, all our services talk over kafka")
    assert (forget.action, instead.action, instead.about) == ("delete", "supersede", "redpanda")
