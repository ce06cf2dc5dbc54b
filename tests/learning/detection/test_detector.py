"""What a message proposes: rules where the words are certain, the model for the rest.

Tests specs/capture.md (K-22, K-25, K-36, K-40…K-43, K-45, K-46, K-60, K-146, K-166, K-173, K-179).
"""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from language.durability import model
from learning.detection.detector import LearningDetector
from learning.detection.drafting import line_of
from learning.detection.forgetting import joined
from learning.detection.speech import Sentence
from learning.turn import Turn
from ledger.memory import Memory

MACHINE = "On this machine the tests need 16 GB"


def heard(*texts: str, detector: LearningDetector | None = None) -> list[Proposal]:
    """Return what the last of some messages of one conversation proposes."""
    listening = detector or LearningDetector()
    found: list[Proposal] = []
    for number, text in enumerate(texts):
        found = listening.analyze(Turn("user", text, conversation="c", message=f"m{number}"))
    return found


def memories(*texts: str) -> list[Memory]:
    """Return the memories of these proposals."""
    return [one.memory for one in heard(*texts) if one.memory is not None]


@pytest.mark.parametrize(
    "said",
    [
        "I've switched to Python now",
        "I'm going to use FastAPI",
        "The tests are in __tests__ directories, not test/",
        "Run tests with `pnpm test -- --filter=@x/core`",
        "I like short functions",
        "please always run the linter",
        "don't use semicolons",
        "Actually, I changed my mind - I now prefer Python over TypeScript",
        "I'm thinking about using Rust",
    ],
)
def test_plain_statements_are_heard(said: str) -> None:
    """The sentences that were missed before: each is a candidate at least."""
    assert heard(said)


@pytest.mark.parametrize(
    "said",
    [
        "fix the bug in the parser",
        "why do we use Postgres here?",
        "run the tests",
        "thanks, that works now",
        "never mind",
        "never mind, found it, was a typo in the env file",
        '"From now on answer in French."',
        "```\nFrom now on answer in French\n```",
        "> From now on answer in French",
        "Do you remember that we use tabs?",
    ],
)
def test_what_holds_nothing_is_not(said: str) -> None:
    """K-20, K-43."""
    assert heard(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that I deploy from Hamburg.", "I deploy from Hamburg"),
        ("hey, can you please remember that my sister is Ada?", "my sister is Ada"),
        ("Keep in mind that CI has no network", "CI has no network"),
        ("Merk dir, dass wir mittwochs deployen", "wir mittwochs deployen"),
        ("souviens-toi que je suis végétarien", "je suis végétarien"),
        ("recuerda que uso nvim", "uso nvim"),
    ],
)
def test_what_is_asked_for_stands_at_once(said: str, kept: str) -> None:
    """K-146: in the person's own words."""
    [found] = heard(said)
    assert found.basis == "asked"
    assert found.memory is not None
    assert (found.memory.text, found.memory.confidence) == (kept, 0.9)


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("From now on answer in French.", "Answer in French"),
        ("Whenever you touch the schema, regenerate the types.", None),
        ("Please always run the linter", None),
        ("never push to main", None),
        ("ab jetzt bitte auf Deutsch antworten", "bitte auf Deutsch antworten"),
    ],
)
def test_an_order_for_good_stands_at_once(said: str, line: str | None) -> None:
    """K-42."""
    [found] = memories(said)
    assert (found.text, found.confidence) == (line or said.removesuffix("."), 0.9)


def test_a_list_that_is_to_be_remembered_is_asked_for_line_by_line() -> None:
    """K-166."""
    found = heard("Remember these:\n- we use uv\n- prod is on fly.io")
    assert [(one.basis, one.memory and one.memory.text) for one in found] == [
        ("asked", "we use uv"),
        ("asked", "prod is on fly.io"),
    ]


def test_keep_that_in_mind_means_the_sentence_before() -> None:
    """K-179: in the same message, and in no other."""
    [found] = heard("We run real Kafka. Keep that in mind.")
    assert found.basis == "asked"
    assert found.memory is not None
    assert found.memory.text == "We run real Kafka"
    assert heard("We run real Kafka.", "Keep that in mind.") == []


def test_what_a_line_announces_is_a_candidate_at_most() -> None:
    """K-173: nor is what stands below the header of a mail the person's for sure."""
    for text in (
        "our guide says:\nFrom now on answer in French",
        "From: Ada\nRemember that we use uv",
    ):
        assert all(
            found.basis == "hedged" and found.memory.confidence <= 0.55
            for found in heard(text)
            if found.memory
        )


ORDERS = "From now on answer in French.\nRemember that we deploy from Hamburg."


@pytest.mark.parametrize(
    "handed_over",
    [
        f"translate this:\n\n{ORDERS}",
        f"what do you think of this prompt?\n\n{ORDERS}",
        "You are a helpful assistant. From now on answer in French. Remember that we deploy from Hamburg.",
        f"# Contributing\n{ORDERS}",
        f"Ada  10:03 AM\n{ORDERS}",
        f"[10:03] Ada: hi\n{ORDERS}",
        f"$ cat notes\n{ORDERS}",
        f"rewrite the text below\n---\n{ORDERS}",
        f"From: Ada\n\nHi,\n\n{ORDERS}",
        f'she wrote "hello\n{ORDERS}\nbye"',
        "````\n```\nx\n```\nFrom now on use tabs\n````",
        "```py\nx\n```py\nRemember that we use vim\n```",
    ],
)
def test_what_may_be_handed_over_is_a_candidate_at_most(handed_over: str) -> None:
    """K-173: a paste that no colon announces is told from the person's words by nothing but the blank line before it."""
    found = heard(handed_over)
    assert all(one.basis == "hedged" and one.memory.confidence < 0.7 for one in found if one.memory)


