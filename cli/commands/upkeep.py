"""muniment upkeep: run the weekly upkeep, schedule it, and retry failed writes.

Implements specs/cli.md (X-160, X-161, X-333), specs/doors.md (G-31, G-32) and specs/capture.md (K-73).
"""

from __future__ import annotations

from typing import Any

import click

from cli import learning_run, write_notices
from cli.app import App, common_options, reading_options
from cli.command_group import CommandGroup
from cli.options import option
from cli.progress import ProgressBar
from cli.schedule import command as schedule
from cli.show_entry import count_of
from language.dates import moment
from language.printable import plain
from learning import retrying
from learning.outbox import WaitingProposal
from learning.outcome import WAITING
from ledger.errors import BusyError
from projections.ledger_counts import ledger_counts
from projections.weekly_jobs import MAINTAIN


@click.group("upkeep", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Run weekly upkeep, schedule it, or retry failed writes.

    \b
    Examples:
      muniment upkeep run
      muniment upkeep schedule --install
      muniment upkeep retry --list
    """


command.add_command(schedule)


@command.command("run", short_help="Verify, count and anchor, as a schedule does weekly")
@option("--if-due", is_flag=True, help="Run only if it has not run since Sunday 11:00 UTC.")
@common_options
def run(app: App, if_due: bool) -> int:
    """Verify, count and anchor, as a schedule does weekly.

    Prints the results of verify, the counts of stats, and the result of the anchor. Exits with 1 if verify
    found a fault, otherwise with the code of a failed anchor. Repairs nothing and changes no memory. With
    muniment[vectors], embeds the memories that have no vector.

    The anchor is a signed checkpoint under anchors/, once in seven days if anything was learned. [anchor] in
    your own config.toml can name another one: a transaction for your wallet, or a witness or an authority to
    ask. Without it nothing is sent.

    \b
    Examples:
      muniment upkeep run
      muniment upkeep run --if-due      what a schedule runs, as often as it likes
      muniment upkeep run --json | jq '.verify.sound, .stats.events'
    """
    memory = app.memory()
    memory.workspace.check_standing()  # without a ledger nothing is asked about its folder (K-273)
    this_week = MAINTAIN.due(memory.workspace)
    if if_due and not this_week.now:
        app.note(f"not due: maintained {moment(this_week.last)}, again from {moment(this_week.next)} on")
        if app.json:
            app.emit(this_week.to_json())
        return 0
    from cli.commands import stats, verify  # what is asked every hour loads none of it

    with ProgressBar("verifying") as progress:
        done = memory.upkeep.maintain(progress=progress)
    report, anchored = done.report, done.anchor
    found = ledger_counts(memory.recall) if report.chain.sound else None
    if app.json:
        value = {
            "verify": verify.as_json(report),
            "stats": found.to_json() if found else {},
            "anchor": anchored.to_json(),
        }
        app.emit({**this_week.to_json(), **value, "vectors": done.vectors or None, "seen": done.seen or None})
    else:
        verify.print_report(app, report)
        app.lines(stats.page(app, found) if found else ["stats         not counted: the chain is not sound"])
        app.line(f"anchor        {anchored.why}")
        for name, said in (("vectors", done.vectors), ("seen", done.seen)):
            if said:
                app.line(f"{name:14}{said}")
    if not report.sound:
        app.note("something was found: run muniment doctor for a fix")
    return anchored.code if report.sound else 1


@command.command("retry", short_help="Retry writes that failed earlier")
@option("--list", "only_list", is_flag=True, help="Only list what waits.")
@reading_options
@option("--by", "by_name", metavar="NAME", help="Author to record (default: capture).")
def retry(app: App, only_list: bool) -> int:
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
        app.note(
            f"more waits for {count_of(others, 'other ledger')}: run it in their projects, or with --ledger"
        )
    return BusyError.exit_code if still else 0


def _show(app: App, left: list[WaitingProposal]) -> None:
    if app.json:
        app.emit_lines([_as_json(each) for each in left])
        return
    for each in left:
        said = learning_run.text_of(each.proposal) if each.proposal is not None else plain(each.fault)
        app.line(f"{each.path.stem[:8]}  {said}")
    app.note("run muniment upkeep retry to try again" if left else "nothing waits")


def _as_json(each: WaitingProposal) -> dict[str, Any]:
    proposal = each.proposal
    return {
        "file": str(each.path),
        "text": learning_run.text_of(proposal) if proposal is not None else None,
        "action": proposal.action if proposal is not None else None,
        "basis": proposal.basis if proposal is not None else None,
        "fault": each.fault or None,
    }
