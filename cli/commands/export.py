"""muniment export: memories with provenance, for other tools.

Implements specs/cli.md (X-64) and specs/erasure.md (Z-9).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import orjson

from cli.app import App, common_options, put
from cli.csv_text import as_csv
from cli.filter_options import filter_options
from cli.ledger_files import refuse_own_file
from cli.show_entry import count_of, entry_json
from ledger.durable import replace_file, storage_error
from ledger.errors import UsageError
from ledger.memory import PROVENANCE_MEMBERS
from muniment import MemoryLedger
from projections.output_files import EXPORT, giving
from projections.query import Filter


@click.command("export")
@click.option("--format", "format_", type=click.Choice(("jsonl", "json", "csv")), help="Default: jsonl.")
@filter_options
@click.option("--all", "everything", is_flag=True, help="All statuses: also what was superseded or deleted.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write into FILE, which must be new; - is stdout.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@common_options
def command(
    app: App, *, format_: str | None, wanted: Filter, everything: bool, output: Path | None, force: bool
) -> None:
    """Export memories for other tools.

    Writes current memories with their provenance, the oldest first. jsonl has one object a line, json one list;
    both hold every member. csv has one column for each member, lists with one item a line, and an apostrophe
    before a cell that a spreadsheet would run as a formula. Archived memories are included and marked.

    \b
    Examples:
      muniment export > memories.jsonl
      muniment export --format csv -o memories.csv
      muniment export --all --section Corrections --format json
    """
    if app.json and format_ == "csv":
        raise UsageError("give --json or --format csv, not both")
    if everything:
        wanted = wanted._replace(statuses=())
    rows = list(_rows(app.memory(), wanted))
    data = _encoded(rows, format_ or "jsonl")
    if output is None or str(output) == "-":
        put(data)
        return
    refuse_own_file(app.memory(), output)
    with giving(app.memory().workspace.local, output, EXPORT):
        _write(output, data, force=force)
    app.note(f"{count_of(len(rows), 'memory', 'memories')} in {output}")


def _rows(memory: MemoryLedger, wanted: Filter) -> Iterator[dict[str, Any]]:
    archived = memory.workspace.local.archived()
    stale_before = memory.recall.stale_before()
    for entry in memory.load_all(wanted, archived=True):
        yield {**entry_json(entry, stale_before), "archived": entry.id in archived}


def _encoded(rows: list[dict[str, Any]], format_: str) -> bytes:
    if format_ == "json":
        return orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if format_ == "jsonl":
        return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
    flat = [_flat(row) for row in rows]
    return as_csv(COLUMNS, ([row[name] for name in COLUMNS] for row in flat)).encode()


COLUMNS = (
    *(
        "id",
        "seq",
        "status",
        "stale",
        "compromised",
        "archived",
        "learned",
        "fresh_since",
        "by_name",
        "by_role",
        "by_via",
    ),
    *("supersedes", "superseded_by", "deleted_by", "section", "type", "text", "details", "title", "body"),
    *(
        "topic",
        "when_to_use",
        "tags",
        "tier",
        "importance",
        "confidence",
        "inferred",
        "source",
        "category",
        "reason",
    ),
    *(f"provenance_{name}" for name in PROVENANCE_MEMBERS),
    "extra",
)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose members are all cells."""
    by = {f"by_{name}": value for name, value in row["by"].items()}
    origin = {f"provenance_{name}": row["provenance"].get(name, "") for name in PROVENANCE_MEMBERS}
    return {**row, **by, **origin}


def _write(path: Path, data: bytes, *, force: bool) -> None:
    """Put an export in its place in one step.

    Raises:
        UsageError: something stands there.
        StorageError: the disk refuses.
    """
    if path.exists() and not force:
        raise UsageError(f"{path} stands already: choose another name, or replace it with --force")
    try:
        replace_file(path, data, 0o600)
    except OSError as error:
        raise storage_error(error, "writing the export", path, left="the ledger is untouched") from error