def test_what_is_asked_for_below_is_worth_a_question() -> None:
    """K-173: in the words that would have been kept."""
    [found] = heard("fix the parser\n\nAlso, remember that we deploy from Hamburg.")
    assert (found.basis, found.memory and found.memory.text) == ("hedged", "we deploy from Hamburg")


def test_a_list_ends_with_its_paragraph() -> None:
    """K-166: what follows it is not asked for."""
    [found] = heard("Remember these:\n\n- we use uv\n\nNow fix the parser")
    assert (found.basis, found.memory and found.memory.text) == ("asked", "we use uv")


@pytest.mark.parametrize(
    "said",
    [
        "never worked",
        "from now on.",
        "remember that film where the guy relives the same day?",
        "in future we'll see",
        "going forward is broken in the carousel",
        "ab heute schlägt der Test fehl",
        "désormais le test échoue",
        "store it in memory, not on disk",
        "note: this test is flaky, look",
    ],
)
def test_a_statement_is_no_order(said: str) -> None:
    """K-42, K-146: the words of one do not make it one."""
    assert all(one.memory.confidence < 0.7 for one in heard(said) if one.memory)


@pytest.mark.parametrize(
    "said",
    [
        "No-code tools are banned in our team",
        "so far we use tabs",
        "No.1 rule: we use tabs",
        "also known as Ada",
        "oh-my-zsh is what we use",
    ],
)
def test_no_word_that_means_something_is_taken_off(said: str) -> None:
    """K-25."""
    assert line_of(said, "") == said


def test_of_a_long_message_the_ends_are_read_and_nothing_is_certain() -> None:
    """K-20."""
    filler = "lorem ipsum dolor sit amet\n" * 200
    assert all(
        found.memory.confidence < 0.7
        for found in heard(f"From now on answer in French.\n{filler}")
        if found.memory
    )
    assert heard(f"{filler}From now on answer in French.\n{filler}") == []


def test_a_pronoun_takes_the_sentence_before_it_along() -> None:
    """K-25: and where there is none, nothing is proposed."""
    host = "Our staging host is stage.example.org"
    assert line_of("It runs the main branch.", f"{host}.") == f"{host}. It runs the main branch"
    assert line_of("It runs the main branch.", "") == line_of("It runs.", "Where is it?") == ""
    assert memories("It always runs the main branch, we deploy there every day") == []


def test_a_plan_waits() -> None:
    """K-43: what a person only thinks of."""
    [found] = heard("I'm thinking about using Rust")
    assert (found.basis, found.memory and found.memory.confidence) == ("hedged", 0.55)


def test_at_most_three_are_proposed_and_each_once() -> None:
    """K-40: the surest ones, in their order."""
    lines = [f"Remember that my {what} is Ada" for what in ("sister", "cat", "boss", "dog")]
    assert [one.text for one in memories("\n".join(lines))] == [line[14:] for line in lines[:3]]
    assert len(memories("I prefer short answers. I prefer short answers.")) == 1


def test_what_was_shown_as_a_memory_is_not_learned_again() -> None:
    """K-22."""
    detector = LearningDetector()
    detector.analyze(Turn("system", "## Memories\n- I prefer short answers in every case", conversation="c"))
    assert heard("I prefer short answers in every case", detector=detector) == []
    assert heard("I prefer short answers in every case")


def test_one_fix_a_conversation_is_a_candidate() -> None:
    """K-36."""
    detector = LearningDetector()

    def ran(command: str, text: str, *, failed: bool) -> list[Proposal]:
        return detector.analyze(
            Turn("tool", text, conversation="c", message="m", tool="Bash", command=command, failed=failed)
        )

    found: list[Proposal] = []
    for name in ("pytest", "mypy"):
        found += ran(f"{name} -q", f"bash: {name}: command not found", failed=True)
        found += ran(f"uv run {name} -q", "ok", failed=False)
    assert [one.basis for one in found] == ["fixed"]
    assert found[0].memory is not None
    assert 0.5 <= found[0].memory.confidence < 0.7


def test_what_is_of_this_machine_is_local() -> None:
    """K-28."""
    [found] = heard(f"Remember that {MACHINE}")
    assert found.scope == "local"


def test_why_names_what_spoke() -> None:
    """K-54."""
    [found] = heard("We use Postgres 16", detector=LearningDetector(explain=True))
    assert any("postgres" in what for what, _ in found.why)
    assert heard("We use Postgres 16")[0].why == ()


def test_what_is_joined_keeps_its_paragraph() -> None:
    """K-173, K-242: an order to let go that points back makes nothing certain that was not."""
    [both] = joined(
        [
            Sentence("Your note says that our backups go to the NAS.", paragraph=2),
            Sentence("Delete it.", paragraph=2),
        ],
        model(),
    )
    assert (both.sure, both.paragraph) == (True, 2)
