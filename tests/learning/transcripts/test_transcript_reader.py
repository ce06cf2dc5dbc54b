"""Tests learning/transcripts/{transcript_reader,lines,records}.py against specs/capture.md (K-5…K-8, K-11…K-13)."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.transcripts import lines as lines_module
from learning.transcripts.records import LONGEST, command_of
from learning.transcripts.transcript_reader import MOST_CALLS, read
from learning.turn import Turn
from tests.learning.transcripts.test_messages import CHAT
from tests.learning.transcripts.test_openclaw_records import EXPORT, OLDER
from tests.learning.transcripts.writing import (
    call,
    claude,
    codex,
    done,
    event,
    head,
    item,
    jsonl,
    person,
    result,
    said,
    turns,
)

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "transcripts"

CLAUDE = jsonl(
    person("one"), call("t1"), call("t2", "ls"), result("t2"), claude("assistant", "while it runs"), result("t1"),
    {"type": "new-kind", "sessionId": "s1"}, call("t3"), person("two"), result("t3"),
    claude("assistant", [{"type": "text", "text": "both"}, call("t4")["message"]["content"][0]]), result("t4"),
)  # fmt: skip
CODEX = jsonl(
    head(), event("user_message", message="one"), item("user", "one"),
    codex("response_item", {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "t1"}),
    event("exec_command_end", call_id="t1", aggregated_output="x", exit_code=0),
    codex("response_item", {"type": "function_call_output", "call_id": "t1", "output": "x"}),
    item("assistant", "done"), event("agent_message", message="done"),
)  # fmt: skip
SAMPLES = {
    "claude": CLAUDE,
    "codex": CODEX,
    "openclaw": EXPORT,
    "older openclaw": OLDER,
    "messages": jsonl(*CHAT),
    "conversations": jsonl({"messages": CHAT}, {"messages": CHAT}),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_reading_in_pieces_gives_the_same_as_reading_at_once(name: str) -> None:
    """K-11, K-13: wherever the file ended at the time, and whatever waited; a thousand places of the longest are tried."""
    data = SAMPLES[name]
    whole = turns(data, name="x")
    assert whole
    for cut in range(0, len(data) + 1, 1 + len(data) // 1000):
        first = read([data[:cut]], name="x")
        begun = [turn for turn, _ in first]
        rest = read(
            [data[first.offset :]], start=first.offset, state=first.state, name="x", calls=first.calls
        )
        assert begun + [turn for turn, _ in rest] == whole, f"cut at {cut}"


@pytest.mark.parametrize("name", SAMPLES)
def test_reading_can_go_on_behind_every_turn(name: str) -> None:
    """K-13: the offset and the state of each moment are enough."""
    data = SAMPLES[name]
    whole = turns(data, name="x")
    reading = read([data], name="x")
    given_whole: list[Turn] = []
    for turn, offset in reading:
        given_whole.append(turn)
        assert offset == reading.offset
        rest = turns(data[offset:], start=offset, state=reading.state, name="x")
        said = [turn for turn in rest if turn.role != "tool"]
        left = [turn for turn in whole if turn.role != "tool"]
        assert said == left[len(left) - len(said) :]
        assert len(said) >= len(left) - sum(turn.role != "tool" for turn in given_whole)


@given(st.sampled_from(sorted(SAMPLES)), st.lists(st.integers(1, 400), min_size=1, max_size=40))
def test_the_size_of_the_pieces_changes_nothing(name: str, sizes: list[int]) -> None:
    data = SAMPLES[name]

    def pieces() -> Iterator[bytes]:
        at = 0
        while at < len(data):
            for size in sizes:
                yield data[at : at + size]
                at += size

    assert [turn for turn, _ in read(pieces())] == turns(data)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from _paths(each, (*path, key))


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _put(value[path[0]], path[1:], new)
    return copy


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_wrong_types_anywhere_cost_at_most_their_record(name: str, data: st.DataObject) -> None:
    """K-6: nothing raises, and what stands around it is read."""
    records = [json.loads(line) for line in SAMPLES[name].splitlines()]
    at = data.draw(st.integers(1, len(records) - 1))
    path = data.draw(st.sampled_from(list(_paths(records[at]))))
    records[at] = _put(records[at], path, data.draw(_JSON))
    reading = done(read([jsonl(*records)]))
    assert reading.kind in ("claude", "codex", "openclaw", "messages")


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_damaged_bytes_cost_at_most_their_lines(name: str, data: st.DataObject) -> None:
    """K-6."""
    damaged = bytearray(SAMPLES[name])
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    reading = done(read([bytes(damaged)]))
    assert 0 <= reading.offset <= len(damaged)


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    """K-6."""
    done(read([data]))
    done(read([data], state=data.decode("latin-1")))


@given(st.lists(_JSON, max_size=5))
def test_any_json_is_read(values: list[Any]) -> None:
    """K-6: as lines, and as one document."""
    done(read([jsonl(*values)]))
    done(read([json.dumps(values, indent=1).encode()]))


def test_a_broken_line_costs_that_line() -> None:
    """K-6."""
    data = jsonl(person("one")) + b'{"type": "user", "message\n42\n' + jsonl(person("two"))
    reading = read([data])
    assert [turn.text for turn, _ in reading] == ["one", "two"]
    begin = len(jsonl(person("one")))
    assert (reading.broken, reading.broken_count) == ([begin, begin + 26], 2)


def test_halves_of_characters_and_wrong_bytes_are_mended() -> None:
    """K-6."""
    half = jsonl(person("a XX b \\ud83d")).replace(b"XX", rb"\ud83d")
    assert said(half) == ["a ? b \\ud83d"]
    assert said(jsonl(person("a XX b")).replace(b"XX", b"\xff")) == ["a \ufffd b"]
    assert said(jsonl(person("a \U0001f600 b"))) == ["a \U0001f600 b"]


def test_a_last_line_that_is_being_written_is_left_for_later() -> None:
    """K-6, K-13."""
    one, two = jsonl(person("one")), jsonl(person("two"))
    reading = done(read([one + two[:30]]))
    assert (reading.torn, reading.broken_count, reading.offset) == (True, 0, len(one))
    whole = done(read([one + two[:-1]]))
    assert (whole.torn, whole.offset) == (False, len(one + two) - 1)


def test_what_is_no_transcript_is_read_again_from_its_beginning() -> None:
    """K-6: half a document may be whole the next time."""
    half = json.dumps(CHAT, indent=2).encode()[:150]
    reading = done(read([half]))
    assert (reading.kind, reading.offset) == ("", 0)


def test_a_call_waits_for_its_result_and_holds_nothing_back() -> None:
    """K-11."""
    found = turns(jsonl(call("t1"), claude("assistant", "step"), person("go on"), result("t1")))
    assert [turn.role for turn in found] == ["assistant", "user", "tool"]
    many = [call(f"t{n}") for n in range(MOST_CALLS + 1)]
    assert turns(jsonl(*many, result("t0"))) == []
    assert len(turns(jsonl(*many, result("t1")))) == 1


def test_a_long_line_is_left_out_and_costs_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """K-12."""
    monkeypatch.setattr(lines_module, "LONGEST_LINE", 1 << 20)
    data = jsonl(person("one"))

    def stream() -> Iterator[bytes]:
        yield data
        for _ in range(400):
            yield b"x" * (1 << 16)
        yield b"\n" + data

    tracemalloc.start()
    reading = read(stream())
    found = [turn.text for turn, _ in reading]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found, reading.broken) == (["one", "one"], [len(data)])
    assert peak < 6 << 20


def test_memory_is_flat() -> None:
    """K-12: of a transcript of any length."""

    def stream(times: int) -> Iterator[bytes]:
        for _ in range(times):
            yield CLAUDE

    peaks = []
    for times in (20, 200):
        tracemalloc.start()
        done(read(stream(times)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 2 + (1 << 18)


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    """K-12."""
    (turn,) = turns(jsonl(call("t1"), result("t1", "begin" + "x" * (3 * LONGEST) + "end\0")))
    assert len(turn.text) < LONGEST + 10
    assert turn.text.startswith("begin")
    assert turn.text.endswith("end")


@pytest.mark.parametrize(
    ("given_", "line"),
    [
        ({"command": "make \\\n  test"}, "make test"),
        ({"command": ["bash", "-lc", "pnpm i && pnpm test"]}, "pnpm i && pnpm test"),
        ({"command": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ('{"cmd": "ls"}', "ls"),
        ("plain text", "plain text"),
        ({"file_path": "/a/b.py", "old_string": "x"}, "/a/b.py"),
        ({"n": 1}, ""),
        ({"command": 3, "path": None}, ""),
        ([1, "ls"], "ls"),
        (None, ""),
    ],
)
def test_a_command_is_one_line(given_: object, line: str) -> None:
    """K-8."""
    assert command_of(given_) == line


def test_a_name_says_nothing_about_the_format(tmp_path: Path) -> None:
    """K-5: and a file is read as it is."""
    path = tmp_path / "rollout-x.jsonl"
    path.write_bytes(CLAUDE)
    with path.open("rb") as file:
        reading = done(read(file, name=path.stem))
    assert reading.kind == "claude"


@pytest.mark.skipif(not REAL.is_dir(), reason="real transcripts lie beside the repository, at ../shared/data")
def test_real_transcripts_are_read() -> None:
    """Every one, with few surprises; who speaks in them was looked at by eye."""
    files = sorted(REAL.rglob("*.jsonl"))
    roles: Counter[str] = Counter()
    for path in files:
        with path.open("rb") as file:
            reading = read(file, name=path.stem)
            roles.update(turn.role for turn, _ in reading)
        assert reading.kind == ("codex" if "/codex/" in str(path) else "claude"), path
        if path.name in ("long-conversation.jsonl", "large-conversation.jsonl"):
            assert reading.broken == []
            assert reading.offset == path.stat().st_size
    assert (roles["user"], roles["tool"]) == (64, 261)


@pytest.mark.parametrize("data", [b"[]", b"[]\n", b" [ ]\n\n", b"[\n]\n"])
def test_an_empty_list_is_complete_and_holds_nothing(data: bytes) -> None:
    """K-6."""
    reading = read([data])
    assert list(reading) == []
    assert (reading.torn, reading.broken_count, reading.kind) == (False, 0, "")
