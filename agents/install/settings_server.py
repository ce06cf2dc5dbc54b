"""Our MCP server in a settings file of JSON, under `mcpServers`: put in, taken out (specs/doors.md G-21, G-81)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.install.host import NAME, decoded, runs_muniment
from agents.install.json_edit import JsonNode, JsonText

SERVERS = "mcpServers"
_BOM = "\ufeff"


def put(before: bytes, server: Mapping[str, Any]) -> bytes:
    """Return the file with the server in it; one that stands there and is ours is left as it is.

    Raises:
        UnreadableError: it is no JSON, not of that shape, or somebody else's server has our name.
    """
    bom, file = _opened(before)
    servers = _servers(file)
    if servers is None:
        file.append((), {NAME: server}, SERVERS)
    elif (ours := file.at((SERVERS, NAME))) is None:
        file.append((SERVERS,), server, NAME)
    elif not _is_ours(ours):
        raise file.fault(ours.start, f"{SERVERS}.{NAME} is somebody else's")
    return (bom + file.text).encode()


def take(data: bytes) -> bytes | None:
    """Return the file without our server, and without what is empty for its lack; None if nothing is left.

    Raises:
        UnreadableError: it is no JSON, or not of that shape.
    """
    if not decoded(data).strip():
        return data
    bom, file = _opened(data)
    _servers(file)
    ours = file.at((SERVERS, NAME))
    if ours is None or not _is_ours(ours):
        return data
    file.remove((SERVERS, NAME))
    servers = file.at((SERVERS,))
    if servers is not None and not servers.items and not file.has_comment((SERVERS,)):
        file.remove((SERVERS,))
    return (bom + file.text).encode() if file.root.items or file.text.strip(" \t\r\n{}") else None


def _opened(data: bytes) -> tuple[str, JsonText]:
    text = decoded(data)
    return text[: text.startswith(_BOM)], JsonText(text.removeprefix(_BOM))


def _servers(file: JsonText) -> JsonNode | None:
    if file.root.kind != "{":
        raise file.fault(file.root.start, "is not an object of settings")
    servers = file.at((SERVERS,))
    if servers is not None and servers.kind != "{":
        raise file.fault(servers.start, f"{SERVERS} is not an object")
    return servers


def _is_ours(server: JsonNode) -> bool:
    said = server.value
    return isinstance(said, dict) and runs_muniment(said.get("command"), said.get("args"), "mcp")
