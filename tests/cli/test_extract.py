"""muniment extract: X-172, X-173."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.driver import run, run_process
from tests.learning.detection.test_closing import GOOD

REPORT = {
    "agent": "Code Explorer",
    "task": "Fix the login test",
    "output": GOOD,
    "result": "success",
    "error": "",
}


def test_a_report_on_stdin_is_filed_by_its_agent(ledger: Path) -> None:
    """Candidates in topics; again they are known (K-109)."""
    done = run("extract", input=json.dumps(REPORT)).ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["candidate"] * 3
    waiting = run("list", "--status", "candidate", "--json").ok().json_lines
    assert {each["by"]["name"] if isinstance(each["by"], dict) else each["by"] for each in waiting} == {
        "code-explorer"
    }
    again = run_process("extract", "--json", input=json.dumps(REPORT)).ok()
    assert [each["outcome"] for each in again.json["proposals"]] == ["known"] * 3


def test_a_dash_for_the_file_is_standard_input(ledger: Path) -> None:
    """X-172: as for the other commands; a report in a file is told where to."""
    done = run("extract", "-", input=json.dumps(REPORT)).ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["candidate"] * 3
    Path("report.json").write_text(json.dumps(REPORT))
    named = run("extract", "report.json")
    assert (named.code, "on standard input" in named.err) == (5, True)


def test_a_report_as_spec_0005_names_it_is_the_same(ledger: Path) -> None:
    """X-172: `agentOutput`, with what its extractor is shown beside it."""
    theirs = {**REPORT, "agentOutput": REPORT["output"], "existingMemories": []}
    del theirs["output"]
    done = run("extract", input=json.dumps(theirs)).ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["candidate"] * 3
    again = run("extract", "--json", input=json.dumps(REPORT)).ok()
    assert [each["outcome"] for each in again.json["proposals"]] == ["known"] * 3


def test_what_a_hook_is_told_is_a_report(ledger: Path) -> None:
    """X-172: all members that Claude Code's SubagentStop has."""
    event = {
        "hook_event_name": "SubagentStop",
        "session_id": "s-1",
        "transcript_path": "/t.jsonl",
        "agent_transcript_path": "/a.jsonl",
        "cwd": "/work",
        "prompt_id": "p",
        "permission_mode": "default",
        "effort": {"level": "high"},
        "stop_hook_active": False,
        "agent_id": "a",
        "agent_type": "Explore",
        "last_assistant_message": GOOD,
    }
    done = run("extract", input=json.dumps(event)).ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["candidate"] * 3


def test_a_transcript_is_read_and_silence_is_said(ledger: Path, tmp_path: Path) -> None:
    """Mostly nothing is worth a topic (K-107)."""
    lines = [
        {"role": "user", "content": "Where are the tokens?"},
        {
            "role": "assistant",
            "content": "The auth tokens live in `src/auth/tokens.ts`, because the session store is shared.",
        },
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = run("extract", file, "--dry-run").ok()
    assert "codebase-structure/tokens" in done.out
    assert run("list", "--status", "candidate").ok().out == ""
    file.write_text(f"{json.dumps(lines[0])}\n" + '{"role":"assistant","content":"Done, all tests pass."}\n')
    quiet = run("extract", file).ok()
    assert quiet.out == ""
    assert "nothing in it is worth a topic" in quiet.err


@pytest.mark.parametrize(
    ("data", "code"),
    [("no json", 5), ("[]", 5), ('{"result": "fine"}', 5), ('{"agent": 3}', 5), ("{}", 0)],
)
def test_what_is_no_report_is_refused(ledger: Path, data: str, code: int) -> None:
    """One line that says what to give."""
    done = run("extract", input=data)
    assert done.code == code
    assert len(done.err.splitlines()) == 1


def test_a_missing_file_is_named_by_its_code(ledger: Path, tmp_path: Path) -> None:
    """Code 3."""
    assert run("extract", tmp_path / "none.jsonl").code == 3
