"""Tests cli/commands/outbox.py against specs/cli.md (X-160, X-161)."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import muniment
from documents.proposal import Proposal
from learning.outbox import Outbox
from tests.cli.driver import run
from tests.learning.taking_in import said

pytestmark = pytest.mark.usefixtures("ledger")  # seen from an empty folder


def keep(*proposals: Proposal) -> list[Path]:
    """Put proposals into the outbox of the user's ledger."""
    with muniment.open() as memory:
        outbox = Outbox(memory.workspace.home.state, memory.workspace.ledger.identity.id)
        return [outbox.keep(proposal) for proposal in proposals]


@contextmanager
def held(ledger: Path) -> Iterator[None]:
    """Hold the ledger's chain as another process does."""
    with (ledger / "chain.jsonl").open("rb") as chain:
        fcntl.flock(chain, fcntl.LOCK_EX)
        yield


def test_what_waits_is_written_when_it_can_be() -> None:
    """X-160."""
    keep(said("Use pnpm"), said("Use tabs"))
    done = run("upkeep", "retry").ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["created", "created"]
    assert "2 dealt with" in done.err
    assert "nothing waits" in run("upkeep", "retry").ok().err
    assert run("list").out.count("Use ") == 2


def test_it_can_be_shown_alone() -> None:
    """X-161."""
    (path,) = keep(said("Use pnpm"))
    assert run("upkeep", "retry", "--list").ok().out == f"{path.stem[:8]}  Use pnpm\n"
    (shown,) = run("upkeep", "retry", "--list", "--json").ok().json_lines
    assert (shown["file"], shown["text"], shown["basis"]) == (str(path), "Use pnpm", "stated")
    assert path.exists()


def test_what_still_cannot_be_written_goes_on_waiting(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """X-160."""
    monkeypatch.setattr("learning.writer.PATIENCE", 0.2)
    (path,) = keep(said("Use pnpm"))
    with held(ledger):
        done = run("upkeep", "retry", "--json")
    assert (done.code, done.json["taken"][0]["outcome"], len(done.json["waiting"])) == (13, "queued", 1)
    assert path.exists()
    assert run("upkeep", "retry").ok().out.startswith("created")


def test_a_file_that_cannot_be_read_is_named_and_stays() -> None:
    """X-161."""
    (path,) = keep(said("Use pnpm"))
    path.write_bytes(b"{torn")
    done = run("upkeep", "retry").ok()
    assert f"{path}: it cannot be read" in done.err
    assert path.exists()


def test_that_others_have_more_is_said(tmp_path: Path) -> None:
    """X-161."""
    run("--ledger", "other", "init").ok()
    keep(said("Use pnpm"))
    assert "more waits for 1 other ledger" in run("--ledger", "other", "upkeep", "retry").ok().err


def test_capture_queues_and_the_outbox_writes(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K-73: the whole way; the position has moved on, and nothing is lost."""
    from tests.learning.transcripts.writing import jsonl, person

    monkeypatch.setattr("learning.writer.PATIENCE", 0.2)
    Path("talk.jsonl").write_bytes(jsonl(person("Remember that my cat's name is Luna.")))
    with held(ledger):
        done = run("capture", "talk.jsonl").ok()
    assert done.out.startswith("queued")
    assert "muniment upkeep retry" in done.err
    assert run("upkeep", "retry").ok().out.startswith("created")
