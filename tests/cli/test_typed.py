"""Tests cli/typed.py and cli/program.py against specs/cli.md (X-4, X-10, X-107): Ctrl-C and Ctrl-D at every question."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.consent import ask as consent
from cli.keyboard import ask
from cli.typed import answer
from ledger.memory import Memory
from muniment import MemoryLedger
from tests.cli.driver import environment, run, run_at_terminal

CTRL_C, CTRL_D = "\x03", "\x04"
STOPPED = "muniment: stopped; what was not acknowledged was not stored\n"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal that is our standard input; the end at which a person sits."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield ours
    os.close(ours)


def _until_asleep(thread: int) -> None:
    """Wait until a thread of ours sleeps in the kernel, and not for another thread of ours."""
    until = time.monotonic() + 60
    channel = Path(f"/proc/self/task/{thread}/wchan")
    while channel.exists() and time.monotonic() < until:
        if channel.read_text() != "0" and "futex" not in channel.read_text():
            return
        time.sleep(0.001)


@pytest.mark.parametrize("term", ["xterm", "dumb"])
@pytest.mark.parametrize(
    "question",
    [
        lambda: ask("Well? [y/n]", {"y": "yes", "n": "no"}),
        lambda: consent("Go on?", yes=False),
        lambda: answer("Text: ", hidden=True),
    ],
    ids=["key", "consent", "hidden"],
)
def test_ctrl_c_that_interrupts_no_system_call_is_heard(
    terminal: int, monkeypatch: pytest.MonkeyPatch, question: object, term: str
) -> None:
    """X-10, X-107: as where it comes right before the wait begins. Here another thread is given the signal."""
    monkeypatch.setenv("TERM", term)
    before = termios.tcgetattr(sys.stdin.fileno())
    asking = threading.get_native_id()

    def press() -> None:
        _until_asleep(asking)
        os.kill(os.getpid(), signal.SIGINT)  # the asking thread blocks it: its wait is not interrupted

    unheard = threading.Event()

    def give_up() -> None:  # so that a fault is a failure and no hang
        unheard.set()
        os.write(terminal, b"n\nn\n")

    typing, patience = threading.Thread(target=press), threading.Timer(20, give_up)
    typing.start()
    patience.start()
    heard = signal.getsignal(signal.SIGINT)
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with pytest.raises(KeyboardInterrupt):
            question()  # type: ignore[operator]
    finally:
        typing.join()
        patience.cancel()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    assert not unheard.is_set()
    assert signal.getsignal(signal.SIGINT) is heard
    assert signal.set_wakeup_fd(-1) == -1
    assert termios.tcgetattr(sys.stdin.fileno()) == before


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
    stop("restore", backup, "--as", "moved-here", "-m", "it was deleted")
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
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "")
    assert time.monotonic() - begun < 50


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
