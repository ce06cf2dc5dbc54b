"""Tests learning/detection/language_model.py against specs/capture.md (K-110, K-111), with a real server on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from learning.detection.language_model import (
    MOST_CHARACTERS,
    MOST_TOKENS,
    LanguageModel,
    ModelError,
    Question,
)
from ledger.errors import UsageError
from tests.learning.detection import chat_server
from tests.learning.detection.chat_server import Behaviour, Chat, says

pytest.importorskip("llm", reason="the extra muniment[llm] is not installed")

ROOT = Path(__file__).resolve().parents[3]
QUESTION = Question("Say what is asked.", "the data", {"type": "object", "properties": {}})


@pytest.fixture
def chat(isolated: Path) -> Iterator[Chat]:
    """A server whose models `llm` knows, in the test's own home."""
    with chat_server.serving() as server:
        chat_server.configured(Path(os.environ["LLM_USER_PATH"]), server)
        yield server


@pytest.mark.parametrize("model", ["good", "whole", "plain"])
def test_an_answer_is_a_json_value(chat: Chat, model: str) -> None:
    """K-111: as a stream or whole, with a schema or the schema in the question."""
    chat.will(says({"a": [1, "é"]}))
    assert LanguageModel(model)(QUESTION) == {"a": [1, "é"]}
    (asked,) = chat.asked
    assert asked["max_tokens"] == MOST_TOKENS
    assert ("response_format" in asked) == (model != "plain")
    system, user = asked["messages"]
    assert (system["role"], user["role"], user["content"]) == ("system", "user", "the data")
    assert ('"type": "object"' in system["content"]) == (model == "plain")


def test_a_fence_around_the_answer_is_left_out(chat: Chat) -> None:
    """K-111: models that take no schema like to write one."""
    chat.will(says('Sure!\n```json\n{"a": 1}\n```\n'))
    assert LanguageModel("plain")(QUESTION) == {"a": 1}


BAD: list[tuple[str, Behaviour, str]] = [
    ("an internal error", chat_server.fails, "the model is on fire"),
    ("a broken connection", chat_server.resets, "Connection error"),
    ("a page", chat_server.portal, ""),
    ("no choices", chat_server.without_choices, ""),
    ("nothing", says(""), "is empty"),
    ("prose", says("There is nothing to remember."), "is not JSON"),
    ("truncated JSON", says('{"memories": [{"text": "Use pnpm'), "is not JSON"),
    ("truncated JSON with ends", says('{"memories": [{"text": "a"}, {"te'), "is not JSON"),
    ("a thousand brackets", says('{"a":' * 20_000), "characters"),
    ("depth", says('{"a":' * 10_000 + "1" + "}" * 10_000), "is not JSON"),
    ("an answer without an end", chat_server.floods, "characters"),
]


@pytest.mark.parametrize(("behaviour", "why"), [(b, w) for _, b, w in BAD], ids=[n for n, _, _ in BAD])
def test_a_bad_answer_is_an_error_of_one_line(chat: Chat, behaviour: Behaviour, why: str) -> None:
    """K-111: and it is asked once."""
    _refused(chat, "good", behaviour, why)


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [(chat_server.fails, "the model is on fire"), (says("x" * (MOST_CHARACTERS + 1)), "characters")],
)
def test_a_bad_answer_that_is_no_stream_is_one_too(chat: Chat, behaviour: Behaviour, why: str) -> None:
    """K-111."""
    _refused(chat, "whole", behaviour, why)


def _refused(chat: Chat, model: str, behaviour: Behaviour, why: str) -> None:
    chat.will(behaviour)
    with pytest.raises(ModelError) as raised:
        LanguageModel(model, seconds=10)(QUESTION)
    assert why in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert len(chat.asked) == 1


@pytest.mark.parametrize("behaviour", [chat_server.hangs, chat_server.drips])
def test_no_answer_takes_longer_than_it_may(chat: Chat, behaviour: Behaviour) -> None:
    """K-111: not even one that drips, so that the socket is never silent for long."""
    chat.will(behaviour)
    model = LanguageModel("good", seconds=0.4)
    with pytest.raises(ModelError, match="no answer within"):
        model(QUESTION)


def test_a_server_that_is_not_there_is_no_answer(chat: Chat, isolated: Path) -> None:
    """K-111."""
    gone = Chat(base="http://127.0.0.1:1/v1")
    chat_server.configured(Path(os.environ["LLM_USER_PATH"]), gone)
    with pytest.raises(ModelError, match="Connection error"):
        LanguageModel("good", seconds=10)(QUESTION)


def test_what_is_missing_is_named(chat: Chat) -> None:
    """K-110."""
    with pytest.raises(UsageError, match="run llm models"):
        LanguageModel("nobody-made-this")
    with pytest.raises(UsageError, match="no key for the model locked: set one with llm keys set nobody"):
        LanguageModel("locked")
    with pytest.raises(UsageError, match=r"give --model NAME, or set model in your own config\.toml"):
        LanguageModel()


def test_the_default_is_only_one_that_was_chosen(chat: Chat) -> None:
    """K-110: the library's own default is nobody's choice."""
    (Path(os.environ["LLM_USER_PATH"]) / "default_model.txt").write_text("good")
    assert LanguageModel().name == "good"


def test_models_that_cannot_be_loaded_are_a_usage_error(isolated: Path) -> None:
    """K-110: a broken file of the library's is named, without a traceback."""
    folder = Path(os.environ["LLM_USER_PATH"])
    folder.mkdir(parents=True)
    (folder / "extra-openai-models.yaml").write_text("{")
    with pytest.raises(UsageError, match="cannot load its models"):
        LanguageModel("good")


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """K-110."""
    monkeypatch.setitem(sys.modules, "llm", None)
    with pytest.raises(UsageError, match=r"pip install 'muniment\[llm\]'"):
        LanguageModel("good")


def test_the_library_is_imported_only_when_asked_for() -> None:
    """K-110: it costs a quarter of a second."""
    code = (
        "import sys, muniment, cli.main, learning.model_detector, cli.commands.capture, cli.commands.upkeep;"
        "sys.exit('llm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=60).returncode == 0
