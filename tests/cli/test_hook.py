"""Tests cli/commands/hook.py: the help of what programs call; what they call is tested in tests/cli/hooks/."""

from __future__ import annotations

import json

import pytest

from cli.hooks.door import PROGRAMS
from tests.cli.driver import run, run_process


def test_the_help_teaches_and_other_programs_are_unknown() -> None:
    """X-2: people find it; an unknown program is a usage error that names the known ones."""
    assert "hook claude < event.json" in run_process("hook", "--help").ok().out
    assert run_process("hook", "claude", "--help").ok().out.startswith("Usage: memledger hook")
    unknown = run_process("hook", "emacs")
    assert unknown.code == 2
    assert all(program in unknown.err for program in PROGRAMS)


@pytest.mark.parametrize("before", [(), ("--no-color",)])
def test_the_command_line_answers_as_the_short_way_does(before: tuple[str, ...]) -> None:
    """G-5, G-9: also behind a global option, where nothing can be dispatched before the command line is there."""
    run("init", "--scope", "user").ok()
    run("add", "Use pnpm, not npm", "--scope", "user").ok()
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/"})
    done = run_process(*before, "hook", "claude", "whatever", "--else", input=event)
    assert (done.code, done.err) == (0, "")
    assert "pnpm" in done.json["hookSpecificOutput"]["additionalContext"]
