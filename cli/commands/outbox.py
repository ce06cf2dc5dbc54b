"""memledger outbox: what was learned and could not be written yet.

Implements specs/cli.md (X-160…X-163) and specs/capture.md (K-73).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cli import afterwards, learned
from cli.app import App, common_options, plain
from learning.outbox import OUTBOX, Outbox, Waiting
from ledger.errors import BusyError
from memledger import MemoryLedger


@click.command("outbox")
@click.option("--list", "only_list", is_flag=True, help="Only show what waits.")
@common_options
def command(app: App, only_list: bool) -> int:
    """Try again to write what was learned while the ledger was locked, full or read-only.

    Such proposals wait, synced to disk, outside of the ledger. Each is decided on anew, so what was said again in the
    meantime is not stored twice. It happens by itself before the next automatic write, too.

    \b
    Examples:
      memledger outbox --list
      memledger outbox
      memledger outbox --json
    """
    scopes = learned.ledgers(app)
    waiting = _waiting(scopes)
    if only_list:
        _show(app, waiting)
        return 0
    told = []
    taking = learned.taking(app, scopes)
    for taken in taking.retry():
        told.append(taken)
        if not app.json:
            app.line(learned.line_of(app, taken))
    left = _waiting(scopes)
    if app.json:
        app.emit(
            {
                "taken": [learned.json_of(taken) for taken in told],
                "waiting": [_as_json(each) for each in left],
            }
        )
    for each in left:
        if each.fault:
            app.note(f"{plain(str(each.path))}: {plain(each.fault)}; it stays there until you remove it")
    for memory in scopes.values():
        afterwards.say(app, memory)
    still = sum(not each.fault for each in left)
    if not app.json:
        app.note(_summary(len(told) - still, still))
    _name_others(app, scopes)
    return BusyError.exit_code if still else 0


def _waiting(scopes: dict[str, MemoryLedger]) -> list[Waiting]:
    return [
        each
        for memory in scopes.values()
        for each in Outbox(memory.home.state, memory.ledger.identity.id).waiting()
    ]


def _show(app: App, waiting: list[Waiting]) -> None:
    if app.json:
        app.emit_lines(_as_json(each) for each in waiting)
        return
    for each in waiting:
        said = learned.text_of(each.proposal) if each.proposal is not None else plain(each.fault)
        app.line(f"{each.path.stem[:8]}  {said}")
    app.note("nothing waits" if not waiting else "memledger outbox tries again")


def _as_json(each: Waiting) -> dict[str, Any]:
    proposal = each.proposal
    return {
        "file": str(each.path),
        "text": learned.text_of(proposal) if proposal is not None else None,
        "action": proposal.action if proposal is not None else None,
        "basis": proposal.basis if proposal is not None else None,
        "fault": each.fault or None,
    }


def _summary(done: int, still: int) -> str:
    if not done and not still:
        return "nothing waits"
    dealt = f"{done} dealt with" if done else ""
    return ", ".join(part for part in (dealt, f"{still} still waiting" if still else "") if part)


def _name_others(app: App, scopes: dict[str, MemoryLedger]) -> None:
    """Say that proposals wait for ledgers that are not looked at from here."""
    memory: MemoryLedger = learned.home_of(scopes)
    own = {each.ledger.identity.id for each in scopes.values()}
    folder: Path = memory.home.state / OUTBOX
    try:
        others = [one for one in folder.iterdir() if one.name not in own and next(one.glob("*.json"), None)]
    except OSError:
        return
    if others:
        ledgers = "1 other ledger" if len(others) == 1 else f"{len(others)} other ledgers"
        app.note(f"more waits for {ledgers}: run it in their projects, or with --ledger")
