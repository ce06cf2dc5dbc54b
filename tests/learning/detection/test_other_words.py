"""What is asked to be kept, wished again, settled, or told of a life, in other words than the cues: K-143…K-147."""

from __future__ import annotations

import pytest

from documents.proposal import Proposal
from learning.detection import own_life
from learning.detection.choices import decision
from learning.detection.detector import LearningDetector
from learning.detection.remembering import asked_to_keep
from learning.detection.rewriting import told_before_asking
from learning.turn import Turn


def answers(*turns: tuple[str, str]) -> list[list[Proposal]]:
    """Hear (work, answer) pairs of one conversation."""
    detector = LearningDetector()
    heard: list[list[Proposal]] = []
    for at, (work, text) in enumerate(turns):
        detector.analyze(Turn("assistant", work, conversation="c", message=f"a{at}"))
        heard.append(detector.analyze(Turn("user", text, conversation="c", message=f"u{at}")))
    return heard


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("please don't lose this: the certificate expires in May", "the certificate expires in May"),
        ("take down that my blood group is A+", "my blood group is A+"),
        ("mental note: the fixtures are shared", "the fixtures are shared"),
        ("add this to what you know about me: I play the oboe", "I play the oboe"),
        ("so you don't ask again: I use metric units", "I use metric units"),
        ("please remember to always use pnpm", "always use pnpm"),
        ("And don't forget to never push to main directly", "never push to main directly"),
    ],
)
def test_an_order_to_keep_is_known_by_its_form(said: str, kept: str) -> None:
    assert asked_to_keep(said) == kept
    [found] = LearningDetector().analyze(Turn("user", said, conversation="c", message="m"))
    assert found.basis == "asked"


@pytest.mark.parametrize(
    "said",
    [
        "remember to push before you leave",
        "do you remember to always ask first?",
        "save this file as utf-8",
        "add this to the changelog",
        "do you remember that the tests were red?",
        "keep a copy of the old config",
    ],
)
def test_other_orders_keep_nothing(said: str) -> None:
    assert asked_to_keep(said) == ""


@pytest.mark.parametrize(
    ("work", "first", "second"),
    [
        ("def foo(a, b):", "add type hints", "type hints missing again"),
        ("class TestFoo(TestCase)", "pytest style, no classes", "still a class. pytest functions please"),
        ("import requests", "httpx please", "httpx, not requests!"),
        ("It starts at 65 F", "celsius", "celsius please, not fahrenheit"),
        ("pip install rich", "use uv here, not pip", "uv!"),
        ("2 cups of flour", "grams please, not cups", "cups again? grams I said"),
    ],
)
def test_what_is_wished_again_is_a_repeated_correction(work: str, first: str, second: str) -> None:
    *_, last = answers((work, first), ("And here is the next one.", "now another"), (work, second))
    assert "repeated" in [proposal.basis for proposal in last]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("not centered yet", "still not centered!"),
        ("rename foo to bar", "no, bar_id, not bar"),
        ("make it sadder", "no no, sadder"),
        ("the other button", "no luck, same error"),
    ],
)
def test_what_is_of_this_task_is_no_correction(first: str, second: str) -> None:
    assert answers(("Done.", first), ("Done.", second)) == [[], []]


@pytest.mark.parametrize(
    ("work", "said"),
    [("SELECT * FROM users", "no select *"), ("git rebase main", "merge, don't rebase"), ("1 cup", "grams, not cups")],
)  # fmt: skip
def test_what_the_work_shows_is_corrected(work: str, said: str) -> None:
    [[found]] = answers((work, said))
    assert found.basis == "corrected"


@pytest.mark.parametrize(
    ("question", "answer", "chosen"),
    [
        ("offset or cursor pagination?", "cursor it is then, for all list endpoints", "cursor"),
        ("Which licence fits best?", "Apache-2.0, final.", "Apache-2.0"),
        ("Option A or B for the title?", "A then.", ""),
        ("tabs or spaces in this snippet?", "spaces then", ""),
        ("why is it slow?", "cursor it is then", ""),
    ],
)
def test_an_answer_may_settle_a_question(question: str, answer: str, chosen: str) -> None:
    line = decision(answer, question, technical=True)
    assert line.startswith(f"We decided on {chosen}") if chosen else not line


