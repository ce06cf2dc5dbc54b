"""Gemini CLI: hooks and the MCP server in its settings.json (specs/doors.md G-81)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.install import settings_json, settings_server
from agents.install.host import NAME, Host, HostFile, InstallPlace, guarded, is_shared
from ledger.extras import how_to_install

EVENTS: Mapping[str, Mapping[str, str]] = {
    "SessionStart": {},
    "BeforeAgent": {},
    "AfterAgent": {},
    "PreCompress": {"matcher": "manual"},
    "SessionEnd": {},
}
"""The events that `muniment hook gemini` hears; `auto` compression is announced before each request to the model."""
_TIMEOUT = 5000
"""Milliseconds that an event may take."""


def hooks(program: str = NAME) -> dict[str, dict[str, Any]]:
    """Return the group of each event: a shell starts `program`, a path or a name, where it is there (G-22)."""
    handler = {
        "type": "command",
        "command": guarded("hook", "gemini", program=program),
        "name": NAME,
        "timeout": _TIMEOUT,
    }
    return {event: {**matcher, "hooks": [handler]} for event, matcher in EVENTS.items()}


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    folder = (place.folder_of("GEMINI_CLI_HOME", "") if place.scope == "user" else place.root) / ".gemini"
    path = folder / "settings.json"
    program = NAME if place.scope != "user" or is_shared(path) else place.program

    def put(before: bytes | None) -> bytes:
        # In a project's file the server would fail for those who have no muniment.
        done = settings_json.put(before, hooks(program))
        has_server = place.scope == "user" and place.has_mcp
        return settings_server.put(done, {"command": program, "args": ["mcp"]}) if has_server else done

    def take(data: bytes) -> bytes | None:
        left = settings_json.take(data)
        return left if left is None else settings_server.take(left)

    return [HostFile(path, put, take, folder, by_command=True)]


def _advice(place: InstallPlace) -> Sequence[str]:
    lines = ["sessions that are already running are not connected: settings are read when a session starts"]
    if place.scope == "project":
        lines += [
            f"Gemini CLI reads these settings if it is started in {place.root}, and only if you trusted that folder",
            "for git: commit .gemini/settings.json; where muniment is not installed its hooks do nothing",
        ]
    elif not place.has_mcp:
        lines.append(
            f"to give it the tools as well, run {how_to_install('mcp')}, and then this command again"
        )
    return lines


_GIVES = ("context", "requests", "learning", "tools")

HOST = Host("gemini", "Gemini CLI", ("user", "project"), _GIVES, _parts, _advice)
