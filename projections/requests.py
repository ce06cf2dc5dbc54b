"""Requests of agents and scripts for actions that only a person may take: each waits until a person decides.

Implements specs/doors.md (G-42, G-47) and specs/cli.md (X-290). A request is an observation of this machine (local.db), not an
event: it names ids, options and the asker, and contains no text of a memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from blake3 import blake3

from ledger.errors import LedgerError, StateError, StorageError
from ledger.instant import written
from ledger.named_tuple import NamedTuple
from projections.source import Source

MOST = 25
"""The most waiting requests of a ledger; nobody goes through more."""

DELETE, REPLACE, ERASE, REVERT, ROTATE, RECOVER, UNINSTALL = (
    "delete",
    "replace",
    "erase",
    "revert",
    "key rotate",
    "recover",
    "uninstall",
)
COMMANDS = (ERASE, REVERT, ROTATE, RECOVER, UNINSTALL)
"""The verbs that a yes runs as a command; a person decides on the others together with their memory."""

_NAME = "request "


class Request(NamedTuple):
    """One request to a person: the verb, its ids and options, the asker, their session, and the time.

    DELETE has the memory's id; the first id of REPLACE is the candidate that is to replace the others.
    """

    verb: str
    targets: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    by: str = ""
    session: str = ""
    at: str = ""

    @property
    def fact(self) -> str:
        """The name under which it is noted: the same request is noted once."""
        key = self.targets[0] if self.verb in (DELETE, REPLACE) else _digest([*self.targets, self.options])
        return f"{_NAME}{self.verb} {key}"

    @property
    def words(self) -> list[str]:
        """The arguments of `muniment` that grant it, run in the folder that the option `root` names."""
        reason = ["-m", f"asked for by {self.by}; a person agreed"]
        if self.verb == ROTATE:
            stolen = self.options.get("since")
            lost = ["--lost"] if self.options.get("lost") else []
            return ["key", "rotate", *(lost if stolen is None else ["--stolen", "--first", f"@{stolen}"])]
        if self.verb == RECOVER:
            backup = self.options.get("backup")
            return ["recover", *(["--from", str(backup)] if backup else []), *reason]
        if self.verb == UNINSTALL:
            given = [(f"--{name}", self.options.get(name)) for name in ("scope", "plugin")]
            chosen = [word for name, value in given if value for word in (name, str(value))]
            return ["uninstall", str(self.options["host"]), *chosen]
        return [self.verb, *self.targets, *reason]


def file(memory: Source, request: Request) -> Request:
    """Note a request, or return the equal one that waits already.

    Raises:
        StateError: too many wait already.
        StorageError: it cannot be noted.
    """
    standing = waiting(memory)
    for each in standing:
        if each.fact == request.fact:
            return each
    if len(standing) >= MOST:
        raise StateError(
            f"{MOST} requests wait for the user already: ask them to go through these with muniment review"
        )
    at = written(memory.clock())
    value: dict[str, Any] = {"by": request.by, "session": request.session, "at": at}
    if request.verb != DELETE:
        value |= {"targets": request.targets, "options": request.options}
    try:
        memory.local.note(request.fact, json.dumps(value))
    except (sqlite3.Error, OSError) as error:
        raise StorageError(
            f"the request cannot be noted ({error}): the user can run muniment {request.verb} in a terminal"
        ) from None
    return Request(request.verb, request.targets, request.options, request.by, request.session, at)


def waiting(memory: Source, *verbs: str) -> list[Request]:
    """Return the waiting requests of these verbs, or of all, the oldest first, without moot ones."""
    found = [
        request
        for name, value in memory.local.facts(_NAME)
        if (request := _read(name.removeprefix(_NAME), value)) is not None
        and (not verbs or request.verb in verbs)
        and not _is_moot(memory, request)
    ]
    return sorted(found, key=lambda request: (request.at, request.fact))


def settle(memory: Source, request: Request) -> None:
    """Note that a person decided, so that it no longer waits."""
    if memory.local.fact(request.fact):
        memory.local.note(request.fact, "")


def replacements(memory: Source) -> dict[str, tuple[str, ...]]:
    """Return the memories that each candidate replaces once a person confirms it, by the candidate's id."""
    return {request.targets[0]: request.targets[1:] for request in waiting(memory, REPLACE)}


def _read(name: str, value: str) -> Request | None:
    """Return a noted request; None if it cannot be read."""
    with suppress(ValueError, TypeError, KeyError):
        verb, key = name.rsplit(" ", 1)
        said = json.loads(value)
        targets = (key,) if verb == DELETE else tuple(map(str, said["targets"]))
        options = {} if verb == DELETE else dict(said["options"])
        request = Request(verb, targets, options, str(said["by"]), str(said["session"]), str(said["at"]))
        return request if request.fact == _NAME + name else None
    return None


def _is_moot(memory: Source, request: Request) -> bool:
    """Return whether its subject is no longer current."""
    if request.verb not in (DELETE, REPLACE, ERASE):
        return False
    try:
        index = memory.index
    except LedgerError:
        return True  # nobody can decide on it before the chain can be read again
    if request.verb == ERASE:
        family = bool(request.options.get("family"))
        return not (index.family(request.targets) if family else index.places(request.targets))
    entry = index.entry(request.targets[0])
    return entry is None or (entry.status != "candidate" if request.verb == REPLACE else not entry.live)


def _digest(value: object) -> str:
    return blake3(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
