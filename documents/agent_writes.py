"""Notes which documents an agent's tool wrote: the agent's hooks write the notes, and recording an edit reads them.

Implements specs/editing.md (D-83). A note has the agent, its session and the time, but no word of the document; its file name
is a digest of the document's path. This module imports nothing of its package: a hook waits for every import.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os

FOLDER = "written"
"""The folder of the notes, in the folder of the hooks."""

_LONGEST = 4096


def note(hooks: str, path: str, agent: str, session: str, at: int) -> None:
    """Note that an agent's tool wrote a file at an instant (nanoseconds since 1970); a later instant stays.

    Raises:
        OSError: the note cannot be written.
    """
    folder = os.path.join(hooks, FOLDER)
    for each in (hooks, folder):  # otherwise the upper one gets the mode of the umask
        os.makedirs(each, mode=0o700, exist_ok=True)
    place = _place(hooks, path)
    if said := _read(place):
        at = max(at, said[2])
    beside = f"{place}.{os.getpid()}.tmp"
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(number, "w") as file:
        json.dump([agent, session[:200], at], file)
    os.rename(beside, place)


def writer_of(hooks: str, path: str, since: int) -> tuple[str, str]:
    """Return the agent whose tool wrote a file at or after an instant, and its session; "" for none."""
    said = _read(_place(hooks, path))
    return said[:2] if said and said[2] >= since else ("", "")


def forget(hooks: str, path: str) -> None:
    """Remove the note of a file, once the log has what the agent wrote there."""
    with contextlib.suppress(OSError):
        os.unlink(_place(hooks, path))


def _place(hooks: str, path: str) -> str:
    digest = hashlib.blake2b(os.fsencode(os.path.realpath(path)), digest_size=16).hexdigest()
    return os.path.join(hooks, FOLDER, f"{digest}.json")


def _read(place: str) -> tuple[str, str, int] | None:
    """Return the content of a note, or None if it cannot be read."""
    try:
        number = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(number, "rb") as file:
            agent, session, at = json.loads(file.read(_LONGEST))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    known = isinstance(agent, str) and isinstance(session, str) and isinstance(at, int)
    return (agent, session, at) if known and agent else None
