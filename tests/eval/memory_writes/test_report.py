"""What is told of a run: tables, JSON, misses, and an exit code.

Tests specs/capture.md (K-125).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.__main__ import main
from eval.memory_writes import report
from eval.memory_writes.figures import Figures
from eval.memory_writes.golden import conversations
from eval.memory_writes.report import extractor_named, measured, tabled
from tests.eval.memory_writes.talks import parrot, row, saved, talk

RUN = ["--dataset", "memory-writes"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set of which the parrot gets the tuned half right and the held-out half wrong."""
    monkeypatch.setattr(report, "extractor_named", lambda *_: parrot)
    right = row() | {"turns": [{"role": "user", "text": "stated: Use tabs"}]}
    wrong = row() | {"id": "t-2", "turns": [{"role": "user", "text": "stated: Use a secret phrase"}]}
    (tmp_path / "tuned.jsonl").write_text(json.dumps(right) + "\n", "utf-8")
    (tmp_path / "held-out.jsonl").write_text(json.dumps(wrong) + "\n", "utf-8")
    return tmp_path


def test_what_is_chosen_has_to_pass(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """K-125: the exit code says so, and what fell short is named."""
    assert main([*RUN, "--set", str(folder), "--half", "tuned"]) == 0
    assert "PASS" in capsys.readouterr().out
    assert main([*RUN, "--set", str(folder)]) == 1
    told = capsys.readouterr().out
    assert "FAIL; precision is below 0.85; recall is below 0.70" in told
    assert "held-out: 1 conversations, 1 messages, 1 writes" in told


def test_table_and_json_say_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RUN, "--set", str(folder), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["all"]["precision"] == told["all"]["recall"] == 0.5
    assert told["tuned"]["pass"]
    assert not told["held-out"]["pass"]
    assert told["category preference"]["counts"]["conversations"] == 2
    assert told["misses"] == []


@pytest.mark.parametrize(
    ("options", "seen"), [([], False), (["--misses"], False), (["--held-out-misses"], True)]
)
def test_misses_of_the_held_out_half_are_listed_on_purpose(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], *, seen: bool
) -> None:
    """K-125, in text and JSON alike."""
    for form in ([], ["--json"]):
        main([*RUN, "--set", str(folder), *options, *form])
        assert ("secret phrase" in capsys.readouterr().out) is seen


def test_a_miss_is_told_with_its_conversation() -> None:
    [account] = measured([talk("stated: Use vim", expected=[saved("tabs", scope="local")])], parrot)
    lines = report.miss(account).splitlines()
    assert lines[0] == "t-1 (tuned, several, coding)"
    assert lines[2:] == [
        "  turn 0: missed save [tabs]",
        "  turn 0: wrong created (user): 'Use vim'",
    ]
    [astray] = measured([talk("stated: Use tabs", expected=[saved("tabs", scope="local")])], parrot)
    assert "user fact, not local fact" in report.miss(astray)
    [right] = measured([talk("stated: Use tabs", expected=[saved("tabs")])], parrot)
    assert report.miss(right) == ""


def test_a_broken_set_is_an_error_of_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tuned.jsonl").write_text("{}\n", "utf-8")
    assert main([*RUN, "--set", str(tmp_path)]) == 2
    assert "tuned.jsonl, line 1: " in capsys.readouterr().err


def test_nothing_heard_is_no_pass(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "held-out.jsonl").unlink()
    assert main([*RUN, "--set", str(folder), "--half", "held-out"]) == 2
    assert "holds no held-out half" in capsys.readouterr().err
    assert main([*RUN, "--set", str(tmp_path / "nowhere")]) == 2
    assert "holds no conversations" in capsys.readouterr().err


def test_an_extractor_that_is_not_there_is_an_error_of_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RUN, "--extractor", "llm"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


FLOORS = {
    "tuned": {"precision": 0.60, "recall with candidates": 0.50},
    "held-out": {"precision": 0.65, "recall with candidates": 0.40},
}
"""What is reached, with a little room, on talks that were made up to be hard: what the model infers waits as a candidate."""
MOST_FALSE = {"tuned": 0.12, "held-out": 0.08}


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.soak)])
def test_all_is_sourced_and_what_was_reached_is_kept(step: int) -> None:
    """K-125: with the detector itself, over every eighth conversation, and over the whole set."""
    chosen = conversations()[::step]
    told = tabled(measured(chosen, extractor_named("heuristic")))
    figures = told["all"]
    assert figures.conversations == len(chosen)
    assert figures.new > 600 / step
    assert figures.ratios["provenance"].value == 1.0
    for half, floors in FLOORS.items():
        reached = {name: told[half].ratios[name].value or 0.0 for name in floors}
        assert all(reached[name] >= least for name, least in floors.items()), (half, reached)
        assert (told[half].ratios["false positives a message"].value or 0.0) <= MOST_FALSE[half], half


def test_what_was_reached_on_classes_of_talk_is_kept() -> None:
    """Talks of the classes that were mended, in other words, written before."""
    told = tabled(measured(conversations(Path(__file__).parent / "classes"), extractor_named("heuristic")))
    assert (told["all"].ratios["precision"].value or 0.0) >= 0.70
    assert (told["all"].ratios["recall with candidates"].value or 0.0) >= 0.35


def test_what_was_asked_to_be_remembered_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With the detector itself."""
    asked: dict[str, Any] = {"turns": [{"role": "user", "text": "Remember: we deploy with make ship"}]}
    expect = [{"op": "save", "turn": 0, "scope": "project", "type": "fact", "says": ["make ship"]}]
    (tmp_path / "tuned.jsonl").write_text(json.dumps(row() | asked | {"expect": expect}), "utf-8")
    assert main([*RUN, "--set", str(tmp_path), "--misses"]) == 0, capsys.readouterr().out


def test_groups_are_told_as_far_as_there_are_any() -> None:
    told = tabled(measured([talk("hello")], parrot))
    assert set(told) == {"all", "tuned", "genre coding", "category several"}
    assert all(isinstance(each, Figures) for each in told.values())
