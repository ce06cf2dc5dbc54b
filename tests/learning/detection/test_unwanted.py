"""Wishes to forget that name the thing first, or only point at it: K-242."""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from learning.detection import unwanted
from learning.detection.detector import LearningDetector
from learning.turn import Turn


def heard(text: str) -> list[Proposal]:
    """Return what a message proposes."""
    return LearningDetector().analyze(Turn("user", text, conversation="c", message="m"))


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("the thing you keep repeating about two reviewers per PR, that's from the old team. out with it", "two reviewers per PR"),
        ("that memory about me wanting semicolons, get rid of it", "wanting semicolons"),
        ("Please remove my phone number from whatever you keep about me.", "phone number"),
        ("You keep telling me about the old bastion host. Please remove it from your memory.", "the old bastion host"),
        ("that note about me liking puns? lose it", "liking puns"),
        ("please take my blood type out of everything you have stored on me", "blood type"),
        ("You still think our backups go to the NAS. Wipe that please.", "our backups go to the NAS"),
        ("the sharp thing in your notes, scrap it", "sharp"),
        ("your info on Rollbar is stale, chuck it", "Rollbar"),
        ("so what you have about her sign-off is history. throw it out", "her sign-off"),
        ("Your note on the VPN can go", "the VPN"),
        ("Das mit der Hafermilch kannst du streichen.", "Hafermilch"),
        ("Nimm die Sache mit dem Hund aus deinem Gedächtnis", "Hund"),
        ("tu peux oublier l'histoire du violoncelle", "violoncelle"),
        ("La note sur mes horaires, supprime-la", "mes horaires"),
        ("quita de tu memoria lo del pádel", "pádel"),
        ("lo de la oficina en Bilbao, bórralo", "la oficina en Bilbao"),
    ],
)  # fmt: skip
def test_what_is_named_first_is_to_be_forgotten(said: str, about: str) -> None:
    found = heard(said)
    assert [(each.action, each.about) for each in found] == [("delete", about)]


@pytest.mark.parametrize(
    "said",
    [
        "The sidebar looks broken. Get rid of it.",
        "the old sidebar, out with it. and the flexbox hack too",
        "in the docs, the paragraph about sharp, get rid of it",
        "the note about the API in the readme, delete it",
        "this line about retries in the config, remove it",
        "the comment saying TODO, drop it",
        "you have a bug in line 3, remove it",
        "the test about refunds, delete it",
        "you keep telling me the build is green, but it isn't. take another look",
        "you still think we use npm, it's pnpm",
        "take the numbers from what you know about the market",
    ],
)
def test_what_is_no_memory_is_not(said: str) -> None:
    assert not [each for each in heard(said) if each.action == "delete"]


@pytest.mark.parametrize(
    "said",
    [
        "nimm das raus",
        "out with it",
        "that one can go",
        "weg damit",
        "supprime-le",
        "bórralo",
        "get it out of there",
    ],
)
def test_an_order_that_only_points(said: str) -> None:
    assert unwanted.is_order(said)
    assert unwanted.points_back(f"das stimmt nicht mehr, {said}")
    assert heard(said) == []


def test_what_is_stated_beside_takes_the_place_of_what_is_unwanted() -> None:
    """K-244."""
    forget, instead = heard("scrap what I said about redpanda, all our services talk over kafka")
    assert (forget.action, instead.action, instead.about) == ("delete", "supersede", "redpanda")
