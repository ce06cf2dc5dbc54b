"""What an agent or a script asks for and only a person may do: it is noted as a request, and said to wait.

Implements specs/cli.md (X-290…X-293) for commands; `documents.left_to_a_person` decides which of them wait.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

import muniment
from cli.app import App
from documents.left_to_a_person import persons_part
from ledger import actor
from ledger.command import Command
from ledger.errors import WaitingError
from ledger.preconditions import waiting_for
from muniment import MemoryLedger
from projections import requests
from projections.configuration import is_no_person
from projections.requests import Request


def is_nobody(app: App) -> bool:
    """Return whether the actor is not a person."""
    return is_no_person(app.by(), muniment.home())


def is_at_terminal() -> bool:
    """Return whether a person is there who can be asked, and sees what is said."""
    return actor.role() == "user" and all(map(actor.is_terminal, (sys.stdin, sys.stderr)))


def file(app: App, memory: MemoryLedger, verb: str, *targets: str, **options: Any) -> None:
    """Note a request for a person.

    Raises:
        StateError: too many wait already.
        StorageError: it cannot be noted.
    """
    requests.file(memory.workspace, Request(verb, targets, options, app.by().name, actor.session()))


def wait(app: App, what: str, so_far: str = "Nothing was done") -> NoReturn:
    """Raise the error that names what waits for a person, what was done before they decide, and how they do.

    Raises:
        WaitingError: always.
    """
    raise WaitingError(waiting_for(what, review_command(app), so_far))


def refuse(app: App, memory: MemoryLedger, commands: Iterable[Command]) -> None:
    """Refuse commands that only a person may give.

    Raises:
        WaitingError: it names the first memory.
    """
    if (what := persons_part(memory.workspace, commands)) and is_nobody(app):
        wait(app, what)


def review_command(app: App) -> str:
    """Return the command line by which a person decides on what waits in the ledger that is meant."""
    words = ["muniment", "review"]
    if app.directory is not None:
        words += ["--ledger", str(app.directory.absolute())]
    elif app.scope is not None:
        words += ["--scope", app.scope]
    return shlex.join(words)
