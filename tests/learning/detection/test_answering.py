"""Corrections in short answers, orders to forget, and what others wrote.

Tests specs/capture.md (K-20, K-21, K-25, K-32, K-34, K-41).
"""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from learning.detection.detector import LearningDetector
from learning.detection.forgetting import asked
from learning.detection.rewriting import resolved, stand_alone
from learning.detection.speech import sentences
from learning.turn import Turn


def talk(*turns: str, answered: bool = True) -> list[list[Proposal]]:
    """Hear messages of a person, an assistant's work before each."""
    detector = LearningDetector()
    heard = []
    for at, text in enumerate(turns):
        if answered:
            detector.analyze(Turn("assistant", "Done.", conversation="c", message=f"a{at}"))
        heard.append(detector.analyze(Turn("user", text, conversation="c", message=f"u{at}")))
    return heard


@pytest.mark.parametrize(
    ("answer", "line", "about"),
    [
        ("not moment, date-fns", "Use date-fns, not moment", "moment"),
        ("don't mock, go through the fake server", "Don't mock, go through the fake server", "mock"),
        ("you shouldn't have amended, leave history to me", "Leave history to the user", "amended"),
        ("but you set the sizes in pt, don't, use em everywhere", "Use em everywhere", "pt"),
    ],
)
def test_an_answer_that_wants_it_otherwise_is_a_correction(answer: str, line: str, about: str) -> None:
    ((found,),) = talk(answer)
    assert found.memory is not None
    assert (found.basis, found.memory.text, found.about, found.memory.type) == (
        "corrected",
        line,
        about,
        "preference",
    )


@pytest.mark.parametrize(
    "answer",
    ["no that's still wrong", "not yet", "not src/a.ts, src/b.ts", "that's not true", "no, why is it slow?"],
)
def test_what_rejects_one_result_is_no_rule(answer: str) -> None:
    assert talk(answer) == [[]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("no, yarn add, not npm install", "yarn! not npm"),
        ("no comments in the yaml please", "no comments in yaml!! please"),
        (
            "don't start mails with 'I trust you are well'",
            "there it is again, the 'trust you' start. drop that.",
        ),
        ("nein, Branchnamen auf englisch", "englisch bitte die Branchnamen, hatte ich schon gesagt"),
        ("not with olives, swap them", "no olives!! something else"),
    ],
)
def test_a_correction_is_known_again_in_other_words(first: str, second: str) -> None:
    assert [each.basis for each in talk(first, second)[1]] == ["repeated"]


def test_a_negation_is_never_lost() -> None:
    found = talk("no comments in the yaml please", "no comments in yaml, as before")[1]
    assert [each.memory.text for each in found if each.memory is not None] == ["No comments in yaml"]


def test_an_opening_no_belongs_to_what_follows() -> None:
    for said in ("no! use bun, not npm", "nope. we squash", "no no no. tabs.", "bun! not npm"):
        assert [each.text for each in sentences(said)] == [said]


@pytest.mark.parametrize(
    ("said", "before", "about"),
    [
        ("delete what you stored on my sister's wedding", "", "my sister's wedding"),
        ("get rid of the memory about my old flat", "", "my old flat"),
        ("remove the saved note that says Ines owns billing", "", "Ines owns billing"),
        ("in your memory there's a line about the lint script, delete that", "", "the lint script"),
        ("Wipe that from your memory.", "You don't need to know my shoe size.", "my shoe size"),
        ("vergiss, dass ich in Kiel wohne", "", "in Kiel wohne"),
        ("oublie que je travaille chez Renault", "", "je travaille chez Renault"),
        ("borra lo que sabes sobre mi perro", "", "perro"),
    ],
)
def test_what_is_to_be_forgotten_is_named_in_many_ways(said: str, before: str, about: str) -> None:
    found = asked(said, before)
    assert found is not None
    assert found.about == about


def test_orders_about_files_forget_nothing() -> None:
    for said in ("delete the fixture file", "remove the users table", "drop that column", "erase the board"):
        assert asked(said) is None


@pytest.mark.parametrize(
    "pasted",
    [
        "pr feedback:\n\n1. We always validate input here\n"
        + "The parser must never trust the header. " * 10,
        "Code Review for PR #3\n" + "We should always prefer streams over buffers in this codebase. " * 6,
        "why does this fail\n✔ a\n✖ always use strict mode\n✔ c\n" + "We never use var in this repo. " * 12,
        "In app/a.ts around lines 7 to 12, never await the cleanup; "
        + "always attach a catch in this project. " * 8,
    ],
)
def test_pasted_reports_teach_nothing(pasted: str) -> None:
    assert talk(pasted, pasted) == [[], []]


def test_a_list_of_others_is_not_the_persons() -> None:
    said = "here are the rules of some other team, funny?\n1. Always use Hungarian names\n2. Never comment\n\nI prefer tabs"
    assert [each.text for each in sentences(said)][1:] == ["I prefer tabs"]


def test_it_is_named_or_left() -> None:
    assert resolved("It runs on the Pi", "the backup job hangs again") == "the backup job runs on the Pi"
    assert resolved("It runs on the Pi", "have a look") == ""
    assert resolved("It's settled: we use Go", "have a look") == "It's settled: we use Go"


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("I no longer work at Umbrella", "The user no longer works at Umbrella"),
        ("I only ever drink tea", "The user only ever drinks tea"),
        ("I honestly don't like mocks", "The user honestly doesn't like mocks"),
        ("prefix interfaces with I", "Prefix interfaces with I"),
        ("I prefer Zig now", "The user prefers Zig"),
        ("save for later: staging is called otter", "Staging is called otter"),
    ],
)
def test_the_grammar_of_the_third_person(said: str, line: str) -> None:
    assert stand_alone(said) == line


def test_can_you_remember_is_an_order() -> None:
    ((found,),) = talk("can you remember my dentist's number? it's 555 0134")
    assert found.basis == "asked"
    assert found.memory is not None
    assert found.memory.text == "The user's dentist's number is 555 0134"
