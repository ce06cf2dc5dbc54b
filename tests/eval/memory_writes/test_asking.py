"""A language model as extractor, with a real server on loopback (specs/capture.md K-121)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from eval.__main__ import main
from tests.eval.memory_writes.talks import row
from tests.learning.detection import chat_server
from tests.learning.detection.chat_server import Handler, says

pytest.importorskip("llm", reason="the extra muniment[llm] is not installed")

RUN = ["--dataset", "memory-writes", "--json", "--model", "good"]


def answers(handler: Handler, body: dict[str, Any]) -> None:
    """Find the tabs worth remembering."""
    found = {
        "message": 0, "quote": "Use tabs", "text": "Use tabs", "kind": "statement", "type": "preference",
        "section": "User Preferences", "scope": "user", "importance": "medium", "confidence": 0.9, "replaces": "",
    }  # fmt: skip
    says({"memories": [found]})(handler, body)


def test_a_model_proposes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tuned.jsonl").write_text(
        json.dumps(row() | {"turns": [{"role": "user", "text": "Use tabs"}]}) + "\n"
    )
    (tmp_path / "held-out.jsonl").write_text(json.dumps(row() | {"id": "t-2"}) + "\n")
    with chat_server.serving() as chat:
        chat_server.configured(Path(os.environ["LLM_USER_PATH"]), chat)
        chat.will(answers)
        main([*RUN, "--set", str(tmp_path), "--half", "tuned", "--extractor", "llm"])
        told = json.loads(capsys.readouterr().out)["all"]
        assert told["recall"] == 1.0
        assert len(chat.asked) == 1
        chat.will(chat_server.fails)
        assert main([*RUN, "--set", str(tmp_path), "--half", "tuned", "--extractor", "llm"]) == 2
        assert "the model gave no answer" in capsys.readouterr().err
