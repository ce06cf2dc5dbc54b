"""A table of ours in a settings file of TOML: put at its end, taken out (specs/doors.md G-21).

The file is edited as text, and what comes of it is read with the standard library's reader before anything is
written: it must say all that it said before, and what is ours beside it. So comments, order and line ends are kept
by not being touched, and no library for it is installed with muniment.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from agents.install.host import UnreadableError, decoded
from ledger.lazy_pattern import lazy_pattern

_LINE = lazy_pattern(r"line (\d+)")

Ours = Callable[[Mapping[str, Any]], bool]
"""Says whether a table is ours."""


def put(
    before: bytes | None, path: tuple[str, str], table: Mapping[str, str | list[str]], ours: Ours
) -> bytes:
    """Return the file with `[path]` in it; one that stands there and is ours is left as it is.

    Raises:
        UnreadableError: it is not TOML, or somebody else's table stands there.
    """
    text = decoded(before or b"")
    values = _read(text)
    outer, name = path
    tables = values.get(outer, {})
    if not isinstance(tables, dict) or name in tables:
        if isinstance(tables, dict) and _is_ours(tables[name], ours):
            return before or b""
        raise UnreadableError(f"{_line_of(text, path)}: {'.'.join(path)} is somebody else's")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    gap = "" if not text.strip() else end * (1 if text.endswith("\n") else 2)
    new = f"{text}{gap}{end.join(lines)}{end}"
    return _checked(new, {**values, outer: {**tables, name: table}}, _line_of(text, path))


def take(data: bytes, path: tuple[str, str], ours: Ours) -> bytes | None:
    """Return the file without `[path]` and the tables below it, if it is ours; None if nothing is left.

    Comments and empty lines before the next header belong to that.

    Raises:
        UnreadableError: it is not TOML, or it is not written as tables with headers.
    """
    text = decoded(data)
    values = _read(text)
    outer, name = path
    tables = values.get(outer)
    if not isinstance(tables, dict) or not _is_ours(tables.get(name), ours):
        return data
    left = {each: table for each, table in tables.items() if each != name}
    wanted = {key: value for key, value in values.items() if key != outer} | ({outer: left} if left else {})
    header = re.escape(".".join(path))
    new = re.sub(
        rf"(?:(?<=\n)\r?\n)?^[ \t]*\[{header}(?:\.[^\]\n]*)?\][^\n]*(?:\n|\Z)"
        r"(?:(?:(?![ \t]*\[)[^\n]*\n)*(?![ \t]*[\[#\r\n])[^\n]+(?:\n|\Z))?",
        "",
        text,
        flags=re.MULTILINE,
    )
    rest = _checked(new, wanted, _line_of(text, path))
    return rest if new.strip() else None


def _is_ours(table: object, ours: Ours) -> bool:
    return isinstance(table, dict) and ours(table)


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        line = found[1] if (found := _LINE.search(str(error))) else "1"
        raise UnreadableError(f"line {line}: is not TOML ({error})") from None


def _checked(text: str, wanted: dict[str, Any], where: str) -> bytes:
    """Return the bytes of a text that says what it is to say.

    Raises:
        UnreadableError: it does not.
    """
    try:
        said = tomllib.loads(text)
    except ValueError:
        said = {}
    if _plainly(said) != _plainly(wanted):
        raise UnreadableError(
            f"{where}: is written in a way that cannot be changed without losing something; edit it by hand"
        )
    return text.encode()


def _plainly(values: Mapping[str, Any]) -> str:
    """Return values as a text to compare them by, without their order: a NaN equals another in print only."""
    return json.dumps(values, sort_keys=True, default=repr)


def _line_of(text: str, path: tuple[str, str]) -> str:
    """Return `line N` of the first place that names a table, or else the table around it."""
    at = next((at for name in (".".join(path), path[0]) if (at := text.find(name)) >= 0), 0)
    return f"line {text.count(chr(10), 0, at) + 1}"
