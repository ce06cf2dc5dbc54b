"""Claude Code: hooks in settings.json, the skill beside it, or all of it as a plugin (specs/doors.md G-23, G-83).

Claude Code keeps its MCP servers in a file that it rewrites all the time, so its own command adds ours.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.hooks.dispatch import ROOMS
from agents.install import settings_json
from agents.install.host import (
    NAME,
    NEW_SESSIONS,
    Host,
    HostFile,
    InstallPlace,
    guarded,
    hooks_for_git,
    tools_advice,
    whole_file,
)
from ledger.extras import how_to_install

_LATER = {event: {"timeout": 10, "async": True} for event in ("Stop", "SubagentStop")}
_AT_ONCE = {"timeout": 5}
"""The seconds that an event may take; none waits for SessionEnd's 1.5."""

_MATCHERS: Mapping[str, Mapping[str, str]] = {"PostToolUse": {"matcher": "Write|Edit|MultiEdit"}}
"""Of which tools an event is heard: those that write files (specs/editing.md, D-83)."""

PLUGIN = Path(__file__).parent / "plugin"
"""The plugin's folder, as it is shipped: a marketplace of itself."""

SKILL = Path("skills", NAME, "SKILL.md")


def hooks(program: str = NAME) -> dict[str, dict[str, Any]]:
    """Return the group of each event: a shell starts `program`, a path or a name, where it is there (G-22)."""
    call = {"command": guarded("hook", "claude", program=program)}
    return {
        event: {
            **_MATCHERS.get(event, {}),
            "hooks": [{"type": "command", **call, **_LATER.get(event, _AT_ONCE)}],
        }
        for event in ROOMS["claude"]
    }


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    if place.folder is not None:
        return [
            whole_file(place.folder / file.relative_to(PLUGIN), file.read_text("utf-8"), place.folder)
            for file in sorted(PLUGIN.rglob("*"))
            if file.is_file()
        ]
    folder = (
        place.folder_of("CLAUDE_CONFIG_DIR", ".claude") if place.scope == "user" else place.root / ".claude"
    )
    path = folder / ("settings.local.json" if place.scope == "local" else "settings.json")
    parts = [settings_json.host_file(path, hooks(place.program_in(path)), folder)]
    if place.scope == "user":  # a committed skill would speak to those who have no muniment
        parts.append(whole_file(folder / SKILL, (PLUGIN / SKILL).read_text("utf-8"), folder))
    return parts


def _advice(place: InstallPlace) -> Sequence[str]:
    if place.folder is not None:
        folder = shlex.quote(str(place.folder))
        lines = [
            f"run claude plugin install {NAME} --marketplace {folder}",
            "keep that folder, since Claude Code reads it; not beside hooks in settings.json, or each runs twice",
        ]
        return lines if place.has_mcp else [*lines, f"for its tools, run {how_to_install('mcp')}"]
    lines = [NEW_SESSIONS, *tools_advice(place)]
    if place.has_tools:
        lines.append(
            f"to give it the tools as well, run claude mcp add --scope user {NAME} -- {place.program} mcp"
        )
    elif place.scope == "project":
        lines.append(hooks_for_git(".claude/settings.json"))
    return lines


_LEFT = (
    f"if you added the tools: claude mcp remove --scope user {NAME}",
    f"if you installed the plugin: claude plugin uninstall {NAME}@{NAME}",
)

_GIVES = ("context", "requests", "learning", "rules")

HOST = Host("claude-code", "Claude Code", ("user", "project", "local"), _GIVES, _parts, _advice, _LEFT)
