"""Tests learning/conversations.py and projections/transcript_positions.py against specs/capture.md (K-74, K-76…K-78)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from documents.proposal import Proposal
from learning.conversations import Conversations, Heard
from learning.intake import Taken
from learning.turn import Turn
from muniment import Memory, MemoryLedger, Provenance
from projections.transcript_positions import Positions
from tests.learning.taking_in import said, taking, texts
from tests.learning.transcripts.writing import call, head, item, jsonl, person, result

SECRET = "Tr0ub4dor&3x9"


@dataclass(frozen=True)
class Remark:
    """What the parrot remembers of a correction."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


class Parrot:
    """Learns what begins with "note ", remembers what begins with "no ", and keeps what it heard."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.history: tuple[Remark, ...] = ()

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return at most one proposal."""
        self.heard.append(turn.text)
        if turn.role != "user":
            return []
        if turn.text.startswith("no "):
            self.history = (*self.history, Remark(turn.text[3:]))
        if turn.text.startswith("forget "):
            return [said("", action="delete", about=turn.text[7:])]
        if not turn.text.startswith("note "):
            return []
        return [said(turn.text[5:], conversation=turn.conversation, message=turn.message)]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A transcript of two messages."""
    path = tmp_path / "talk.jsonl"
    path.write_bytes(jsonl(person("note one", uuid="a"), person("hello", uuid="b")))
    return path


def add(path: Path, *records: object) -> None:
    with path.open("ab") as stream:
        stream.write(jsonl(*records))


def hear(memory: MemoryLedger, path: Path, **how: Any) -> tuple[Heard, list[str]]:
    """Read a file as a process of its own; return what came of it, and the outcomes."""
    outcomes: list[str] = []

    def on_taken(taken: Taken, _turn: Turn) -> None:
        outcomes.append(taken.outcome)

    dry = bool(how.get("dry"))
    conversations = Conversations(
        taking(memory, dry=dry), Parrot(), memory.workspace.local, on_taken=on_taken, **how
    )
    return conversations.file(path), outcomes


def test_twice_is_the_same_as_once(memory: MemoryLedger, talk: Path) -> None:
    """K-74."""
    heard, outcomes = hear(memory, talk)
    assert (heard.turns, heard.kind, outcomes) == (2, "claude", ["created"])
    again, outcomes = hear(memory, talk)
    assert (again.turns, again.nothing_new, outcomes) == (0, True, [])
    assert texts(memory) == ["one"]


def test_a_file_that_grew_costs_its_new_part(memory: MemoryLedger, talk: Path) -> None:
    """K-74."""
    hear(memory, talk)
    add(talk, person("note two", uuid="c"))
    heard, outcomes = hear(memory, talk)
    assert (heard.turns, outcomes) == (1, ["created"])


def test_a_file_that_moved_is_known(memory: MemoryLedger, talk: Path) -> None:
    """K-74."""
    hear(memory, talk)
    assert hear(memory, talk.rename(talk.with_name("moved.jsonl")))[0].nothing_new


def test_the_same_bytes_in_the_place_of_a_file_are_known(memory: MemoryLedger, talk: Path) -> None:
    """K-74: editors and copies make a new inode."""
    hear(memory, talk)
    other = talk.with_name("other")
    other.write_bytes(talk.read_bytes() + jsonl(person("note two", uuid="c")))
    other.replace(talk)
    assert hear(memory, talk)[0].turns == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[: data.index(b"\n") + 1],
        lambda data: b"\n" + data[: data.index(b"\n") + 1],
        lambda data: data.replace(b"hello", b"HELLO"),
        lambda data: data.replace(b"hello", b"HELLO") + data,
    ],
    ids=["cut", "other beginning", "other end", "replaced and longer"],
)
def test_a_file_that_was_cut_or_replaced_is_read_anew(
    memory: MemoryLedger, talk: Path, change: Callable[[bytes], bytes]
) -> None:
    """K-74: what it says again is known."""
    hear(memory, talk)
    talk.write_bytes(change(talk.read_bytes()))
    heard, outcomes = hear(memory, talk)
    assert heard.turns > 0
    assert set(outcomes) == {"known"}
    assert texts(memory) == ["one"]


@pytest.mark.parametrize("at", [100, 5000, -100], ids=["first bytes", "between", "last bytes"])
def test_a_long_file_is_known_by_its_first_bytes_and_its_last(
    memory: MemoryLedger, talk: Path, at: int
) -> None:
    """K-74: what was changed between them, in place and without another length, is not noticed, and said to be."""
    data = jsonl(person("x" * 4000, uuid="a"), person("y" * 4000, uuid="b"), person("z" * 400, uuid="c"))
    talk.write_bytes(data)
    hear(memory, talk)
    changed = bytearray(data)
    changed[at] ^= 1
    talk.write_bytes(changed)
    assert hear(memory, talk)[0].nothing_new == (at == 5000)


def test_a_list_that_is_written_anew_is_read_anew(memory: MemoryLedger, tmp_path: Path) -> None:
    """K-13, K-74."""
    path = tmp_path / "chat.json"
    chat = [{"role": "user", "content": "note one"}, {"role": "assistant", "content": "ok"}]
    path.write_text(json.dumps(chat, indent=1))
    assert hear(memory, path)[0].turns == 2
    path.write_text(json.dumps([*chat, {"role": "user", "content": "note two"}], indent=1))
    assert hear(memory, path) == (Heard(str(path), "messages", 3), ["known", "created"])


def test_a_crash_before_the_position_is_noted_proposes_again_what_is_known(
    memory: MemoryLedger, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-74."""

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Positions, "save", die)
        with pytest.raises(KeyboardInterrupt):
            hear(memory, talk)
    assert texts(memory) == ["one"]
    assert hear(memory, talk) == (Heard(str(talk), "claude", 2), ["known"])


