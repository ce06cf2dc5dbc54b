"""muniment replay: make everything anew from the log.

Implements specs/cli.md (X-82).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli import write_notices
from cli.app import App, common_options
from cli.as_of import as_of_option
from cli.document_path import document_name
from cli.person_only import is_nobody
from cli.progress import ProgressBar
from documents.edited_documents import edited
from documents.replayed_documents import replayed
from language.dates import moment, span
from language.printable import plain
from ledger.durable import replace_file, storage_error
from ledger.errors import BusyError, ChainError, UsageError, WaitingError
from ledger.instant import written
from muniment import MemoryLedger
from projections.line_endings import styled


@click.command("replay")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@as_of_option
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the documents into DIR.")
@click.option("--check", is_flag=True, help="Only compare; exit 1 if anything differs.")
@click.option(
    "--overwrite", is_flag=True, help="Replace edited documents; the edited copies are kept beside them."
)
@common_options
def command(  # noqa: PLR0917 - click passes them by name
    app: App, files: tuple[Path, ...], as_of: str | None, out: Path | None, check: bool, overwrite: bool
) -> int:
    """Rebuild the index and documents from the log.

    Discards the index, builds it again, and writes each document that differs. Your edits are recorded in the
    log first; an edit that cannot be recorded is left alone and named. A deleted document comes back. With
    FILE, that document is replaced whatever it contains; your copy is kept beside it, as FILE.edited-1.

    With --out, writes the documents to a new or empty folder, as they are now or as they were, and touches
    nothing else. With --check, compares them with the existing files.

    \b
    Examples:
      muniment replay
      muniment replay MEMORY.md
      muniment replay --check
      muniment replay --as-of 2026-11-01 --out november
      muniment replay --as-of @42 --check --out november
    """
    if overwrite and (check or out is not None):
        raise UsageError("--overwrite goes with neither --check nor --out")
    if as_of is not None and not check and out is None:
        raise UsageError("--as-of needs --out DIR to write the past into, or --check to compare with it")
    if files and (check or overwrite or out is not None):
        raise UsageError(
            "FILE goes with none of --check, --out, --overwrite: it takes ours for this document"
        )
    memory = app.memory()
    if (files or overwrite) and is_nobody(app):
        _leave_edits(memory, files)
    if files:
        return _take_ours(app, memory, files)
    if check and as_of is None and out is None:
        return _check_here(app, memory)
    if check:
        return _check_folder(app, memory, as_of, out)
    if out is not None:
        return _write_to(app, memory, as_of, out)
    return _replay(app, memory, overwrite=overwrite)


def _names(memory: MemoryLedger, files: tuple[Path, ...]) -> list[str]:
    advice = "muniment replay --check names those that differ"
    return [document_name(memory, file, advice) for file in files]


def _leave_edits(memory: MemoryLedger, files: tuple[Path, ...]) -> None:
    """Leave edited documents to a person, where an agent or a script would take ours for them (X-82).

    Raises:
        WaitingError: one of them was edited.
    """
    memory.workspace.check_standing()
    if found := sorted(
        edited(memory.documents.folder, memory.workspace.local, _names(memory, files) or None)
    ):
        what = f"{', '.join(map(plain, found))} was edited by hand, and muniment would replace it"
        raise WaitingError(
            f"waiting for a person: {what}. Nothing was done; a person runs this in a terminal"
        )


def _take_ours(app: App, memory: MemoryLedger, files: tuple[Path, ...]) -> int:
    paths = _names(memory, files)
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


def _replay(app: App, memory: MemoryLedger, *, overwrite: bool) -> int:
    outcome = memory.documents.replay(overwrite=overwrite)
    seq = memory.workspace.index.seq()
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
        app.line(f"index rebuilt from {_count(seq + 1, 'event')}; {_count(documents, 'document')}")
        for what, paths in (("written", outcome.written), ("removed", outcome.removed)):
            for path in paths:
                app.line(f"  {what}  {path}")
    write_notices.say(app, memory)
    return BusyError.exit_code if str(memory.workspace.place.documents) in outcome.paused else 0


def _check_here(app: App, memory: MemoryLedger) -> int:
    """Compare index and documents with what the log replays to, as of their last rendering."""
    with ProgressBar("verifying") as progress:
        report = memory.upkeep.verify(progress=progress)
    if not report.chain.sound:
        raise ChainError("the log itself is not sound, so there is nothing to compare with: muniment verify")
    verdict = report.projections
    if app.json:
        app.emit({"equal": verdict.state == "sound", **verdict.to_json()})
    else:
        app.line(verdict.sentence)
        for finding in verdict.findings:
            app.line(f"  {plain(str(finding))}")
    return 0 if verdict.state == "sound" else 1


def _check_folder(app: App, memory: MemoryLedger, as_of: str | None, out: Path | None) -> int:
    """Compare the files in a folder with the documents as of then."""
    folder = out or memory.workspace.place.documents
    expected = {
        path: styled(data, memory.workspace.local.style(folder, path))
        for path, data in replayed(memory.workspace, as_of).items()
    }
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}: --out names the one to compare with")
    found = _files(folder) if out else set(memory.workspace.local.rendered(folder))
    differences = {path: "missing" for path in expected if not (folder / path).is_file()}
    differences |= {path: "extra" for path in found - expected.keys() if (folder / path).is_file()}
    for path, data in expected.items():
        if path not in differences and (folder / path).read_bytes() != data:
            differences[path] = "differs"
    if app.json:
        app.emit({"equal": not differences, "documents": len(expected), "differences": differences})
    elif differences:
        for path, what in sorted(differences.items()):
            app.line(f"{what:<8} {plain(path)}")
    else:
        app.line(f"{_count(len(expected), 'document')} in {folder}: equal to what the log replays to")
    return 1 if differences else 0


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _write_to(app: App, memory: MemoryLedger, as_of: str | None, out: Path) -> int:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not empty: name a new or an empty folder")
    files = replayed(memory.workspace, as_of)
    for path, data in files.items():
        target = out / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, data, sync=False)
        except OSError as error:
            raise storage_error(
                error, "writing a document", target, left="the ledger is untouched"
            ) from error
    when = (
        as_of
        if as_of and as_of.startswith("@")
        else written(span(as_of).last if as_of else memory.workspace.clock())
    )
    if app.json:
        app.emit({"out": str(out), "as_of": when, "written": sorted(files)})
    else:
        app.line(f"{_count(len(files), 'document')} as of {_shown(when)} in {out}")
    return 0


def _shown(when: str) -> str:
    return when if when.startswith("@") else moment(when)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
