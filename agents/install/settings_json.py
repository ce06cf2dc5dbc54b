"""Hooks in a settings file of JSON: put beside those of others, brought up to date, taken out.

Implements specs/doors.md (G-21). The shape is Claude Code's, which Codex has too: under `hooks` a list of groups for
each event, in each group a list of handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agents.install.host import UnreadableError
from agents.install.json_edit import JsonNode, JsonText, written

HOOKS = "hooks"
_BOM = "\ufeff"

Ours = Callable[[Mapping[str, Any]], bool]
"""Says whether a handler is ours."""


def put(before: bytes | None, wanted: Mapping[str, Mapping[str, Any]], ours: Ours) -> bytes:
    """Return the file with one group of ours for each event of `wanted`, all else as it was.

    Args:
        before: the file's bytes; None where there is none.
        wanted: the group of each event, with one handler in it.
        ours: what knows our handlers, also those that an earlier release wrote.

    Raises:
        UnreadableError: it is no JSON, or not of that shape.
    """
    bom, text = _decoded(before or b"")
    if not text.strip():
        return f"{bom}{written({HOOKS: {event: [group] for event, group in wanted.items()}})}\n".encode()
    file = JsonText(text)
    hooks = _hooks(file)
    if hooks is None:
        file.append((), {event: [group] for event, group in wanted.items()}, HOOKS)
        return (bom + file.text).encode()
    for event in hooks.keys:
        group = wanted.get(event)
        places = list(_places(file, event, ours))
        for at, handler in reversed(places if group is None else places[1:]):
            _remove(file, event, at, handler)
        if group is not None and places:
            _bring_up_to_date(file, event, places[0], group)
    for event, group in wanted.items():
        groups = file.at((HOOKS, event))
        if groups is None:
            file.append((HOOKS,), [group], event)
        elif groups.kind != "[":
            raise file.fault(groups.start, f"{HOOKS}.{event} is no list")
        elif not any(True for _ in _places(file, event, ours)):
            file.append((HOOKS, event), group)
    return (bom + file.text).encode()


def take(data: bytes, ours: Ours) -> bytes | None:
    """Return the file without our handlers, and without what is empty for their lack; None where nothing is left.

    Raises:
        UnreadableError: as by `put`.
    """
    bom, text = _decoded(data)
    if not text.strip():
        return data
    file = JsonText(text)
    hooks = _hooks(file)
    found = False
    for event in hooks.keys if hooks else ():
        for at, handler in reversed(list(_places(file, event, ours))):
            found = True
            _remove(file, event, at, handler)
    if found and file.is_bare((HOOKS,)):
        file.remove((HOOKS,))
        if file.is_bare(()) and file.text.strip() == file.text[file.root.start : file.root.end]:
            return None
    return (bom + file.text).encode() if found else data


def take_members(data: bytes, ours: Callable[[Sequence[str], Any], bool]) -> bytes:
    """Return the file without the members that are ours, by their path and value; what was there around them stays.

    Raises:
        UnreadableError: it is no JSON.
    """
    bom, text = _decoded(data)
    file = JsonText(text)
    found = [path for path, value in _members(file.root.value) if ours(path, value)]
    for path in found:
        file.remove(path)
    return (bom + file.text).encode() if found else data


def _members(value: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield (*above, name), inner
        yield from _members(inner, (*above, name))


def _decoded(data: bytes) -> tuple[str, str]:
    """Return the byte order mark, if there is one, and the text."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(f"line {line}: is not UTF-8") from None
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _hooks(file: JsonText) -> JsonNode | None:
    if file.root.kind != "{":
        raise file.fault(file.root.start, "is no object of settings")
    hooks = file.at((HOOKS,))
    if hooks is not None and hooks.kind != "{":
        raise file.fault(hooks.start, f"{HOOKS} is no object")
    return hooks


def _places(file: JsonText, event: str, ours: Ours) -> Iterator[tuple[int, int]]:
    """Give the numbers of group and handler of each of our handlers for an event."""
    groups = file.at((HOOKS, event))
    for at, group in enumerate(groups.items if groups is not None and groups.kind == "[" else ()):
        handlers = group.value.get(HOOKS) if group.kind == "{" else None
        for number, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            if isinstance(handler, dict) and ours(handler):
                yield at, number


def _bring_up_to_date(file: JsonText, event: str, place: tuple[int, int], group: Mapping[str, Any]) -> None:
    """Replace a group that has our handler alone, else the handler in it, where it is not as it is to be."""
    at, number = place
    path = (HOOKS, event, at)
    there = file.at(path)
    assert there is not None
    if len(there.value[HOOKS]) == 1 and not file.has_comment(path):
        if there.value != group:
            file.replace(path, group)
    elif there.value[HOOKS][number] != group[HOOKS][0]:
        file.replace((*path, HOOKS, number), group[HOOKS][0])


def _remove(file: JsonText, event: str, at: int, handler: int) -> None:
    """Take one handler out; its group and the event's list too, where nothing else is in them."""
    path = (HOOKS, event, at, HOOKS)
    file.remove((*path, handler))
    if file.is_bare(path) and not file.has_comment(path[:-1]):
        file.remove((HOOKS, event, at))
        if file.is_bare((HOOKS, event)):
            file.remove((HOOKS, event))
