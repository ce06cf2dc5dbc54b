"""Gemini CLI: hooks and the MCP server in its settings.json (specs/doors.md G-81)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.hooks.dispatch import ROOMS
from agents.install import settings_json, settings_server
from agents.install.host import (
    NAME,
    NEW_SESSIONS,
    Host,
    HostFile,
    InstallPlace,
    guarded,
    hooks_for_git,
    joined,
    tools_advice,
)

_MATCHERS: Mapping[str, Mapping[str, str]] = {"PreCompress": {"matcher": "manual"}}
"""`auto` compression is announced before each request to the model."""
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
    return {event: {**_MATCHERS.get(event, {}), "hooks": [handler]} for event in ROOMS["gemini"]}


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    folder = (place.folder_of("GEMINI_CLI_HOME", "") if place.scope == "user" else place.root) / ".gemini"
    path = folder / "settings.json"
    program = place.program_in(path)
    settings = settings_json.host_file(path, hooks(program), folder)
    server = {"command": program, "args": ["mcp"]}
    return [joined(settings, settings_server.host_file(path, place, server, folder))]


def _advice(place: InstallPlace) -> Sequence[str]:
    lines = [NEW_SESSIONS, *tools_advice(place)]
    if place.scope == "project":
        lines += [
            f"Gemini CLI reads these settings if it is started in {place.root}, and only if you trusted that folder",
            hooks_for_git(".gemini/settings.json"),
        ]
    return lines


_GIVES = ("context", "requests", "learning", "tools")

HOST = Host("gemini", "Gemini CLI", ("user", "project"), _GIVES, _parts, _advice)
