"""Tests cli/asking.py and cli/program.py against specs/cli.md (X-4, X-10, X-107): Ctrl-C and Ctrl-D at every question."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.memory import Memory
from muniment import MemoryLedger
from tests.cli.driver import environment, run, run_at_terminal

CTRL_C, CTRL_D = "\x03", "\x04"
STOPPED = "muniment: stopped; what was not acknowledged was not stored\n"


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_whoever_stops_at_a_question_stops_the_command(
    memory: MemoryLedger, tmp_path: Path, key: str
) -> None:
    """X-10: one sentence and code 130 at every question there is; nothing is done. The driver compares the modes."""
    one = memory.store(Memory("Use tabs, never spaces")).id
    backup = tmp_path / "a.backup"
    run("backup", backup).ok()
    memory.store(Memory("Newer than the backup"))
    elsewhere = {name: str(tmp_path / name) for name in ("MUNIMENT_HOME", "MUNIMENT_STATE")}
    memory.close()
    before = memory.workspace.chain.read_bytes()

    def stop(*args: object, **env: str) -> None:
        done = run_at_terminal(*args, answers=[key], enter="", env=env)
        assert done.code == 130, (args, done.out)
        assert done.out.endswith(STOPPED), (args, done.out)
        assert "Traceback" not in done.out

    stop("erase", one)
    stop("erase", "--match", "-")
    stop("backup", tmp_path / "b.backup", "--keys")
    stop("restore", backup, **elsewhere)
    assert memory.workspace.chain.read_bytes() == before
    cut = b"".join(before.splitlines(keepends=True)[:-1])
    memory.workspace.chain.write_bytes(cut)
    stop("recover", "-m", "it was cut")
    assert memory.workspace.chain.read_bytes() == cut
    memory.workspace.chain.unlink()
    stop("restore", backup, "-m", "it was deleted")
    assert not memory.workspace.chain.exists()
    assert not (tmp_path / "b.backup").exists()
    assert not (tmp_path / "MUNIMENT_HOME" / "chain.jsonl").exists()


def test_what_is_typed_unseen_is_read_whole(memory: MemoryLedger) -> None:
    """X-29: it stands there before the question, and never on the terminal."""
    memory.store(Memory("the word is xyzzy-7 here"))
    done = run_at_terminal("erase", "--match", "-", answers=["xyzzy-7", "y"], env={"TERM": "dumb"})
    assert done.code == 0, done.out
    assert "xyzzy" not in done.out
    assert "erased 1 event" in done.out


def test_ctrl_c_while_it_starts_is_no_traceback(tmp_path: Path) -> None:
    """X-4: it ends the process as it ends any other, of which a shell makes 130; nothing was begun."""
    (tmp_path / "orjson.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    code = "from cli import program; program.main()"
    start = environment()
    start["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{start['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], env=start, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
