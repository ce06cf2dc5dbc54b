"""Whether a sentence says a memory again in other words: K-139."""

from __future__ import annotations

import pytest

from learning.restatement import main, restates, says_again


@pytest.mark.parametrize(
    ("said", "memory"),
    [
        ("got a peanut allergy", "is allergic to peanuts"),
        ("We use pnpm", "The package manager is pnpm"),
        ("Our main database is Postgres", "The primary database is PostgreSQL"),
        ("Don't push straight to main, ever", "Never push directly to main"),
        ("I always prefer TypeScript to JavaScript", "Prefers TypeScript over JavaScript"),
        ("On this laptop it's colima that runs docker", "Docker runs through colima on this laptop"),
    ],
)
def test_the_same_in_other_words(said: str, memory: str) -> None:
    assert restates(said, memory)


@pytest.mark.parametrize(
    ("said", "memory"),
    [
        ("Use tabs in Makefiles", "Use tabs"),
        ("Never use tabs", "Use tabs"),
        ("For production we deploy with ./deploy.sh --region eu-west-1", "Deploy with ./deploy.sh"),
        ("I prefer JavaScript to TypeScript", "Prefers TypeScript over JavaScript"),
        ("Push to main only when it's green", "Push to main"),
        ("We use yarn", "The package manager is pnpm"),
        ("The staging database is called shop_preprod", "The staging database is called shop_stage"),
        ("Drop the detailed explanations", "Keep explanations detailed"),
    ],
)
def test_what_adds_turns_or_changes_is_no_restatement(said: str, memory: str) -> None:
    assert not restates(said, memory)
    assert not restates(said, memory, beside=2)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("We squash merge in this repo, so push away", "We squash merge in this repo"),
        ("On this box it's colima, check its status", "On this box it's colima"),
        ("Keep it short", "Keep it short"),
    ],
)
def test_a_consequence_is_left_out(said: str, kept: str) -> None:
    assert main(said) == kept


@pytest.mark.parametrize(
    ("said", "memory"),
    [
        ("answer in British spelling as ever, it goes into the same leaflet", "Wants British spelling"),
        ("stats go into the tres files under data/enemies, as with all the others",
         "Enemy stats live in .tres files under data/enemies, scenes hold no numbers"),
        ("book nothing before ten, I'm useless in the mornings", "No appointments before 10 in the morning"),
        ("I am not native so keep simple english that i understand what i publish",
         "Not a native speaker, write in simple English"),
        ("merge it, squashed as we always do", "PRs are squashed on merge"),
        ("two seats to Vienna, window for me as usual", "Prefers the window seat"),
        ("en français simple comme d'habitude", "Écrit en français simple"),
    ],
)  # fmt: skip
def test_what_is_known_is_said_again_in_part(said: str, memory: str) -> None:
    """K-245, K-139."""
    assert says_again(said, memory)


def test_an_answer_says_again_what_it_leaves_to_the_question() -> None:
    """K-139."""
    memory = "New screens are built in Jetpack Compose, no new XML layouts"
    asked = "new screen for the loyalty card. I'd build it in Compose or XML?"
    assert says_again("compose, no new xml layouts in this app", memory, answers=asked)
    assert not says_again("xml, no compose in this app", memory, answers=asked)
    assert not says_again("compose", memory)


@pytest.mark.parametrize(
    ("said", "memory"),
    [
        ("we're back to pnpm, as before", "Use pnpm for everything"),
        ("my brother works nights at the hospital", "Works nights at the hospital"),
        ("answer in American spelling as ever", "Wants British spelling"),
        ("no window seat for me as usual", "Prefers the window seat"),
        ("window and a vegan meal for me as usual", "Prefers the window seat"),
        ("book nothing before eleven", "No appointments before 10 in the morning"),
        ("we stayed in an airbnb, like always", "The style guide is Airbnb's"),
    ],
)
def test_what_says_something_else_does_not(said: str, memory: str) -> None:
    """K-245, K-247, K-139."""
    assert not says_again(said, memory)
