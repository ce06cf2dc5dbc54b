"""muniment completion prints a shell's script, and answers its questions."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from muniment import Memory, MemoryLedger
from tests.cli.driver import command_line, environment, run, run_process


@pytest.fixture
def memory(memory: MemoryLedger) -> MemoryLedger:
    """The same with one memory."""
    memory.store(Memory("Use pnpm"))
    return memory


def asked(*words: str, shell: str = "bash") -> list[str]:
    """Return what is offered for the last of these words, each without its kind."""
    variables = {
        "_MUNIMENT_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(["muniment", *words]),
        "COMP_CWORD": str(len(words)),
    }
    out = run(env=variables).ok().out
    return [line.removeprefix("plain,") for line in out.splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_process_prints_the_script_and_says_how(isolated: Path, shell: str) -> None:
    """The script on stdout, so that eval gets it alone."""
    done = run_process("completion", shell).ok()
    assert "_MUNIMENT_COMPLETE" in done.out
    assert f"muniment completion {shell}" in done.err
    assert run("completion", shell, "--json").ok().json["script"] == done.out.rstrip("\n") + "\n"


def test_another_shell_is_a_mistake() -> None:
    """Exit code 2, with the ones that are known."""
    done = run("completion", "tcsh")
    assert (done.code, "fish" in done.err) == (2, True)


def test_commands_and_options_complete(memory: MemoryLedger) -> None:
    """Those that begin so."""
    assert asked("sh") == ["show"]
    assert asked("re") == ["review", "revert", "report", "replay", "recover", "restore"]
    assert asked("list", "--stat") == ["--status"]
    assert asked("list", "--status", "ca") == ["candidate"]
    assert "--scope" in asked("--s")


def test_zsh_and_fish_get_descriptions(memory: MemoryLedger) -> None:
    """What a command does."""
    assert asked("statu", shell="zsh")[:2] == ["plain", "status"]


_SHELLS = {
    "bash": ("bash --norc --noprofile -i", 'eval "$(muniment completion bash 2>/dev/null)"'),
    "zsh": (
        "zsh -f -i",
        'autoload -Uz compinit && compinit -u && eval "$(muniment completion zsh 2>/dev/null)"',
    ),
    "fish": ("fish --no-config --interactive", "muniment completion fish 2>/dev/null | source"),
}
"""How each shell is started without a person's settings, and how it is told of the completion."""

_AT_TERMINAL = "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"
"""Runs a program with stdin's terminal as its own."""


@pytest.fixture
def on_path(tmp_path: Path) -> dict[str, str]:
    """The variables of a shell that finds the checkout's muniment on its path."""
    program = tmp_path / "bin" / "muniment"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec " + shlex.join(command_line()) + ' "$@"\n')
    program.chmod(0o755)
    return environment({"PATH": f"{program.parent}:/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8"})


_TYPED = {
    "muniment unin\t --help": "Usage: muniment uninstall",
    "muniment key export-n\t --help": "Usage: muniment key export-next",
    "muniment list --stale --hel\t": "Usage: muniment list",
}
"""What a person types, and what the command says that it becomes."""


@pytest.mark.parametrize("shell", _SHELLS)
def test_a_shell_completes_at_the_tab_key(isolated: Path, on_path: dict[str, str], shell: str) -> None:
    """In a real shell at a terminal; the completed command runs, and the same without the Tab key does not."""
    if shutil.which(shell, path=on_path["PATH"]) is None:
        pytest.skip(f"{shell} is not installed; .ci/run installs it where it can")
    with _terminal(shell, on_path) as terminal:
        for typed, usage in _TYPED.items():
            assert usage not in _shown_after(terminal, typed.replace("\t", ""))
            assert usage in _shown_after(terminal, typed)


@contextmanager
def _terminal(shell: str, env: dict[str, str]) -> Iterator[int]:
    """Give the terminal of an interactive shell that knows the completion."""
    start, setting = _SHELLS[shell]
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", _AT_TERMINAL, *start.split()], stdin=theirs, env=env)
    os.close(theirs)
    try:
        os.write(ours, f"{setting}; echo re''ady\n".encode())
        _shown(ours, "ready")
        yield ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _shown_after(terminal: int, typed: str) -> str:
    """Type a line; return what the terminal shows after it."""
    os.write(terminal, f"{typed}\n".encode())
    os.write(terminal, b"echo en''ded\n")
    return _shown(terminal, "ended")


def _shown(terminal: int, end: str) -> str:
    """Return what the terminal shows up to `end`."""
    shown = ""
    while end not in shown:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, f"nothing more came; shown was:\n{shown}"
        shown += os.read(terminal, 65536).decode("utf-8", "replace")
    return shown
