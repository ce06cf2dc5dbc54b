"""Works through what hooks handed over, detached from the agent: `muniment hook work`.

Implements specs/doors.md (G-8, G-10). One at a time for a user. What is not done when it dies stays in the spool; the next event
starts another.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import time
from collections.abc import Sequence
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


def main(arguments: Sequence[str]) -> NoReturn:
    """Work until nothing is left, and exit with 0."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.alarm(_LONGEST)
        held = _given(arguments)
        os.closerange(
            3, held or 3
        )  # whoever called the hook may wait for the end of a pipe that it left open
        os.closerange((held or 2) + 1, 1024)
        held = handover.lock() if held is None else held
        if held is not None:
            os.nice(10)
            os.chdir("/")
            work(held)
    except Exception as error:  # noqa: BLE001 - nobody is there to be told
        fault_log.note(spool.PROGRAM, spool.EVENT, fault_log.said_of(error))
    os._exit(0)


def _given(arguments: Sequence[str]) -> int | None:
    """Return the descriptor that a hook handed over with the lock; None where it is none."""
    try:
        number = int(arguments[0])
        same = os.fstat(number), os.stat(os.path.join(user_folders.hooks(), handover.LOCK_NAME))
        if (same[0].st_dev, same[0].st_ino) != (same[1].st_dev, same[1].st_ino):
            return None
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.set_inheritable(number, False)
    except (IndexError, ValueError, OverflowError, OSError):
        return None
    return number


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
