"""Our MCP server in a settings file of JSON, under `mcpServers` or another key: put in, taken out.

Implements specs/doors.md (G-21, G-28, G-81, G-85).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.install.host import NAME, HostFile, InstallPlace, runs_muniment
from agents.install.json_edit import JsonNode, JsonText

SERVERS = "mcpServers"


def host_file(
    path: Path, place: InstallPlace, server: Mapping[str, Any], within: Path, key: str = SERVERS
) -> HostFile:
    """Return the part that is a settings file with our server in it, if that can start here (G-85)."""

    def put_if_it_starts(before: bytes | None) -> bytes | None:
        return put(before, server, key) if place.has_tools else before

    return HostFile(path, put_if_it_starts, lambda data: take(data, key), within, by_command=True)


def put(before: bytes | None, server: Mapping[str, Any], key: str = SERVERS) -> bytes:
    """Return the file with the server in it; an existing one of ours stays as it is.

    Args:
        before: the file's bytes; None if there is none.
        server: what the program is told of the server.
        key: the member that has the program's servers.

    Raises:
        UnreadableError: it is not JSON, not of that form, or somebody else's server has our name.
    """
    file = JsonText(before)
    if file.container((key,), "{") is None:
        file.append((), {NAME: server}, key)
    elif (ours := file.at((key, NAME))) is None:
        file.append((key,), server, NAME)
    elif not _is_ours(ours):
        raise file.fault(ours.start, f"{key}.{NAME} is somebody else's")
    return file.data


def take(data: bytes, key: str = SERVERS) -> bytes | None:
    """Return the file without our server and the objects that this empties; None if nothing is left.

    Raises:
        UnreadableError: it is not JSON, or not of that form.
    """
    file = JsonText(data)
    ours = file.at((key, NAME)) if file.container((key,), "{") else None
    if ours is None or not _is_ours(ours):
        return data
    file.remove((key, NAME))
    file.remove_if_empty((key,))
    return file.left({})


def _is_ours(server: JsonNode) -> bool:
    """Return whether a server runs `muniment mcp`; OpenCode has the program and its arguments in one list."""
    said = server.value
    if not isinstance(said, dict):
        return False
    command, arguments = said.get("command"), said.get("args")
    if isinstance(command, list) and command:
        command, *arguments = command
    return runs_muniment(command, arguments, "mcp")
