"""One text in a list of a settings file of JSON: put in, taken out (specs/doors.md G-21, G-86)."""

from __future__ import annotations

from agents.install.json_edit import JsonNode, JsonText, written
from agents.install.settings_server import is_blank, left_of, opened


def put(before: bytes | None, key: str, entry: str) -> bytes:
    """Return the file with the entry in the list `key`.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    if is_blank(before):
        return f"{(before or b'').decode().strip()}{written({key: [entry]})}\n".encode()
    bom, file = opened(before or b"")
    listed = _list(file, key)
    if listed is None:
        file.append((), [entry], key)
    elif entry not in listed.value:
        file.append((key,), entry)
    return (bom + file.text).encode()


def take(data: bytes, key: str, entry: str) -> bytes | None:
    """Return the file without the entry, and without an empty list; None if nothing is left.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    if is_blank(data):
        return data
    bom, file = opened(data)
    listed = _list(file, key)
    if listed is None or entry not in listed.value:
        return data
    while (listed := _list(file, key)) is not None and entry in listed.value:
        file.remove((key, listed.value.index(entry)))
    if listed is not None and not listed.items and not file.has_comment((key,)):
        file.remove((key,))
    return left_of(bom, file)


def _list(file: JsonText, key: str) -> JsonNode | None:
    listed = file.at((key,))
    if listed is not None and listed.kind != "[":
        raise file.fault(listed.start, f"{key} is not a list")
    return listed
