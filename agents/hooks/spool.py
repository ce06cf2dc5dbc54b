"""The spool: what hooks put by for the worker, one file an event.

Implements specs/doors.md (G-5, G-9): a file is renamed before each try, so that a try that ends the worker is counted.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.hooks import fault_log, handover, user_folders
from agents.hooks.fault_log import HookError
from ledger.lazy_pattern import lazy_pattern

PROGRAM, EVENT = "muniment", "hook work"
"""How faults of the worker are noted."""
_NAME = lazy_pattern(r"(\d{20}-\d+)(?:\.(\d))?\.json")
_TRIES = 3
"""A spool file that the worker died of so often is dropped."""
_LARGEST = 16 << 20


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


def folder() -> str:
    """Return the folder of the spool."""
    return os.path.join(user_folders.hooks(), handover.SPOOL)


def names(left: set[str]) -> list[str]:
    """Return the names of what waits, the oldest first, but for what was `left` in this run."""
    try:
        return sorted(
            name for name in os.listdir(folder()) if _NAME.fullmatch(name) and stem(name) not in left
        )
    except OSError:
        return []


def came_since(seen: set[str]) -> Iterator[Spooled]:
    """Yield what came into the spool and was in no batch yet, but for the names `seen`, which grow by it.

    Who takes one out of turn removes it.
    """
    for name in names(set()):
        if name in seen or name.count(".") > 1:
            continue
        seen.add(name)
        path = os.path.join(folder(), name)
        with contextlib.suppress(OSError, HookError):  # its own turn comes, and reports the fault
            yield Spooled(path, _read(path))


def stem(name: str) -> str:
    """Return what all names of one spool file begin with, however often it was tried."""
    return name.partition(".")[0]


def batch(left: set[str]) -> list[Spooled]:
    """Return what waits, the oldest first; each is renamed first, so that a try that ends us is counted."""
    found = []
    for name in names(left):
        found_name = _NAME.fullmatch(name)
        assert found_name is not None
        tries = int(found_name[2] or 0) + 1
        path, tried = os.path.join(folder(), name), os.path.join(folder(), f"{found_name[1]}.{tries}.json")
        try:
            if tries > _TRIES:
                raise HookError("the worker ended three times at one spool file, which was dropped")
            os.rename(path, tried)
            found.append(Spooled(tried, _read(tried)))
        except FileNotFoundError:
            continue
        except (OSError, HookError) as error:
            fault_log.note(PROGRAM, EVENT, fault_log.said_of(error))
            discard(path)
            discard(tried)
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
        raise HookError("a spool file is not a JSON object")
    return value


def discard(path: str) -> None:
    """Remove a file, if that is possible."""
    with contextlib.suppress(OSError):
        os.unlink(path)
