"""muniment blame: who wrote each line of a document.

Implements specs/cli.md (X-96).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from cli.app import App, common_options
from cli.as_of import as_of_option, looked_at
from cli.options import Verb
from cli.show_entry import COMPROMISED, columns
from documents.blame import NOBODY, UNKNOWN, BlamedLine
from documents.document_blame import EDITED, MISSING, OLDER, Blamed, blamed
from language.dates import day
from language.printable import plain, short, who
from projections.event_names import writer_json
from projections.index import Index
from projections.recall import Recall

_NOT_IN_THE_LOG = "not in the log (muniment adopt)"
_LONGEST_CONVERSATION = 24


@click.command("blame", cls=Verb)
@click.argument("file", metavar="FILE")
@as_of_option
@common_options
def command(app: App, *, file: str, as_of: str | None) -> None:
    """Show who wrote each line of a document.

    Prints for each line id, day, kind, author and conversation, then the line. FILE is MEMORY.md, an overflow
    file, a topic file or a daily note: its path, or its name. Each line shows the version that last changed it;
    muniment show --history ID shows all versions. Titles, headings, frontmatters and blank lines have no author.

    \b
    Examples:
      muniment blame MEMORY.md
      muniment blame codebase-structure/auth-module
      muniment blame 2026-11-20 --as-of @42
      muniment blame MEMORY.md --json | jq -r 'select(.state == "unknown") | .text'
    """
    with looked_at(app, as_of) as memory:
        found = blamed(memory.source, file)
        if app.json:
            app.emit_lines(_as_json(memory.source.index, line) for line in found.lines)
        else:
            app.lines(_table(app, found.lines))
        _say_what_it_is(app, memory, file, found)


def _say_what_it_is(app: App, memory: Recall, file: str, found: Blamed) -> None:
    path = memory.source.place.documents / found.path
    typed = Path(file)
    if typed.is_file() and not (path.exists() and typed.samefile(path)):
        app.note(f"blamed is {path}; the file {plain(file)} here is not a document of this ledger")
    if found.file == MISSING:
        app.note(f"{path} is missing; shown is what the log says. Run muniment replay to write it again")
    elif found.file == OLDER:
        app.note(
            f"{path} is an earlier rendering; shown is what the log says now. Run muniment replay to write it"
        )
    elif found.file == EDITED and any(line.state == UNKNOWN for line in found.lines):
        app.note(f"{path} was edited: run muniment adopt {plain(found.path)} to record its lines")


def _as_json(index: Index, line: BlamedLine) -> dict[str, Any]:
    version = line.version
    return {
        "line": line.number,
        "text": line.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        "state": line.state,
        "id": version.id if version else None,
        "seq": version.seq if version else None,
        "writer": writer_json(index, version) if version else None,
        "kind": _kind(line) or None,
        "learned": version.learned if version else None,
        "by": version.by._asdict() if version else None,
        "compromised": version.compromised if version else None,
        "conversation": version.memory.provenance.conversation if version else None,
        "memory": line.memory or None,
    }


def _kind(line: BlamedLine) -> str:
    if line.version is None:
        return ""
    return "supersede" if line.version.supersedes else "create"


def _cells(line: BlamedLine) -> tuple[str, ...]:
    version = line.version
    if version is None:
        return ("",) * 5
    conversation = plain(version.memory.provenance.conversation)
    if len(conversation) > _LONGEST_CONVERSATION:
        conversation = f"{conversation[: _LONGEST_CONVERSATION - 1]}…"
    return (
        short(version.id),
        day(version.learned),
        _kind(line),
        who(*version.by) + (f", {COMPROMISED}" if version.compromised else ""),
        conversation,
    )


def _table(app: App, lines: Sequence[BlamedLine]) -> Iterator[str]:
    known = columns([_cells(line) for line in lines])
    said = {UNKNOWN: _NOT_IN_THE_LOG, NOBODY: ""}
    margins = [said.get(line.state, row.rstrip()) for line, row in zip(lines, known, strict=True)]
    margin, digits = max(map(len, margins), default=0), len(str(len(lines)))
    for line, whose in zip(lines, margins, strict=True):
        text = plain(line.text.rstrip("\r\n").expandtabs(4))
        color = "yellow" if line.state == UNKNOWN else "cyan"
        yield f"{app.style(f'{whose:<{margin}}', fg=color)}  {line.number:>{digits}}) {text}".rstrip()
