"""A table of ours in a settings file of TOML: put at its end, taken out (specs/doors.md G-21).

The file is edited as text, and what comes of it is read with the standard library's reader before anything is
written: it must say all that it said before, and what is ours beside it. So comments, order and line ends are kept
by not being touched, and no library for it is installed with muniment.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.install.host import UnreadableError
from ledger.lazy_pattern import lazy_pattern

_BOM = b"\xef\xbb\xbf"
_HEADER = lazy_pattern(r"^[ \t]*\[\[?[ \t]*([^\]\r\n]+?)[ \t]*\]\]?[ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)
_KEY = lazy_pattern(r"[A-Za-z0-9_-]+|\"[^\"\\]*\"|'[^']*'")
_LINE = lazy_pattern(r"line (\d+)")

Ours = Callable[[Mapping[str, Any]], bool]
"""Says whether a table is ours."""


def put(before: bytes | None, path: Sequence[str], table: Mapping[str, str | list[str]], ours: Ours) -> bytes:
    """Return the file with `[path]` in it; one that stands there and is ours is left as it is.

    Raises:
        UnreadableError: it is no TOML, or somebody else's table stands there.
    """
    data = before or b""
    if data.startswith(_BOM):
        return _BOM + put(data.removeprefix(_BOM), path, table, ours)
    text = _decoded(data)
    values = _read(text)
    there = _at(values, path)
    if there is not None:
        if isinstance(there, dict) and ours(there):
            return data
        raise UnreadableError(f"{_line_of(text, path)}: {'.'.join(path)} is somebody else's")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    gap = "" if not text.strip() else end * (1 if text.endswith("\n") else 2)
    new = f"{text}{gap}{end.join(lines)}{end}"
    return _checked(new, _with(values, path, table), _line_of(text, path))


def take(data: bytes, path: Sequence[str], ours: Ours) -> bytes | None:
    """Return the file without `[path]` and the tables below it, where it is ours; None where nothing is left.

    Raises:
        UnreadableError: it is no TOML, or it is not written as tables with headers.
    """
    if data.startswith(_BOM):
        rest = take(data.removeprefix(_BOM), path, ours)
        return None if rest is None else _BOM + rest
    text = _decoded(data)
    values = _read(text)
    there = _at(values, path)
    if not isinstance(there, dict) or not ours(there):
        return data
    headers = [(found.start(), _keys(found[1])) for found in _HEADER.finditer(text)]
    stops = [*(start for start, _ in headers[1:]), len(text)]
    new = text
    for (start, keys), stop in reversed(list(zip(headers, stops, strict=False))):
        if keys[: len(path)] == list(path) and _begins_a_table(text, start):
            new = new[:start] + _behind(new[start:stop]) + new[stop:]
            if new[:start].endswith(("\n\n", "\n\r\n")):
                new = new[: start - (2 if new[:start].endswith("\r\n") else 1)] + new[start:]
    left = _checked(new, _with(values, path, None), _line_of(text, path))
    return left if new.strip() else None


def _begins_a_table(text: str, start: int) -> bool:
    """Say whether a line that looks like a header is one: inside of a long text, what stands before is no TOML."""
    try:
        _read(text[:start])
    except UnreadableError:
        return False
    return True


def _behind(part: str) -> str:
    """Return what stands behind a table's last line: comments and empty lines that belong to what follows."""
    lines = part.splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return part[sum(map(len, lines)) :]


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(f"line {line}: is not UTF-8") from None


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        line = found[1] if (found := _LINE.search(str(error))) else "1"
        raise UnreadableError(f"line {line}: is no TOML ({error})") from None


def _plainly(values: Mapping[str, Any]) -> str:
    """Return values as a text to compare them by, the order aside: a NaN equals another in print only."""
    return json.dumps(values, sort_keys=True, default=repr)


def _checked(text: str, wanted: dict[str, Any], where: str) -> bytes:
    """Return the bytes of a text that says what it is to say.

    Raises:
        UnreadableError: it does not.
    """
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError):
        said = {}
    if _plainly(said) != _plainly(wanted):
        raise UnreadableError(
            f"{where}: is written in a way that cannot be changed without losing something; do it by hand"
        )
    return text.encode()


def _at(values: Mapping[str, Any], path: Sequence[str]) -> Any:
    found: Any = values
    for key in path:
        if not isinstance(found, dict):
            return found
        found = found.get(key)
    return found


def _with(values: Mapping[str, Any], path: Sequence[str], table: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the values with the table at its place, or without any there; tables that are empty then go."""
    key, *rest = path
    changed = dict(values)
    if rest:
        inner = _with(changed.get(key, {}), rest, table)
        if inner or table is not None:
            changed[key] = inner
        else:
            changed.pop(key, None)
    elif table is None:
        changed.pop(key, None)
    else:
        changed[key] = dict(table)
    return changed


def _keys(dotted: str) -> list[str]:
    return [key.strip("\"'") for key in _KEY.findall(dotted)]


def _line_of(text: str, path: Sequence[str]) -> str:
    """Return `line N` of the header of a table, or of the first line that has its name."""
    for found in _HEADER.finditer(text):
        if _keys(found[1])[: len(path)] == list(path):
            return f"line {text.count(chr(10), 0, found.start()) + 1}"
    at = next((at for name in reversed(path) if (at := text.find(name)) >= 0), 0)
    return f"line {text.count(chr(10), 0, at) + 1}"
