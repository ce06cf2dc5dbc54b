"""muniment replay: rebuild everything from the log.

Implements specs/cli.md (X-82).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli import write_notices
from cli.app import App, common_options
from cli.as_of import as_of_option
from cli.document_path import document_name
from cli.options import Verb, option
from cli.person_only import is_nobody
from cli.show_entry import count_of
from documents.edited_documents import edited
from documents.replayed_documents import replayed
from language.dates import moment, span
from language.printable import plain
from ledger.durable import replace_file, storage_error
from ledger.errors import BusyError, UsageError, WaitingError
from ledger.instant import written
from muniment import MemoryLedger


@click.command("replay", cls=Verb)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@as_of_option
@option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the documents into DIR.")
@common_options
def command(app: App, files: tuple[Path, ...], as_of: str | None, out: Path | None) -> int:
    """Rebuild the index and documents from the log.

    Discards the index, builds it again, and writes each document that differs. Your edits are recorded in the
    log first; an edit that cannot be recorded is left alone and named. A deleted document comes back. With
    FILE, that document is replaced whatever it contains; your copy is kept beside it, as FILE.edited-1.

    With --out, writes the documents to a new or empty folder, as they are now or as they were, and touches
    nothing else. muniment verify compares documents and index with the log.

    \b
    Examples:
      muniment replay
      muniment replay MEMORY.md
      muniment replay --as-of 2026-11-01 --out november
    """
    if as_of is not None and out is None:
        raise UsageError("--as-of needs --out DIR to write the past into")
    if files and out is not None:
        raise UsageError("give FILE or --out, not both")
    memory = app.memory()
    if files:
        return _take_ours(app, memory, files)
    if out is not None:
        return _write_to(app, memory, as_of, out)
    return _replay(app, memory)


def _leave_edits(memory: MemoryLedger, paths: list[str]) -> None:
    """Leave edited documents to a person, where an agent or a script would take ours for them (X-82).

    Raises:
        WaitingError: one of them was edited.
    """
    memory.workspace.check_standing()
    if found := sorted(edited(memory.documents.folder, memory.workspace.local, paths)):
        what = f"{', '.join(map(plain, found))} was edited by hand, and muniment would replace it"
        raise WaitingError(
            f"waiting for a person: {what}. Nothing was done; a person runs this in a terminal"
        )


def _take_ours(app: App, memory: MemoryLedger, files: tuple[Path, ...]) -> int:
    paths = [document_name(memory, file, "run muniment status to list those that differ") for file in files]
    if is_nobody(app):
        _leave_edits(memory, paths)
    outcome = memory.documents.render(everything=True, overwrite=True, paths=paths)
    if app.json:
        app.emit({"written": outcome.written, "removed": outcome.removed, "left_alone": outcome.paused})
    else:
        app.lines(
            f"written  {plain(path)}" if path in outcome.written else f"{plain(path)}: as the log renders it"
            for path in paths
            if path not in outcome.paused
        )
    write_notices.say(app, memory)
    return 1 if set(paths) & set(outcome.paused) else 0


def _replay(app: App, memory: MemoryLedger) -> int:
    outcome = memory.documents.replay()
    seq = memory.workspace.index.newest()
    documents = len(memory.workspace.local.rendered(memory.workspace.place.documents))
    if app.json:
        app.emit(
            {
                "events": seq + 1,
                "documents": documents,
                "written": outcome.written,
                "removed": outcome.removed,
                "left_alone": outcome.paused,
            }
        )
    else:
        app.line(f"index rebuilt from {count_of(seq + 1, 'event')}; {count_of(documents, 'document')}")
        for what, paths in (("written", outcome.written), ("removed", outcome.removed)):
            for path in paths:
                app.line(f"  {what}  {path}")
    write_notices.say(app, memory)
    return BusyError.exit_code if str(memory.workspace.place.documents) in outcome.paused else 0


def _write_to(app: App, memory: MemoryLedger, as_of: str | None, out: Path) -> int:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not empty: give a new or an empty folder")
    files = replayed(memory.workspace, as_of)
    for path, data in files.items():
        target = out / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, data, sync=False)
        except OSError as error:
            raise storage_error(
                error, "writing a document", target, left="the ledger is unchanged"
            ) from error
    when = (
        as_of
        if as_of and as_of.startswith("@")
        else written(span(as_of).last if as_of else memory.workspace.clock())
    )
    if app.json:
        app.emit({"out": str(out), "as_of": when, "written": sorted(files)})
    else:
        app.line(f"{count_of(len(files), 'document')} as of {_shown(when)} in {out}")
    return 0


def _shown(when: str) -> str:
    return when if when.startswith("@") else moment(when)
