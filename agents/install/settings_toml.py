"""A table of ours in a settings file of TOML: put at its end, taken out (specs/doors.md G-21).

The file is edited as text, and what comes of it is read with the standard library's reader before anything is
written: it must say all that it said before, and what is ours beside it. So comments, order and line ends are kept
by not being touched, and no library for it is installed with muniment.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.install.host import NAME, HostFile, InstallPlace, UnreadableError, decoded, runs_muniment
from ledger.lazy_pattern import lazy_pattern

TABLES, HEADER = "mcp_servers", f"mcp_servers.{NAME}"
SERVER: Mapping[str, Any] = {"command": NAME, "args": ["mcp"]}
"""The MCP server, as it stands under `[mcp_servers.muniment]`."""

_LINE = lazy_pattern(r"line (\d+)")
_OURS = lazy_pattern(
    rf"(?:(?<=\n)\r?\n)?^[ \t]*\[mcp_servers\.{NAME}(?:\.[^\]\n]*)?\][^\n]*(?:\n|\Z)"
    r"(?:(?:(?![ \t]*\[)[^\n]*\n)*(?![ \t]*[\[#\r\n])[^\n]+(?:\n|\Z))?",
    re.MULTILINE,
)
"""Our table and those below it, with the empty line before; comments and empty lines before the next header belong to that."""


def host_file(path: Path, place: InstallPlace, within: Path) -> HostFile:
    """Return the part that is a settings file with our server in it, if that can start here (G-85)."""
    return HostFile(
        path, lambda before: put(before) if place.has_tools else before, take, within, by_command=True
    )


def put(before: bytes | None) -> bytes:
    """Return the file with the MCP server in it; an existing one of ours stays as it is.

    Raises:
        UnreadableError: it is not TOML, or somebody else's table is there.
    """
    text = decoded(before or b"")
    values = _read(text)
    tables = values.get(TABLES, {})
    if not isinstance(tables, dict) or NAME in tables:
        if _has_ours(tables):
            return before or b""
        raise UnreadableError(f"{_line_of(text)}: {HEADER} is somebody else's")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{HEADER}]", *(f"{key} = {json.dumps(value)}" for key, value in SERVER.items())]
    gap = "" if not text.strip() else end * (1 if text.endswith("\n") else 2)
    return _checked(
        f"{text}{gap}{end.join(lines)}{end}", {**values, TABLES: {**tables, NAME: SERVER}}, _line_of(text)
    )


def take(data: bytes) -> bytes | None:
    """Return the file without the MCP server and the tables below it, if it is ours; None if nothing is left.

    Raises:
        UnreadableError: it is not TOML, or it is not written as tables with headers.
    """
    text = decoded(data)
    values = _read(text)
    tables = values.get(TABLES, {})
    if not _has_ours(tables):
        return data
    left = {name: table for name, table in tables.items() if name != NAME}
    wanted = {key: value for key, value in values.items() if key != TABLES} | ({TABLES: left} if left else {})
    new = _OURS.sub("", text)
    rest = _checked(new, wanted, _line_of(text))
    return rest if new.strip() else None


def _has_ours(tables: Any) -> bool:
    table = tables.get(NAME) if isinstance(tables, dict) else None
    return isinstance(table, dict) and runs_muniment(table.get("command"), table.get("args"), "mcp")


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        line = found[1] if (found := _LINE.search(str(error))) else "1"
        raise UnreadableError(f"line {line}: is not TOML ({error})") from None


def _checked(text: str, wanted: dict[str, Any], where: str) -> bytes:
    """Return the bytes of a text that parses to what it should.

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


def _line_of(text: str) -> str:
    """Return `line N` of the first place that names our table, or else the tables around it."""
    at = next((at for name in (HEADER, TABLES) if (at := text.find(name)) >= 0), 0)
    return f"line {text.count(chr(10), 0, at) + 1}"
