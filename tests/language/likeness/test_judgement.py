"""Same, contradicts, different: each rule by example, and what holds for any text.

Tests specs/likeness.md (L-1…L-11).
"""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eval.likeness import pairs
from language.likeness import likeness, read
from tests.work import growth

TEXTS = sorted({text for pair in pairs() for text in (pair.one, pair.other)})
texts = st.sampled_from(TEXTS)
CASED = re.compile(r"\w[./_]\w|-\w|[A-Z]{2}|[`']")
"""What another case makes another thing (L-16), and an apostrophe, where a title begins a word anew."""
LINE = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
WORDS = st.lists(
    st.sampled_from(
        """21 passed use don't not never npm pnpm `make x` , . ; : ( ) before after from to 5 s 3.11 src/a.py over instead of
        without unless only and or tests main is ` -> < task 1. released v1.2.0 neither nor all but - non-x off every: x:""".split()
    ),
    max_size=14,
).map(" ".join)


@pytest.mark.parametrize(
    ("rule", "one", "other", "expected"),
    [
        ("L-1", "Use tabs", "Use tabs in Makefiles", "different"),
        ("L-1", "Use uv", "Use uv because pip is slow", "different"),
        ("L-1", "Use dark mode", "Use monospace font", "different"),
        ("L-1", "Prefers concise answers", "User prefers answers to be concise", "same"),
        ("L-2", "use **pnpm**.", "  Use pnpm!", "same"),
        ("L-2", "Don\u2019t push", "Don't push", "same"),
        ("L-3", "Don't push to main", "Do not push to main", "same"),
        ("L-3", "dont push to main", "Never push to main", "same"),
        ("L-3", "The config file is config/app.toml", "Configuration is in config/app.toml", "same"),
        ("L-3", "PRs need two approvals", "Pull requests require 2 approvals", "same"),
        ("L-4", "Token expires after 60 minutes", "Tokens expire after 1 hour", "same"),
        ("L-4", "The limit is 10,000 rows", "The limit is 10000 rows", "same"),
        ("L-4", "The database runs on port 5433", "The database runs on port 5432", "contradicts"),
        ("L-4", "Python version is 3.11", "Python version is 3.12", "contradicts"),
        ("L-4", "Timeout is 30 s", "Timeout is 30 min", "contradicts"),
        ("L-4", "Docs are in ./docs", "Docs are in docs/", "same"),
        ("L-4", "Issue #64 is fixed", "Issue #65 is fixed", "different"),
        ("L-4", "✅ Release notes", "⏳ Release notes", "different"),
        ("L-4", "Run `make test`", "Run make test", "same"),
        ("L-5", "Always use tabs", "Never use tabs", "contradicts"),
        ("L-5", "Disable telemetry", "Do not enable telemetry", "same"),
        ("L-5", "Turn telemetry on", "Turn off telemetry", "contradicts"),
        ("L-5", "Never avoid tabs", "Avoid tabs", "contradicts"),
        ("L-5", "Commit to main and push tags", "Do not commit to main and do not push tags", "contradicts"),
        ("L-5", "Commit to main and push tags", "Don't commit to main, don't push tags", "contradicts"),
        ("L-5", "Log names and tokens", "Do not log names and do not log tokens", "contradicts"),
        ("L-5", "Never disable telemetry", "Telemetry is enabled", "same"),
        ("L-5", "Stop using moment.js", "Use moment.js", "contradicts"),
        ("L-5", "We no longer use Redux", "We use Redux", "contradicts"),
        ("L-5", "Instead of npm, use pnpm", "Use pnpm rather than npm", "same"),
        ("L-5", "Use pnpm, not npm", "Use npm, not pnpm", "contradicts"),
        ("L-5", "Use pnpm, not npm", "Don't use npm; use pnpm", "same"),
        ("L-5", "Use pnpm (never npm)", "Use pnpm instead of npm", "same"),
        ("L-5", "Merge without review", "Merge with review", "contradicts"),
        ("L-5", "Delete files without asking", "Ask before deleting files", "contradicts"),
        ("L-5", "Don't commit, push or tag", "Commit, push or tag", "contradicts"),
        ("L-5", "You don't need to run the linter", "Don't run the linter", "different"),
        ("L-5", "Review is optional", "Review is forbidden", "different"),
        ("L-5", "Review is optional", "Review is required", "contradicts"),
        (
            "L-6",
            "When writing tests, don't mock the clock",
            "Don't mock the clock when writing tests",
            "same",
        ),
        ("L-6", "Refactor when asked", "Refactor when not asked", "contradicts"),
        ("L-7", "Run lint before tests", "Run tests after lint", "same"),
        ("L-7", "Run lint before tests", "Run lint after tests", "contradicts"),
        ("L-7", "Before committing, run `make lint`", "Run make lint before committing", "same"),
        (
            "L-7",
            "Copy data from staging to production",
            "Copy data from production to staging",
            "contradicts",
        ),
        ("L-7", "Copy data to staging from production", "Copy data from production to staging", "same"),
        ("L-7", "Merge main into develop", "Merge develop into main", "contradicts"),
        ("L-8", "Use pnpm", "Use npm", "contradicts"),
        ("L-8", "The main branch is main", "The main branch is master", "contradicts"),
        ("L-8", "Commits are signed", "Commits are unsigned", "contradicts"),
        ("L-8", "Releases go out every Tuesday", "Releases go out every Friday", "contradicts"),
        ("L-8", "test_a1 is flaky", "test_b1 is flaky", "different"),
        ("L-8", "Use vitest in packages/ui", "Use vitest in packages/core", "different"),
        ("L-8", "Tests live in tests/unit", "Tests live in src/tests", "contradicts"),
        ("L-8", "The app is hosted on Vercel", "The app is hosted on Netlify", "contradicts"),
        ("L-8", "Don't use npm", "Don't use yarn", "different"),
        ("L-8", "Use single quotes in JavaScript", "Use double quotes in Python", "different"),
        ("L-9", "Keep at least 3 replicas", "Keep at most 3 replicas", "contradicts"),
        ("L-9", "Don't mock the database in integration tests", "Mock the clock in unit tests", "different"),
        ("L-10", "Run the tests on main", "Run the tests only on main", "different"),
        ("L-10", "Pushing to main is allowed", "Always push to main", "different"),
        ("L-10", "Run migrations", "Write migrations", "different"),
        ("L-10", "Use pnpm, not npm", "Use pnpm", "same"),
        ("L-10", "Edit new files", "Edit existing files", "different"),
        ("L-10", "Compare a.txt with b.txt", "Compare b.txt with a.txt", "different"),
        (
            "L-35",
            "The frontend runs on port 3000, the backend on port 8080",
            "The backend runs on port 3000, the frontend on port 8080",
            "contradicts",
        ),
        ("L-10", "Use `git push --force-with-lease`", "Use `git push --force`", "contradicts"),
        ("L-5", "Gate 2 arm: NOT STARTED", "Gate 2 arm is not started", "same"),
        ("L-5", "Gate 2 arm: NOT STARTED", "Gate 2 arm: started", "contradicts"),
        ("L-5", "Gate decision: do not start a Gate 2 arm", "Gate 2 arm: NOT STARTED", "different"),
        ("L-5", "Telemetry: off", "Telemetry: on", "contradicts"),
        (
            "L-5",
            "The main database on staging is not encrypted",
            "The main database on staging is slow",
            "different",
        ),
        ("L-5", "Main branch is not protected", "Main branch is protected", "contradicts"),
        ("L-5", "Manual UAT is non-negotiable", "Manual UAT before any PR", "different"),
        ("L-5", "Writes are non-blocking", "Writes are blocking", "contradicts"),
        ("L-5", "Neither commit nor push", "Commit and push", "contradicts"),
        ("L-8", "Port 5432", "The port is 5432", "same"),
        ("L-8", "Port 5432: Postgres", "Port 5433: Postgres", "different"),
        ("L-8", "Task 1: parser, done", "Task 2: parser, done", "different"),
        ("L-8", "Task 1 done", "Task 2 done", "different"),
        ("L-8", "Phase 2 complete", "Phase two complete", "same"),
        ("L-8", "Wave 1: complete", "Wave 2: complete", "different"),
        ("L-8", "#1584: merged", "#1585: merged", "different"),
        ("L-8", "Released v1.2.0", "Released v1.2.1", "different"),
        ("L-8", "v1.2.0 fixed the parser", "v1.2.1 fixed the parser", "different"),
        ("L-8", "1. Run the linter", "2. Run the linter", "different"),
        ("L-8", "Captured: 2026-05-22T09:27:19Z", "Captured: 2026-05-22T15:31:35Z", "different"),
        ("L-8", "Notes: memory/2026-05-22.md", "Notes: memory/2026-05-23.md", "different"),
        ("L-8", "The launch date is 2026-11-20", "The launch date is 2026-11-21", "contradicts"),
        ("L-8", "Checks: PASS, 15/15", "Checks: PASS, 17/17", "different"),
        ("L-8", "`make test` -> 21 cases passed", "`make test` -> 22 cases passed", "different"),
        ("L-8", "The daily backup starts at 02:00", "The daily backup starts at 03:00", "contradicts"),
        ("L-5", "Critical notes: deploys", "Critical constraints: deploys", "different"),
        ("L-8", "The tracking issue is #64", "The tracking issue is #65", "contradicts"),
        ("L-8", "PRs need two approvals", "PRs need three approvals", "contradicts"),
        ("L-15", "We should use tabs", "Should we use tabs?", "different"),
        ("L-15", "We should use tabs", "Should we use tabs", "different"),
        ("L-15", "The API is stable", "Is the API stable?", "different"),
        ("L-15", "Deploy now?", "Deploy now!", "different"),
        ("L-15", "Never use `vim`", "Use `vim`?", "different"),
        ("L-15", "Do the tests pass?", "The tests do pass", "different"),
        ("L-15", "How do we deploy", "We do deploy", "different"),
        ("L-15", "Is `pnpm` used", "`pnpm` is used", "different"),
        ("L-16", "Use `git commit -s`", "Use `git commit -S`", "different"),
        ("L-16", "Use chmod -r", "Use chmod -R", "different"),
        ("L-16", "Branch is `Main`", "Branch is `main`", "different"),
        ("L-16", "Set `FOO`", "Set foo", "different"),
        ("L-16", "Read `path`", "Read PATH", "different"),
        ("L-16", "Edit README", "Edit readme", "different"),
        ("L-16", "Env var is PORT", "Env var is port", "different"),
        ("L-16", "Deploy for us", "Deploy for US", "different"),
        ("L-16", "Servers are in the US", "Servers are with us", "different"),
        ("L-16", "File is Readme.md", "File is README.md", "different"),
        ("L-16", "MAX_SIZE is kept", "max_size is kept", "different"),
        ("L-16", 'Set X to ""', "Set X to", "different"),
        ("L-17", "Bob manages Alice", "Alice manages Bob", "different"),
        ("L-17", "Bob manages Alice", "Bob is managed by Alice", "different"),
        ("L-17", "Alice reports to Bob", "Bob reports to Alice", "different"),
        ("L-17", "Module A imports module B", "Module B imports module A", "different"),
        ("L-17", "Users who are admins are trusted", "Admins who are users are trusted", "different"),
        ("L-17", "Only admins can deploy", "Admins can only deploy", "different"),
        ("L-17", "Not all tests pass", "All tests not pass", "different"),
        ("L-17", "Not all tests pass", "The tests do not pass", "different"),
        ("L-17", "Just run lint", "Run just lint", "different"),
        ("L-10", "Never deploy the rate limiter", "Rate limiter: not deployed", "different"),
        ("L-8", "Reply in German", "Reply in short sentences", "different"),
        ("L-15", "Should I use tabs?", "Should we use tabs?", "same"),
        ("L-15", "Do not push", "Don't push", "same"),
        ("L-16", "NEVER push to main", "Never push to main", "same"),
        ("L-16", "DO NOT EDIT the README", "Do not edit the README", "same"),
        ("L-16", "Use the REST API", "use the rest api", "same"),
        ("L-16", "Use `npm`", "Use npm", "same"),
        ("L-17", "Bob is managed by Alice", "Alice manages Bob", "same"),
        ("L-17", "Use pnpm and vitest", "Use vitest and pnpm", "same"),
        ("L-17", "The default port is 5432", "5432 is the default port", "same"),
        ("L-10", "Tests are never skipped", "Never skip tests", "same"),
        ("L-8", "Python 3.12 is used", "We use Python 3.12", "same"),
        ("L-2", "the", "The.", "same"),
        ("L-8", "Python 3.12 is used", "Python 3.11 is used", "contradicts"),
        ("L-8", "Python 3.12 is used", "We use Python 3.11", "contradicts"),
        ("L-8", "Node 18 is required", "Node 20 is required", "contradicts"),
        ("L-8", "Python 3.12 is supported", "Python 3.11 is supported", "different"),
        ("L-8", "Python 3.12 is used in CI", "Python 3.11 is used in production", "different"),
        ("L-8", "Task 1 is required", "Task 2 is required", "different"),
        ("L-18", "The rate limiter is not deployed", "Never deploy the rate limiter", "different"),
        ("L-18", "The rate limiter isn't deployed", "Don't deploy the rate limiter", "different"),
        ("L-18", "The rate limiter should not be deployed", "The rate limiter is not deployed", "different"),
        ("L-18", "We must not deploy the rate limiter", "The rate limiter is not deployed", "different"),
        ("L-18", "The staging database is not backed up", "Never back up the staging database", "different"),
        ("L-18", "The migration was not run", "Never run the migration", "different"),
        ("L-18", "Migrations have not been run on staging", "Do not run migrations on staging", "different"),
        ("L-18", "These servers are not patched", "Please do not patch these servers", "different"),
        ("L-18", "The changelog is not written", "Never write the changelog", "different"),
        ("L-18", "Semicolons are not used", "Never use semicolons", "same"),
        ("L-18", "Emojis are not used in commits", "Don't use emojis in commits", "same"),
        ("L-18", "Secrets must not be committed", "Never commit secrets", "same"),
        ("L-18", "The rate limiter is never deployed", "Never deploy the rate limiter", "same"),
        ("L-18", "The rate limiter should not be deployed", "Never deploy the rate limiter", "same"),
        ("L-18", "Tests are run before commits", "Run tests before commits", "same"),
        ("L-18", "The rate limiter is not deployed", "The rate limiter isn't deployed", "same"),
        ("L-18", "The rate limiter is not deployed", "Rate limiter: not deployed", "same"),
        ("L-1", "port 5433", "port 5432", "contradicts"),
        ("L-1", "The port is 5432", "The port is 5433", "contradicts"),
        ("L-1", "Port 5432", "Port 5433", "contradicts"),
        ("L-1", "use pnpm", "use npm", "contradicts"),
        ("L-1", "main branch is main", "main branch is master", "contradicts"),
    ],
)
def test_each_rule_by_example(rule: str, one: str, other: str, expected: str) -> None:
    """The rule decides, whichever text is named first: L-1…L-10, L-15…L-18, L-35."""
    assert likeness(one, other) == expected, rule
    assert likeness(other, one) == expected, rule


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Only admins can delete users", "Admins can delete only users"),
        ("Allowlist: Read, Grep; denylist: Bash", "Allowlist: Read, Bash; denylist: Grep"),
        ("The server pushes to the client", "The client pushes to the server"),
        ("Convert JSON to YAML", "Convert YAML to JSON"),
        ("Rename foo to bar", "Rename bar to foo"),
        ("Replace moment with dayjs", "Replace dayjs with moment"),
        ("Squash commits on all branches but release", "Squash commits on all branches, also release"),
        ("A <- B", "A -> B"),
        ("lint -> test -> build", "lint -> build -> test"),
        ("fetch -> parse -> store", "fetch -> store -> parse"),
        ("x < y", "x > y"),
        ("a == b is required", "a != b is required"),
        ("The job runs every 2 hours", "The job runs for 2 hours"),
        ("Main is protected, release is not", "Release is protected, main is not"),
        ("Tabs: no. Spaces: yes.", "Tabs: yes. Spaces: no."),
        ("npm: never; pnpm: always", "pnpm: never; npm: always"),
    ],
)
def test_words_that_changed_places_are_not_the_same(one: str, other: str) -> None:
    """L-10: each was once called the same."""
    assert likeness(one, other) == likeness(other, one) != "same"


