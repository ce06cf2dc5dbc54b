"""muniment add: learn a memory.

Implements specs/cli.md (X-14, X-15) and specs/state.md (S-13).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

import click

import muniment
from cli import write_notices
from cli.app import App, common_options
from cli.options import Verb, option
from cli.record_options import build, read_text, record_options
from language.printable import plain, short
from ledger.command import Written
from ledger.errors import LedgerError, UsageError
from ledger.fold import Entry
from ledger.memory import FROM, MOST_FROM, Memory
from muniment import MemoryLedger
from projections.configuration import is_no_person


@click.command("add", cls=Verb)
@click.argument("text")
@record_options
@option("--redact", is_flag=True, help="Store [redacted:RULE] in place of a secret instead of refusing.")
@option(
    "--from",
    "origins",
    metavar="ID",
    multiple=True,
    help="A memory that it was made from; may be repeated.",
)
@common_options
def command(app: App, text: str, record: dict[str, Any], redact: bool, origins: tuple[str, ...]) -> None:
    """Remember a fact or a rule.

    TEXT is one line; - reads it from standard input. Prints the id. If the section already contains the same
    text, nothing is stored and the existing id is printed.

    \b
    Examples:
      muniment add "Use pnpm, not npm" --type preference
      muniment add "Postgres listens on 5433" --section "Tool Usage" --tag postgres
      muniment add "Auth flow" --topic codebase/auth --when "login or session bugs" -F notes.md
      git log -1 --format=%s | muniment add - --type decision --source auto
    """
    if text == "-" and str(record["body_file"]) == "-":
        raise UsageError("TEXT and --file cannot both be read from standard input")
    wanted = build(record, read_text(text))
    if wanted.when_to_use and not wanted.topic:
        raise UsageError("--when says when a topic is shown: name the topic too, with --topic NAME")
    memory = app.memory()
    if origins:
        wanted = wanted.with_changes(unknown={FROM: _full(memory, origins)})
    again = (
        wanted.status == "active"
        and is_no_person(app.by(), muniment.home())
        and memory.workspace.was_proposed(wanted)
    )
    written = memory.store(wanted.with_changes(status="candidate") if again else wanted, redact=redact)
    _print(app, written)
    if written.known:
        _say_what_stands(app, memory.entry(written.id), wanted)
    else:
        if again:
            app.note("it was proposed before and is a candidate: a person accepts it with muniment review")
        _say_what_resembles(app, memory, written.id)
    write_notices.say(app, memory, written.redacted)


def _full(memory: MemoryLedger, ids: Iterable[str]) -> list[str]:
    """Return the full ids of memories, each once.

    Raises:
        UsageError: there are too many.
        NotFoundError: there is no such memory.
    """
    full = list(dict.fromkeys(memory.entry(id_).id for id_ in ids))
    if len(full) > MOST_FROM:
        raise UsageError(f"--from names {len(full)} memories; at most {MOST_FROM} are allowed")
    return full


def _print(app: App, written: Written) -> None:
    if app.json:
        app.emit({"id": written.id, "known": written.known, "redacted": list(written.redacted)})
    else:
        app.line(f"{short(written.id)}{'  known already' if written.known else ''}")


def _say_what_stands(app: App, entry: Entry, wanted: Memory) -> None:
    """Say what a person may miss in a memory that was known already."""
    if entry.status == "candidate" and wanted.status == "active":
        confirm = f"muniment confirm {short(entry.id)}"
        takes = (
            f"a person confirms it with {confirm} in a terminal"
            if is_no_person(app.by(), muniment.home())
            else f"run {confirm} to make it active"
        )
        app.note(f"it is a candidate: {takes}")
    if differing := _differing(entry, wanted):
        app.note(
            f"its {', '.join(differing)} stayed as before: muniment supersede {short(entry.id)} changes that"
        )


def _say_what_resembles(app: App, memory: MemoryLedger, id_: str) -> None:
    """Name a memory that says the same in other words, or contradicts it: both stay, since add replaces nothing."""
    from projections.similar_memories import resembling

    try:
        index = memory.workspace.index
        entry = index.entry(id_)
        if entry is None or entry.status != "active":
            return
        same, otherwise = resembling(index, entry)
    except (LedgerError, sqlite3.Error):
        return  # it is stored; a hint is worth no failure
    if same is not None:
        app.note(f"{short(same.id)} says the same: {plain(same.memory.text)}")
        app.note("both stay: run muniment consolidate to merge them, or muniment delete ID to remove one")
    if otherwise is not None:
        app.note(f"{short(otherwise.id)} contradicts it: {plain(otherwise.memory.text)}")
        app.note(f"both stay: run muniment delete {short(otherwise.id)} if that is no longer true")


def _differing(entry: Entry, wanted: Memory) -> list[str]:
    """Return the names of what a known memory does not have as it was asked for."""
    there = entry.memory
    compared = ("type", "importance", "confidence", "when_to_use", "category")
    names = [name for name in compared if getattr(there, name) != getattr(wanted, name)]
    if set(wanted.tags) - set(there.tags):
        names.append("tags")
    return [name.replace("_", " ") for name in names]
