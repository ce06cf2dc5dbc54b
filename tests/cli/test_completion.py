"""muniment completion prints a shell's script, and answers its questions."""

from __future__ import annotations

import shlex
import shutil
import subprocess
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


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_with_the_script(memory: MemoryLedger, tmp_path: Path) -> None:
    """A real shell that has evaluated it offers what we answer."""
    tools = tmp_path / "bin"
    tools.mkdir()
    program = tools / "muniment"
    program.write_text("#!/bin/sh\nexec " + shlex.join(command_line()) + ' "$@"\n')
    program.chmod(0o755)
    script = """
        eval "$(muniment completion bash 2>/dev/null)"
        COMP_WORDS=(muniment unin) COMP_CWORD=1
        _muniment_completion muniment
        echo "${COMPREPLY[@]}"
    """
    path = f"{tools}:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "--norc", "-c", script], env=environment({"PATH": path}), capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("uninstall\n", "")