@given(texts | LINE | WORDS, texts | LINE | WORDS)
def test_the_order_of_the_texts_does_not_matter(one: str, other: str) -> None:
    """L-2: symmetric, over real sentences and over anything."""
    assert likeness(one, other) == likeness(other, one)


@given(texts | LINE | WORDS)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    """L-2: reflexive; what was read before is compared like the text."""
    assert likeness(text, text) == "same"
    assert likeness(read(text), text) == "same"


@given(texts, st.sampled_from(["{}", "{}.", "{}!", " {} ", "**{}**", '"{}"', "- {}", "“{}”", "({})"]))
def test_case_and_outer_punctuation_do_not_matter(text: str, shape: str) -> None:
    """L-2: SHOUTING, a full stop or a bullet make no other memory; case in a code span does (L-16)."""
    assume("`" not in text and " " in text)
    assert likeness(text, shape.format(text.upper())) == "same"


@given(texts, texts, st.sampled_from([str.upper, str.title, "{}.".format, "*{}*".format]))
def test_dress_changes_no_verdict(one: str, other: str, dress: object) -> None:
    """L-2: the verdict on two texts stays when one of them is written otherwise."""
    assert callable(dress)
    if dress not in (str.title, str.upper) or not CASED.search(one):
        assert likeness(dress(one), other) == likeness(one, other)


