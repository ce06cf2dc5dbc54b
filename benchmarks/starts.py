"""Whole processes in processor time, as multiples of a bare `python -c pass`: what other work on the machine changes least."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import uuid
from itertools import count
from pathlib import Path

import muniment
from benchmarks.ledgers import BY, fill, sentence
from benchmarks.measure import Row
from benchmarks.processes import PROGRAM, environment

_TURNS = 20
_WARMING = 3
_ADD, _REMEMBER = "muniment add", "hook that is asked to remember"
_REACH = {"hook with nothing to do": 1.5, "hook SessionStart": 5.0, _ADD: 9.0, _REMEMBER: 12.0}


def starts(folder: Path, scale: float) -> list[Row]:
    """A hook with nothing to do, a session's start, `muniment add`, and a prompt that asks to remember something."""
    memories = max(100, int(1000 * scale))
    os.environ["HOME"] = str(folder)
    os.environ["MUNIMENT_HOME"] = str(folder / "home")
    os.environ["MUNIMENT_STATE"] = str(folder / "state")
    ledger = muniment.init(folder / "home", by=BY)  # the user's own ledger, which a hook finds
    fill(ledger, memories)
    ledger.documents.replay()
    ledger.close()
    told: list[str] = []
    numbers = count(10_000_000)
    taken: dict[str, list[float]] = {name: [] for name in ("bare", *_REACH)}
    for _ in range(_WARMING + max(1, int(_TURNS * min(scale, 1)))):
        for name, times in taken.items():
            text = sentence(next(numbers))
            arguments, data = _call(name, folder, text)
            if name in (_ADD, _REMEMBER):
                told.append(text)
            times.append(processor_time(arguments, data, folder))
    chain = (folder / "home" / "chain.jsonl").read_text()
    assert all(text in chain for text in told), "every add and every prompt was stored"
    median = {name: statistics.median(times[_WARMING:]) * 1e3 for name, times in taken.items()}
    return [
        Row(f"{name}, processor time", median[name], median["bare"], "ms", reach,
            f"floor: a bare `python -c pass`, in turns; {memories:,} memories")
        for name, reach in _REACH.items()
    ]  # fmt: skip


def _call(name: str, folder: Path, text: str) -> tuple[list[str], bytes]:
    """Return the command line and the standard input of one of the measured processes."""
    if name == "bare":
        return [sys.executable, "-c", "pass"], b""
    program = [*PROGRAM]
    if name == _ADD:
        return [*program, "--ledger", os.environ["MUNIMENT_HOME"], "add", text], b""
    event = {
        "hook with nothing to do": {"hook_event_name": "Notification", "message": "x"},
        "hook SessionStart": {"hook_event_name": "SessionStart", "source": "startup"},
        _REMEMBER: {"hook_event_name": "UserPromptSubmit", "prompt": f"Remember: {text}"},
    }[name]
    return [*program, "hook", "claude"], json.dumps(
        {**event, "session_id": _session(text), "cwd": str(folder)}
    ).encode()


def _session(text: str) -> str:
    """Return an id such as agents give their sessions."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, text))


def processor_time(arguments: list[str], data: bytes, folder: Path) -> float:
    """Run a process to its end; return the seconds of processor time that it took."""
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        cwd=folder,
    )
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return usage.ru_utime + usage.ru_stime
