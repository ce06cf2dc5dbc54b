"""How what a person said becomes a line that stands alone.

Tests specs/capture.md (K-23, K-25, K-26, K-28…K-31, K-41).
"""

from __future__ import annotations

import pytest

from language.signals import signals
from learning.detection.detector import LearningDetector
from learning.detection.forgetting import asked
from learning.detection.rewriting import clauses, stand_alone
from learning.detection.sorting import sort
from learning.turn import Turn


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("I'm a nurse and I work nights", "The user is a nurse and they work nights"),
        ("btw i've got two cats", "The user has got two cats"),
        ("I don't eat fish.", "The user doesn't eat fish"),
        ("my sister lives in Turku", "The user's sister lives in Turku"),
        ("I always carry my laptop with me", "The user always carries their laptop with them"),
        ("please remember that I fly on the 3rd, thanks!", "The user flies on the 3rd"),
        ("I'd like you to ask before deleting files", "Ask before deleting files"),
        ("we deploy on Tuesdays", "We deploy on Tuesdays"),
        ("use `make my_i` where I am", "Use `make my_i` where the user is"),
        ("ich arbeite bei Siemens", "Ich arbeite bei Siemens"),
        ("me llamo Inés", "Me llamo Inés"),
        ("pnpm only here", "pnpm only here"),
        ("`task lint` comes first.", "`task lint` comes first"),
        ('no "I" in headings, please', 'No "I" in headings'),
        ("I ate fish once and slept badly", "The user ate fish once and slept badly"),
        ("I brought my son, who I drew, and I spoke little", "The user brought their son, who they drew, and they spoke little"),
    ],
)  # fmt: skip
def test_a_line_stands_alone(said: str, line: str) -> None:
    assert stand_alone(said) == line


@pytest.mark.parametrize(
    "line",
    [
        "Log the request id on every error",
        "The id like column is legacy",
        "Use i and j for loop indices",
        "Name the loop variable i",
        "Our disk layout uses drive d and i",
        "The im module is deprecated",
        "Phase I is done, phase II starts in May",
        "Type I errors cost us more than type II",
        "The my.cnf is in /etc/mysql",
        "my-app is the service name",
        "me.json holds the profile",
        "Mine the logs of staging only",
        "Im Büro läuft nur Linux",
    ],
)
def test_what_only_looks_like_the_first_person_stays(line: str) -> None:
    assert stand_alone(line) == line


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("id rather have uuids", "The user would rather have uuids"),
        ("honestly id prefer tabs", "Honestly the user would prefer tabs"),
        ("i get ill from peanuts", "The user gets ill from peanuts"),
        ("ill take aisle seats", "The user will take aisle seats"),
        ("if I feel ill I work from home", "If the user feels ill they work from home"),
        (
            "I was born in Brno and I focus best at night",
            "The user was born in Brno and they focus best at night",
        ),
        ("this is where i am on mondays", "This is where the user is on mondays"),
        ("World War I is my hobby", "World War I is the user's hobby"),
    ],
)
def test_short_forms_are_the_person_where_a_clause_begins(said: str, line: str) -> None:
    assert stand_alone(said) == line


def test_a_line_is_short() -> None:
    assert len(stand_alone("we use " + "this, " * 300)) <= 400


def test_clauses_joined_are_the_sentence() -> None:
    for said in ("ci has one core, so fix it; thanks", "a `b; c` d — e, can you f", "x"):
        assert "".join(clauses(said)) == said


def test_code_and_quotations_give_no_cue() -> None:
    assert "prefer" in signals("I prefer tabs")
    assert "prefer" not in signals("`I prefer tabs` is what it prints")
    assert "standing" not in signals('he wrote "from now on" twice')


@pytest.mark.parametrize(
    ("said", "scope", "kind", "section"),
    [
        ("I prefer dark themes", "user", "preference", ""),
        ("my name is Ola", "user", "identity", ""),
        ("we decided to use NATS", "project", "decision", ""),
        ("on this machine node is 18", "local", "fact", "Project Conventions"),
        ("we test with `tox -p`", "project", "fact", "Tool Usage"),
        ("tests live next to the code in this repo", "project", "fact", "Project Conventions"),
        ("my daughter is called Eira", "user", "fact", "People & Roles"),
        ("we have two dogs, Pico and Nell", "user", "fact", "User Preferences"),
        ("our sisters are called Kaja and Mia", "user", "fact", "User Preferences"),
    ],
)
def test_a_memory_is_sorted(said: str, scope: str, kind: str, section: str) -> None:
    found = sort(said, stand_alone(said), signals(said))
    assert (found.scope, found.type, found.section) == (scope, kind, section)


@pytest.mark.parametrize(
    "said",
    ["forget it", "don't forget to commit", "I always forget the flag", "forget that, use the other one", "delete the note from the page",
     "never forget that we are on call"],
)  # fmt: skip
def test_not_all_that_is_forgotten_is_a_memory(said: str) -> None:
    assert asked(said) is None


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Looks good, just so you know I always review migrations", "The user always reviews migrations"),
        ("that's fine but the suite has to run in docker", "The suite has to run in docker"),
        ("(we tag slow ones with :slow)", "We tag slow ones with :slow"),
        ("(a) we use tabs (b) we use spaces", "(a) we use tabs (b) we use spaces"),
        ("it's great that we use pnpm", "It's great that we use pnpm"),
    ],
)
def test_an_assent_and_parentheses_are_no_part_of_the_line(said: str, line: str) -> None:
    """K-25."""
    assert stand_alone(said) == line


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("going forward, write the tests before the implementation", "Write the tests before the implementation"),
        ("from here on, write the docs first", "Write the docs first"),
        ("From now on in this project, write tests first", "In this project, write tests first"),
        ("from now on, when you add a dependency, run the audit", "When you add a dependency, run the audit"),
        ("as a rule, fix lint before tests", "Fix lint before tests"),
        ("generally, write small functions", "Write small functions"),
        ("From now on for every new endpoint, add a contract test", "For every new endpoint, add a contract test"),
    ],
)  # fmt: skip
def test_no_line_is_only_what_opens_a_sentence(said: str, line: str) -> None:
    """K-25: an opening, a condition or a place says nothing without what follows."""
    found = LearningDetector().analyze(Turn("user", said, conversation="c", message="m"))
    assert [one.memory.text for one in found if one.memory is not None] == [line]