@pytest.mark.parametrize("negation", ["Never: {}", "Do not {}", "It is not true: {}", "{}: no"])
def test_a_negation_before_a_text_is_never_the_same(negation: str) -> None:
    """L-11, over every text of the set, whatever negations it has already."""
    assert not [text for text in TEXTS if likeness(text, negation.format(text)) == "same"]


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_a_not_put_anywhere_is_never_the_same(every: int) -> None:
    """L-11: between any two words of any text of the set, or of one in four."""
    found = []
    for text in TEXTS[::every]:
        words = text.split()
        for at in range(len(words) + 1):
            other = " ".join([*words[:at], "not", *words[at:]])
            if likeness(text, other) == "same":
                found.append(other)
    assert not found


def test_another_number_is_never_the_same() -> None:
    """L-4: over every text of the set that has a number, with one digit changed."""
    found = []
    for text in TEXTS:
        for at, sign in enumerate(text):
            if sign.isdigit():
                other = f"{text[:at]}{(int(sign) + 1) % 10}{text[at + 1 :]}"
                found += [other] if likeness(text, other) == "same" else []
    assert not found


@pytest.mark.parametrize(
    "text", ["", " ", ".", "``", "**", "not", "'", "#", "(", "::", "\0", "never never", "use"]
)
def test_next_to_nothing_is_different_from_something(text: str) -> None:
    """L-1: no words, no opinion."""
    assert likeness(text, "Use pnpm") == "different"


