"""What was written is held against what was expected as the rules say, on conversations that a person can check.

Tests specs/capture.md (K-121, K-122, K-125), with real ledgers and a detector that proposes what it is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from documents.proposal import Proposal
from eval.memory_writes.accounting import Account, account
from eval.memory_writes.figures import counted
from eval.memory_writes.golden import Conversation, Expected, Said
from eval.memory_writes.hearing import Scratch
from learning.turn import Turn
from tests.eval.memory_writes.talks import Parrot, parrot, saved, seed, talk


@pytest.fixture(scope="module")
def scratch() -> Iterator[Scratch]:
    """One scratch for all: each conversation gets a fresh copy."""
    with Scratch.made() as made:
        yield made


def told(scratch: Scratch, conversation: Conversation) -> Account:
    """Let the parrot hear a conversation."""
    return account(conversation, scratch.hear(conversation, parrot))


def met(one: Account) -> list[str]:
    return [each.met for each in one.judged]


def test_a_save_is_met_by_an_active_memory(scratch: Scratch) -> None:
    """And what nothing expects is wrong."""
    one = told(scratch, talk("stated: Use tabs\nstated: Use vim", expected=[saved("tabs")]))
    assert met(one) == ["met"]
    assert [wrong.write.text for wrong in one.wrong] == ["Use vim"]


def test_a_conversation_knows_nothing_of_those_before(scratch: Scratch) -> None:
    """K-121: a fresh home each."""
    for _ in range(2):
        assert [write.outcome for write in told(scratch, talk("stated: Use tabs")).heard.writes] == [
            "created"
        ]


@pytest.mark.parametrize(
    ("said", "came"),
    [
        (["stated: Use tabs"], "met"),
        (["hedged: Use tabs"], "half"),
        (["hello"], "missed"),
        (["stated: Use tabs, not spaces"], "missed"),
    ],
)
def test_half_a_miss_is_a_candidate(scratch: Scratch, said: list[str], came: str) -> None:
    """K-122; a candidate in the place of a memory is not wrong, a memory of what it must not say is."""
    one = told(scratch, talk(*said, expected=[replace(saved("tabs"), never=("spaces",))]))
    assert met(one) == [came]
    assert bool(one.wrong) == (said[0].endswith("spaces"))


def test_before_its_turn_is_too_early(scratch: Scratch) -> None:
    """K-122: a candidate may be there before, and is of the memory that it becomes."""
    early = told(scratch, talk("stated: Use tabs", "hm", expected=[saved("tabs", turn=1)]))
    assert met(early) == ["missed"]
    assert len(early.wrong) == 1
    grown = told(scratch, talk("hedged: Use tabs", "asked: Use tabs", expected=[saved("tabs", turn=1)]))
    assert [write.outcome for write in grown.heard.writes] == ["candidate", "promoted"]
    assert met(grown) == ["met"]
    assert not grown.wrong


def test_what_does_not_stand_in_the_end_was_not_saved(scratch: Scratch) -> None:
    """K-122: unless what took its place says it as well."""
    said = ["stated: Use tabs", "stated: Never use tabs"]
    assert met(told(scratch, talk(*said, expected=[replace(saved("tabs"), never=("never",))]))) == ["missed"]
    assert met(told(scratch, talk(*said, expected=[saved("tabs")]))) == ["met"]


def test_an_expected_candidate_is_no_memory(scratch: Scratch) -> None:
    """K-122: active where a person should be asked is wrong."""
    expected = [replace(saved("tabs"), op="candidate")]
    assert met(told(scratch, talk("hedged: Use tabs", expected=expected))) == ["met"]
    eager = told(scratch, talk("stated: Use tabs", expected=expected))
    assert met(eager) == ["missed"]
    assert len(eager.wrong) == 1


def test_what_is_optional_is_neither_missed_nor_wrong(scratch: Scratch) -> None:
    expected = [saved("tabs", optional=True)]
    for said in ("stated: Use tabs", "hello"):
        one = told(scratch, talk(said, expected=expected))
        figures = counted([one])
        assert (figures.wrong, figures.asked, figures.asked_active) == (0, 0, 0)


def test_the_same_in_two_memories_is_wrong_once(scratch: Scratch) -> None:
    """K-122; but one memory may say two things that are expected."""
    twice = told(
        scratch, talk("stated: Use tabs\nstated: Go with tabs in Makefiles", expected=[saved("tabs")])
    )
    assert len(twice.wrong) == 1
    expected = [saved("tabs"), saved("vim")]
    both = told(scratch, talk("stated: The user likes tabs and vim", expected=expected))
    assert met(both) == ["met", "met"]
    assert not both.wrong
    split = told(scratch, talk("stated: Use tabs in vim\nstated: Prefer tabs", expected=expected))
    assert met(split) == ["met", "met"]
    assert not split.wrong  # the second one is left for what the first one need not stand for


def test_a_supersede_asks_that_its_seed_goes(scratch: Scratch) -> None:
    expected = [Expected("supersede", 0, "project", "fact", ("5433",), of=0)]
    seeds = [seed("Postgres listens on port 5432", "project"), seed("Lint with ruff", "project")]
    gone = told(scratch, talk("stated:project Postgres listens on port 5433", seeds=seeds, expected=expected))
    assert met(gone) == ["met"]
    beside = told(scratch, talk("stated:project The replica has 5433", seeds=seeds, expected=expected))
    assert met(beside) == ["missed"]
    assert not beside.wrong
    figures = counted([gone, beside])
    assert (figures.superseded, figures.supersedes) == (1, 2)


def test_a_seed_that_should_stand_and_goes_is_one_more_wrong(scratch: Scratch) -> None:
    """K-122."""
    seeds = [seed("Postgres listens on port 5432")]
    one = told(scratch, talk("stated: Postgres listens on port 5433", seeds=seeds, expected=[saved("5433")]))
    assert [wrong.is_harm for wrong in one.wrong] == [True]
    figures = counted([one])
    assert figures.ratios["precision"] == (1, 2)


def test_a_confirm_is_of_its_seed(scratch: Scratch) -> None:
    seeds = [seed("Use tabs"), seed("Use vim")]
    expected = [Expected("confirm", 0, of=0)]
    one = told(scratch, talk("stated: Use tabs\nstated: Use vim", seeds=seeds, expected=expected))
    assert met(one) == ["met"]
    assert [wrong.write.text for wrong in one.wrong] == ["Use vim"]


def test_a_delete_takes_its_yes(scratch: Scratch) -> None:
    """K-122: what goes with it is wrong."""
    seeds = [seed("The staging server is bluebird"), seed("The staging server runs Debian", "project")]
    expected = [Expected("delete", 2, of=0)]
    talked = talk(
        "forget: staging server bluebird",
        Said("assistant", "That one?"),
        "yes",
        seeds=seeds,
        expected=expected,
    )
    assert met(told(scratch, talked)) == ["met"]
    assert met(told(scratch, replace(talked, turns=(*talked.turns[:2], Said("user", "no"))))) == ["missed"]
    both = replace(talked, turns=(Said("user", "forget: staging server"), *talked.turns[1:]))
    one = told(scratch, both)
    assert met(one) == ["met"]
    assert [wrong.write.text for wrong in one.wrong] == [seeds[1].text]


def test_sessions_are_conversations_of_their_own(scratch: Scratch) -> None:
    """K-121: a detector each, which is given the corrections so far; a day lies between them."""
    made: list[Parrot] = []

    def extractor() -> Parrot:
        made.append(Parrot())
        return made[-1]

    talked = talk(
        Said("user", "stated: Use tabs"),
        Said("tool", "ok", tool="Bash", command="make", failed=True),
        Said("user", "stated: Use tabs", session="2"),
    )
    heard = scratch.hear(talked, extractor)
    assert [write.outcome for write in heard.writes] == ["created", "confirmed"]
    assert len(made) == 2
    turns = [turn for each in made for turn in each.heard]
    assert len({turn.conversation for turn in turns}) == 2
    assert [turn.failed for turn in turns] == [None, True, None]


def test_provenance_that_names_another_turn_is_none(scratch: Scratch) -> None:
    class Forger(Parrot):
        def analyze(self, turn: Turn) -> list[Proposal]:
            return super().analyze(turn._replace(message="turn 99"))

    heard = scratch.hear(talk("stated: Use tabs"), Forger)
    figures = counted([account(talk("stated: Use tabs"), heard)])
    assert figures.ratios["provenance"] == (0, 1)
    assert "a memory does not say where it came from" in figures.shortfalls


def test_figures_are_what_their_names_say(scratch: Scratch) -> None:
    """K-125."""
    one = told(
        scratch,
        talk(
            "stated:project Use tabs",
            "hedged: Use vim",
            "stated: Overdone",
            Said("assistant", "stated: No person"),
            expected=[saved("tabs"), saved("vim", turn=1), saved("emacs", turn=1)],
        ),
    )
    figures = counted([one, one])
    ratios = figures.ratios
    assert (figures.conversations, figures.messages) == (2, 6)
    assert ratios["recall"] == (2, 6)
    assert ratios["recall with candidates"] == (4, 6)
    assert ratios["scope accuracy"] == (2, 4)
    assert ratios["type accuracy"] == (4, 4)
    assert ratios["provenance"].value == 1.0
    assert ratios["precision"] == (4, 8)
    assert ratios["false positives a message"] == (4, 6)
    assert len(figures.shortfalls) == 3
    assert not counted([told(scratch, talk("hello"))]).shortfalls


@pytest.mark.no_scripts
def test_nothing_of_a_run_is_left(isolated: Path) -> None:
    """Nor is the person's own home touched."""
    with Scratch.made() as made:
        made.hear(talk("stated: Use tabs"), parrot)
    assert not (isolated / ".muniment").exists()
