"""Works through what hooks handed over, detached from the agent: `muniment hook work`.

Implements specs/doors.md (G-8, G-10). One at a time for a user. What is not done when it dies stays in the spool; the next event
starts another.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from agents.hooks import exporting, faults, handing, where
from agents.hooks.faults import HookError
from agents.hooks.sessions import SESSIONS
from ledger.durable import swept

_PROGRAM, _EVENT = "muniment", "hook work"
_SETTLES = 0.3
"""Seconds that are waited before a transcript is read: programs write it behind the event."""
_LONGEST = 1800
"""Seconds after which a worker ends, whatever holds it: the next event starts another."""
_TRIES = 3
"""A spool file that the worker died of so often is dropped."""
_NAME = re.compile(r"(\d{20}-\d+)(?:\.(\d))?\.json")
_LARGEST = 16 << 20
_OLD = 7 * 24 * 3600
"""After so many seconds the note of a session is removed."""


@dataclass(frozen=True, slots=True)
class Spooled:
    """One spool file and what it says."""

    path: str
    entry: dict[str, Any]

    @property
    def kind(self) -> str:
        """What is to be done."""
        return self.text("kind")

    def text(self, name: str) -> str:
        """Return a member that is a text; "" for anything else."""
        value = self.entry.get(name)
        return value if isinstance(value, str) else ""


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
        held = handing.lock() if held is None else held
        if held is not None:
            os.nice(10)
            os.chdir("/")
            _work(held)
    except Exception as error:  # noqa: BLE001 - nobody is there to be told
        faults.note(_PROGRAM, _EVENT, faults.said_of(error))
    os._exit(0)


def _given(arguments: Sequence[str]) -> int | None:
    """Return the descriptor that a hook handed over with the lock; None where it is none."""
    try:
        number = int(arguments[0])
        same = os.fstat(number), os.stat(os.path.join(where.hooks(), handing.LOCK_NAME))
        if (same[0].st_dev, same[0].st_ino) != (same[1].st_dev, same[1].st_ino):
            return None
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.set_inheritable(number, False)
    except (IndexError, ValueError, OverflowError, OSError):
        return None
    return number


def _work(held: int | None) -> None:
    """Work while something waits; look again after the lock was let go, for who met it held."""
    _sweep()
    left: set[str] = set()
    while held is not None:
        time.sleep(_SETTLES)
        while batch := _batch(left):
            for cwd in dict.fromkeys(each.text("cwd") for each in batch):
                _work_on(cwd, [each for each in batch if each.text("cwd") == cwd], left)
        os.close(held)
        held = handing.lock() if _names(left) else None


def _work_on(cwd: str, batch: list[Spooled], left: set[str]) -> None:
    """Work on what came from one folder; what was hindered is left for the next worker."""
    done = False
    try:
        from agents.hooks.learning_from import learn

        done = learn(cwd, batch)
    except Exception as error:  # noqa: BLE001 - the others must be worked on
        faults.note(_PROGRAM, _EVENT, faults.said_of(error))
    for each in batch:
        if done or each.kind != "transcript":
            _remove(each.path)
        else:
            left.add(_stem(os.path.basename(each.path)))


# --- the spool ---


def _folder() -> str:
    return os.path.join(where.hooks(), handing.SPOOL)


def _names(left: set[str]) -> list[str]:
    """Return the names of what waits, the oldest first, but for what was `left` in this run."""
    try:
        return sorted(
            name for name in os.listdir(_folder()) if _NAME.fullmatch(name) and _stem(name) not in left
        )
    except OSError:
        return []


def came_since(seen: set[str]) -> Iterator[Spooled]:
    """Give what came into the spool and was in no batch yet, but for the names `seen`, which grow by it.

    Who takes one out of turn removes it.
    """
    for name in _names(set()):
        if name in seen or name.count(".") > 1:
            continue
        seen.add(name)
        path = os.path.join(_folder(), name)
        with contextlib.suppress(OSError, HookError):  # its own turn comes, and says what is wrong
            yield Spooled(path, _read(path))


def remove(spooled: Spooled) -> None:
    """Remove a spool file that is done."""
    _remove(spooled.path)


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _batch(left: set[str]) -> list[Spooled]:
    """Return what waits, the oldest first; each is renamed first, so that a try that ends us is counted."""
    found = []
    for name in _names(left):
        stem = _NAME.fullmatch(name)
        assert stem is not None
        tries = int(stem[2] or 0) + 1
        path, tried = os.path.join(_folder(), name), os.path.join(_folder(), f"{stem[1]}.{tries}.json")
        try:
            if tries > _TRIES:
                raise HookError("the worker ended three times at one spool file, which was dropped")
            os.rename(path, tried)
            found.append(Spooled(tried, _read(tried)))
        except FileNotFoundError:
            continue
        except (OSError, HookError) as error:
            faults.note(_PROGRAM, _EVENT, faults.said_of(error))
            _remove(path)
            _remove(tried)
    return found


def _read(path: str) -> dict[str, Any]:
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as file:
        data = file.read(_LARGEST)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise HookError("a spool file is not JSON") from None
    if not isinstance(value, dict):
        raise HookError("a spool file is no JSON object")
    return value


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _sweep() -> None:
    """Remove notes of sessions that ended long ago, and halves of files that a killed hook or worker left."""
    exporting.sweep()
    notes = Path(where.hooks(), SESSIONS)
    for folder in (Path(_folder()), notes):
        with contextlib.suppress(OSError):
            swept(folder)
    for path in notes.glob("*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime > _OLD:
                path.unlink()