@pytest.mark.parametrize(
    "unit",
    [
        "`",
        "not ",
        "a, ",
        "(",
        "prefer ",
        "leave ",
        "*",
        "5 s ",
        "- ",
        "x/",
        "or ",
        "is a b ",
        "is used a b ",
        "used to ",
        "previously ",
        "keys rotated ",
        "from x. ",
        "user table ",
        "a and b ",
    ],
)
def test_work_grows_with_the_length_only(unit: str) -> None:
    """L-2: five times the text is less than eight times the work (a square would be 25)."""

    def compare(size: int) -> None:
        text = unit * (size // len(unit))
        likeness(text, f"Use x {text}")

    assert growth(compare) < 8


def test_long_lists_are_not_compared_each_with_each() -> None:
    """L-2: four times the members, shared and denied, are less than six times the work (a square would be 16)."""

    def compare(count: int) -> None:
        shared = ", ".join(f"alpha w{at}" for at in range(count))
        one, other = (f"{shared}. " + ", not ".join(f"{name}{at}" for at in range(count)) for name in "xy")
        members = [f"alpha a{at}q" for at in range(count)]
        assert likeness(one, other) == "different"
        likeness(", ".join(members), ", ".join(reversed(members)))

    assert growth(compare, size=150, times=4) < 6
