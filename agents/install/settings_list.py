"""One text in a list of a settings file of JSON: put in, taken out (specs/doors.md G-21, G-86)."""

from __future__ import annotations

from pathlib import Path

from agents.install.host import HostFile
from agents.install.json_edit import JsonText


def host_file(path: Path, key: str, entry: str, within: Path) -> HostFile:
    """Return the part that is a settings file with the entry in the list `key`."""
    return HostFile(
        path,
        lambda before: put(before, key, entry),
        lambda data: take(data, key, entry),
        within,
        by_command=True,
    )


def put(before: bytes | None, key: str, entry: str) -> bytes:
    """Return the file with the entry in the list `key`.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    file = JsonText(before)
    listed = file.container((key,), "[")
    if listed is None:
        file.append((), [entry], key)
    elif entry not in listed.value:
        file.append((key,), entry)
    return file.data


def take(data: bytes, key: str, entry: str) -> bytes | None:
    """Return the file without the entry, and without an empty list; None if nothing is left.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    file = JsonText(data)
    listed = file.container((key,), "[")
    ours = [at for at, each in enumerate(listed.value) if each == entry] if listed else []
    if not ours:
        return data
    for at in reversed(ours):
        file.remove((key, at))
    file.remove_if_empty((key,))
    return file.left({})
