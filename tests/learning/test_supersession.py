"""Which memory a change takes the place of, in other words than its own: K-137, K-136."""

from __future__ import annotations

import pytest

from learning import value_kinds
from learning.detection.replacing import given_up
from learning.subject import read
from learning.supersession import asked_for, strength


@pytest.mark.parametrize(
    ("change", "memory"),
    [
        ("We're on Yarn now", "Use pnpm"),
        ("The API has moved to 8088", "The API listens on port 8000"),
        ("I've been using Helix since the spring", "The user's editor is Neovim"),
        ("My manager is Tomasz since the reorg", "The user's manager is Priya"),
        ("The default branch got renamed, it's trunk now", "The default branch is master"),
        ("Line length went up to 120", "Line length is 100"),
        ("We switched to spaces", "Indent with tabs"),
        ("Backups are kept 60 days now", "Backups are kept for 30 days"),
        ("Tickets are in Linear since May", "We track issues in Jira"),
        ("The user lives in Porto", "The user lives in Leeds"),
        ("Rollbar got retired, Sentry takes our errors", "Errors are reported to Rollbar"),
        ("The staging db was renamed to shop_preprod", "The staging database is called shop_stage"),
        ("Sessions live in postgres since the incident", "Sessions are stored in Redis"),
        ("We no longer squash merges into main", "Squash merges into main"),
        ("We leave FreeRTOS and move to Zephyr with rev C", "The firmware is built on FreeRTOS"),
        (
            "We close on tuesdays now, monday is open since the bakery does mondays too",
            "The shop is closed on Mondays",
        ),
        ("Since the weekend the api is on Bun, node is gone from the images", "The API runs on Node 20"),
        (
            "die liegt jetzt unter stg.kranich.example, das alte staging.kranich.example ist abgeschaltet",
            "Staging: https://staging.kranich.example",
        ),
        ("tu peux m'écrire en anglais maintenant pour que je m'exerce", "Répondre en français"),
        ("Confluence haben wir gekündigt, die Doku liegt in Outline", "Die Doku liegt in Confluence"),
        ("wir sind von karma auf vitest umgestiegen", "Unsere Tests laufen mit Karma"),
        ("on abandonne LoRaWAN au profit de NB-IoT", "Les sondes communiquent en LoRaWAN"),
        ("Kong is being replaced, Traefik is the gateway", "The API gateway is Kong"),
        ("Zendesk's contract ended, helpdesk is on Freshdesk", "The helpdesk uses Zendesk"),
        ("I've come round on tables, plain lists", "Prefers tables for summaries"),
    ],
)
def test_a_change_is_of_a_memory_of_one_matter(change: str, memory: str) -> None:
    assert strength(change, memory, given_up(change)) > 0


@pytest.mark.parametrize(
    ("change", "memory"),
    [
        ("We moved to Kubernetes in March", "The user lives in Leeds"),
        ("We moved into the new office on Monday", "The user lives in Leeds"),
        ("The metrics service moved to 9100", "The API listens on port 8000"),
        ("We moved the docs to Notion", "Code review needs two approvals"),
        ("The worker is written in Elixir now", "The API is written in Go"),
        ("The e2e tests run with playwright now", "Unit tests run with vitest"),
        ("Python tests run with pytest now", "Tests run with jest"),
        ("We upgraded node to 22", "Python version is 3.11"),
        ("My dentist is Dr. Meier now", "The user's vet is Dr. Okafor"),
        ("The staging db was renamed to shop_preprod", "The production database is called shop"),
        ("I started learning Rust in May", "The user is learning Italian"),
        ("We've also got a second redis, on 6390 now", "Redis runs on port 6379"),
        ("We dropped the retry in the mailer", "Retries in the client are capped at three"),
        ("From now on answer in French", "Keep responses short"),
        ("Actually, keep the answers short", "Answer in French"),
        ("Our new intern uses Emacs now", "The user edits code in Zed"),
    ],
)
def test_a_change_of_something_else_takes_no_place(change: str, memory: str) -> None:
    assert strength(change, memory, given_up(change)) == 0


def test_a_memory_without_a_shared_word_can_be_asked_for() -> None:
    assert any("pnpm" in words for words in asked_for("We're on Yarn now"))


@pytest.mark.parametrize(
    ("text", "name"),
    [("VS Code", "vscode"), ("fly.io", "flyio"), ("four spaces", "4 spaces"), ("2-space", "2 spaces"), ("PG", "postgres")],
)  # fmt: skip
def test_values_are_known_by_all_their_names(text: str, name: str) -> None:
    assert [value.name for value in value_kinds.values(value_kinds.tokens(text))] == [name]


def test_a_value_is_in_a_kind_once() -> None:
    """A name in two rows would be two values; in one row it would rival itself."""
    for row in {value.kind for name in ("npm", "postgres") for value in value_kinds.values([name])}:
        names = [kind.casefold() for kind in value_kinds.others(row)]
        assert len(names) == len(set(names))


def test_what_a_text_is_about_leaves_its_values_aside() -> None:
    matter = read("Dependencies are installed with poetry")
    assert [list(names) for names in matter.values.values()] == [["poetry"]]
    assert not matter.beside(next(iter(matter.values)))
