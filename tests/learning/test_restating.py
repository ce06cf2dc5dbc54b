"""Whether a sentence says a memory again in other words: K-139."""

from __future__ import annotations

import pytest

from learning.restating import main, restates


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
