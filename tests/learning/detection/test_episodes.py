"""A conversation becomes episodes of what was said: K-103, K-104."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.admitting import unfit
from learning.detection.episodes import Gathering, Unfit
from learning.turn import Speaker, Turn
from ledger.memory import Memory

ROLES: dict[str, Speaker] = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}


def episodes(turns: Iterable[Turn], *, user_messages: int = 8, unfit: Unfit = unfit) -> list[Memory]:
    """Return the episodes of a conversation that is given from its beginning."""
    gathering = Gathering(unfit)
    for turn in turns:
        gathering.hear(turn)
    return gathering.episodes(user_messages)


def talk(*said: tuple[str, str]) -> list[Turn]:
    """Return the turns of a conversation of a morning: role letter and text each."""
    return [
        Turn(ROLES[role], text, "conv-1", "s-1", f"m-{n}", f"2026-01-05T09:{n % 60:02}:00Z", "claude-code")
        for n, (role, text) in enumerate(said, 1)
    ]


LONG = [
    ("u", "Hi!"),
    ("u", "The importer drops rows when a CSV file has a byte order mark"),
    ("a", "I will look. The importer must use utf-16, that is a fact."),
    ("u", "It only happens with files from the accounting export"),
    ("u", "Let's use the csv module instead of our own parser"),
    ("a", "Done, the importer uses the csv module now."),
    ("u", "Write me at ada@company.io when the importer is ready"),
    ("u", "The rows must keep their order, because accounting compares them by line"),
    ("u", "We still need to check the importer with files of 2 GB"),
    ("u", "Which encoding does the accounting export use?"),
    ("a", "I replaced the parser of the importer. All tests pass.\n\nShould I also convert the old files?"),
]


@pytest.mark.parametrize(
    ("roles", "enough"),
    [
        ("u" * 7, False),
        ("u" * 8, True),
        ("ua" * 7, False),
        ("u" + "at" * 14, False),
        ("u" + "at" * 15, True),
        ("a" * 40, False),
    ],
)
def test_long_enough_is_by_messages_or_exchanges(roles: str, enough: bool) -> None:
    """8 messages of the person, or 15 answers to a person or a tool (K-103)."""
    turns = talk(*((role, "a word or two") for role in roles))
    assert bool(episodes(turns)) is enough


def test_an_episode_says_what_it_was_about_and_who_said_so() -> None:
    """Topic, points, decision, open questions and the assistant's words as such, each with its message (K-104)."""
    [episode] = episodes(talk(*LONG))
    assert episode.type == "episode"
    assert episode.tier == "daily"
    assert episode.source == "auto"
    assert episode.text.startswith("2026-01-05 09:01 to 09:11: “The importer drops rows")
    assert "11 messages, 8 of the user" in episode.text
    assert "- the user: “Let's use the csv module instead of our own parser” (message 5, m-5)" in episode.body
    assert "must keep their order" in episode.body
    assert "We still need to check the importer" in episode.body.split("Open questions")[1]
    assert "the assistant: “Should I also convert the old files?” (message 11, m-11)" in episode.body
    assert "Messages 1 to 11 of the conversation conv-1: m-1 to m-11" in episode.body
    origin = episode.provenance
    assert (origin.conversation, origin.session, origin.message, origin.agent, origin.date) == (
        "conv-1", "s-1", "m-1", "claude-code", "2026-01-05"
    )  # fmt: skip
    episode.to_payload()


def test_an_assistants_words_are_no_facts_and_addresses_are_left_out() -> None:
    """What it says stands as its words or not at all; nothing unfit is chosen (K-104)."""
    [episode] = episodes(talk(*LONG))
    assert "utf-16" not in episode.body
    assert "ada@" not in episode.body + episode.text
    for line in episode.body.splitlines():
        if "I replaced the parser" in line:
            assert line.startswith("- the assistant:")
    [careful] = episodes(talk(*LONG), unfit=lambda text: "importer" in text)
    assert "importer" not in careful.body + careful.text


def test_windows_of_a_hundred_messages_keep_their_first_message() -> None:
    """So that an episode is known again when the conversation grew (K-103, K-105)."""
    turns = talk(
        *(
            (("u", f"please look at part {n} of the tariff table") if n % 2 else ("a", "done"))
            for n in range(1, 251)
        )
    )
    made = episodes(turns)
    assert [each.provenance.message for each in made] == ["m-1", "m-101", "m-201"]
    assert episodes(turns[:230])[:2] == made[:2]
    assert "Messages 201 to 250" in made[2].body


def test_what_was_pasted_is_not_what_was_said() -> None:
    """Of a long message only its beginning and end count, and no line of a log (K-104)."""
    log = "".join(f"=> [linux/arm64 {n}/7] RUN npm ci importer importer {n}.6s\n" for n in range(20))
    chapter = " ".join(f"See chapter number {n} of the old manual." for n in range(30))
    manual = f"{chapter} The importer must never drop rows of an accounting export. {chapter}"
    [episode] = episodes(talk(*LONG, ("u", f"The importer build fails since the upgrade\n{log}\n{manual}")))
    assert "=>" not in episode.body
    assert "npm ci" not in episode.body
    assert "must never drop rows" not in episode.body


@given(st.lists(st.tuples(st.sampled_from("uats"), st.text(max_size=40)), max_size=40))
def test_any_conversation_gives_storable_episodes_of_what_was_said(said: list[tuple[str, str]]) -> None:
    """The same each time, and never a line of a tool or the system (K-104)."""
    turns = talk(*said)
    made = episodes(turns, user_messages=1)
    assert made == episodes(turns, user_messages=1)
    for episode in made:
        episode.to_payload()
