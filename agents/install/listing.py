"""Which hosts have something of ours, and in which scopes (specs/doors.md G-84)."""

from __future__ import annotations

from pathlib import Path

from agents.install.hosts import HOSTS, placed
from agents.install.installing import uninstalling
from ledger.errors import UsageError


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
