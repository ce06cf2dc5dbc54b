"""Our MCP server in a settings file of JSON, under `mcpServers` or another key: put in, taken out.

Implements specs/doors.md (G-21, G-28, G-81, G-85).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.install.host import NAME, HostFile, InstallPlace, decoded, runs_muniment
from agents.install.json_edit import JsonNode, JsonText, written

SERVERS = "mcpServers"
_BOM = "\ufeff"


def host_file(path: Path, place: InstallPlace, server: Mapping[str, Any], within: Path) -> HostFile:
    """Return the part that is a settings file with our server in it, if that can start here (G-85)."""

    def put_if_it_starts(before: bytes | None) -> bytes | None:
        return put(before, server) if place.has_mcp else before

    return HostFile(path, put_if_it_starts, take, within, by_command=True)


def put(before: bytes | None, server: Mapping[str, Any], key: str = SERVERS) -> bytes:
    """Return the file with the server in it; an existing one of ours stays as it is.

    Args:
        before: the file's bytes; None if there is none.
        server: what the program is told of the server.
        key: the member that has the program's servers.

    Raises:
        UnreadableError: it is not JSON, not of that form, or somebody else's server has our name.
    """
    if is_blank(before):
        return f"{decoded(before or b'').strip()}{written({key: {NAME: server}})}\n".encode()
    bom, file = opened(before or b"")
    servers = _servers(file, key)
    if servers is None:
        file.append((), {NAME: server}, key)
    elif (ours := file.at((key, NAME))) is None:
        file.append((key,), server, NAME)
    elif not _is_ours(ours):
        raise file.fault(ours.start, f"{key}.{NAME} is somebody else's")
    return (bom + file.text).encode()


def take(data: bytes, key: str = SERVERS) -> bytes | None:
    """Return the file without our server and the objects that this empties; None if nothing is left.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    if is_blank(data):
        return data
    bom, file = opened(data)
    _servers(file, key)
    ours = file.at((key, NAME))
    if ours is None or not _is_ours(ours):
        return data
    file.remove((key, NAME))
    servers = file.at((key,))
    if servers is not None and not servers.items and not file.has_comment((key,)):
        file.remove((key,))
    return left_of(bom, file)


def is_blank(data: bytes | None) -> bool:
    """Return whether a file has nothing in it, or there is none."""
    return not decoded(data or b"").strip(f"{_BOM} \t\r\n")


def left_of(bom: str, file: JsonText) -> bytes | None:
    """Return a file that something was taken out of; None if it has neither settings nor comments."""
    return (bom + file.text).encode() if file.root.items or file.text.strip(" \t\r\n{}") else None


def opened(data: bytes) -> tuple[str, JsonText]:
    """Return the byte-order mark at the beginning of a file, and the rest.

    Raises:
        UnreadableError: it is not JSON, or not an object.
    """
    text = decoded(data)
    file = JsonText(text.removeprefix(_BOM))
    if file.root.kind != "{":
        raise file.fault(file.root.start, "is not an object of settings")
    return text[: text.startswith(_BOM)], file


def _servers(file: JsonText, key: str) -> JsonNode | None:
    servers = file.at((key,))
    if servers is not None and servers.kind != "{":
        raise file.fault(servers.start, f"{key} is not an object")
    return servers


def _is_ours(server: JsonNode) -> bool:
    """Return whether a server runs `muniment mcp`; OpenCode has the program and its arguments in one list."""
    said = server.value
    if not isinstance(said, dict):
        return False
    command, arguments = said.get("command"), said.get("args")
    if isinstance(command, list) and command:
        command, *arguments = command
    return runs_muniment(command, arguments, "mcp")
