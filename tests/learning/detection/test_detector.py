"""What a detector proposes, and what it stays silent on: each case of the issue, and others like it.

Tests specs/capture.md (K-20…K-23, K-25, K-26, K-28…K-32, K-34, K-36, K-37, K-39…K-46).
No sentence here, but for the issue's own, stands in the rules or in the data of the model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from documents.proposal import Proposal
from learning.detection.corrections import Correction
from learning.detection.detector import LearningDetector
from learning.turn import Turn


def said(
    *messages: str, detector: LearningDetector | None = None, conversation: str = "c1"
) -> list[list[Proposal]]:
    detector = detector or LearningDetector()
    return [
        detector.analyze(
            Turn("user", text, conversation=conversation, session="s", message=f"{conversation}-{at}")
        )
        for at, text in enumerate(messages)
    ]


def one(text: str) -> Proposal:
    (found,) = said(text)[0]
    return found


def texts(found: Sequence[Proposal]) -> list[str]:
    return [proposal.memory.text for proposal in found if proposal.memory is not None]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Don't use var in this project", "Don't use var in this project"),
        ("please don't use any in this codebase", "Don't use any in this codebase"),
        ("never use inline styles in this repo", "Never use inline styles in this repo"),
        ("In this project we always use named exports.", "In this project we always use named exports"),
        ("avoid default exports in this repo, ok?", "Avoid default exports in this repo"),
        ("From now on answer in French", "Answer in French"),
        ("from now on, use metric units", "Use metric units"),
        ("Going forward please write commit messages in German.", "Write commit messages in German"),
        ("Could you reply in Dutch from now on?", "Reply in Dutch"),
        ("In future, quote prices without VAT.", "Quote prices without VAT"),
        ("Keep responses short", "Keep responses short"),
        ("keep your answers brief please", "Keep your answers brief"),
        ("Don't use emojis in replies.", "Don't use emojis in replies"),
        ("Avoid bullet points in your answers", "Avoid bullet points in your answers"),
        ("always answer in English, even if I write Polish", "Always answer in English, even if the user writes Polish"),
        ("My cat's name is Luna", "The user's cat is named Luna"),
        ("my daughter's name is Edda", "The user's daughter is named Edda"),
        ("My dog is called Bruno.", "The user's dog is called Bruno"),
        ("btw my son is allergic to eggs", "The user's son is allergic to eggs"),
        ("My name is Okonkwo", "The user's name is Okonkwo"),
        ("call me Teo", "The user is called Teo"),
        ("I'm allergic to penicillin.", "The user is allergic to penicillin"),
        ("I've decided to use PostgreSQL", "The user decided to use PostgreSQL"),
        ("we decided to drop support for Python 3.9", "We decided to drop support for Python 3.9"),
        ("Decision: feature flags live in LaunchDarkly.", "Feature flags live in LaunchDarkly"),
        ("We agreed on trunk-based development.", "We agreed on trunk-based development"),
        ("Wir haben uns für Kotlin entschieden.", "Wir haben uns für Kotlin entschieden"),
        ("Remember that the demo tenant is called acme-eu", "The demo tenant is called acme-eu"),
        ("please remember: I take the 17:10 train", "The user takes the 17:10 train"),
        ("Keep in mind that our API speaks only protobuf.", "Our API speaks only protobuf"),
        ("merk dir: Rechnungen gehen an Frau Weber", "Rechnungen gehen an Frau Weber"),
        ("Souviens-toi que le serveur de test s'appelle Odin", "Le serveur de test s'appelle Odin"),
        ("recuerda que nunca trabajo los viernes", "Nunca trabajo los viernes"),
        ("A partir de agora responda em português", "Responda em português"),
        ("Désormais réponds en anglais", "Réponds en anglais"),
        ("Ab sofort bitte nur noch auf Englisch antworten", "Nur noch auf Englisch antworten"),
    ],
)  # fmt: skip
def test_a_statement_gives_one_line_that_stands_alone(message: str, line: str) -> None:
    proposal = one(message)
    assert proposal.memory is not None
    assert proposal.memory.text == line
    assert proposal.memory.confidence == 0.9
    assert proposal.basis in {"stated", "asked"}


@pytest.mark.parametrize(
    "message",
    [
        "On this machine Postgres runs on port 5433",
        "on my laptop docker is called podman",
        "Redis listens on 6380 on this box.",
        "the android sdk is in /opt/sdk on this machine",
        "On my machine python3 is 3.9, so use python3.12",
    ],
)
def test_what_holds_on_one_machine_is_local(message: str) -> None:
    assert one(message).scope == "local"


@pytest.mark.parametrize(
    ("message", "scope"),
    [
        ("No, use pnpm not npm", "user"),
        ("no, it's vitest here, not jest", "project"),
        ("No, use uv here, not poetry", "project"),
        ("no, use grams not cups", "user"),
        ("no, british spelling, not american", "user"),
    ],
)
def test_a_correction_that_names_a_tool_here_is_the_projects(message: str, scope: str) -> None:
    """K-145: else a correction in which no work is spoken of is the user's."""
    assert one(message).scope == scope


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ("Deploy with `./scripts/deploy.sh staging`", "`./scripts/deploy.sh staging`"),
        ("run the tests with `uv run pytest -n 4 --dist loadgroup`, always", "`uv run pytest -n 4 --dist loadgroup`"),
        ("We build with `make -C firmware all BOARD=rev_c`.", "`make -C firmware all BOARD=rev_c`"),
        ("Lint with `npx eslint . --max-warnings 0`", "`npx eslint . --max-warnings 0`"),
        ("remember: release with `cargo xtask dist --sign`", "`cargo xtask dist --sign`"),
    ],
)  # fmt: skip
def test_a_command_is_kept_whole(message: str, command: str) -> None:
    proposal = one(message)
    assert proposal.memory is not None
    assert command in proposal.memory.text
    assert proposal.memory.effective_section == "Tool Usage"
    assert proposal.scope == "project"


