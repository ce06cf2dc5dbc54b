"""Works through what hooks handed over, detached from the agent: `muniment hook work`.

Implements specs/doors.md (G-8). One at a time for a user. What is not done when it dies stays in the spool; the next event
starts another.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import NoReturn

from agents.hooks import exporting, fault_log, handover, spool, user_folders
from agents.hooks.session_notes import SESSIONS
from agents.hooks.spool import Spooled
from ledger.durable import swept

SETTLES = 0.3
"""Seconds that are waited before a transcript is read: programs write it behind the event."""
_LONGEST = 1800
"""Seconds after which a worker ends, whatever holds it: the next event starts another."""
_OLD = 7 * 24 * 3600
"""After so many seconds the note of a session is removed."""


def main() -> NoReturn:
    """Work until nothing is left, and exit with 0."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.alarm(_LONGEST)
        os.closerange(3, 1024)  # the caller may be waiting for a pipe that it passed on to be closed
        if (held := handover.lock()) is not None:
            os.nice(10)
            os.chdir("/")
            work(held)
    except Exception as error:  # noqa: BLE001 - nobody is there to be told
        fault_log.note(spool.PROGRAM, spool.EVENT, fault_log.said_of(error))
    os._exit(0)


def work(held: int | None) -> None:
    """Work while something waits; look again after the lock was let go, for who met it held."""
    _sweep()
    left: set[str] = set()
    while held is not None:
        time.sleep(SETTLES)
        while batch := spool.batch(left):
            for cwd in dict.fromkeys(each.text("cwd") for each in batch):
                _work_on(cwd, [each for each in batch if each.text("cwd") == cwd], left)
        os.close(held)
        held = handover.lock() if spool.names(left) else None


def _work_on(cwd: str, batch: list[Spooled], left: set[str]) -> None:
    """Work on what came from one folder; what was hindered is left for the next worker."""
    done = False
    try:
        from agents.hooks.spool_learning import learn

        done = learn(cwd, batch)
    except Exception as error:  # noqa: BLE001 - the others must be worked on
        fault_log.note(spool.PROGRAM, spool.EVENT, fault_log.said_of(error))
    for each in batch:
        if done or each.kind != "transcript":
            spool.discard(each.path)
        else:
            left.add(spool.stem(os.path.basename(each.path)))


def _sweep() -> None:
    """Remove notes of sessions that ended long ago, and halves of files that a killed hook or worker left."""
    exporting.sweep()
    notes = Path(user_folders.hooks(), SESSIONS)
    for folder in (Path(spool.folder()), notes):
        with contextlib.suppress(OSError):
            swept(folder)
    for path in notes.glob("*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime > _OLD:
                path.unlink()
