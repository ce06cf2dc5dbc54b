"""Whose a thing is, and or or, must or is, for now, any or all, verbs, names: each by example, and over texts of the sets.

Tests specs/likeness.md (L-40…L-48, L-50, L-51).
"""

from __future__ import annotations

import itertools
import re

import pytest

from eval.likeness import HARD, ROLES, TIMES, pairs
from language.likeness import likeness
from tests.work import growth

TEXTS = sorted(
    {text for path in (HARD, TIMES, ROLES) for pair in pairs(path) for text in (pair.one, pair.other)}
)
LASTS = re.compile(
    r"\b(?:now|until|till|today|this|temporar|provision|moment|meantime|interim|time|henceforth|forward|next|last|while|starting|once)",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("rule", "one", "other", "expected"),
    [
        ("L-40", "Alice is Bob's manager", "Alice is the manager of Bob", "same"),
        ("L-40", "Alice is Bob's reviewer", "Bob is Alice's reviewer", "different"),
        ("L-40", "The client's proxy is slow", "The proxy's client is slow", "different"),
        ("L-40", "Review the author's code", "The author reviews the code", "different"),
        ("L-40", "Kafka is replaced by NATS", "Kafka replaces NATS", "contradicts"),
        ("L-40", "Deploys are blocked by lint", "Lint is blocked by deploys", "contradicts"),
        ("L-41", "Lint or test before pushing", "Lint and test before pushing", "different"),
        ("L-41", "Never log names or tokens", "Never log names and tokens", "same"),
        ("L-41", "Deploy if it is green", "Deploy even if it is green", "different"),
        ("L-42", "Passwords must be encrypted", "Passwords are encrypted", "different"),
        ("L-42", "Passwords must be encrypted", "Encrypt passwords", "same"),
        ("L-42", "Passwords must be encrypted", "Passwords should be encrypted", "different"),
        ("L-42", "Reviewers should respond within a day", "Reviewers respond within a day", "different"),
        ("L-43", "Fix the flaky login test", "The flaky login test is fixed", "different"),
        ("L-43", "Close ticket #12", "Ticket #12 is closed", "different"),
        ("L-43", "Sign commits", "Commits are signed", "same"),
        ("L-44", "Use npm for now", "Use npm", "different"),
        ("L-44", "Use npm for now", "For the time being, use npm", "same"),
        ("L-44", "Skip lint in this PR", "Skip lint", "different"),
        ("L-44", "From May on, use the new rate", "Use the new rate", "different"),
        ("L-44", "From now on, use npm", "Use npm", "same"),
        ("L-45", "Any reviewer can approve", "All reviewers can approve", "different"),
        ("L-45", "Any test must pass", "All tests must pass", "same"),
        ("L-45", "Keep about ten backups", "Keep ten backups", "different"),
        ("L-45", "Keep exactly ten backups", "Keep ten backups", "same"),
        ("L-45", "Probably use Postgres", "Use Postgres", "different"),
        ("L-46", "Write the guide", "Follow the guide", "different"),
        ("L-46", "Use tabs", "Prefer tabs", "same"),
        ("L-47", "Ask Williams", "Ask William", "different"),
        ("L-47", "Start the Rails app", "Start the rail app", "different"),
        ("L-47", "Marks owns the parser", "Mark owns the parser", "different"),
        ("L-47", "Write a Unit Test", "Write Unit Tests", "same"),
        ("L-48", "The limit is 2 GB", "The limit is 2000 MB", "same"),
        ("L-48", "The limit is 2 GB", "The limit is 2 GiB", "contradicts"),
        ("L-48", "Standup is at 9 am", "Standup is at 9 pm", "contradicts"),
        ("L-48", "It opens at 22:00 UTC", "It opens at 22:00 CET", "contradicts"),
        ("L-48", "Ports 1 to 9 are open", "Ports 1-9 are open", "same"),
        ("L-48", "Ports 1 to 9 are open", "Ports 1 and 9 are open", "different"),
        ("L-48", "Move from 3 to 4", "Move from 4 to 3", "contradicts"),
        ("L-48", "Polling is slower than hooks", "Polling is faster than hooks", "contradicts"),
        ("L-50", "Lint warnings are errors", "Lint errors are warnings", "different"),
        ("L-50", "A flaky test is a broken test", "A broken test is a flaky test", "different"),
        ("L-50", "Linux builds are Windows builds", "Windows builds are Linux builds", "different"),
        ("L-50", "The owner is Alice", "Alice is the owner", "same"),
        ("L-50", "Users are admins", "Admins are users", "different"),
        ("L-50", "main branch is master", "master is the main branch", "same"),
        ("L-50", "Tabs are the standard", "The standard is tabs", "same"),
        ("L-51", "Minimum upload is 10 MB", "Maximum upload is 10 MB", "different"),
        ("L-51", "Minimum upload is 10 MB", "Minimum upload is 20 MB", "contradicts"),
        ("L-51", "Set the minimum timeout to 5 s", "Set the maximum timeout to 5 s", "different"),
        ("L-51", "Sort by minimum price", "Sort by maximum price", "contradicts"),
        ("L-51", "The first release is v1", "The last release is v1", "different"),
        ("L-51", "Keep the first 10 lines", "Keep the last 10 lines", "contradicts"),
        ("L-51", "Deploy before 17:00", "Deploy after 17:00", "contradicts"),
        ("L-51", "Docs build is broken", "The docs build isn't broken", "contradicts"),
        ("L-51", "The docs build works", "The docs build doesn't work", "contradicts"),
        ("L-51", "Use the broken mirror", "Don't use the broken mirror", "contradicts"),
        ("L-51", "Include drafts in the export", "Don't exclude drafts from the export", "different"),
        ("L-51", "Keep build logs", "Don't keep build logs", "contradicts"),
        ("L-51", "The build fails without A_B=4", "Without A_B=4 the build fails", "same"),
        ("L-51", "The build fails without A_B=4", "Without A_B=4 the build does not fail", "contradicts"),
        ("L-51", "Never deploy without the flag", "Without the flag never deploy", "same"),
        ("L-51", "The build fails without a cache key", "Without keys, the build has no cache", "different"),
        ("L-51", "Alpha was released before Beta", "Alpha was released after Beta", "contradicts"),
        ("L-51", "Alpha was released before Beta", "Beta was released before Alpha", "contradicts"),
    ],
)
def test_each_rule_by_example(rule: str, one: str, other: str, expected: str) -> None:
    """The rule decides, whichever text is named first."""
    assert likeness(one, other) == likeness(other, one) == expected, rule


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_what_holds_for_a_while_is_never_what_holds(every: int) -> None:
    """L-44: over every text of the sets, or one in four, that says nothing of the kind, behind it and before it; the terms take turns."""
    terms = itertools.cycle(("for now", "until March", "this week", "for the time being", "today"))
    found = []
    for text in TEXTS[::every]:
        if not LASTS.search(text) and text[-1:] not in "?.":
            term = next(terms)
            for other in (f"{text} {term}", f"{term.capitalize()}, {text[:1].lower()}{text[1:]}"):
                found += [other] if likeness(text, other) == "same" else []
    assert not found


