"""What agents and scripts ask a person to run, in `review`: shown one by one, and carried out after a yes.

Implements specs/cli.md (X-290), with the questions that the commands ask of everybody; `MemoryLedger.carry_out` does the work.
"""

from __future__ import annotations

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
from projections.requests import ERASE, RECOVER, REVERT, ROTATE, UNINSTALL, Request

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
    """Show what it comes to, ask as its command asks everybody, do it, and say what was done."""
    from agents.install.hosts import placed_by_request
    from cli.commands import erase, key, recover, revert, uninstall
    from documents.reverting import Undone
    from ledger.archive import chain_of
    from ledger.command import Written
    from ledger.rotation import Rotated
    from proofs.carrying_out import backup_of

    if request.verb == UNINSTALL:
        uninstall.take_out(app, *placed_by_request(request.options))
        return
    good = 0
    if request.verb == ERASE:
        erase.agree(app, memory, request.targets, family=bool(request.options["family"]))
    elif request.verb == RECOVER:
        backup = backup_of(request)
        with chain_of(backup) as copy:
            good = recover.agree(app, memory, backup, copy).good
    done = memory.carry_out(request)
    if isinstance(done, Written):
        erase.tell(app, memory, done)
    elif isinstance(done, Undone):
        revert.tell(app, memory, done, {})
    elif isinstance(done, Rotated):
        key.tell_rotated(app, memory, done, request.options["since"])
    else:
        recover.tell(app, memory, done, good)
