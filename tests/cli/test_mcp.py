"""Tests the command `muniment mcp` against specs/doors.md (G-40); what it serves is in tests/agents/mcp."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.driver import ROOT, environment, run, run_process

_WITHOUT_SDK = "import sys; sys.modules['mcp'] = None; from cli import main; sys.exit(main.run(['mcp']))"


def test_without_the_extra_one_line_says_what_to_install(ledger: Path, tmp_path: Path) -> None:
    """G-40: also where an older SDK stands in its place."""
    (tmp_path / "mcp" / "server").mkdir(parents=True)
    (tmp_path / "mcp" / "__init__.py").touch()
    old = environment() | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    for command, variables in ((["-c", _WITHOUT_SDK], environment()), (["-m", "cli", "mcp"], old)):
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, env=variables, cwd=tmp_path
        )
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr == (
            "muniment: muniment mcp needs the MCP SDK, version 2.3 or newer: "
            f"{shlex.quote(sys.executable)} -m pip install 'muniment[mcp]'\n"
        )


def test_only_this_command_imports_the_sdk(ledger: Path) -> None:
    """G-40: its help, and all others, start without it; it costs more than half a second."""
    program = (
        "import sys; from cli import main; "
        "code = main.run({!r}); sys.exit(code or ('mcp' in sys.modules or 'pydantic' in sys.modules))"
    )
    for words in (["mcp", "--help"], ["review", "--json"], ["add", "one"], ["inject"]):
        done = subprocess.run(
            [sys.executable, "-c", program.format(words)], capture_output=True, env=environment(), cwd=ROOT
        )
        assert done.returncode == 0, words


def test_the_room_imports_nothing_of_itself_from_outside() -> None:
    """G-40: nothing but the command imports agents.mcp, and that when it is called."""
    importing = [
        path.relative_to(ROOT).as_posix()
        for folder in ("cli", "learning", "capture", "projections", "ledger", "adopting")
        for path in (ROOT / folder).rglob("*.py")
        if "agents.mcp" in path.read_text("utf-8") and path.parent != ROOT / "cli" / "mcp"
    ]
    assert importing == ["cli/commands/mcp.py"]


@pytest.mark.skipif(
    importlib.util.find_spec("mcp") is None, reason="the extra muniment[mcp] is not installed"
)
def test_a_client_that_goes_away_ends_it(ledger: Path) -> None:
    """G-40: the end of stdin is the end, with code 0, and nothing is said."""
    done = run_process("mcp", input="")
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.skipif(
    importlib.util.find_spec("mcp") is None, reason="the extra muniment[mcp] is not installed"
)
def test_what_is_no_message_hurts_nobody(ledger: Path) -> None:
    """G-45: stdout has nothing but messages, whatever came in."""
    done = run_process("mcp", input="hello\n\xff\n{}\n[1]\n")
    assert done.code == 0
    assert all(line.startswith("{") for line in done.out.splitlines())
    assert "Traceback" not in done.err


def test_help_teaches() -> None:
    shown = run("mcp", "--help").ok().out
    assert '{"mcpServers"' in shown
    assert "muniment[mcp]" in shown
    assert os.linesep not in shown.splitlines()[0]
