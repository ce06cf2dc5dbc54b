"""Exports a session that OpenClaw or OpenCode keeps in its database to a file: the worker reads files.

Implements specs/doors.md (G-69, G-105). OpenClaw exports its session; OpenCode's plugin handed the messages over. The file has
all that was said, so it is in our own folder, and is deleted once it is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from agents.hooks import user_folders
from agents.hooks.fault_log import HookError

if TYPE_CHECKING:
    from agents.hooks.spool import Spooled

FOLDER = "exports"
EVENTS = Path(".openclaw", "trajectory-exports", "session", "events.jsonl")
_PATIENCE = 300
"""Seconds; it takes five to ten."""
_NOTHING_SAID = b"Session not found"


@contextmanager
def exported(each: Spooled) -> Iterator[Path | None]:
    """Yield the file with the session's events while it is there; None if the session is not, or has none.

    Raises:
        HookError: OpenClaw cannot be started, or does not export.
    """
    if each.text("program") == "opencode":
        with _told(each) as told:
            yield told
        return
    command = each.entry.get("openclaw")
    if not (isinstance(command, list) and command and all(isinstance(word, str) for word in command)):
        raise HookError("an event does not say how OpenClaw is started")
    with tempfile.TemporaryDirectory(dir=_folder()) as here:
        words = ["sessions", "export-trajectory", "--session-key", each.text("key")]
        words += ["--workspace", here, "--output", EVENTS.parent.name]
        try:
            done = subprocess.run(
                [*command, *words],
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
            )
        except OSError as error:
            raise HookError(
                f"a session cannot be exported: openclaw does not start ({os.strerror(error.errno or 0)})"
            ) from None
        except subprocess.TimeoutExpired:
            raise HookError(f"a session cannot be exported: openclaw took over {_PATIENCE} seconds") from None
        if done.returncode and _NOTHING_SAID not in done.stdout + done.stderr:
            raise HookError(
                "a session cannot be exported: openclaw sessions export-trajectory ended "
                f"with code {done.returncode}"
            )
        file = Path(here) / EVENTS
        yield file if file.is_file() else None


@contextmanager
def _told(each: Spooled) -> Iterator[Path | None]:
    """Give a file with the messages of an event, a line each, always at the same path: it is read on where it ended (K-74)."""
    name = hashlib.blake2b(each.text("session").encode(), digest_size=16).hexdigest()
    path = Path(_folder(), f"{name}.jsonl")
    if isinstance(messages := each.entry.get("messages"), list):
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.writelines(f"{json.dumps(message)}\n" for message in messages)
    try:
        yield path if path.is_file() else None
    finally:
        path.unlink(missing_ok=True)


def _folder() -> str:
    """Return the folder of exports; it is made if it is missing."""
    folder = os.path.join(user_folders.hooks(), FOLDER)
    user_folders.make_folder(folder)
    return folder


def sweep() -> None:
    """Remove what a worker that died left: one works at a time."""
    shutil.rmtree(Path(user_folders.hooks(), FOLDER), ignore_errors=True)
