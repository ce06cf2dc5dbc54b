"""muniment report: one HTML file that shows a memory, and proves what it shows; or findings for machines.

Implements specs/report.md (H-1…H-7, H-14, H-17).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.app import App, common_options, put
from cli.ledger_files import refuse_own_file, write_output
from cli.options import Verb, option
from language import dates
from ledger.errors import UsageError
from muniment import MemoryLedger
from projections.output_files import EXPORT, giving
from report.contents import contents
from report.findings import ERROR
from report.page_file import page

MOST = 20_000
"""A page of more events takes a browser long to open."""
_NAME = "muniment-report.html"


@click.command("report", cls=Verb)
@option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help=f"Write into FILE; - is stdout. [default: {_NAME}, or stdout for findings]",
)
@option("--force", is_flag=True, help="Replace FILE if it exists.")
@option("--since", metavar="WHEN", help="Only what was written from then on: 7d, monday, 2026-11-20.")
@option("--no-text", is_flag=True, help="Leave out what events say: only their signed heads.")
@option("--all", "everything", is_flag=True, help=f"Write a page of more than {MOST:,} events, too.")
@option(
    "--format",
    "form",
    type=click.Choice(["html", "json", "sarif"]),
    default="html",
    show_default=True,
    help="The page, or findings for machines.",
)
@common_options
def command(
    app: App,
    *,
    output: Path | None,
    force: bool,
    since: str | None,
    no_text: bool,
    everything: bool,
    form: str,
) -> int:
    """Write an HTML page of the memory that proves what it shows.

    The HTML file holds the chain, and shows memories, versions, documents and events. It works offline in any browser,
    fetches nothing, and recomputes every hash and signature. Anyone who gets it can read every memory in it.

    With --since or --no-text it holds less: no documents, and of the events only those written from WHEN on, or only
    their signed heads.

    With --format json or sarif, writes instead what verify, doctor and doctor --injection find, each with file and
    line, and exits with 1 if a finding is an error.

    \b
    Examples:
      muniment report
      muniment report -o memory.html --force
      muniment report --since 7d --no-text
      muniment report --format sarif > muniment.sarif
    """
    if form != "html" and (since or no_text or everything):
        raise UsageError("--since, --no-text and --all are for the page: leave them out with --format")
    memory = app.memory()
    if form == "html":
        path = output or Path(_NAME)
        start = dates.since(since or "")
        data = page(contents(memory, since=start, texts=not no_text, most=None if everything else MOST))
        if _write(memory, path, data, replace=force):
            app.note(f"{len(data):,} bytes in {path}: open it in a browser")
        return 0
    from cli.report_findings import findings, written_findings

    found = findings(memory)
    _write(memory, output or Path("-"), written_findings(memory, found, form), replace=force)
    return 1 if any(each.level == ERROR for each in found) else 0


def _write(memory: MemoryLedger, path: Path, data: bytes, *, replace: bool) -> bool:
    """Write to a file, or to stdout for "-"; say whether it was a file."""
    if str(path) == "-":
        put(data)
        return False
    refuse_own_file(memory, path)
    with giving(memory.workspace.local, path, EXPORT):
        write_output(path, data, 0o600, replace=replace)
    return True