def test_what_is_settled_outside_of_work_must_last() -> None:
    assert not decision("curry it is!", "Pizza or curry?", technical=False)
    assert decision("curry, settled.", "Pizza or curry?", technical=False)


@pytest.mark.parametrize(
    "said",
    [
        "As someone with a pollen allergy I avoid parks",
        "I can't drive",
        "My dad has Parkinson's",
        "I've been a beekeeper for ten years",
        "I teach year 9 chemistry",
        "I live on the fourth floor without a lift",
    ],
)
def test_a_life_has_its_frames(said: str) -> None:
    assert own_life.lasts(said)


@pytest.mark.parametrize(
    "said",
    [
        "I have two branches",
        "I can't find the docs",
        "I only have five minutes",
        "As a result my build fails",
        "I run the tests",
        "My cat is being sick today",
    ],
)
def test_the_moment_has_others(said: str) -> None:
    assert not own_life.lasts(said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Being a night nurse I sleep from nine to four, which of these could I make?", "Being a night nurse I sleep from nine to four"),
        ("hey, can you help?", ""),
        ("if we moved to gRPC tomorrow, what would break?", ""),
    ],
)  # fmt: skip
def test_what_is_told_before_a_question_stands_alone(said: str, told: str) -> None:
    assert told_before_asking(said) == told


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Our meters report in litres. Hold on to that, you keep asking me.", "Our meters report in litres"),
        ("the pager number is with Mo. remember that please", "The pager number is with Mo"),
        ("We release on fridays. remember that from now on", "We release on fridays"),
        ("We release on fridays. remember that always", "We release on fridays"),
        ("I use a screen reader. Please remember that next time.", "The user uses a screen reader"),
        ("We release on fridays. keep that in mind next time please", "We release on fridays"),
        ("can you write down for good that the door code is with Mrs Ott?", "The door code is with Mrs Ott"),
        ("one thing to keep beyond this chat: the printer only takes A4", "The printer only takes A4"),
        (
            "Before we start, something you should hold on to: keys rotate on Sundays",
            "Keys rotate on Sundays",
        ),
    ],
)
def test_that_to_be_kept_may_be_the_sentence_before(text: str, kept: str) -> None:
    """K-179."""
    found = LearningDetector().analyze(Turn("user", text, conversation="c", message="m"))
    assert [one.memory.text for one in found if one.memory and one.memory.confidence >= 0.9] == [kept]


@pytest.mark.parametrize(
    "text",
    [
        "remember this please",
        "remember that for later",
        "Remember that next time.",
        "remember that from now on",
        "keep that in mind next time, thanks",
    ],
)
def test_when_to_remember_is_nothing_to_remember(text: str) -> None:
    """K-25, K-179."""
    assert LearningDetector().analyze(Turn("user", text, conversation="c", message="m")) == []


@pytest.mark.parametrize(
    "text",
    [
        "The config is in conf/app.toml. Save it.",
        "here's the query. keep that",
        "Is the door code with Mrs Ott? Hold on to that thought.",
        "always_on is false in the config, set it to true",
        "what does 'from now on' mean in the amendment",
        "the customer wants it green from now on, change the header",
        "our staging server returns 502 after each deploy, look into it",
        "Mein Trainer sagt immer, man soll nie kalt duschen. Stimmt das?",
    ],
)
def test_names_quotations_and_what_is_mended_give_no_cue(text: str) -> None:
    """K-180."""
    found = LearningDetector().analyze(Turn("user", text, conversation="c", message="m"))
    assert [one.memory.text for one in found if one.memory] == []


@pytest.mark.parametrize(
    "text", ["my sister is getting divorced, what can I write to her?", "my dad needs a new phone by friday"]
)
def test_the_day_of_a_relative_is_passing(text: str) -> None:
    """K-181."""
    assert not LearningDetector().analyze(Turn("user", text, conversation="c", message="m"))
