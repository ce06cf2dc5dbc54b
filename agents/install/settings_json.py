"""Hooks in a settings file of JSON: put beside those of others, brought up to date, taken out.

Implements specs/doors.md (G-21). The shape is Claude Code's, which Codex has too: under `hooks` a list of groups for
each event, in each group a list of handlers. Cursor and
Copilot CLI have the handlers in the place of the groups (G-88, G-89).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agents.install.host import HostFile, decoded, runs_muniment
from agents.install.json_edit import JsonNode, JsonText, written

HOOKS = "hooks"
_BOM = "\ufeff"


def is_ours(handler: Mapping[str, Any]) -> bool:
    """Return whether a handler in a settings file runs muniment's hook; Copilot CLI calls the command `bash`."""
    return runs_muniment(handler.get("command", handler.get("bash")), handler.get("args"), "hook")


def host_file(
    path: Path,
    wanted: Mapping[str, Mapping[str, Any]],
    within: Path,
    head: Mapping[str, Any] = MappingProxyType({}),
) -> HostFile:
    """Return the part that is a settings file with our hooks in it.

    Args:
        path: where it is.
        wanted: the group, or the handler, of each event.
        within: the outermost folder that goes with it.
        head: what else a new file has.
    """

    def take_all(data: bytes) -> bytes | None:
        left = take(data)
        return None if left is not None and left != data and _is_only(left, head) else left

    return HostFile(path, lambda before: put(before, wanted, head), take_all, within, by_command=True)


def put(
    before: bytes | None,
    wanted: Mapping[str, Mapping[str, Any]],
    head: Mapping[str, Any] = MappingProxyType({}),
) -> bytes:
    """Return the file with one group of ours for each event of `wanted`, all else as it was.

    Args:
        before: the file's bytes; None if there is none.
        wanted: the group of each event, with one handler in it, or that handler.
        head: what else a new file has.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    text = decoded(before or b"")
    bom, text = text[: text.startswith(_BOM)], text.removeprefix(_BOM)
    if not text.strip():
        said = {**head, HOOKS: {event: [group] for event, group in wanted.items()}}
        return f"{bom}{written(said)}\n".encode()
    file = JsonText(text)
    hooks = _hooks(file)
    if hooks is None:
        file.append((), {event: [group] for event, group in wanted.items()}, HOOKS)
        return (bom + file.text).encode()
    for event in [*hooks.keys]:
        group = wanted.get(event)
        places = _places(file, event)
        if [node.value for at, *_ in places if (node := file.at((HOOKS, event, at)))] != [group]:
            _remove(file, event)
    for event, group in wanted.items():
        groups = file.at((HOOKS, event))
        if groups is None:
            file.append((HOOKS,), [group], event)
        elif groups.kind != "[":
            raise file.fault(groups.start, f"{HOOKS}.{event} is not a list")
        elif not _places(file, event):
            file.append((HOOKS, event), group)
    return (bom + file.text).encode()


def take(data: bytes) -> bytes | None:
    """Return the file without our handlers, and without what is empty for their lack; None if nothing is left.

    Raises:
        UnreadableError: as by `put`.
    """
    text = decoded(data)
    bom, text = text[: text.startswith(_BOM)], text.removeprefix(_BOM)
    if not text.strip():
        return data
    file = JsonText(text)
    hooks = _hooks(file)
    found = [_remove(file, event) for event in hooks.keys] if hooks else []
    if not any(found):
        return data
    if _is_bare(file, (HOOKS,)):
        file.remove((HOOKS,))
    return (bom + file.text).encode() if file.root.items or file.text.strip(" \t\r\n{}") else None


def _hooks(file: JsonText) -> JsonNode | None:
    if file.root.kind != "{":
        raise file.fault(file.root.start, "is not an object of settings")
    hooks = file.at((HOOKS,))
    if hooks is not None and hooks.kind != "{":
        raise file.fault(hooks.start, f"{HOOKS} is not an object")
    return hooks


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
    if places and _is_bare(file, (HOOKS, event)):
        file.remove((HOOKS, event))
    return bool(places)


def _is_only(data: bytes, head: Mapping[str, Any]) -> bool:
    file = JsonText(decoded(data).removeprefix(_BOM))
    return bool(head) and file.root.value == head and not file.has_comments()


def _is_bare(file: JsonText, path: Sequence[str]) -> bool:
    node = file.at(path)
    return node is not None and not node.items and not file.has_comment(path)
