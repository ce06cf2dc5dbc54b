"""An agent's hooks as whole processes: what a session waits for at its start, and at an event that concerns nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from benchmarks.ledgers import fill, found
from benchmarks.measure import Row, alternating, median_time
from benchmarks.processes import PROGRAM, environment, run

AT_ONCE = 20
_IMPORTS = "import json, os, signal, fcntl"
"""What a hook that hands over imports, too."""


def hooks(folder: Path, scale: float) -> list[Row]:
    """SessionStart, an event that nothing is done for, and many hooks at once."""
    count = max(100, int(1000 * scale))
    os.environ["HOME"] = str(folder)
    ledger = found(folder)
    os.environ["MUNIMENT_HOME"] = str(ledger.workspace.place.directory)  # a hook finds the user's own ledger
    fill(ledger, count)
    ledger.documents.replay()
    ledger.close()
    start = _event("SessionStart", folder, source="startup")
    nothing = _event("Notification", folder, message="x")
    bare = [sys.executable, "-c", "pass"]
    for _ in range(3):
        _hook(start, folder)
        _hook(nothing, folder)
    times = max(2, int(20 * min(scale, 1)))
    started, floor = alternating(partial(_hook, start, folder), partial(run, bare, folder), times)
    idle, _ = alternating(partial(_hook, nothing, folder), partial(run, bare, folder), times)
    told = f"bare `python -c pass` {floor * 1e3:.0f} ms"
    many, few = _at_once(folder)
    return [
        Row(f"hook SessionStart at {count:,} memories, whole process", started * 1e3, 80.0, "ms", 1.0,
            f"floor: the 80 ms allowed; {told}"),
        Row("hook with nothing to do, whole process", idle * 1e3, 45.0, "ms", 1.0,
            f"floor: the 45 ms allowed; {told}"),
        Row(f"{AT_ONCE} hooks at once, until the last one ended", many * 1e3, few * 1e3, "ms", 1.5,
            f"floor: {AT_ONCE} bare starts at once with the same imports"),
    ]  # fmt: skip


def _event(name: str, folder: Path, **more: object) -> bytes:
    event = {"hook_event_name": name, "session_id": "bench", "cwd": str(folder), **more}
    return json.dumps(event).encode()


def _at_once(folder: Path) -> tuple[float, float]:
    """Return the medians of many hooks that hand a transcript over, and of as many bare starts, each until the last ended."""
    transcript = folder / "talk.jsonl"
    record = {
        "type": "user",
        "uuid": "u",
        "sessionId": "bench",
        "message": {"role": "user", "content": "hello"},
    }
    transcript.write_text(json.dumps(record) + "\n")
    events = [_event("Stop", folder, transcript_path=str(transcript), number=n) for n in range(AT_ONCE)]
    bare = [[sys.executable, "-c", f"import sys; {_IMPORTS}; sys.stdin.read()"]] * AT_ONCE
    hook = [_command()] * AT_ONCE
    many, few = [], []
    for _ in range(5):
        few.append(median_time(partial(_all, bare, events, folder), 1))
        many.append(median_time(partial(_all, hook, events, folder), 1))
        _until_settled(folder)
    return sorted(many)[2], sorted(few)[2]


def _all(commands: list[list[str]], events: list[bytes], folder: Path) -> None:
    running = [
        subprocess.Popen(
            each,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
            cwd=folder,
        )
        for each in commands
    ]
    for process, data in zip(running, events, strict=True):
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.close()
    assert not any(process.wait() for process in running)


def _until_settled(folder: Path) -> None:
    """Wait until the worker has ended, so that it is measured in no other turn."""
    spool = folder / "state" / "hooks" / "spool"
    while any(spool.glob("*.json")):
        run([*_command()[:-1], "work"], folder)
        time.sleep(0.1)


def _command() -> list[str]:
    return [*PROGRAM, "hook", "claude"]


def _hook(event: bytes, folder: Path) -> None:
    run(_command(), folder, event)
