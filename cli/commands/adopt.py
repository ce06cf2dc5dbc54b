"""muniment adopt: what a person changed in the documents becomes signed events.

Implements specs/cli.md (X-90) and specs/editing.md; the work is in adopting.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.app import App, common_options
from cli.document_path import document_name
from cli.options import Verb, option
from cli.show_entry import count_of
from cli.word_marks import minus_line, plus_line
from language.printable import few, plain, short
from muniment import MemoryLedger
from projections.shown_blocks import unpacked

if TYPE_CHECKING:
    from documents.adopting import Adoption


_AS_JSON = {"taken out": "taken_out", "brought back": "restored"}
_LONGEST = 60
_ADVICE = "run muniment status to list those that were edited"


@click.command("adopt", cls=Verb)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@option("-n", "--dry-run", is_flag=True, help="Show what would be learned, and change nothing.")
@option("--accept", is_flag=True, help="Accept an edit even if it removes most entries.")
@common_options
def command(app: App, paths: tuple[Path, ...], dry_run: bool, accept: bool) -> int:
    """Record your document edits in the log.

    Records your changes to MEMORY.md, daily notes and topic files. Without PATH, looks at all documents. Every
    command that writes a document does this first; adopt does it now.

    A new bullet is learned, a changed one replaces the old, a removed one is deleted, and a removed [?]
    confirms. Entries and frontmatter of a topic file work the same way. Paragraphs, tables, code and all other
    text stay in place, to the byte.

    When an agent runs this command, or an agent's tool wrote the document, new lines become candidates, and
    changed or removed ones become requests for muniment review. The document is then written from the ledger
    again.

    An edit that removes more than half of the entries waits for --accept, which also accepts an agent's text as
    your own. A line that looks like a secret stays in the file, unsigned.

    \b
    Examples:
      muniment adopt --dry-run
      muniment adopt
      muniment adopt --accept MEMORY.md
    """
    memory = app.memory()
    names = [document_name(memory, path, _ADVICE) for path in paths] or None
    if dry_run:
        memory.workspace.check_standing()
        done = memory.documents.examined(names, accept=accept)
    else:
        done = memory.documents.adopt(names, accept=accept)
    if app.json:
        app.emit({"dry_run": dry_run, "documents": [_as_json(each) for each in done]})
    else:
        app.lines(_told(app, done, dry_run=dry_run))
        for line in removed(memory, done) if not dry_run else ():
            app.note(line)
    if not dry_run and memory.documents.outcome:
        told_of = {each.path for each in done if each.paused}
        app.report_paused(
            {path: why for path, why in memory.documents.outcome.paused.items() if path not in told_of}
        )
    if not app.json:
        if not dry_run and (advice := next(filter(None, map(hint, done)), "")):
            app.note(advice.removeprefix("; "))
        if (
            not done
            and not dry_run
            and memory.documents.outcome
            and (written := ", ".join(memory.documents.outcome.written))
        ):
            app.note(f"written again after a pause: {plain(written)}")
    if not any(each.paused for each in done):
        return 0
    app.note_what_stands("recorded")
    return 1


def _as_json(done: Adoption) -> dict[str, Any]:
    return {
        "path": done.path,
        **{_AS_JSON.get(name, name): n for name, n in done.counts().items()},
        **(
            {"requested": [id_ for _, targets, _ in done.requests for id_ in targets]}
            if done.requests
            else {}
        ),
        **({"unpromoted": done.unpromoted} if done.unpromoted else {}),
        **({"repeated": sorted(done.doubled)} if done.doubled else {}),
        "paused": done.paused or None,
    }


def _told(app: App, done: Iterable[Adoption], *, dry_run: bool) -> Iterator[str]:
    empty = True
    for each in done:
        empty = False
        yield f"{plain(each.path)}: {each.paused or told(each)}"
        yield from _in_place(app, each)
        if dry_run and each.came and not each.paused and is_overflow(each.path):
            yield f"  {plain(each.path)} will be removed: what it says moves to MEMORY.md and its overflow files"
        if each.paused and not each.guard and each.commands:
            yield f"  besides: {told(each)}"
    if empty:
        yield "no document was edited"
    elif dry_run:
        yield "nothing was written: run muniment adopt to record it"


def _in_place(app: App, done: Adoption) -> Iterator[str]:
    """Yield what a yes removes and what it adds in its place (X-194, X-323)."""
    said = {unit.line: unit.memory.text for unit in done.units}
    known = {shown.id: shown.memory.text for shown in done.base if shown.memory is not None}
    for each in done.waiting if not done.guard else ():
        for id_ in each.targets:
            old = f"{short(id_)}  {_cut(known.get(id_, ''))}"
            yield f"  {minus_line(app, old.rstrip())}"
        if each.line:
            yield f"  {plus_line(app, _cut(said.get(each.line, '')))}"


def _cut(text: str) -> str:
    shown = plain(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def told(done: Adoption) -> str:
    """Return the result of an edit: `2 new, 1 changed`; and what comes back into the document or leaves it."""
    parts = [f"{number} {name}" for name, number in done.counts().items()]
    if asked := sum(len(targets) for _, targets, _ in done.requests):
        parts.append(f"{asked} to replace or delete, for a person to decide: muniment review")
    if done.unpromoted:
        parts.append(f"{len(done.unpromoted)} proposed by an agent, for a person to decide: muniment review")
    if done.unseen:
        number = count_of(len(done.unseen), "newer memory", "newer memories")
        parts.append(f"without {number}, added to it ({few(map(short, done.unseen))})")
    if done.past:
        said = few(f'"{plain(each)[:_LONGEST]}"' for each in done.past)
        parts.append(
            f"{len(done.past)} left out, deleted or replaced here before ({said}): muniment add says it again"
        )
    if done.doubled:
        lines = few(f"{line} (as {first})" for line, first in sorted(done.doubled.items()))
        parts.append(f"{count_of(len(done.doubled), 'line')} already in the list, written once: {lines}")
    return ", ".join(parts) or "nothing that the log did not know"


def is_overflow(path: str) -> bool:
    """Return whether a document is among the overflow files, so that it does not keep its name."""
    from documents.writing.folder import group_of_path

    return bool(group_of_path(path))


def removed(memory: MemoryLedger, done: Iterable[Adoption]) -> Iterator[str]:
    """Name the imported documents that were removed, and where their entries are now (D-49)."""
    folder = memory.workspace.place.documents
    gone = [each for each in done if each.came and each.ids and not (folder / each.path).exists()]
    if not gone:
        return
    shown = memory.workspace.local.shown_last(folder)
    where = {block.id: path for path, blocks in shown.items() for block in unpacked(blocks)}
    for each in gone:
        paths = sorted({where[id_] for id_ in each.ids if id_ in where})
        stands = f"stands in {', '.join(map(plain, paths))}" if paths else "is in the log"
        yield f"{plain(each.path)} was removed: what it said {stands}"


def hint(done: Adoption) -> str:
    """Return how to restore what was removed, or ""."""
    return (
        "; run muniment log to see what was removed, and muniment revert ID to bring it back"
        if "taken out" in done.counts() and not done.guard
        else ""
    )
