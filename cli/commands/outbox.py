"""muniment upkeep retry: what was learned and could not be written yet.

Implements specs/cli.md (X-160, X-161) and specs/capture.md (K-73).
"""

from __future__ import annotations

from typing import Any

import click

from cli import learning_run, write_notices
from cli.app import App, reading_options
from language.printable import plain
from learning import retrying
from learning.outbox import WaitingProposal
from learning.outcome import WAITING
from ledger.errors import BusyError


@click.command("outbox", short_help="Retry writes that failed earlier")
@click.option("--list", "only_list", is_flag=True, help="Only list what waits.")
@reading_options
@click.option("--by", "by_name", metavar="NAME", help="Author to record (default: capture).")
def command(app: App, only_list: bool) -> int:
    """Retry writes that failed earlier.

    Memories that could not be written because the ledger was locked, full or read-only wait on disk, outside
    the ledger. Each is decided on again, so that nothing repeated in the meantime is stored twice. The next
    automatic write retries them, too.

    \b
    Examples:
      muniment upkeep retry --list
      muniment upkeep retry
      muniment upkeep retry --json
    """
    ledgers = learning_run.ledgers(app)
    scopes = learning_run.opened(ledgers)
    if only_list:
        _show(app, retrying.left(scopes))
        return 0
    told = []
    for taken in learning_run.taking(app, ledgers).retry():
        told.append(taken)
        if not app.json:
            app.line(learning_run.line_of(app, taken))
    left = retrying.left(scopes)
    if app.json:
        app.emit(
            {
                "taken": [learning_run.json_of(taken) for taken in told],
                "waiting": [_as_json(each) for each in left],
            }
        )
    for each in left:
        if each.fault:
            app.note(f"{plain(str(each.path))}: {plain(each.fault)}; it stays there until you remove it")
    for memory in ledgers.values():
        write_notices.say(app, memory)
    done = sum(taken.outcome not in WAITING for taken in told)
    still = sum(not each.fault for each in left)
    if not app.json:
        said = (f"{done} dealt with" if done else "", f"{still} still waiting" if still else "")
        app.note(", ".join(filter(None, said)) or "nothing waits")
    if others := retrying.other_ledgers(scopes):
        named = "1 other ledger" if others == 1 else f"{others} other ledgers"
        app.note(f"more waits for {named}: run it in their projects, or with --ledger")
    return BusyError.exit_code if still else 0


def _show(app: App, left: list[WaitingProposal]) -> None:
    if app.json:
        app.emit_lines([_as_json(each) for each in left])
        return
    for each in left:
        said = learning_run.text_of(each.proposal) if each.proposal is not None else plain(each.fault)
        app.line(f"{each.path.stem[:8]}  {said}")
    app.note("muniment upkeep retry tries again" if left else "nothing waits")


def _as_json(each: WaitingProposal) -> dict[str, Any]:
    proposal = each.proposal
    return {
        "file": str(each.path),
        "text": learning_run.text_of(proposal) if proposal is not None else None,
        "action": proposal.action if proposal is not None else None,
        "basis": proposal.basis if proposal is not None else None,
        "fault": each.fault or None,
    }