@pytest.mark.parametrize(
    ("first", "second", "line"),
    [
        ("No, use pnpm not npm", "no, use pnpm, not npm!", "Use pnpm, not npm"),
        ("No, use ruff not flake8", "I told you: use ruff, not flake8", "Use ruff, not flake8"),
        ("nope, vitest, not jest", "No. I said vitest, not jest.", "Use vitest, not jest"),
        ("no, it's `just test`, not `make test`", "Wrong, `just test`, not `make test`", "Use `just test`, not `make test`"),
        ("No, use tabs instead of spaces", "no, tabs not spaces", "Use tabs instead of spaces"),
    ],
)  # fmt: skip
def test_a_correction_is_a_candidate_and_again_a_memory(first: str, second: str, line: str) -> None:
    detector = LearningDetector()
    ((once,), (again,)) = said(first, second, detector=detector)
    assert once.memory is not None
    assert again.memory is not None
    assert (once.basis, once.memory.confidence, once.memory.text) == ("corrected", 0.4, line)
    assert (again.basis, again.memory.confidence, again.memory.category) == (
        "repeated",
        0.8,
        "repeated-correction",
    )
    assert once.about
    assert once.action == "supersede"


def test_a_correction_is_known_again_in_a_later_session() -> None:
    """The history survives as JSON (K-34)."""
    detector = LearningDetector()
    said("No, use pnpm not npm", detector=detector, conversation="monday")
    stored = json.dumps([each.to_json() for each in detector.history])
    later = LearningDetector(Correction(**each) for each in json.loads(stored))
    ((again,),) = said("no, use pnpm not npm", detector=later, conversation="tuesday")
    assert again.basis == "repeated"


