"""What agents and scripts ask a person to run, in `review`: shown one by one, and run after a yes.

Implements specs/cli.md (X-290). A request is a command line: a yes runs it, with the question that it asks everybody.
"""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import Any

import click

from cli.app import App, say
from cli.asking import END, choose
from cli.main import invoke
from language.dates import moment
from language.printable import plain
from ledger.errors import LedgerError
from muniment import MemoryLedger
from projections import requests
from projections.requests import UNINSTALL, Request

_ANSWERS = {"y": "yes", "n": "no", "s": "skip", "q": "quit"}


def as_json(request: Request) -> dict[str, Any]:
    """Return a request as a JSON-ready object."""
    return {
        "why": "request",
        "verb": request.verb,
        "ids": list(request.targets),
        "options": dict(request.options),
        "wished_by": request.by,
        "wished_at": request.at,
    }


def go_through(app: App, memory: MemoryLedger, asked: list[Request]) -> bool:
    """Ask about each; False if the person quits.

    Raises:
        KeyboardInterrupt: Ctrl-C; your decisions are stored.
    """
    for number, request in enumerate(asked, 1):
        line = plain(shlex.join(["muniment", *request.words]))
        say("")
        head = f"request {number} of {len(asked)}, by {plain(request.by)}, {moment(request.at)}"
        say(app.style(head, dim=True))
        say(app.style(line, bold=True))
        answer = choose("[y]es [n]o [s]kip [q]uit: run it?", _ANSWERS)
        if answer in ("q", END):
            return False
        if answer == "s" or (answer == "y" and not _ran(app, request)):
            continue
        requests.settle(memory.workspace, request)
        if answer == "n":
            app.line(f"not done: {line}")
    return True


def _ran(app: App, request: Request) -> bool:
    """Run the command; False if the person said no after all, or it failed: then it still waits."""
    which = ["--by", app.by().name]
    if request.verb != UNINSTALL:
        which += ["--ledger", str(app.directory)] if app.directory else []
        which += ["--scope", app.scope] if app.scope else []
    try:
        with contextlib.chdir(Path(request.options.get("root") or ".")):
            invoke([*which, *request.words])
    except click.Abort as error:
        app.note(str(error) or "nothing was done")
        return False
    except (LedgerError, OSError) as error:
        app.note(plain(str(error)))
        return False
    return True
