"""The table of hosts that `muniment install` knows (specs/doors.md G-20, G-84). A new one is a module and a line here."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from agents.install import (
    agents_md,
    claude_code,
    codex,
    copilot,
    cursor,
    gemini,
    openclaw,
    opencode,
    windsurf,
)
from agents.install.host import NAME, Host, InstallPlace
from agents.install.installing import uninstalling
from ledger.errors import UsageError
from ledger.location import git_root

HOSTS: dict[str, Host] = {
    module.HOST.name: module.HOST
    for module in (
        claude_code,
        codex,
        gemini,
        copilot,
        cursor,
        opencode,
        windsurf,
        openclaw,
        agents_md,
    )
}
"""All hosts by name, in the order of the help."""


def placed(name: str, scope: str | None, plugin: Path | None, here: Path) -> tuple[Host, InstallPlace]:
    """Return a host and where it is installed: in a scope, else the host's first; with `plugin` in that folder.

    Args:
        name: of the host.
        scope: user, project or local.
        plugin: a folder for a plugin of Claude Code's.
        here: the folder to find the project from.

    Raises:
        UsageError: what does not go together; a project's scope in the home folder.
    """
    host = HOSTS[name]
    if plugin is not None and (name != "claude-code" or scope is not None):
        raise UsageError("--plugin goes with claude-code, and without --scope")
    scope = scope or host.scopes[0]
    user = Path(os.environ.get("HOME") or Path.home())
    root = git_root(here) or here
    if scope != "user" and plugin is None and root.resolve() == user.resolve():
        raise UsageError(f"{root} is your home folder, no project: use --scope user, or go to the project")
    program = shutil.which(NAME)
    return host, InstallPlace(
        scope,
        user,
        root,
        os.environ,
        program=os.path.abspath(program) if program else NAME,  # noqa: PTH100 - links stay: they outlive what they lead to
        has_mcp=find_spec("mcp") is not None,
        folder=Path(os.path.abspath(plugin)) if plugin is not None else None,  # noqa: PTH100 - the same
    )


def installed_in(name: str, here: Path) -> list[str]:
    """Return the scopes in which a host's files have something of ours (G-84).

    Args:
        name: of the host.
        here: the folder to find the project from.

    Raises:
        RecordError: a file is not what it must be; names it, with its line.
    """
    found = []
    for scope in HOSTS[name].scopes:
        try:
            host, place = placed(name, scope, None, here)
        except UsageError:  # the home folder is not a project
            continue
        if any(change.did != "unchanged" for change in uninstalling(host, place)):
            found.append(scope)
    return found