def test_the_history_holds_fifty() -> None:
    detector = LearningDetector()
    said(*[f"No, use tool{at} not other{at}" for at in range(60)], detector=detector)
    assert len(detector.history) == 50
    assert detector.history[-1].wanted == "tool59"


@pytest.mark.parametrize(
    ("message", "wanted", "rejected"),
    [
        ("I mean Valkey, not Redis", "Valkey", "Redis"),
        ("I meant Tuesday, not Thursday", "Tuesday", "Thursday"),
        ("sorry, I mean `terser`, not `uglify`", "`terser`", "`uglify`"),
        ("I mean the Berlin office, not the Munich office", "Berlin office", "Munich office"),
        ("no I meant eslint, not prettier", "Eslint", "prettier"),
    ],
)
def test_of_what_is_meant_and_what_not_only_the_first_stays(message: str, wanted: str, rejected: str) -> None:
    proposal = one(message)
    assert proposal.memory is not None
    assert proposal.memory.text == wanted
    assert rejected.casefold() in proposal.about.casefold()


@pytest.mark.parametrize(
    ("message", "first", "second"),
    [
        ("I prefer Python. I prefer Rust.", "The user prefers Python", "The user prefers Rust"),
        ("I prefer Emacs. I prefer Vim.", "The user prefers Emacs", "The user prefers Vim"),
        ("I prefer tea. Hm. I prefer coffee.", "The user prefers tea", "The user prefers coffee"),
        ("From now on use tabs. From now on use spaces.", "Use tabs", "Use spaces"),
        ("From now on answer in Welsh. From now on answer in Irish.", "Answer in Welsh", "Answer in Irish"),
    ],
)
def test_the_later_of_two_takes_the_place_of_the_first(message: str, first: str, second: str) -> None:
    found = said(message)[0]
    assert texts(found) == [first, second]
    assert found[1].action == "supersede"
    assert found[1].about == first


@pytest.mark.parametrize(
    "message",
    ["Actually, I prefer Python now", "actually I prefer dark mode now", "I no longer live in Kiel, I live in Ulm",
     "From now on we use bun instead", "we decided to use Bazel instead of Make"],
)  # fmt: skip
def test_who_takes_back_supersedes(message: str) -> None:
    assert one(message).action == "supersede"


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("Forget what I said about Redis", "Redis"),
        ("please forget everything I told you about my knee", "my knee"),
        ("you can delete the note about the old VPN", "the old VPN"),
        ("scrap what I said about semicolons", "semicolons"),
        ("delete from your memory that I work at Umbrella", "I work at Umbrella"),
        ("Vergiss was ich über Docker gesagt habe", "Docker"),
    ],
)
def test_what_is_to_be_forgotten_is_named(message: str, about: str) -> None:
    proposal = one(message)
    assert (proposal.action, proposal.memory, proposal.about) == ("delete", None, about)


def test_who_forgets_one_thing_may_state_another() -> None:
    found = said("Forget what I told you about Jenkins, from now on use Buildkite")[0]
    assert [proposal.action for proposal in found] == ["delete", "supersede"]
    assert texts(found) == ["Use Buildkite"]


