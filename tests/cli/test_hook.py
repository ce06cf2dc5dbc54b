"""Tests cli/commands/hook.py: the help of what programs call; what they call is tested in tests/agents/hooks/."""

from __future__ import annotations

import json

import pytest

from tests.agents.hooks.calling import faults
from tests.cli.driver import run, run_at_terminal, run_process


def test_the_help_teaches() -> None:
    """X-2: people find it."""
    assert "hook claude < event.json" in run_process("hook", "--help").ok().out
    assert run_process("hook", "claude", "--help").ok().out.startswith("Usage: muniment hook")


@pytest.mark.parametrize(
    "line",
    [
        ("hook",),
        ("hook", "emacs", "--x"),
        ("--no-color", "hook", "emacs"),
        ("--no-such-option", "hook", "claude"),
        ("--scope", "nowhere", "hook", "codex"),
    ],
)
def test_a_command_line_of_which_no_event_can_come_ends_with_0_and_is_logged(line: tuple[str, ...]) -> None:
    """G-1: an agent takes code 2 as "stop"; what its pipe has is read to the end, and doctor tells of it."""
    run("init", "--scope", "user").ok()
    done = run_process(*line, input="x" * (1 << 20))
    assert (done.code, done.out) == (0, "")
    assert [each["event"] for each in faults()] == ["hook"]
    assert "the command line" in run("doctor", "--scope", "user").out


def test_a_person_at_a_terminal_is_told_what_to_do() -> None:
    """G-1: one line, and the code is 0 all the same."""
    done = run_at_terminal("hook", "emacs")
    assert done.code == 0
    assert "muniment install" in done.out + done.err


@pytest.mark.parametrize("line", [("--ledger", "hook", "verify"), ("search", "--x", "hook", "claude")])
def test_another_command_keeps_its_code(line: tuple[str, ...]) -> None:
    """G-1: a folder or a text that is called hook makes no hook of it."""
    assert run_process(*line).code not in {0, 1}


@pytest.mark.parametrize("before", [(), ("--no-color",)])
def test_the_command_line_answers_as_the_short_way_does(before: tuple[str, ...]) -> None:
    """G-5, G-9: also behind a global option, where nothing can be dispatched before the command line is there."""
    run("init", "--scope", "user").ok()
    run("add", "Use pnpm, not npm", "--scope", "user").ok()
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/"})
    done = run_process(*before, "hook", "claude", "whatever", "--else", input=event)
    assert (done.code, done.err) == (0, "")
    assert "pnpm" in done.json["hookSpecificOutput"]["additionalContext"]