def test_or_in_place_of_and_is_never_the_same() -> None:
    """L-41: over every text of the sets that denies nothing."""
    denied = re.compile(
        r"\b(?:not|never|no|none|neither|nor|without|avoid|except|ban)\b|n't|\bor\b|and newer", re.IGNORECASE
    )
    found = []
    for text in TEXTS:
        if " and " in text and not denied.search(text):
            other = text.replace(" and ", " or ")
            found += [other] if likeness(text, other) == "same" else []
    assert not found


@pytest.mark.parametrize("owner", ["manager", "config", "phone", "test suite", "mother"])
@pytest.mark.parametrize("frame", ["{}'s {} is new", "Ask {}'s {} first", "Use {}'s {} for releases"])
def test_another_ones_thing_is_never_the_same(owner: str, frame: str) -> None:
    """L-40: said with 's or of."""
    of = frame.replace("{}'s {}", "the {1} of {0}")
    mine, yours = frame.format("Alice", owner), frame.format(owner.capitalize(), "alice")
    assert likeness(mine, yours) != "same"
    assert likeness(frame.format("Alice", owner), of.format("Alice", owner)) == "same"


@pytest.mark.parametrize("strong", ["must", "have to", "are required to"])
@pytest.mark.parametrize(
    ("who", "does"),
    [("reviewers", "respond within a day"), ("uploads", "pass the scan"), ("agents", "ask first")],
)
def test_what_must_be_is_never_what_is(strong: str, who: str, does: str) -> None:
    """L-42: of any who, whatever it is."""
    bound = f"All {who} {strong} {does}"
    assert likeness(bound, f"All {who} {does}") == "different"
    assert likeness(bound, f"All {who} should {does}") == "different"


@pytest.mark.parametrize(
    "unit", ["and or ", "any ", "alice's ", "for now ", "of a ", "must be ", "is done ", "use x "]
)
def test_work_grows_with_the_length_only(unit: str) -> None:
    """L-2: five times the text is less than eight times the work (a square would be 25)."""

    def compare(size: int) -> None:
        text = unit * (size // len(unit))
        likeness(text, f"Use x {text}")
        likeness(text, f"{text} use x")

    assert growth(compare) < 8


@pytest.mark.parametrize("kind", ["warnings", "failed jobs", "log lines", "review comments"])
@pytest.mark.parametrize("other", ["errors", "open tickets", "blockers", "audit events"])
@pytest.mark.parametrize("scope", ["", " in CI", " for releases"])
def test_what_is_said_of_a_kind_is_never_said_of_the_other(kind: str, other: str, scope: str) -> None:
    """L-50: of any two kinds of things, wherever it holds."""
    said = f"{kind.capitalize()} are {other}{scope}"
    assert likeness(said, f"{other.capitalize()} are {kind}{scope}") == "different"
    assert likeness(said, f"All {kind} are {other}{scope}") != "contradicts"


@pytest.mark.parametrize("thing", ["the cache", "Redis", "GIT_DIR=/tmp", "--fast", "a token"])
@pytest.mark.parametrize("said", ["the build fails", "we skip the tests", "it hangs on exit"])
def test_a_phrase_in_front_never_contradicts_itself(thing: str, said: str) -> None:
    """L-51: with a comma or none."""
    behind = f"{said.capitalize()} without {thing}"
    for front in (f"Without {thing} {said}", f"Without {thing}, {said}"):
        assert likeness(behind, front) == "same"
