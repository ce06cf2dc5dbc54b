"""Tests cli/terminal_input.py and cli/program.py against specs/cli.md (X-4, X-10, X-107): Ctrl-C and Ctrl-D at every question."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.memory import Memory
from muniment import MemoryLedger
from tests.cli.driver import ROOT, environment, run, run_at_terminal

CTRL_C, CTRL_D = "\x03", "\x04"
STOPPED = "muniment: stopped; what was not acknowledged was not stored\n"


_INTERRUPTED = """
import os, pty, signal, sys, termios, threading, time
from pathlib import Path

from cli.consent import ask as consent
from cli.keyboard import ask
from cli.terminal_input import answer

QUESTIONS = {{
    "key": lambda: ask("Well? [y/n]", {{"y": "yes", "n": "no"}}),
    "consent": lambda: consent("Go on?", yes=False),
    "hidden": lambda: answer("Text: ", hidden=True),
}}
ours, theirs = pty.openpty()
sys.stdin = os.fdopen(theirs)
before = termios.tcgetattr(sys.stdin.fileno())
asking = threading.get_native_id()


def until_asleep():  # in the kernel, and not for another thread of ours
    until = time.monotonic() + 60
    channel = Path(f"/proc/self/task/{{asking}}/wchan")
    while channel.exists() and time.monotonic() < until:
        if channel.read_text() != "0" and "futex" not in channel.read_text():
            return
        time.sleep(0.001)


def press():
    until_asleep()
    os.kill(os.getpid(), signal.SIGINT)  # the asking thread blocks it: its wait is not interrupted


typing = threading.Thread(target=press)
typing.start()
heard = signal.getsignal(signal.SIGINT)
signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGINT}})
try:
    QUESTIONS["{question}"]()
except KeyboardInterrupt:
    print("heard")
typing.join()
signal.pthread_sigmask(signal.SIG_UNBLOCK, {{signal.SIGINT}})
assert signal.getsignal(signal.SIGINT) is heard
assert signal.set_wakeup_fd(-1) == -1
assert termios.tcgetattr(sys.stdin.fileno()) == before
print("as before")
"""
"""A process of its own: a signal that comes late must not end the process that runs the tests."""


@pytest.mark.parametrize("term", ["xterm", "dumb"])
@pytest.mark.parametrize("question", ["key", "consent", "hidden"])
def test_ctrl_c_that_interrupts_no_system_call_is_heard(question: str, term: str) -> None:
    """X-10, X-107: as where it comes right before the wait begins. Here another thread is given the signal."""
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED.format(question=question)],
        cwd=ROOT,
        env={**os.environ, "TERM": term},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.split("\n")[-3:] == ["heard", "as before", ""], (done.stdout, done.stderr)


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_whoever_stops_at_a_question_stops_the_command(
    memory: MemoryLedger, tmp_path: Path, key: str, term: str
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
        done = run_at_terminal(*args, answers=[key], enter="", env={"TERM": term, **env})
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


def test_ctrl_c_in_a_destructor_is_heard() -> None:
    """X-4: Python cannot raise it there, and would go on as if nothing had been typed."""
    code = (
        "import sys, time\n"
        "from cli import main, program\n"
        "class Gone:\n"
        "    def __del__(self): raise KeyboardInterrupt\n"
        "def work():\n"
        "    gone = Gone()\n"
        "    del gone\n"
        "    time.sleep(60)\n"
        "main.main = work\n"
        "try: program.main()\n"
        "except KeyboardInterrupt: sys.exit(130)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "")


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
