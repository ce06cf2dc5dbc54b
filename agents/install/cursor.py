"""Cursor: hooks.json, the MCP server in mcp.json, and a project's rule (specs/doors.md G-88)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.hooks.dispatch import ROOMS
from agents.install import agents_md, settings_json, settings_server
from agents.install.host import NAME, Host, HostFile, InstallPlace, guarded, tools_advice, whole_file

_TIMEOUT = 5
_VERSION = {"version": 1}
_HEAD = "---\ndescription: When to recall, save and forget with muniment\nalwaysApply: true\n---\n\n"


_TWICE = (
    "if Cursor also runs Claude Code's hooks (third-party configs, in its settings), a session starts with the memories "
    "twice: install only one of the two"
)


def hooks(program: str = NAME) -> dict[str, Mapping[str, Any]]:
    """Return the handler of each event: a shell starts `program`, a path or a name, where it is there (G-22)."""
    handler = {"command": guarded("hook", "cursor", program=program), "timeout": _TIMEOUT}
    return dict.fromkeys(ROOMS["cursor"], handler)


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    folder = (place.user if place.scope == "user" else place.root) / ".cursor"
    path = folder / "hooks.json"
    program = place.program_in(path)
    settings = settings_json.host_file(path, hooks(program), folder, head=_VERSION)
    if place.scope == "project":  # in a project's file the server would fail for those who have no muniment
        rule = folder / "rules" / f"{NAME}.mdc"
        return [settings, whole_file(rule, f"{_HEAD}{agents_md.TEXT}", folder)]
    server = {"type": "stdio", "command": program, "args": ["mcp"]}
    return [settings, settings_server.host_file(folder / "mcp.json", place, server, folder)]


def _advice(place: InstallPlace) -> Sequence[str]:
    lines = [_TWICE, *tools_advice(place)]
    if place.scope == "project":
        lines.append(
            f"for git: commit .cursor/hooks.json and .cursor/rules/{NAME}.mdc; where muniment is not installed "
            "the hooks do nothing, and an agent is told to ignore the rule"
        )
    return lines


HOST = Host("cursor", "Cursor", ("user", "project"), ("context", "tools", "rules"), _parts, _advice)