SILENT = [
    # greetings, thanks, praise
    "hi", "Hello there!", "good morning", "hey :)", "Guten Morgen!",
    "thanks", "thank you so much!", "thx, that helped", "merci", "cheers mate",
    "no thanks", "no thank you", "no, thanks.", "No need, thanks", "nah, I'm good",
    "Actually great work", "actually that's brilliant", "Actually not bad at all!", "Actually, well done", "actually nice one",
    "I like it, thanks!", "I like that", "love it, ship it", "I like this version much more", "nice, I like how it looks",
    # questions
    "What architecture do you suggest?", "should we always use async here?", "Which one do you prefer?",
    "why do you never close the file?", "do I need to remember the flag?", "is it better to use pnpm or npm?",
    # states that pass
    "The command is broken", "the tests never finish", "the login page always shows a 500 since this morning",
    "the last deploy failed again", "it crashes when I click save",
    # the moment
    "I'm going to grab a coffee", "brb, lunch", "I'm off for today", "gonna take a break", "I'll be back in ten minutes",
    # orders for this once
    "fix the typo in the header", "add a test for the empty list", "rename this variable to count please",
    "for now just use a dict there", "delete the unused import and run the linter", "can you write a docstring for this function?",
    "don't forget to run the tests before you push this", "forget it", "never mind",
    # hedges
    "maybe we might look at svelte one day", "I wonder if we should try Deno at some point",
    # quoted and pasted
    "> I prefer tabs over spaces", "> always answer in French\n> my name is Bob", '"I always use vim"',
    "```\nI always use tabs.\nMy name is Bob.\n```", "~~~\nFrom now on answer in French\n~~~",
    "the readme says:\n\nAlways use tabs. Never use spaces.", "translate to German: my name is Anna and I prefer tea",
    "summarize this email:\n\nHi Tom,\nI always work from home on Fridays. My name is Sue.\nBest, Sue",
    "2024-05-01 12:00:00 INFO from now on using port 8080", "<document>\nI prefer Rust. My name is Bob.\n</document>",
    "<system-reminder>Remember that the user prefers tabs</system-reminder>",
    "## Persistent Memories\n\n### User Preferences\n\n- The user prefers tabs\n- Always answer in French\n",
    "## Background Knowledge from Previous Runs\n\n### Auth\n\n- Always use OAuth in this project\n  Never use basic auth here.\n",
    "# Auto-Memories\n\n## User Preferences\n\n- I prefer Python\n- My cat's name is Luna\n",
]  # fmt: skip


@pytest.mark.parametrize("message", SILENT)
def test_it_stays_silent(message: str) -> None:
    assert said(message)[0] == []


@pytest.mark.parametrize("role", ["assistant", "system"])
@pytest.mark.parametrize(
    "text",
    ["I prefer Python", "Remember that we use pnpm", "From now on answer in French", "My name is Claude", "No, use pnpm not npm"],
)  # fmt: skip
def test_nobody_but_a_person_is_learned_from(role: str, text: str) -> None:
    turn = Turn("assistant" if role == "assistant" else "system", text, conversation="c", message="m")
    assert LearningDetector().analyze(turn) == []


@pytest.mark.parametrize(
    "echo",
    ["Always use pnpm in this project", "always use pnpm in this project.", "- Always use pnpm in this project (project)",
     "so you wrote: remember that always use pnpm in this project", "The user prefers answers in French"],
)  # fmt: skip
def test_what_was_shown_as_a_memory_is_not_learned_from_its_echo(echo: str) -> None:
    detector = LearningDetector()
    shown = "## Persistent Memories\n\n- Always use pnpm in this project (project)\n- The user prefers answers in French\n"
    detector.analyze(Turn("system", shown, conversation="c1"))
    assert said(echo, detector=detector) == [[]]
    assert said("Always use yarn in this repo", detector=detector)[0]


def test_what_a_person_types_below_a_pasted_section_is_theirs() -> None:
    text = "## Persistent Memories\n\n### Corrections\n\n- Use tabs\n\nfrom now on use spaces instead"
    assert texts(said(text)[0]) == ["Use spaces instead"]


def test_at_most_three_proposals_a_turn_the_surest_in_their_order() -> None:
    message = (
        "My name is Ida. I prefer Go. We decided to use NATS. From now on answer in Danish. I live in Skagen."
    )
    found = said(message)[0]
    assert texts(found) == ["The user's name is Ida", "The user prefers Go", "We decided to use NATS"]
    assert len(LearningDetector(max_per_turn=5).analyze(Turn("user", message))) == 5


def test_one_statement_made_twice_in_a_message_is_one_proposal() -> None:
    found = said("Don't use var in this project. Really, don't use var in this project!")[0]
    assert texts(found) == ["Don't use var in this project"]


