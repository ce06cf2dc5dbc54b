"""Hooks in a settings file of JSON: put beside those of others, brought up to date, taken out.

Implements specs/doors.md (G-21). The shape is Claude Code's, which Codex has too: under `hooks` a list of groups for
each event, in each group a list of handlers. Cursor and
Copilot CLI have the handlers in the place of the groups (G-88, G-89).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agents.install.host import HostFile, runs_muniment
from agents.install.json_edit import JsonText

HOOKS = "hooks"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def is_ours(handler: Mapping[str, Any]) -> bool:
    """Return whether a handler in a settings file runs muniment's hook; Copilot CLI calls the command `bash`."""
    return runs_muniment(handler.get("command", handler.get("bash")), handler.get("args"), "hook")


def host_file(
    path: Path, wanted: Mapping[str, Mapping[str, Any]], within: Path, head: Mapping[str, Any] = _NOTHING
) -> HostFile:
    """Return the part that is a settings file with our hooks in it.

    Args:
        path: where it is.
        wanted: the group, or the handler, of each event.
        within: the outermost folder that goes with it.
        head: what else a new file has.
    """
    return HostFile(
        path, lambda before: put(before, wanted, head), lambda data: take(data, head), within, by_command=True
    )


def put(
    before: bytes | None, wanted: Mapping[str, Mapping[str, Any]], head: Mapping[str, Any] = _NOTHING
) -> bytes:
    """Return the file with one group of ours for each event of `wanted`, all else as it was.

    Args:
        before: the file's bytes; None if there is none.
        wanted: the group of each event, with one handler in it, or that handler.
        head: what else a new file has.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    file = JsonText(before)
    for key, value in head.items() if file.was_blank else ():
        file.append((), value, key)
    hooks = file.container((HOOKS,), "{")
    if hooks is None:
        file.append((), {event: [group] for event, group in wanted.items()}, HOOKS)
        return file.data
    for event in [*hooks.keys]:
        group = wanted.get(event)
        places = _places(file, event)
        if [node.value for at, *_ in places if (node := file.at((HOOKS, event, at)))] != [group]:
            _remove(file, event)
    for event, group in wanted.items():
        if file.container((HOOKS, event), "[") is None:
            file.append((HOOKS,), [group], event)
        elif not _places(file, event):
            file.append((HOOKS, event), group)
    return file.data


def take(data: bytes, head: Mapping[str, Any] = _NOTHING) -> bytes | None:
    """Return the file without our handlers and the lists and objects that they leave empty; None if only `head` is left.

    Raises:
        UnreadableError: as by `put`.
    """
    file = JsonText(data)
    hooks = file.container((HOOKS,), "{")
    found = [_remove(file, event) for event in hooks.keys] if hooks else []
    if not any(found):
        return data
    file.remove_if_empty((HOOKS,))
    return file.left(head)


def _places(file: JsonText, event: str) -> list[tuple[int, ...]]:
    """Return the numbers of group and handler of each of our handlers for an event; one that is in no group has one."""
    groups = file.at((HOOKS, event))
    found: list[tuple[int, ...]] = []
    for at, group in enumerate(groups.items if groups is not None and groups.kind == "[" else ()):
        if group.kind == "{" and isinstance(handlers := group.value.get(HOOKS), list):
            ours = (isinstance(handler, dict) and is_ours(handler) for handler in handlers)
            found += [(at, number) for number, mine in enumerate(ours) if mine]
        elif group.kind == "{" and is_ours(group.value):
            found.append((at,))
    return found


def _remove(file: JsonText, event: str) -> bool:
    """Take our handlers of an event out, with groups and lists that are empty then; say whether there were any."""
    places = _places(file, event)
    for at, *number in reversed(places):
        file.remove((HOOKS, event, at, HOOKS, *number) if number else (HOOKS, event, at))
        if not number:
            continue
        group = file.at((HOOKS, event, at, HOOKS))
        if group is not None and not group.items and not file.has_comment((HOOKS, event, at)):
            file.remove((HOOKS, event, at))
    if places:
        file.remove_if_empty((HOOKS, event))
    return bool(places)
