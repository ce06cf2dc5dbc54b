"""Tests specs/erasure.md (Z-16, Z-31): what a killed process left is finished, or swept, by whoever comes next."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from cli.machine_checks import _is_open_key
from tests.cli.driver import ROOT, run, user_ledger
from tests.cli.hooks.calling import event, hook, settled
from tests.erasing.test_erasing import OTHER, SECRET, holding

STEPS = (
    "copies.cleaned",
    "erasure.noted",
    "erase.appended",
    "erase.blanked",
    "erase.synced",
    "index.vacuumed",
    "file.renamed",
)

KILLED = """
import os, signal, sys
from ledger import steps
from cli import main
at, *arguments = sys.argv[1:]
def killed(step):
    if step == at:
        os.kill(os.getpid(), signal.SIGKILL)
def sync(fd, really=os.fsync):
    if at in os.readlink(f"/proc/self/fd/{fd}"):
        os.kill(os.getpid(), signal.SIGKILL)
    really(fd)
if "/" in at:
    os.fsync = sync
steps.observer = killed
main.main(arguments)
"""


def killed_at(step: str, *arguments: object) -> None:
    """Run a command in a process of its own that is killed at a step."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, step, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr


def _hook() -> None:
    hook(event("SessionStart", source="startup"))
    settled()


@pytest.mark.parametrize(
    "following",
    [
        *(
            lambda words=words: run(*words)
            for words in (["list"], ["status"], ["verify"], ["adopt"], ["search", "yard"])
        ),
        *(
            lambda words=words: run(*words)
            for words in (["inject"], ["doctor"], ["log"], ["show", "@2"], ["stats"])
        ),
        _hook,
    ],
    ids=["list", "status", "verify", "adopt", "search", "inject", "doctor", "log", "show", "stats", "hook"],
)
def test_whoever_comes_next_finishes_a_killed_erase(
    following: Callable[[], object], isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: be it one that only reads."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at("erase.blanked", "erase", "@1", "--yes")
    assert holding(home)
    following()
    assert holding(home, isolated) == []
    assert [path.suffix for path in (home / "erasures").iterdir()] == [".receipt"]
    with muniment.open() as memory:
        assert not memory.cleaning
    assert run("verify").code == 0


@pytest.mark.parametrize("step", STEPS)
def test_wherever_an_erase_was_killed_a_list_finishes_it(
    step: str, isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: all of it, or nothing where no event stands yet."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at(step, "erase", "@1", "--yes")
    stood = not run("log", "--kind", "erase", "--json").out
    listed = run("list").ok()
    assert "not finished" not in listed.err
    assert (SECRET in listed.out) is stood
    assert stood is bool(holding(home))
    run("verify").ok()


def test_one_that_cannot_be_finished_is_reported(
    tmp_path: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: by a command that only reads, which answers all the same."""
    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at("erase.synced", "erase", "@1", "--yes")
    (home / "MEMORY.md").unlink()
    (home / "MEMORY.md").mkdir()
    (home / "MEMORY.md" / "in the way").touch()
    listed = run("list").ok()
    assert OTHER in listed.out
    assert SECRET not in listed.out


def test_an_erase_of_another_process_is_left_to_it(
    tmp_path: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-16: what is under way is no remains."""
    from erasing.alone import alone

    monkeypatch.chdir(tmp_path)
    home = user_ledger(SECRET, OTHER)
    killed_at("erase.synced", "erase", "@1", "--yes")
    with alone(home):
        run("list").ok()
        with muniment.open() as memory:
            assert memory.cleaning
    run("list").ok()
    with muniment.open() as memory:
        assert not memory.cleaning


# --- files for somebody else ---


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="which file is synced is asked of /proc")
@pytest.mark.parametrize("command", ["export", "backup", "prove"])
@pytest.mark.parametrize("following", [["erase", "@1", "--yes"], ["list"], ["export", "-o", "another"]])
def test_what_a_killed_process_made_of_a_file_is_swept(
    command: str, following: list[str], isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-31: text and chain lie beside the file that never came; the next command takes them away."""
    monkeypatch.chdir(tmp_path)
    user_ledger(SECRET, OTHER)
    given = tmp_path / "given away"
    given.mkdir()
    target = given / "file.tar.gz"
    words = {
        "export": ["export", "-o", target],
        "backup": ["backup", target],
        "prove": ["prove", "@1", "-o", target],
    }
    killed_at(f"{given}/", *words[command])
    assert any(given.iterdir())
    run(*following).ok()
    assert list(given.iterdir()) == []


def test_what_another_process_is_making_is_named(
    tmp_path: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-31: it runs still, so nothing of it is removed, and the erase says where it lies."""
    monkeypatch.chdir(tmp_path)
    user_ledger(SECRET, OTHER)
    making = tmp_path / f".out.jsonl.{os.getppid()}-0.tmp"
    making.write_text(SECRET)
    with muniment.open() as memory:
        memory.local.note(f"coming {tmp_path / 'out.jsonl'}", "export")
    done = run("erase", "@1", "--yes")
    assert done.code == 1
    assert str(making) in done.err
    assert making.exists()


# --- what a person is shown ---


def test_at_a_terminal_the_first_words_are_shown_before_the_question(isolated: Path, tmp_path: Path) -> None:
    """X-30: of what is named by id, and by text."""
    long = "The code of the garden gate, which nobody must know, is written on the back of the third picture from the left"
    user_ledger(long, OTHER)
    for words, named in ((["@1"], "garden"), (["--match", "garden"], "[…]")):
        done = run("erase", *words, input="n\n", terminal=True)
        assert f"The code of the {named} gate, which nobody must know, is" in done.err
        assert "third picture" not in done.err


def test_elsewhere_nothing_is_shown_of_it(isolated: Path) -> None:
    """X-30: neither in a log, nor as JSON, nor where nobody is asked."""
    user_ledger(SECRET, OTHER)
    assert SECRET[:8] not in run("erase", "@1", "--json", input="n\n", terminal=True).err
    done = run("erase", "@1", "--yes")
    assert SECRET[:8] not in done.out + done.err


def test_a_second_erase_is_none(isolated: Path) -> None:
    """X-28: no event, no question, no error."""
    home = user_ledger(SECRET, OTHER)
    run("erase", "@1", "--yes").ok()
    before = (home / "chain.jsonl").read_bytes()
    again = run("erase", "@1", input="").ok()
    assert "already" in again.out
    assert (home / "chain.jsonl").read_bytes() == before


def test_the_name_of_a_topic_leaves_the_local_state(isolated: Path) -> None:
    """Z-30: of which nothing else stands."""
    home = user_ledger(OTHER)
    id_ = run("add", "she is ill", "--topic", "anna-and-her-illness").id
    run("add", "said later").ok()
    run("erase", id_, "--yes").ok()
    assert holding(home, text="anna-and-her-illness") == []


# --- keys ---


def test_a_killed_removal_of_a_passphrase_leaves_no_open_key(isolated: Path) -> None:
    """N-9: doctor tells it from other files, and whoever opens the ledger next takes it away."""
    home = user_ledger(OTHER)
    (key,) = (home / "keys").glob("*.key")
    left = key.with_name(f".{key.name}.{_died()}-0.tmp")
    left.write_bytes(key.read_bytes())
    assert _is_open_key(left)
    run("list").ok()
    assert not left.exists()
    assert key.exists()


def _died() -> str:
    """Return the id of a process that is no more."""
    words = [sys.executable, "-c", "import os; print(os.getpid())"]
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()
