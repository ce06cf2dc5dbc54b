"""Hands an event over to a process of its own: one spool file in one rename, and a worker where none works.

Implements specs/doors.md (G-3, G-8). Waits for nothing: the lock is looked at, never waited for. Of several workers that start at once
all but one end at once.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time

from agents.hooks import user_folders
from agents.hooks.fault_log import HookError

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

SPOOL, LOCK_NAME = "spool", "worker.lock"
MOST_FILES = 5_000
"""So many spool files wait at most: more stand only where no worker can run."""
LONGEST = 20_000
"""So many characters of a text are handed over."""


def hand_over(program: str, name: str, event: dict[str, Any]) -> None:
    """Hand a session's transcript over, and what the agent said last."""
    from agents.hooks.hook_event import text_of

    entry: dict[str, Any] = {
        "kind": "transcript",
        "program": program,
        "event": name,
        "session": text_of(event, "session_id"),
        "cwd": text_of(event, "cwd"),
        "transcript": text_of(
            event, "agent_transcript_path" if name == "SubagentStop" else "transcript_path"
        ),
    }
    if name == "Stop":
        entry["said"] = text_of(event, "last_assistant_message")[:LONGEST]
    elif name == "PreCompact":
        entry["said"] = text_of(event, "custom_instructions")[:LONGEST]
    if program == "openclaw":
        entry |= {"key": text_of(event, "session_key"), "openclaw": event.get("openclaw")}
    elif program == "opencode":
        entry["messages"] = event.get("messages")
    put(entry)
    start()


def put(entry: dict[str, Any]) -> None:
    """Write one spool file.

    Raises:
        HookError: too many wait.
    """
    folder = os.path.join(user_folders.hooks(), SPOOL)
    user_folders.make_folder(folder)
    if len(os.listdir(folder)) >= MOST_FILES:
        raise HookError("too much waits in the spool: no worker can run")
    name = f"{time.time_ns():020d}-{os.getpid()}"
    replace(os.path.join(folder, f"{name}.json"), entry)


def replace(path: str, value: Any) -> None:
    """Write a value as JSON to a path in one rename; the old file stays until then."""
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f".{name}.{os.getpid()}-0.tmp")  # as `ledger.durable.swept` knows them
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        data = json.dumps(value).encode()
        while data:
            data = data[os.write(number, data) :]
    except OSError:
        os.unlink(beside)
        raise
    finally:
        os.close(number)
    os.rename(beside, path)


def start() -> None:
    """Start a worker, unless one works."""
    if (held := lock()) is not None:
        os.close(held)
        package = __name__.removesuffix("agents.hooks.handover") + "cli"  # in a checkout or installed
        _spawn([sys.executable, "-P", "-m", package, "hook", "work"])


def lock() -> int | None:
    """Return a descriptor that holds the lock of the worker, None where another process holds it."""
    folder = user_folders.hooks()
    user_folders.make_folder(folder)
    number = os.open(
        os.path.join(folder, LOCK_NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException as error:
        os.close(number)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return number


def _spawn(command: list[str]) -> None:
    """Start a process in a session of its own, its streams on the null device."""
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(command[0], command, os.environ, file_actions=null, setsid=True)
