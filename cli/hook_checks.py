"""What doctor checks of agents' hooks: what went wrong in them, and what waits for their worker.

Implements specs/doors.md (G-2, G-12).
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from agents.hooks import fault_log, handover, user_folders
from agents.install.host import NAME, Host, InstallPlace
from agents.install.hosts import HOSTS
from agents.install.installing import uninstalling
from cli.examined_ledger import ADVICE, FAULT, OK, Diagnosis, Patient
from ledger.errors import LedgerError
from ledger.instant import from_iso
from ledger.location import git_root
from projections.shown_blocks import contents

_DAY = 24 * 3600 * 1_000_000
_DAYS = 7
_WAITS_TOO_LONG = 24 * 3600
_NAME = "hooks"
_PROGRAMS = {
    "claude-code": (
        "claude",
        "hooks are read when a session starts: start one, and see /hooks there if nothing changes",
    ),
    "codex": (
        "codex",
        "Codex runs hooks only once you trusted them, and says nothing before: start codex, and trust them in /hooks",
    ),
    "openclaw": (
        "openclaw",
        "one runs when a session ends: openclaw hooks enable muniment and a restart of the gateway begin with it",
    ),
}
"""By host the name by which its hooks call, and what to do where they never did."""


def check_hooks(patient: Patient) -> Iterator[Diagnosis]:
    """No hook met a fault lately, every agent finds muniment, and nothing waits for a worker that never came."""
    found = list(_faults(patient.memory.workspace.clock()))
    yield from found
    if connected := _without_a_command():
        message = f"{' and '.join(connected)} {'is' if len(connected) == 1 else 'are'} connected, but muniment is not on PATH here"
        yield Diagnosis(
            _NAME,
            ADVICE,
            message,
            "where theirs lacks it too nothing happens: install it with pipx, or add it to PATH",
        )
    silent = _silent()
    for title, mend in silent:
        yield Diagnosis(_NAME, ADVICE, f"{title} is connected, but no hook of it ever ran here", mend)
    waits = _waiting()
    if waits:
        message = f"{waits} events of agents' sessions wait, the oldest for more than a day"
        yield Diagnosis(
            _NAME, ADVICE, message, "muniment hook work learns from them; see hooks.log if it does not"
        )
    if not (found or connected or silent or waits):
        yield Diagnosis(_NAME, OK, f"no hook met a fault in the last {_DAYS} days")


def _faults(now: int) -> Iterator[Diagnosis]:
    """Give the faults of the last week by kind, the most frequent first; those of the last day are faults here."""
    kinds: dict[tuple[str, str, str], list[int]] = {}
    for at, program, event, what in _lines():
        if now - _DAYS * _DAY <= at:
            kinds.setdefault((program, event, what), []).append(at)
    for (program, event, what), times in sorted(kinds.items(), key=lambda each: -len(each[1])):
        newest = time.strftime("%Y-%m-%d %H:%MZ", time.gmtime(max(times) / 1_000_000))
        often = "once" if len(times) == 1 else f"{len(times)} times"
        level = FAULT if now - max(times) <= _DAY else ADVICE
        where_ = " ".join(filter(None, (program, event)))
        mend = f"{fault_log.log()} has each; agents work without memory meanwhile"
        yield Diagnosis(_NAME, level, f"{where_}: {what} ({often}, last {newest})", mend)


def _lines() -> Iterator[tuple[int, str, str, str]]:
    """Give when, program, event and what of each line that is one."""
    try:
        data = contents(Path(fault_log.log()))
    except OSError:
        return
    for line in data.splitlines():
        try:
            value = json.loads(line)
            texts = [value[name] for name in ("at", "program", "event", "what")]
            if all(isinstance(each, str) for each in texts):
                at, program, event, what = texts
                yield from_iso(at), program, event, what
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue


def _without_a_command() -> list[str]:
    """Return the programs whose own settings run muniment, where it is not on PATH."""
    if shutil.which(NAME):
        return []
    user = Path(os.environ.get("HOME") or Path.home())
    place = InstallPlace("user", user, user, os.environ)
    return [host.title for host in HOSTS.values() if "user" in host.scopes and _is_connected(host, place)]


def _is_connected(host: Host, place: InstallPlace) -> bool:
    try:
        return any(change.before != change.after for change in uninstalling(host, place))
    except LedgerError:  # settings that cannot be read: whoever installs is told why
        return False


def _silent() -> list[tuple[str, str]]:
    """Return the programs in whose settings our hooks stand, for this person or here, but that never called one."""
    user, here = Path(os.environ.get("HOME") or Path.home()), Path.cwd()
    found = []
    for name, (program, mend) in _PROGRAMS.items():
        host = HOSTS[name]
        places = [InstallPlace(scope, user, git_root(here) or here, os.environ) for scope in host.scopes]
        if not os.path.exists(user_folders.ran(program)) and any(_has_hooks(host, place) for place in places):  # noqa: PTH110
            found.append((host.title, mend))
    return found


def _has_hooks(host: Host, place: InstallPlace) -> bool:
    try:
        first = uninstalling(host, place)[0]
    except LedgerError:
        return False
    return first.before != first.after


def _waiting() -> int:
    """Return how many spool files wait, where one of them waits for long."""
    folder = Path(user_folders.hooks()) / handover.SPOOL
    try:
        times = [entry.stat().st_mtime for entry in os.scandir(folder) if entry.name.endswith(".json")]
    except OSError:
        return 0
    return len(times) if times and time.time() - min(times) > _WAITS_TOO_LONG else 0
