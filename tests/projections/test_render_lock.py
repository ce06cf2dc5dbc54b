"""Documents that another process holds: every command ends, nothing is lost, and a later one writes them (P-83, K-194).

Tests projections/render_lock.py with a real process that holds the lock.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ledger.errors import BusyError
from projections.render_lock import RenderLock
from tests.cli.driver import run, run_process
from tests.cli.test_add import held

COMES_LATER = "the next write, or muniment adopt, writes them"


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger that has been written to, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    run("add", "one").ok()
    return isolated / ".muniment"


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in this process wait for a moment only."""
    monkeypatch.setattr("projections.render_lock.PATIENCE", 0.1)


def talk(*texts: str) -> Path:
    path = Path("talk.jsonl")
    path.write_text("".join(f"{json.dumps({'role': 'user', 'content': text})}\n" for text in texts))
    return path


@pytest.mark.usefixtures("hasty")
def test_capture_waits_once_writes_and_notes_what_it_read(ledger: Path) -> None:
    """K-194."""
    path = talk("Remember that my cat is called Luna", "Remember that my dog is called Rex")
    with held(ledger / "render.lock"):
        done = run("capture", path).ok()
        assert [line.split()[0] for line in done.out.splitlines()] == ["created", "created"]
        assert done.err.count(COMES_LATER) == 1
        again = run("capture", path).ok()
        assert (again.out, "nothing new" in again.err) == ("", True)
        assert not list((ledger / "state").glob("*/outbox/*"))
    assert {entry["text"] for entry in run("list", "--json").json_lines} >= {"one"}
    assert "Luna" not in (ledger / "MEMORY.md").read_text()
    run("add", "two").ok()
    text = (ledger / "MEMORY.md").read_text()
    assert "Luna" in text
    assert "Rex" in text


@pytest.mark.usefixtures("hasty")
def test_add_and_then_adopt_with_nothing_to_take_in(ledger: Path) -> None:
    with held(ledger / "render.lock"):
        done = run("add", "two").ok()
        assert (done.err.count("was not rewritten"), COMES_LATER in done.err) == (1, True)
    assert "two" not in (ledger / "MEMORY.md").read_text()
    done = run("adopt").ok()
    assert "MEMORY.md" in done.err
    assert "two" in (ledger / "MEMORY.md").read_text()


@pytest.mark.usefixtures("hasty")
def test_adopt_takes_in_what_was_typed(ledger: Path) -> None:
    document = ledger / "MEMORY.md"
    document.write_text(document.read_text() + "\n- typed by hand\n")
    with held(ledger / "render.lock"):
        assert COMES_LATER in run("adopt").ok().err
        assert COMES_LATER in run("adopt", "--json").ok().err
        assert "typed by hand" in run("list").ok().out
        assert "typed by hand" in document.read_text()
    run("add", "two").ok()
    assert [entry["text"] for entry in run("list", "--json").json_lines].count("typed by hand") == 1


@pytest.mark.usefixtures("hasty")
def test_replay_is_asked_for_them_and_fails(ledger: Path) -> None:
    with held(ledger / "render.lock"):
        for arguments in (("replay",), ("replay", ledger / "MEMORY.md")):
            done = run(*arguments)
            assert (done.code, COMES_LATER in done.err) == (BusyError.exit_code, True)
    run("replay").ok()


@pytest.mark.usefixtures("hasty")
def test_an_erase_says_where_the_text_still_stands(ledger: Path) -> None:
    """It stays noted, and the next command that writes cleans the documents (P-88)."""
    id_ = run("add", "the code is swordfish").ok().id
    with held(ledger / "render.lock"):
        done = run("erase", id_, "--yes", "-m", "a slip")
        assert "swordfish" not in (ledger / "chain.jsonl").read_text()
        assert f"STILL THERE: {ledger / 'MEMORY.md'}" in done.err
    run("add", "three").ok()
    assert "swordfish" not in (ledger / "MEMORY.md").read_text()


def test_who_waits_is_done_where_another_rendered_meanwhile(ledger: Path) -> None:
    """P-83: nothing is held then, and the next one takes the lock as before."""
    lock, looks = RenderLock(ledger / "render.lock"), iter((False, False, True))
    with held(ledger / "render.lock"), lock.held(ledger, lambda: next(looks)) as ours:
        assert ours is False
        assert next(looks, None) is None
    with lock.held(ledger, lambda: True) as ours:
        assert ours is True


@pytest.mark.usefixtures("hasty")
def test_once_waited_for_in_vain_it_is_tried_at_once_until_it_is_free(ledger: Path) -> None:
    """P-83: who waits looks again and again whether another rendered; who does not wait never does."""
    lock = RenderLock(ledger / "render.lock")
    with held(ledger / "render.lock"):
        assert _looks_of_one_in_vain(lock, ledger) > 0
        assert _looks_of_one_in_vain(lock, ledger) == 0
    with lock.held(ledger):
        pass
    with held(ledger / "render.lock"):
        assert _looks_of_one_in_vain(lock, ledger) > 0


def _looks_of_one_in_vain(lock: RenderLock, folder: Path) -> int:
    looks = 0

    def is_done() -> bool:
        nonlocal looks
        looks += 1
        return False

    with pytest.raises(BusyError), lock.held(folder, is_done):
        pass
    return looks


def test_a_write_beside_others_leaves_no_document_behind(ledger: Path) -> None:
    """P-83: four at once, each of which may find its own rendering done by another; who waits in vain says what writes it."""
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda n: run_process("add", f"the door code of room {n} is blue"), range(8)))
    assert [each.code for each in done] == [0] * 8
    if any(COMES_LATER in each.err for each in done):
        run("adopt").ok()
    text = (ledger / "MEMORY.md").read_text()
    assert all(f"room {n} is blue" in text for n in range(8))
