"""What changes a memory, what says it again, and what is about something else.

Tests specs/capture.md (K-136, K-137, K-139, K-249, K-285).
"""

from __future__ import annotations

import pytest

from language.slots import asked_for, compare


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We're on Yarn now", "Use pnpm"),
        ("The API has moved to 8088", "The API listens on port 8000"),
        ("I've been using Helix since the spring", "The user's editor is Neovim"),
        ("My manager is Tomasz since the reorg", "The user's manager is Priya"),
        ("The default branch got renamed, it's trunk now", "The default branch is master"),
        ("Line length went up to 120", "Line length is 100"),
        ("Indent with spaces from now on", "Indent with tabs"),
        ("Backups are kept 60 days now", "Backups are kept for 30 days"),
        ("I live in Porto", "The user lives in Leeds"),
        ("I work at Bosch now", "The user works at Siemens"),
        ("I drive an Octavia now", "The user drives a Clio"),
        ("Call me Sasha", "The user's name is Alex"),
        ("The staging db is called shop_preprod now", "The staging db is called shop_stage"),
        ("Sessions are stored in postgres since the incident", "Sessions are stored in Redis"),
        ("wir sind auf vitest umgestiegen, die Tests laufen mit vitest", "Die Tests laufen mit Karma"),
        ("Réponds en anglais désormais", "Réponds en français"),
        ("Keep answers short", "Give me detailed answers"),
        ("Write prose", "Use bullet points in answers"),
    ],
)
def test_another_value_of_one_slot_changes_it(new: str, old: str) -> None:
    """K-137, K-136."""
    assert compare(new, old) == "changes"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Don't use tabs", "Use tabs"),
        ("You can push to main", "Never push to main"),
        ("Global variables are okay", "Do not use global variables"),
        ("I no longer have a dog", "The user has a dog"),
        ("I don't like coffee any more", "The user likes coffee"),
        ("Redux is gone", "Use Redux"),
        ("We moved off Heroku", "Our hosting is Heroku"),
        ("We stopped using lodash", "Use lodash"),
        ("Kong is being replaced, Traefik is the gateway", "The gateway is Kong"),
    ],
)
def test_what_is_denied_or_given_up_is_changed(new: str, old: str) -> None:
    """K-137: one of a name that no table has as well."""
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
        ("Use two spaces in JSON files", "Use two spaces in YAML files"),
        ("Run MySQL backups on Sunday", "Run Postgres backups on Sunday"),
        ("Don't use tabs in Makefiles", "Use tabs"),
        ("We dropped the retry in the mailer", "Retries in the client are capped at three"),
        ("The call is at 4pm", "The meeting is at 3pm"),
        ("The office in Bern closes at noon", "The office in Oslo closes at noon"),
        ("Answer in English when I write English", "Answer in German when I write German"),
        ("Postgres runs on port 6432 in production", "Postgres runs on port 5432 in development"),
        ("The green button stops the machine", "The red button starts the machine"),
        ("The Postgres version is 16", "Postgres is on port 5432"),
    ],
)
def test_another_thing_is_left_as_it_is(new: str, old: str) -> None:
    """K-137, K-249."""
    assert compare(new, old) == "apart"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("I like coffee", "The user likes tea"),
        ("I have a son called Emil", "The user's daughter is called Lena"),
        ("I'm learning Japanese", "The user is learning Italian"),
        ("I'm allergic to cats", "The user is allergic to peanuts"),
        ("We also use MySQL", "We use Postgres"),
        ("Use Postgres and MySQL", "Use SQLite"),
        ("We use TypeScript", "We use Python"),
    ],
)
def test_what_there_may_be_several_of_stands_beside_each_other(new: str, old: str) -> None:
    """K-137."""
    assert compare(new, old) == "apart"


@pytest.mark.parametrize(
    "said",
    [
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
    ],
)
def test_what_does_not_hold_changes_nothing(said: str) -> None:
    """K-285."""
    assert compare(said, "Use npm") == "apart"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We use pnpm", "The package manager is pnpm"),
        ("Our main database is Postgres", "The primary database is PostgreSQL"),
        ("Answer in German, please", "Reply in German"),
        ("My boss is Karen", "The user's manager is Karen"),
        ("Don't push to main", "Never push to main"),
        ("I enjoy hiking", "The user likes hiking"),
    ],
)
def test_the_same_values_say_it_again(new: str, old: str) -> None:
    """K-139."""
    assert compare(new, old) == "same"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Use tabs in Makefiles", "Use tabs"),
        ("Run pytest -s", "Run pytest -x"),
        ("Replace bun with yarn", "Replace yarn with bun"),
        ("Rows 10 and 20 are headers", "Rows 10 to 20 are headers"),
        ("Feature flags default to off", "Feature flags default to on"),
        ("The upload limit is 10 Mb", "The upload limit is 10 MB"),
        ("Hana is the CTO's assistant", "The CTO is Hana's assistant"),
    ],
)
def test_what_adds_or_turns_says_nothing_again(new: str, old: str) -> None:
    """K-139."""
    assert compare(new, old) != "same"


def test_a_memory_without_a_shared_word_can_be_asked_for() -> None:
    """K-136: by the names of the kind, and of what the table has no names for by the attribute."""
    assert any("pnpm" in words for words in asked_for("We're on Yarn now"))
    assert any("based" in words for words in asked_for("I live in Porto"))
    assert asked_for("The sky is clear") == []


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ("Team 2 meets on Monday", "Team 1 meets on Monday", "apart"),
        ("the tea of shelf 2 is green", "the tea of shelf 1 is green", "apart"),
        ("Postgres listens on 5433", "Postgres listens on 5432", "changes"),
    ],
)
def test_a_number_says_which_one_or_is_what_is_said(new: str, old: str, expected: str) -> None:
    """K-249: by where it stands."""
    assert compare(new, old) == expected
