"""muniment upkeep run: what a ledger needs once a week: verify, stats, and an anchor where one is due.

Implements specs/doors.md (G-31, G-32).
"""

from __future__ import annotations

from typing import Any

import click

from cli.app import App, common_options
from cli.progress import ProgressBar
from language.dates import moment
from projections.weekly_jobs import MAINTAIN


@click.command("maintain", short_help="Verify, count and anchor, as a schedule does weekly")
@click.option("--if-due", is_flag=True, help="Run only if it has not run since Sunday 11:00 UTC.")
@common_options
def command(app: App, if_due: bool) -> int:
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
    memory.workspace.check_standing()  # where there is no ledger nothing is asked of its folder (K-273)
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
    verify.note(memory, report)
    found: dict[str, Any] = stats.facts(memory.recall) if report.chain.sound else {}
    if app.json:
        value = {"verify": verify.as_json(report), "stats": found, "anchor": anchored.to_json()}
        app.emit({**this_week.to_json(), **value, "vectors": done.vectors or None})
    else:
        verify.print_report(app, report)
        app.lines(stats.page(app, found) if found else ["stats         not counted: the chain is not sound"])
        app.line(f"anchor        {anchored.why}")
        if done.vectors:
            app.line(f"vectors       {done.vectors}")
    if not report.sound:
        app.note("something was found: muniment doctor explains it and names what mends it")
    return anchored.code if report.sound else 1