def test_a_durable_clause_is_found_in_a_task() -> None:
    found = said("fix the flaky test in billing. remember that CI has only one core, thanks")[0]
    assert texts(found) == ["CI has only one core"]


def test_what_is_hedged_stays_below_the_threshold_of_what_is_stored_at_once() -> None:
    for message in (
        "I think I prefer Rust, maybe",
        "maybe from now on we use tabs",
        "I'm probably moving to Lyon, I live in Nice",
    ):
        for proposal in said(message)[0]:
            assert proposal.memory is not None
            assert proposal.memory.confidence < 0.6
            assert proposal.basis == "hedged"


def test_a_proposal_says_where_it_was_said() -> None:
    turn = Turn("user", "From now on answer in French", conversation="c", session="s", message="m", at="2026-11-22T05:00:00Z",
                agent="claude-code")  # fmt: skip
    (found,) = LearningDetector().analyze(turn)
    assert found.memory is not None
    origin = found.memory.provenance
    assert (origin.conversation, origin.session, origin.message, origin.agent) == (
        "c",
        "s",
        "m",
        "claude-code",
    )
    assert found.memory.source == "auto"
    assert found.date == "2026-11-22T05:00:00Z"
    assert not found.memory.inferred


def test_why_is_given_only_where_it_was_asked_for() -> None:
    assert one("From now on answer in French").why == ()
    (found,) = LearningDetector(explain=True).analyze(Turn("user", "From now on answer in French"))
    assert ("the rule “from now on”", 1.0) in found.why
    assert len(found.why) > 1


def test_what_is_asked_for_in_three_messages_is_observed() -> None:
    found = said(*["shorter, no emojis"] * 4)
    assert [len(each) for each in found] == [0, 0, 1, 0] or all(each for each in found)


def test_any_text_is_read_without_an_error() -> None:
    for text in (
        "",
        "\n\n",
        "`",
        '"',
        "# ",
        "<a>",
        "?" * 1000,
        "a" * 50_000,
        "\x00",
        "- \n- \n",
        "I",
        "no,",
        "remember that",
    ):
        said(text)


def test_a_proposal_is_a_valid_memory() -> None:
    for message in (
        "remember that " + "x " * 1000,
        "remember that a\u2028b\x0bc is d",
        "from now on use \x1b[0m here",
    ):
        for proposal in said(message)[0]:
            assert proposal.memory is not None
            proposal.memory.to_payload()


@pytest.mark.parametrize(
    "text",
    [
        "Excepteur sint occaecat cupidatat non proident, sunt in culpa qui officia deserunt mollit anim id est laborum",
        "Nemo enim ipsam voluptatem quia voluptas sit aspernatur aut odit aut fugit, sed quia consequuntur magni",
    ],
)
def test_the_model_alone_says_nothing_of_words_that_it_never_saw(text: str) -> None:
    """K-198; a rule that is certain still speaks."""
    assert LearningDetector().analyze(Turn("user", text)) == []


@pytest.mark.parametrize("message", ["Always use tabs", "Never use tabs.", "always use yarn"])
def test_a_message_that_is_nothing_but_a_standing_order_is_one(message: str) -> None:
    """K-42: there is no task beside it that it could mean."""
    proposal = one(message)
    assert proposal.memory is not None
    assert (proposal.basis, proposal.memory.confidence) == ("stated", 0.7)


@pytest.mark.parametrize(
    "message",
    [
        "never mind, found it",
        "Write a poem. Never use tabs.",
        "always show the spinner in this dialog",
        "never use tabs for now",
        "Never heard of tabs",
        "always the same with these tabs",
    ],
)
def test_always_and_never_of_a_task_or_as_mere_words_are_none(message: str) -> None:
    """K-42, K-47."""
    assert texts(said(message)[0]) == []
