"""Closed and full standard streams: what was done is said where it can be, with one code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import muniment
from tests.cli.driver import command_line, environment, run


@pytest.fixture
def folder(isolated: Path, tmp_path: Path) -> Path:
    muniment.init().close()
    run("add", "one").ok()
    return tmp_path


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    import shlex

    script = script.replace("muniment", shlex.join(command_line()))
    return subprocess.run(
        ["bash", "-c", script], env=environment(), capture_output=True, text=True, cwd=folder
    )


@pytest.mark.parametrize(
    "command",
    ["add -", "erase @1", "edit @1"],
)
def test_a_closed_stdin_is_a_usage_error(folder: Path, command: str) -> None:
    """X-11: never an internal error."""
    done = shell(folder, f"muniment {command} <&-")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1 + ("erase @1" in command)), done.stderr


def test_what_was_stored_is_said_where_stdout_is_closed(folder: Path) -> None:
    """X-311: with its id, as for a full disk."""
    done = shell(folder, "muniment add two >&-")
    assert done.returncode == 9
    stored = run("list", "--json").json_lines[-1]
    assert stored["text"] == "two"
    assert f"stored before the command stopped: {stored['id'][:12]};" in done.stderr


def test_a_result_that_nobody_can_read_is_code_9(folder: Path) -> None:
    """X-3: closed and full alike, and what was done stands."""
    for command, target in (("list", "&-"), ("show @1 --raw", "&-"), ("delete @1", "/dev/full")):
        done = shell(folder, f"muniment {command} >{target}")
        assert done.returncode == 9, command
        assert "the result cannot be printed" in done.stderr.splitlines()[-1], command
    assert run("list").ok().out == ""


def test_an_error_that_cannot_be_said_keeps_its_code(folder: Path) -> None:
    """X-3."""
    assert shell(folder, "muniment show zz 2>&-").returncode == 2
    assert shell(folder, "muniment show @99 2>/dev/full").returncode == 3
    done = shell(folder, "muniment search nothing-has-this 2>&-")
    assert (done.returncode, done.stdout) == (0, "")


def test_no_file_of_a_ledger_gets_the_number_of_a_closed_stream(folder: Path) -> None:
    done = shell(folder, "muniment add three <&- >&- 2>&-")
    assert done.returncode == 9
    assert run("verify").code == 0
    assert run("list", "--json").json_lines[-1]["text"] == "three"