def test_a_position_is_noted_only_after_what_was_learned(
    memory: MemoryLedger, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-74: a take that fails costs nothing."""
    from learning.intake import Taking

    def fail(*_: object) -> None:
        raise OSError("no")

    with monkeypatch.context() as patched:
        patched.setattr(Taking, "take", fail)
        with pytest.raises(OSError, match="no"):
            hear(memory, talk)
    assert hear(memory, talk)[1] == ["created"]


def test_a_call_that_waits_is_heard_when_its_result_came(memory: MemoryLedger, talk: Path) -> None:
    """K-11, K-74."""
    add(talk, call("t1"))
    assert hear(memory, talk)[0].turns == 2
    assert hear(memory, talk)[0].turns == 0
    add(talk, result("t1"))
    assert hear(memory, talk)[0].turns == 1


def test_what_stands_before_the_new_part_is_shown_again_and_nothing_learned_of_it(
    memory: MemoryLedger, talk: Path
) -> None:
    """K-77."""
    hear(memory, talk)
    add(talk, person("more", uuid="c"))
    parrot, outcomes = Parrot(), []
    conversations = Conversations(
        taking(memory),
        parrot,
        memory.workspace.local,
        on_taken=lambda taken, _: outcomes.append(taken.outcome),
    )
    conversations.file(talk)
    assert (parrot.heard, outcomes) == (["note one", "hello", "more"], [])
    add(talk, person("last", uuid="d"))
    conversations.file(talk)
    assert parrot.heard[3:] == ["last"], "a process that heard it needs no showing"


def test_what_cannot_be_noted_stops_nothing(
    memory: MemoryLedger, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-76."""
    import sqlite3

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(type(memory.workspace.local.database), "transaction", full)
    conversations = Conversations(taking(memory), Parrot(), memory.workspace.local)
    assert conversations.file(talk).turns == 2
    assert "full" in conversations.trouble
    assert texts(memory) == ["one"]


def test_a_dry_run_notes_nothing(memory: MemoryLedger, talk: Path) -> None:
    """K-78."""
    assert hear(memory, talk, dry=True)[1] == ["created"]
    assert texts(memory) == []
    assert hear(memory, talk)[1] == ["created"]


def test_a_dry_run_asks_nothing(memory: MemoryLedger, talk: Path) -> None:
    """K-78: a later yes is none to what was never asked."""
    before = Provenance("c", "m", date="2020-01-01T00:00:00.000000Z")
    memory.store(Memory("The staging server is bluebird", source="auto", provenance=before))
    talk.write_bytes(jsonl(person("forget staging server")))
    assert hear(memory, talk, dry=True)[1] == ["asked"]
    other = talk.with_name("other.jsonl")
    other.write_bytes(jsonl(person("yes")))
    assert hear(memory, other)[1] == []
    assert len(texts(memory)) == 1


def test_a_file_can_be_read_anew(memory: MemoryLedger, talk: Path) -> None:
    hear(memory, talk)
    assert hear(memory, talk, anew=True) == (Heard(str(talk), "claude", 2), ["known"])


def test_a_session_without_ids_is_named_for_its_file(memory: MemoryLedger, tmp_path: Path) -> None:
    """K-17: two files of one name in two folders are two conversations."""
    for folder in ("a", "b"):
        path = tmp_path / folder / "chat.jsonl"
        path.parent.mkdir()
        path.write_bytes(jsonl({"role": "user", "content": f"note {folder}"}))
        hear(memory, path)
    conversations = {entry.memory.provenance.conversation for entry in memory.load_all()}
    assert len(conversations) == 2
    assert all(name.startswith("chat-") for name in conversations)


def test_a_rollout_goes_on_with_its_conversation(memory: MemoryLedger, tmp_path: Path) -> None:
    """K-13: the head of the file is not read again."""
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(jsonl(head(), item("user", "hello")))
    hear(memory, path)
    add(path, item("user", "note one"))
    hear(memory, path)
    (entry,) = memory.load_all()
    assert entry.memory.provenance.conversation == "c1"


def test_a_pipe_is_read_as_a_stream(memory: MemoryLedger, talk: Path, tmp_path: Path) -> None:
    """K-74: nothing is noted of it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    os.write(writer, talk.read_bytes())
    import threading

    threading.Timer(0.3, lambda: os.close(writer)).start()
    assert hear(memory, pipe)[0].turns == 2


class Stumbling(Parrot):
    """A detector with a fault of its own."""

    def analyze(self, turn: Turn) -> list[Proposal]:
        if "stumble" in turn.text:
            raise IndexError("string index out of range")
        return super().analyze(turn)


def test_an_error_of_ours_costs_one_turn(memory: MemoryLedger, talk: Path) -> None:
    """K-283: the rest of the file is read, and the position noted."""
    add(talk, person("note two, stumble", uuid="c"), person("note three", uuid="d"))
    errors: list[Exception] = []
    conversations = Conversations(taking(memory), Stumbling(), memory.workspace.local, on_fault=errors.append)
    heard = conversations.file(talk)
    assert (heard.turns, heard.failed, [type(each) for each in errors]) == (4, 1, [IndexError])
    assert texts(memory) == ["one", "three"]
    assert hear(memory, talk)[0].nothing_new
