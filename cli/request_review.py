"""What agents and scripts ask a person to run, in `review`: shown one by one, and carried out after a yes.

Implements specs/cli.md (X-290). The commands do the work, with the questions that they ask of everybody.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click

from cli.app import App, say
from cli.keyboard import END, ask
from cli.show_entry import count_of
from language.dates import moment
from language.printable import plain, short
from ledger.errors import LedgerError
from muniment import MemoryLedger
from projections import requests
from projections.query import event
from projections.requests import ERASE, RECOVER, REVERT, ROTATE, Request

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
    """Ask about each; False where the person quits.

    Raises:
        KeyboardInterrupt: Ctrl-C; what was decided is done.
    """
    for number, request in enumerate(asked, 1):
        say("")
        say(
            app.style(
                f"request {number} of {len(asked)}, by {plain(request.by)}, {moment(request.at)}", dim=True
            )
        )
        say(app.style(said(request), bold=True))
        answer = ask("[y]es [n]o [s]kip [q]uit: do it?", _ANSWERS)
        if answer in ("q", END):
            return False
        if answer == "s" or (answer == "y" and not _carried_out(app, memory, request)):
            continue
        requests.settle(memory.workspace, request)
        if answer == "n":
            app.line(f"not done: {said(request)}")
    return True


def said(request: Request) -> str:
    """Return what is asked for, as a person reads it."""
    options = request.options
    if request.verb == ERASE:
        return f"erase {count_of(len(request.targets), 'memory', 'memories')} for good: {_ids(request)}"
    if request.verb == REVERT:
        return f"undo {count_of(len(request.targets), 'event')}: {_ids(request)}"
    if request.verb == ROTATE:
        why = " since it is lost" if options.get("lost") else ""
        stolen = options.get("since")
        why = f", and disown what it signed from @{stolen} on" if stolen is not None else why
        return f"rotate the key{why}"
    if request.verb == RECOVER:
        backup = options.get("backup")
        return f"recover from {plain(str(backup))}" if backup else "recover"
    where = options.get("plugin") or options.get("scope")
    return f"uninstall {plain(str(options.get('host')))}{f' ({plain(str(where))})' if where else ''}"


def _ids(request: Request) -> str:
    more = len(request.targets) - 8
    return " ".join(map(short, request.targets[:8])) + (f" and {more} more" if more > 0 else "")


def _carried_out(app: App, memory: MemoryLedger, request: Request) -> bool:
    """Do what was asked for; False where the person said no after all, or it failed: then it still waits."""
    try:
        _carry_out(app, memory, request)
    except click.Abort as error:
        app.note(str(error) or "nothing was done")
        return False
    except (LedgerError, OSError) as error:
        app.note(plain(str(error)))
        return False
    return True


def _carry_out(app: App, memory: MemoryLedger, request: Request) -> None:
    options, reason = request.options, f"asked for by {request.by}; a person agreed"
    if request.verb == ERASE:
        from cli.commands.erase import blank

        blank(app, memory, request.targets, reason, family=bool(options["family"]))
    elif request.verb == REVERT:
        from cli.commands.revert import undo

        rows = [event(memory.workspace.index, id_) for id_ in request.targets]
        undo(app, memory, [row for row in rows if row is not None], {}, reason)
    elif request.verb == ROTATE:
        from cli.commands.key import let_next_take_over

        let_next_take_over(app, memory, lost=bool(options["lost"]), first=options["since"])
    elif request.verb == RECOVER:
        from cli.commands.recover import go_on

        go_on(app, reason, Path(options["backup"]) if options["backup"] else None)
    else:
        from cli.commands.uninstall import take_out

        with contextlib.chdir(options["root"]):
            plugin = Path(options["plugin"]) if options["plugin"] else None
            take_out(App(scope=options["scope"] or None, color=app.color), options["host"], plugin)
