"""muniment report: one HTML file that shows a memory, and proves what it shows.

Implements specs/report.md (H-1…H-4).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.app import App, common_options, put
from cli.ledger_files import refuse_own_file, write_output
from projections.output_files import EXPORT, giving
from report.contents import contents
from report.page_file import page

_NAME = "muniment-report.html"


@click.command("report")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    default=_NAME,
    show_default=True,
    help="Write into FILE, which must be new; - is stdout.",
)
@common_options
def command(app: App, *, output: Path) -> None:
    """Write one page to look at, which proves what it shows.

    The HTML file holds the whole chain and shows memories, versions, documents and events. It works offline in any browser,
    fetches nothing, and recomputes every hash and signature. Whoever gets it can read every memory in it.

    \b
    Examples:
      muniment report
      muniment report -o memory.html
    """
    memory = app.memory()
    data = page(contents(memory))
    if str(output) == "-":
        put(data)
        return
    refuse_own_file(memory, output)
    with giving(memory.workspace.local, output, EXPORT):
        write_output(output, data, 0o600)
    app.note(f"{len(data):,} bytes in {output}: open it in a browser")
