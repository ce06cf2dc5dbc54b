"""The note of a session: what its agent was told, so that no topic is told twice.

Implements specs/doors.md (G-3). Ids alone, one small file a session; one that is lost costs a repetition.
"""

from __future__ import annotations

import json
import os

from agents.hooks import handover, user_folders

SESSIONS = "sessions"
_MOST = 1 << 20
_PLAIN = frozenset("0123456789abcdef-")
"""What a UUID is made of, as programs name their sessions; another name may be a secret, or no file's."""


class Session:
    """What a session's agent was told: ids of memories, and of candidates that it was to ask the person about."""

    def __init__(self, name: str, shown: list[str] | None = None, asked: list[str] | None = None) -> None:
        self.name = name
        self.shown = shown or []
        self.asked = asked or []

    def save(self) -> None:
        """Note it; a session without a name has no note."""
        if not self.name:
            return
        path = path_of(self.name)
        user_folders.make_folder(os.path.dirname(path))
        handover.replace(path, {"shown": self.shown, "asked": self.asked})


def load(name: str) -> Session:
    """Load the note of a session; it is empty if the file is missing or damaged."""
    found = Session(name)
    if not name:
        return found
    try:
        number = os.open(path_of(name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:
            value = json.loads(file.read(_MOST))
        found.shown, found.asked = _texts(value["shown"]), _texts(value["asked"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return found


def path_of(name: str) -> str:
    """Return the path of a session's note; a name that looks like no UUID is digested."""
    if len(name) > 100 or not set(name) <= _PLAIN:
        import hashlib

        name = f"x-{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"
    return os.path.join(user_folders.hooks(), SESSIONS, f"{name}.json")


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
