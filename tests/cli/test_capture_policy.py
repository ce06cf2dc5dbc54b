"""Presets, provenance and limits through the doors that people and agents use (K-61, K-66, K-68)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from tests.cli.driver import run, run_process
from tests.learning.detection import chat_server
from tests.learning.detection.chat_server import Chat, says
from tests.learning.transcripts.writing import jsonl, person

ANIMALS = (
    "otter lynx heron badger weasel raven viper gecko bison tapir marmot ferret osprey walrus puffin"
).split()


pytestmark = pytest.mark.usefixtures("ledger")  # seen from an empty folder


# --- presets ---


@pytest.fixture
def chat() -> Iterator[Chat]:
    """A server whose models `llm` knows: a model may be as sure as a test needs it to be."""
    pytest.importorskip("llm", reason="the extra muniment[llm] is not installed")
    with chat_server.serving() as server:
        chat_server.configured(Path(os.environ["LLM_USER_PATH"]), server)
        yield server


@pytest.mark.parametrize(
    ("policy", "confidence", "outcome"),
    [
        ("wundr", 0.60, "created"),
        ("ask-first", 0.60, "candidate"),
        ("wundr", 0.29, "discarded"),
    ],
)
def test_a_preset_decides_what_the_command_stores(
    chat: Chat, ledger: Path, policy: str, confidence: float, outcome: str
) -> None:
    """K-61: the band from 0.60 to 0.70 is where the presets differ; tests/learning has each bound."""
    (ledger / "config.toml").write_text(f'policy = "{policy}"\n')
    Path("talk.jsonl").write_bytes(jsonl(person("luna is the cat and she is a menace", uuid="m1")))
    found = {
        "message": 0, "quote": "luna is the cat", "text": "The user's cat is named Luna", "kind": "statement",
        "type": "fact", "section": "People & Roles", "scope": "user", "importance": "medium",
        "confidence": confidence, "replaces": "",
    }  # fmt: skip
    chat.will(says({"memories": [found]}))
    done = run("capture", "talk.jsonl", "--extractor", "llm", "--model", "good", "--json").ok()
    told = done.json_lines
    assert [(each["outcome"], each["confidence"]) for each in told] == [(outcome, confidence)]
    stands = run("list", "--json", "--status", "all").json_lines
    status = {"created": ["active"], "candidate": ["candidate"], "discarded": []}[outcome]
    assert [each["status"] for each in stands] == status


# --- provenance ---


@pytest.mark.parametrize(("conversation", "message"), [("", ""), ("c-1", ""), ("", "m-1")])
def test_a_turn_that_names_no_origin_teaches_nothing(conversation: str, message: str) -> None:
    """K-66: through the library's door; asked for in so many words, and still."""
    turn = muniment.Turn("user", "Remember that I prefer tabs", conversation, message=message)
    with muniment.open(scope="user") as memory:
        [taken] = memory.process_turn(turn)
        assert (taken.outcome, taken.id) == ("refused", "")
        assert taken.why.startswith("its origin is unknown")
        assert memory.load_all() == []
        named = muniment.Turn("user", "Remember that I prefer tabs", "c-1", message="m-1")
        assert [each.outcome for each in memory.process_turn(named)] == ["created"]


def test_what_the_command_learns_names_conversation_and_message() -> None:
    """K-66: also where the transcript names neither."""
    Path("plain.json").write_text('[{"role": "user", "content": "Remember that I prefer tabs"}]')
    [told] = run("capture", "plain.json", "--json").ok().json_lines
    assert told["conversation"].startswith("plain-")
    assert told["message"]


# --- limits of an agent ---


def test_an_agent_that_captures_is_limited_as_well(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K-68: through the real command, in an agent's environment; three transcripts of five memories."""
    (ledger / "config.toml").write_text("[limits]\nper_conversation = 4\nper_hour = 10\n")
    monkeypatch.setenv("CLAUDECODE", "1")
    counts = []
    for number in range(3):
        some = ANIMALS[number * 5 : number * 5 + 5]
        sentences = (f"Remember that the {animal} service is written in Rust" for animal in some)
        told = jsonl(
            *(person(text, uuid=f"m{number}-{n}", sessionId=f"s{number}") for n, text in enumerate(sentences))
        )
        Path(f"talk{number}.jsonl").write_bytes(told)
        done = run_process("capture", "--scope", "user", f"talk{number}.jsonl", "--json").ok()
        outcomes = [each["outcome"] for each in done.json_lines if each["outcome"] != "episode"]
        counts.append((outcomes.count("created"), outcomes.count("refused")))
    assert counts == [(4, 1), (4, 1), (2, 3)]
