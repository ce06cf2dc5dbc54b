"""What cannot be written waits outside of the ledger and loses nothing (K-73)."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import orjson
import pytest

import learning.writer
from learning.intake import Taking
from learning.outbox import Outbox
from ledger.errors import SecretError, StateError
from muniment import MemoryLedger
from tests.learning.taking_in import AGENT, CAPTURE, ledger, said, taking, texts


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """A ledger that was written to."""
    made = ledger(tmp_path)
    taking(made).take([said("Use tabs")])
    return made


def outbox(memory: MemoryLedger) -> Outbox:
    return Outbox(memory.workspace.home.state, memory.workspace.ledger.identity.id)


def test_a_locked_ledger_queues_and_the_next_chance_writes(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read back by another object; taking it in twice is the same as once."""
    monkeypatch.setattr(learning.writer, "PATIENCE", 0.05)
    wanted = [said("Answer in French", message="m-2"), said("Keep it short", message="m-3")]
    with memory.workspace.chain.open("rb+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert [t.outcome for t in taking(memory).take(wanted)] == ["queued", "queued"]
        assert [t.outcome for t in taking(memory).take(wanted[:1])] == ["queued"]
        assert [t.outcome for t in taking(memory).retry()] == ["queued"]
    assert [waiting.proposal for waiting in outbox(memory).waiting()] == wanted
    assert [t.outcome for t in taking(memory).retry()] == ["created", "created"]
    assert list(outbox(memory).waiting()) == []
    assert texts(memory) == ["Use tabs", "Answer in French", "Keep it short"]


def test_what_an_agent_proposed_stays_the_agents(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-226: whoever tries again; an agent cannot confirm it (S-10)."""
    monkeypatch.setattr(learning.writer, "PATIENCE", 0.05)
    with memory.workspace.chain.open("rb+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        [queued] = taking(memory, AGENT).take([said("Use pnpm, not npm", basis="hedged")])
    assert queued.outcome == "queued"
    [done] = taking(memory).retry()
    entry = memory.entry(done.id)
    assert (entry.status, entry.by) == ("candidate", AGENT)
    with pytest.raises(StateError):
        memory.confirm([entry.id], by=AGENT)


def test_what_waits_goes_before_what_comes_next(memory: MemoryLedger) -> None:
    """Nobody needs to know of the outbox."""
    outbox(memory).keep(said("Answer in French", message="m-2"))
    taking(memory).take([said("Keep it short", message="m-3")])
    assert texts(memory) == ["Use tabs", "Answer in French", "Keep it short"]


def test_a_file_that_cannot_be_read_stays_and_is_named(memory: MemoryLedger) -> None:
    outbox(memory).keep(said("Answer in French"))
    broken = outbox(memory).folder / "0.json"
    broken.write_bytes(b'{"version": 1, "memory"')
    faults = {waiting.path.name: waiting.fault for waiting in outbox(memory).waiting()}
    assert "cannot be read" in faults["0.json"]
    assert [t.outcome for t in taking(memory).retry()] == ["created"]
    assert broken.exists()


def test_a_secret_is_not_kept(memory: MemoryLedger) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with pytest.raises(SecretError):
        outbox(memory).keep(said(f"Deploy with {token}"))
    assert not outbox(memory).folder.exists()


def test_what_is_kept_is_for_its_owner_alone(memory: MemoryLedger) -> None:
    path = outbox(memory).keep(said("Answer in French"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_the_journal_tells_everything_but_the_text(memory: MemoryLedger) -> None:
    """K-72: a line a proposal, one correlation a call."""
    take = Taking({"": memory.scope}, CAPTURE)
    take.take(
        [
            said("Answer in French", message="m-2"),
            said("maybe zig", basis="hedged", confidence=0.4, message="m-2"),
        ]
    )
    lines = (memory.workspace.home.state / "muniment.log").read_text().splitlines()
    lines = lines[-2:]
    assert len({line.split('"correlation":"')[1][:8] for line in lines}) == 1
    assert '"outcome":"created"' in lines[0]
    assert '"outcome":"discarded"' in lines[1]
    assert "French" not in "".join(lines)


GOOD = {
    "version": 1, "action": "create", "memory": {"text": "x", "provenance": {"conversation": "c", "message": "m"}},
    "targets": [], "reason": "", "date": "", "scope": "user", "about": "", "basis": "stated", "by": None,
}  # fmt: skip


@pytest.mark.parametrize(
    "odd",
    [
        {"basis": ["x"]},
        {"basis": "evil"},
        {"action": "boom"},
        {"action": "delete"},
        {"action": "delete", "memory": None},
        {"action": "supersede", "memory": None},
        {"scope": "nope"},
        {"scope": {}},
        {"targets": [5]},
        {"targets": "5"},
        {"memory": {"text": "y", "provenance": 5}},
        {"memory": {"text": "y", "confidence": "7"}},
        {"memory": []},
        {"reason": None},
        {"version": 2},
        {"more": 1},
        {"by": 5},
        {"by": {"name": "eve", "role": "user", "via": "cli"}},
        {"by": {"name": "no slug", "role": "agent", "via": "cli"}},
    ],
    ids=str,
)
def test_what_it_did_not_write_is_named_and_left(memory: MemoryLedger, odd: dict[str, object]) -> None:
    """K-158: and nothing waits for it."""
    folder = outbox(memory).folder
    folder.mkdir(parents=True)
    (folder / "a.json").write_bytes(orjson.dumps({**GOOD, **odd}))
    [waiting] = outbox(memory).waiting()
    assert waiting.proposal is None
    assert waiting.fault.startswith("it cannot be read: ")
    assert [t.outcome for t in taking(memory).take([said("Answer in French")])] == ["created"]
    assert (folder / "a.json").exists()
    (folder / "a.json").write_bytes(orjson.dumps(GOOD))
    assert [t.outcome for t in taking(memory).retry()] == ["created"]


def test_what_is_no_file_is_not_opened(memory: MemoryLedger, tmp_path: Path) -> None:
    """K-158: a pipe would hang, a link may lead anywhere."""
    folder = outbox(memory).folder
    folder.mkdir(parents=True)
    os.mkfifo(folder / "a.json")
    (folder / "b.json").mkdir()
    (tmp_path / "good.json").write_bytes(orjson.dumps(GOOD))
    (folder / "c.json").symlink_to(tmp_path / "good.json")
    (folder / "d.json").write_bytes(b"1" * (1 << 21))
    (folder / "e.json").symlink_to("nowhere")
    found = {waiting.path.name: waiting for waiting in outbox(memory).waiting()}
    assert [waiting.proposal for waiting in found.values()] == [None] * 5
    kinds = [found[name].fault for name in ("a.json", "b.json")]
    assert kinds == [f"it cannot be read: it is a {kind}, not a regular file" for kind in ("pipe", "folder")]
    assert [t.outcome for t in taking(memory).take([said("Answer in French")])] == ["created"]
