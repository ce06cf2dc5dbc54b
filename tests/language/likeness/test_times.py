"""What was, will be, is needed, is named, or does it to whom: each rule by example, and over every text of the set.

Tests specs/likeness.md (L-26, L-27, L-29, L-30, L-32…L-35).
"""

from __future__ import annotations

import re

import pytest

from eval.likeness import HARD, TIMES, pairs
from language.likeness import likeness

TEXTS = sorted({text for path in (HARD, TIMES) for pair in pairs(path) for text in (pair.one, pair.other)})
PAST = re.compile(
    r"\b(?:was|were|had|did|will|would|used|formerly|previously|until|going|been|if|once)\b|n't|'ll|\?$",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("rule", "one", "other", "expected"),
    [
        ("L-26", "I used to work at Acme", "I work at Acme", "contradicts"),
        ("L-26", "I worked at Acme until last year", "I work at Acme", "contradicts"),
        ("L-26", "I used to work at Acme", "I no longer work at Acme", "same"),
        ("L-26", "uv is used to install packages", "We use uv to install packages", "same"),
        ("L-26", "User got used to Vim", "User uses Vim", "different"),
        ("L-26", "We never used to lint", "We lint", "different"),
        ("L-26", "We used to deploy by hand", "Never deploy by hand", "different"),
        ("L-26", "We used to use npm", "We use pnpm", "different"),
        ("L-26", "Use the formerly agreed format", "Use the agreed format", "different"),
        ("L-27", "Redis was slow", "Redis is slow", "different"),
        ("L-27", "Auth will use OAuth", "Auth uses OAuth", "different"),
        ("L-27", "The port was 5432", "The port is 5433", "different"),
        ("L-27", "The flag was disabled", "The flag is enabled", "contradicts"),
        ("L-27", "I work at Acme", "I'm working at Acme", "same"),
        ("L-27", "I would like short answers", "I want short answers", "same"),
        ("L-27", "Alice reviewed the schema", "The schema was reviewed by Alice", "same"),
        ("L-27", "Alice reviewed the schema", "Alice reviews the schema", "different"),
        ("L-27", "Ship on Mondays", "Shipped on Mondays", "different"),
        ("L-27", "Rotate the keys", "Keys rotated", "different"),
        ("L-27", "Rotate the keys", "Keys were rotated", "different"),
        ("L-27", "Failed jobs are retried twice", "Retry failed jobs twice", "same"),
        ("L-27", "Sign commits", "Commits are signed", "same"),
        ("L-29", "Prod needs a VPN", "Prod has a VPN", "different"),
        ("L-29", "User wants a dog", "User has a dog", "different"),
        ("L-29", "Tests need fixing", "Tests are fixed", "different"),
        ("L-29", "User wants to use Vim", "User uses Vim", "different"),
        ("L-29", "The user should use Vim", "The user uses Vim", "different"),
        ("L-29", "I live in Berlin", "I work in Berlin", "different"),
        ("L-29", "PRs must have two approvals", "PRs need two approvals", "same"),
        ("L-29", "User wants short answers", "User prefers answers to be short", "same"),
        ("L-30", "Run npm test", "Run npm tests", "different"),
        ("L-30", "The user table is sharded", "The users table is sharded", "different"),
        ("L-30", "Config key is host", "Config key is hosts", "different"),
        ("L-30", "Import from util", "Import from utils", "different"),
        ("L-30", "Import from `util`", "Import from utils", "different"),
        ("L-30", "Class names are PascalCase", "The class name is PascalCase", "same"),
        ("L-30", "The config file is YAML", "The configuration file is YAML", "same"),
        ("L-30", "Build the tests", "Test the builds", "different"),
        ("L-30", "Test the parser", "The parser tests", "different"),
        ("L-30", "Cache the build", "The cache builds", "different"),
        ("L-32", "Delete the first file", "Delete the file", "different"),
        ("L-32", "Run make lint first", "First run make lint", "same"),
        ("L-33", "The new parser is slow", "The old parser is slow", "different"),
        ("L-33", "Reducers are pure", "Reducers are impure", "contradicts"),
        ("L-33", "The default is 5", "The fault is 5", "different"),
        ("L-33", "Docs live in docs/", "Docs live in docs/api/", "different"),
        ("L-33", "Node 18 is the minimum", "Node 20 is the minimum", "contradicts"),
        ("L-34", "All routes need a test", "Some routes need a test", "contradicts"),
        ("L-34", "All routes need a test", "Most routes need a test", "different"),
        ("L-34", "Keep at least 5 backups", "Keep fewer than 5 backups", "contradicts"),
        ("L-34", "Retry twice", "Retry three times", "contradicts"),
        ("L-35", "Copy dist to build", "Copy build to dist", "contradicts"),
        ("L-35", "Env vars override the config", "The config overrides env vars", "contradicts"),
        ("L-35", "Alice reviews Bob's PRs", "Bob reviews Alice's PRs", "different"),
        ("L-35", "Dev uses SQLite, prod uses Postgres", "Dev uses Postgres, prod uses SQLite", "contradicts"),
        ("L-35", "Lint, build, test", "Test, build, lint", "different"),
        ("L-35", "Read the docs and write the tests", "Write the docs and read the tests", "different"),
        ("L-6", "Deploy to prod", "Deploy to prod when it works", "different"),
        ("L-6", "Use tabs", "Use tabs if possible", "different"),
        ("L-6", "Listen on port 8080", "Listen on port 8080 only in debug mode", "different"),
        ("L-6", "We migrated to MySQL", "We migrated from MySQL to Postgres", "different"),
    ],
)
def test_each_rule_by_example(rule: str, one: str, other: str, expected: str) -> None:
    """The rule decides, whichever text is named first."""
    assert likeness(one, other) == likeness(other, one) == expected, rule


@pytest.mark.parametrize("turned", ["was", "used to be", "will be", "had been", "is no longer"])
def test_is_in_another_time_is_never_the_same(turned: str) -> None:
    """L-26, L-27: over every text of the set that has an `is`."""
    found = []
    for text in TEXTS:
        if " is " in text and not PAST.search(text):
            other = text.replace(" is ", f" {turned} ", 1)
            found += [other] if likeness(text, other) == "same" else []
    assert not found


@pytest.mark.parametrize("who", ["I", "We", "The user", "They"])
def test_what_somebody_used_to_do_is_never_the_same(who: str) -> None:
    """L-26, L-27: over verbs, of the frame and others, and whatever they are used with."""
    found = []
    for verb in "work live use like prefer want need keep run deploy write own test manage hold".split():
        for rest in ("at Acme", "the tool", "with Redis", "on Fridays in Rome"):
            ending = "s" if who == "The user" else ""
            now = f"{who} {verb}{ending} {rest}"
            for other in (f"{who} used to {verb} {rest}", f"{who} will {verb} {rest}"):
                found += [other] if likeness(now, other) == "same" else []
            if likeness(now, f"{who} used to {verb} {rest}") != "contradicts":
                found.append(f"{now}, used to")
    assert not found


@pytest.mark.parametrize("verb", ["needs", "wants", "requires", "would like"])
def test_what_is_wanted_is_never_had(verb: str) -> None:
    """L-29: whoever it is and whatever."""
    for who in ("Prod", "The user", "The parser job", "She"):
        for what in ("a VPN", "two replicas", "Java 8", "admin rights", "`make`"):
            assert likeness(f"{who} {verb} {what}", f"{who} has {what}") == "different"
