"""OpenClaw: a hook's folder in its state directory (specs/doors.md G-24, G-67…G-69).

OpenClaw imports the handler into its gateway: it is CommonJS, as the package.json beside it says, in any parent folder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from agents.install.host import NAME, Host, HostFile, InstallPlace, script, whole_file

HOOK = Path(__file__).parent / "openclaw_hook"
"""The hook's folder, as it is shipped."""
FILES = ("HOOK.md", "handler.js", "package.json")

_EVENTS = '"events":'


def state_of(place: InstallPlace) -> Path:
    """Return OpenClaw's state directory."""
    profile = _profile(place)
    return place.folder_of("OPENCLAW_STATE_DIR", f".openclaw-{profile}" if profile else ".openclaw")


def workspace_of(place: InstallPlace) -> Path:
    """Return the folder in which OpenClaw's agent works."""
    profile = _profile(place)
    return place.folder_of("OPENCLAW_WORKSPACE_DIR", f".openclaw/workspace{profile and f'-{profile}'}")


def _profile(place: InstallPlace) -> str:
    profile = place.environ.get("OPENCLAW_PROFILE", "")
    return "" if profile == "default" else profile


def text_of(name: str, program: str) -> str:
    """Return a file of the hook's for a program: its path, or its name where it is only known by that (G-22)."""
    text = script(HOOK / name, program)
    if name == "HOOK.md" and not Path(program).is_absolute():
        return text.replace(_EVENTS, f'"requires":{{"bins":[{json.dumps(program)}]}},{_EVENTS}', 1)
    return text


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    state = state_of(place)
    return [whole_file(state / "hooks" / NAME / name, text_of(name, place.program), state) for name in FILES]


def _advice(place: InstallPlace) -> Sequence[str]:
    workspace = workspace_of(place)
    usual = workspace == place.user / ".openclaw" / "workspace"
    named = "openclaw = true" if usual else f"memory = {json.dumps(str(workspace), ensure_ascii=False)}"
    return [
        f"openclaw hooks enable {NAME}, and a restart of the gateway, begin with it",
        f"for its jobs: {NAME} upkeep schedule --install",
        f"to share MEMORY.md and the daily notes of its workspace: [render] {named} in your own config.toml",
    ]


_LEFT = (
    f"if you enabled its hook: remove hooks.internal.entries.{NAME} from openclaw.json",
    f"if you added its jobs: {NAME} upkeep schedule --remove removes them",
    "if you shared its workspace: take openclaw = true or memory = … out of [render] in your own config.toml",
)

HOST = Host("openclaw", "OpenClaw", ("user",), ("context", "learning"), _parts, _advice, _LEFT)
