"""GitHub Copilot CLI: a file of hooks of our own, and the MCP server in mcp-config.json (specs/doors.md G-89)."""

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
    tools_advice,
)

_MATCHERS: Mapping[str, Mapping[str, str]] = {"PostToolUse": {"matcher": "Write|Edit"}}
_TIMEOUT = 5
_VERSION = {"version": 1}


def hooks(program: str = NAME) -> dict[str, Mapping[str, Any]]:
    """Return the handler of each event: a shell starts `program`, a path or a name, where it is there (G-22)."""
    call = {"type": "command", "bash": guarded("hook", "copilot", program=program), "timeoutSec": _TIMEOUT}
    return {event: {**_MATCHERS.get(event, {}), **call} for event in ROOMS["copilot"]}


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    if place.scope == "project":
        folder = place.root / ".github"
        return [settings_json.host_file(folder / "hooks" / f"{NAME}.json", hooks(), folder, head=_VERSION)]
    folder = place.folder_of("COPILOT_HOME", ".copilot")
    path = folder / "hooks" / f"{NAME}.json"
    program = place.program_in(path)
    server = {"type": "local", "command": program, "args": ["mcp"], "tools": ["*"]}
    return [
        settings_json.host_file(path, hooks(program), folder, head=_VERSION),
        settings_server.host_file(folder / "mcp-config.json", place, server, folder),
    ]


def _advice(place: InstallPlace) -> Sequence[str]:
    lines = [NEW_SESSIONS, *tools_advice(place)]
    if place.scope == "project":
        lines += [
            "Copilot CLI runs a project's hooks only if you trusted the folder",
            hooks_for_git(f".github/hooks/{NAME}.json"),
        ]
    return lines


_GIVES = ("context", "requests", "learning", "tools")

HOST = Host("copilot", "GitHub Copilot CLI", ("user", "project"), _GIVES, _parts, _advice)
