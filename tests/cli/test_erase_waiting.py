"""Tests that `erase` leaves no copy in what waits outside of the ledger (specs/erasure.md Z-8, Z-15, specs/cli.md X-31)."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.session_buffer import BUFFER_NAME
from learning.outbox import Outbox
from muniment import MemoryLedger
from tests.cli.driver import Result, run
from tests.cli.unprivileged import needs_modes, run_unprivileged
from tests.learning.taking_in import said

SECRET = 'the "zyxwvutsrq31415" code'


@pytest.fixture
def waiting(memory: MemoryLedger) -> list[Path]:
    """What waits: the first says SECRET, the second does not."""
    outbox = Outbox(memory.workspace.home.state, memory.workspace.ledger.identity.id)
    return [outbox.keep(said(f"Ship with {SECRET}")), outbox.keep(said("Answer in French"))]


def that_hold(memory: MemoryLedger, text: str = "zyxwvutsrq31415") -> list[str]:
    """Return every file of the home and the state directory that holds the text, in its bytes or its name."""
    files = [
        path
        for top in (memory.workspace.home.path, memory.workspace.home.state)
        for path in top.rglob("*")
        if path.is_file()
    ]
    return [str(path) for path in files if text.encode() in path.read_bytes() or text in str(path)]


def erase(memory: MemoryLedger, how: str, *, agrees: bool = True) -> Result:
    (found,) = memory.load_all()
    yes = ["--yes"] if agrees else []
    if how == "id":
        return run("erase", found.id, *yes, input="n\n", terminal=not agrees)
    return run(
        "erase", "--match", "zyxwvutsrq31415" if agrees else SECRET, *yes, input="n\n", terminal=not agrees
    )


@pytest.mark.parametrize("how", ["id", "match"])
def test_no_file_of_ours_holds_it(memory: MemoryLedger, waiting: list[Path], how: str) -> None:
    """Z-8: every byte of home and state is looked at; what says something else goes on waiting."""
    run("add", SECRET, "--body", f"{SECRET}\n").ok()
    assert len(that_hold(memory)) >= 4
    erase(memory, how).ok()
    assert that_hold(memory) == []
    assert [path.exists() for path in waiting] == [False, True]
    assert run("verify").code == 0


@pytest.mark.parametrize("how", ["id", "match"])
def test_who_says_no_loses_nothing(memory: MemoryLedger, waiting: list[Path], how: str) -> None:
    """Z-8."""
    run("add", SECRET).ok()
    assert erase(memory, how, agrees=False).code == 130
    assert all(path.exists() for path in waiting)


def test_a_short_line_is_no_part_of_a_longer_one(memory: MemoryLedger) -> None:
    """Z-8: "Use go" is erased, "Use gofmt" is somebody else's."""
    outbox = Outbox(memory.workspace.home.state, memory.workspace.ledger.identity.id)
    same, longer = outbox.keep(said("Use go")), outbox.keep(said("Use gofmt"))
    one = run("add", "Use go").ok().id
    run("erase", one, "--yes").ok()
    assert (same.exists(), longer.exists()) == (False, True)


@pytest.mark.parametrize("how", ["id", "match"])
def test_the_session_buffer_is_named(memory: MemoryLedger, how: str) -> None:
    """Z-8: it is a person's file."""
    run("add", SECRET).ok()
    buffer = memory.workspace.place.documents / BUFFER_NAME
    buffer.write_text(f"- {SECRET}\n")
    done = erase(memory, how)
    assert done.code == 1
    assert f"STILL THERE: {buffer}" in done.err
    assert that_hold(memory) == [str(buffer)]


def test_what_cannot_be_deleted_is_named(memory: MemoryLedger, waiting: list[Path]) -> None:
    """Z-15."""
    run("add", SECRET).ok()
    needs_modes(waiting[0].parent)
    waiting[0].parent.chmod(0o500)
    done = run_unprivileged("erase", "--match", SECRET, "--yes")
    waiting[0].parent.chmod(0o700)
    assert done.code == 1
    assert f"STILL THERE: {waiting[0]}" in done.err


def test_where_no_event_says_it_nothing_is_deleted(memory: MemoryLedger, waiting: list[Path]) -> None:
    """Z-8: it is named."""
    done = run("erase", "--match", "zyxwvutsrq31415", "--yes")
    assert done.code == 1
    assert all(path.exists() for path in waiting)
    assert f"STILL THERE: {waiting[0]}" in done.err
