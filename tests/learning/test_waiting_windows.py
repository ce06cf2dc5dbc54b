"""Tests learning/waiting_windows.py against specs/capture.md (K-119)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from learning.detection.language_model import Ask, ModelError, Question
from learning.detection.windows import Window, WindowLine
from learning.waiting_windows import WaitingWindows, ask_again
from ledger.errors import StorageError
from tests.learning.taking_in import ledger, taking, texts


def window(text: str = "Use ruff") -> Window:
    return Window((WindowLine("person", text, "c-1", "c-1", "m-1"),))


def finds(question: Question) -> Any:
    """Find the first line worth remembering, as it stands."""
    text = question.data.splitlines()[1].partition('"text": "')[2][:-2]
    return {
        "memories": [
            {
                "message": 0, "quote": text, "text": text, "kind": "statement", "type": "fact", "scope": "project",
                "section": "Project Conventions", "importance": "medium", "confidence": 0.9, "replaces": "",
            }
        ]
    }  # fmt: skip


def test_what_is_kept_waits(tmp_path: Path) -> None:
    """K-119: the same twice is one file, for its owner alone."""
    waiting = WaitingWindows(tmp_path, ["b", "a"])
    path = waiting.keep(window(), "m")
    assert waiting.keep(window(), "m") == path
    assert path.stat().st_mode & 0o777 == 0o600
    (one,) = WaitingWindows(tmp_path, ["a", "b"]).waiting()
    assert (one.window, one.model, one.fault) == (window(), "m", "")
    assert list(WaitingWindows(tmp_path, ["a"]).waiting()) == []
    waiting.done(path)
    assert list(waiting.waiting()) == []


def test_a_broken_file_stays_and_is_named(tmp_path: Path) -> None:
    """K-119."""
    waiting = WaitingWindows(tmp_path, ["a"])
    path = waiting.keep(window(), "m")
    for broken in (b"{torn", b"[]", b'{"version":1}', b"null"):
        path.write_bytes(broken)
        (one,) = waiting.waiting()
        assert one.window is None
        assert "cannot be read" in one.fault


def test_no_more_than_so_many_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K-119."""
    monkeypatch.setattr("learning.waiting_windows.MOST", 2)
    waiting = WaitingWindows(tmp_path, ["a"])
    for text in ("one", "two"):
        waiting.keep(window(text), "m")
    with pytest.raises(StorageError, match="muniment upkeep retry"):
        waiting.keep(window("three"), "m")


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """K-119."""
    (tmp_path / "windows").write_text("not a folder")
    with pytest.raises(StorageError, match="it is lost"):
        WaitingWindows(tmp_path, ["a"]).keep(window(), "m")


def test_asking_again_learns_and_forgets_the_window(tmp_path: Path) -> None:
    """K-119: of the model that was to be asked."""
    with ledger(tmp_path) as memory:
        waiting = WaitingWindows(tmp_path, ["a"])
        waiting.keep(window("Use ruff"), "m-1")
        waiting.keep(window("Use mypy"), "m-2")
        names: list[str] = []

        def ask_for(name: str) -> Ask:
            names.append(name)
            return finds

        taken = list(ask_again(waiting, ask_for, taking(memory)))
        assert [each.outcome for each in taken] == ["created", "created"]
        assert sorted(names) == ["m-1", "m-2"]
        assert sorted(texts(memory)) == ["Use mypy", "Use ruff"]
        assert list(waiting.waiting()) == []


def test_without_an_answer_they_go_on_waiting(tmp_path: Path) -> None:
    """K-119: a bad answer keeps its window alone, a model that is not there all."""
    with ledger(tmp_path) as memory:
        waiting = WaitingWindows(tmp_path, ["a"])
        for text in ("Use ruff", "Use mypy"):
            waiting.keep(window(text), "m")

        def bad(question: Question) -> Any:
            return finds(question) if "mypy" in question.data else {}

        with pytest.raises(ModelError, match="another form"):
            list(ask_again(waiting, lambda _: bad, taking(memory)))
        assert texts(memory) == ["Use mypy"]
        waiting.keep(window("Use tox"), "m")
        asked: list[Question] = []

        def gone(question: Question) -> Any:
            asked.append(question)
            raise ModelError("nobody there", answered=False)

        with pytest.raises(ModelError, match="nobody there"):
            list(ask_again(waiting, lambda _: gone, taking(memory)))
        assert len(asked) == 1
        assert len(list(waiting.waiting())) == 2
