"""What cannot be written waits outside of the ledger and loses nothing (K-73)."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

import learning.taking
from learning.journal import Journal
from learning.outbox import Outbox
from learning.taking import Taking
from ledger.errors import SecretError
from memledger import MemoryLedger
from tests.learning.taking_in import CAPTURE, ledger, said, taking, texts


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """A ledger that was written to."""
    made = ledger(tmp_path)
    taking(made).take([said("Use tabs")])
    return made


def outbox(memory: MemoryLedger) -> Outbox:
    return Outbox(memory.home.state, memory.ledger.identity.id)


def test_a_locked_ledger_queues_and_the_next_chance_writes(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read back by another object; taking it in twice is the same as once."""
    monkeypatch.setattr(learning.taking, "PATIENCE", 0.05)
    wanted = [said("Answer in French", message="m-2"), said("Keep it short", message="m-3")]
    with memory.chain.open("rb+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert [t.outcome for t in taking(memory).take(wanted)] == ["queued", "queued"]
        assert [t.outcome for t in taking(memory).take(wanted[:1])] == ["queued"]
        assert [t.outcome for t in taking(memory).retry()] == ["queued"]
    assert [waiting.proposal for waiting in outbox(memory).waiting()] == wanted
    assert [t.outcome for t in taking(memory).retry()] == ["created", "created"]
    assert list(outbox(memory).waiting()) == []
    assert texts(memory) == ["Use tabs", "Answer in French", "Keep it short"]


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
    heard: list[str] = []
    take = Taking({"": memory}, CAPTURE, journal=Journal(memory.home.state, echo=heard.append))
    take.take(
        [
            said("Answer in French", message="m-2"),
            said("maybe zig", basis="hedged", confidence=0.4, message="m-2"),
        ]
    )
    lines = (memory.home.state / "memledger.log").read_text().splitlines()
    assert lines == heard
    assert len(lines) == 2
    assert len({line.split('"correlation":"')[1][:8] for line in lines}) == 1
    assert '"outcome":"created"' in lines[0]
    assert '"outcome":"discarded"' in lines[1]
    assert "French" not in "".join(lines)
