"""muniment export: memories with provenance, for other tools.

Implements specs/cli.md (X-64) and specs/erasure.md (Z-9).
"""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from cli.app import App, common_options, put
from cli.filter_options import filter_options
from cli.ledger_files import refuse_own_file, write_output
from cli.options import Verb, option
from cli.progress import ProgressBar
from cli.show_entry import count_of, entry_json
from ledger.progress import counted
from projections.output_files import EXPORT, giving
from projections.query import Filter


@click.command("export", cls=Verb)
@filter_options
@option("--all", "everything", is_flag=True, help="Include superseded and deleted memories.")
@option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write into FILE, which must be new; - is stdout.",
)
@common_options
def command(app: App, *, wanted: Filter, everything: bool, output: Path | None) -> None:
    """Export memories for other tools.

    Writes current memories with every member and their provenance, the oldest first, as JSON lines. Archived
    memories are included and marked.

    \b
    Examples:
      muniment export > memories.jsonl
      muniment export --all --section Corrections -o corrections.jsonl
    """
    memory = app.memory()
    wanted = wanted._replace(statuses=()) if everything else wanted
    archived, stale_before = memory.workspace.local.archived(), memory.recall.stale_before()
    index = memory.workspace.index  # asked for once: each time it looks whether the log has grown
    with ProgressBar("exporting") as progress:
        lines = [
            orjson.dumps({**entry_json(index, entry, stale_before), "archived": entry.id in archived})
            for entry in counted(memory.recall.each(wanted, archived=True), progress)
        ]
    data = b"".join(line + b"\n" for line in lines)
    if output is None or str(output) == "-":
        put(data)
        return
    refuse_own_file(memory, output)
    with giving(memory.workspace.local, output, EXPORT):
        write_output(output, data, 0o600)
    app.note(f"{count_of(len(lines), 'memory', 'memories')} in {output}")
