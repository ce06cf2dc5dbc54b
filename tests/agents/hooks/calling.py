"""Calls hooks for tests: as real processes with an event on stdin, and waits for the worker that they start."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from agents.hooks import handover, user_folders
from learning.transcripts.transcript_reader import read
from learning.turn import Turn
from tests.cli.driver import Result, run, run_process

_PATIENCE = 120


def hook(event: object, program: str = "claude", **how: Any) -> Result:
    """Call a hook with an event, or with bytes as they are; it exits with 0 and says nothing on stderr."""
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    done = run_process("hook", program, input=data, **how)
    assert (done.code, done.err) == (0, "")
    return done


def context(done: Result) -> str:
    """Return what an agent is told by what a hook printed: one object and nothing beside, or nothing (G-4)."""
    if not done.out:
        return ""
    answer = done.json
    assert list(answer) == ["hookSpecificOutput"]
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    said = answer["hookSpecificOutput"]["additionalContext"]
    assert isinstance(said, str)
    assert said
    assert len(said.encode("utf-16-le")) // 2 <= 9500
    return said


def event(name: str, session: str = "s1", **more: object) -> dict[str, object]:
    """Return an event of a session in the present folder."""
    return {"hook_event_name": name, "session_id": session, "cwd": str(Path.cwd()), **more}


def spool() -> list[Path]:
    """Return the spool files."""
    return sorted((Path(user_folders.hooks()) / handover.SPOOL).glob("*.json"))


def faults() -> list[dict[str, str]]:
    """Return the lines of the log of faults."""
    log = Path(user_folders.state()) / "hooks.log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def settled() -> None:
    """Wait until nothing waits and nobody works."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        held = handover.lock()
        if held is not None:
            waits = spool()
            os.close(held)
            if not waits:
                return
            run_process("hook", "work").ok()  # what was only shown waits for the next worker
        time.sleep(0.05)
    raise AssertionError(f"the worker did not end: {spool()}, {faults()}")


def last_session(transcripts: str, prompt: str) -> list[Turn]:
    """Return what the newest of the home's transcripts says but for the system's: first the prompt, and nothing beside it."""
    settled()
    assert not faults()
    with max(Path.home().glob(transcripts), key=lambda path: path.stat().st_mtime_ns).open("rb") as stream:
        turns = [turn for turn, _ in read(stream) if turn.role != "system"]
    assert (turns[0].role, turns[0].text) == ("user", prompt), "the person's words, and nothing else"
    return turns


def learned() -> dict[str, dict[str, Any]]:
    """Return the memories by their texts."""
    return {one["text"]: one for one in run("list", "--json").json_lines}
