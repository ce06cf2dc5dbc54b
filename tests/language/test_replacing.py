"""What takes the place of a memory, what says it again, and what is about something else.

Tests specs/capture.md (K-136, K-137, K-139). Sentences of everyday forms: what is reached on sentences that the model never saw is
measured by `python -m eval --dataset pairs`.
"""

from __future__ import annotations

import pytest

from language.replacing import asked_for, compare

_NO_CHANGES = (
    "Should we use pnpm?",
    "Can you use pnpm",
    "What if we used pnpm",
    "I'm thinking about using pnpm",
    "We could switch to pnpm some day",
    "Dana says we use pnpm",
    "For this file, use pnpm",
    "Use pnpm today",
    "Last week we tried pnpm",
    "We used to use pnpm",
    "Use pnpm for now",
)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We switched to pnpm", "The package manager is npm"),
        ("We're on Yarn now", "Use pnpm"),
        ("I've been using Helix since the spring", "The user's editor is Neovim"),
        ("The default branch got renamed, it's trunk now", "The default branch is master"),
        ("Line length went up to 120", "Line length is 100"),
        ("Indent with spaces from now on", "Indent with tabs"),
        ("Backups are kept 60 days now", "Backups are kept for 30 days"),
        ("I work at Bosch now", "The user works at Siemens"),
        ("The staging db is called shop_preprod now", "The staging db is called shop_stage"),
        ("Réponds en anglais désormais", "Réponds en français"),
        ("Postgres listens on 5433 now", "Postgres listens on 5432"),
        ("Don't use tabs any more", "Use tabs"),
        ("You can push to main now", "Never push to main"),
        ("I no longer have a dog", "The user has a dog"),
        ("I don't like coffee any more", "The user likes coffee"),
        ("We stopped using lodash", "Use lodash"),
    ],
)
def test_another_value_takes_the_place_and_what_is_denied_or_ended_is_over(new: str, old: str) -> None:
    """K-137."""
    assert compare(new, old) == "changes"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("From now on answer in French", "Keep responses short"),
        ("Redis listens on port 6379", "Postgres listens on port 5432"),
        ("Worker B runs on port 8002", "Worker A runs on port 8001"),
        ("The production database is Postgres", "The staging database is MySQL"),
        ("Redis got retired on staging", "Sessions are kept in Redis"),
        ("The docs site uses Vue", "The frontend uses React"),
        ("My wife works at BMW", "The user works at Siemens"),
        ("Our new intern uses Emacs now", "The user edits code in Zed"),
        ("Run MySQL backups on Sunday", "Run Postgres backups on Sunday"),
        ("Don't use tabs in Makefiles", "Use tabs"),
        ("We dropped the retry in the mailer", "Retries in the client are capped at three"),
        ("The call is at 4pm", "The meeting is at 3pm"),
        ("The Postgres version is 16", "Postgres is on port 5432"),
        ("I like coffee", "The user likes tea"),
        ("I have a son called Emil", "The user's daughter is called Lena"),
        ("I'm allergic to cats", "The user is allergic to peanuts"),
        ("We also use MySQL", "We use Postgres"),
        ("Team 2 meets on Monday", "Team 1 meets on Monday"),
        ("Fact number 7 is written down", "Fact number 6 is written down"),
        ("Avatar uploads are limited to 2 MB from now on", "Uploads are limited to 25 MB"),
        ("The default timeout for DB queries went up to 30 s", "The default timeout for HTTP calls is 10 s"),
        *((said, "Use npm") for said in _NO_CHANGES),
    ],
)
def test_what_is_about_something_else_lets_it_stand(new: str, old: str) -> None:
    """K-137."""
    assert compare(new, old) == "apart"


@pytest.mark.parametrize(
    ("new", "old"),
    [("Answer in German, please", "Reply in German"), ("Don't push to main", "Never push to main")],
)
def test_other_words_say_it_again(new: str, old: str) -> None:
    """K-62: likeness knows."""
    assert compare(new, old) == "same"


def test_what_names_the_same_values_may_still_end_it() -> None:
    """K-139: it is no repetition that likeness or the model takes for a change."""
    assert compare("Docs get translated into Japanese", "The docs are translated into Japanese") == "same"
    ended = "We've given up the Japanese translation of the docs"
    assert compare(ended, "The docs are translated into Japanese") != "same"


def test_a_memory_without_a_shared_word_can_be_asked_for() -> None:
    """K-136: by the names of the kind."""
    assert any("pnpm" in words for words in asked_for("We're on Yarn now"))
    assert asked_for("The sky is clear") == []
