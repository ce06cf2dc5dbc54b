"""muniment supersede: replace memories by a new one.

Implements specs/cli.md (X-18, X-19, X-291).
"""

from __future__ import annotations

from typing import Any

import click

from cli import person_only, write_notices
from cli.app import App, common_options
from cli.options import Verb, option
from cli.record_options import build, change_options, read_text
from documents import replacements
from documents.left_to_a_person import persons_part
from language.printable import plain, short
from ledger.actor import session
from ledger.command import Supersede
from ledger.errors import LedgerError, UsageError
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory
from ledger.verbs import base_of
from muniment import MemoryLedger

_LIKE_AN_ID = lazy_pattern(r"@[0-9]+|[0-9a-fA-F]{8,64}")


@click.command("supersede", cls=Verb)
@click.argument("words", nargs=-1, required=True, metavar="ID... TEXT")
@change_options
@option("--redact", is_flag=True, help="Store [redacted:RULE] in place of a secret instead of refusing.")
@common_options
def command(app: App, words: tuple[str, ...], record: dict[str, Any], redact: bool) -> None:
    """Replace memories with a new one.

    TEXT is the new memory; - reads it from standard input. Members that no option changes are kept from the
    first memory; an empty value (--topic "") removes one. Several ids become one memory. A deleted memory comes
    back. Older versions stay in the history.

    If an agent replaces what a person wrote, its text becomes a candidate, which replaces the old one when a
    person accepts it in muniment review.

    \b
    Examples:
      muniment supersede 3f2a9c81 "Postgres listens on 5432"
      muniment supersede 3f2a9c81 07be44d0 "Use tabs; spaces only in YAML" --type preference
      muniment supersede @41 - < new-text.txt
    """
    memory = app.memory()
    *ids, text = words
    if not ids or _names_an_event(memory, text):
        raise UsageError('give the ids and then the new text: muniment supersede ID "TEXT"')
    if text == "-" and str(record["body_file"]) == "-":
        raise UsageError("TEXT and --file cannot both be read from standard input")
    old = [memory.entry(id_) for id_ in ids]
    targets = list(dict.fromkeys(entry.id for entry in old))
    base = base_of(old[0])
    wanted = build(record, read_text(text), base)
    unchanged = len(targets) == 1 and old[0].live and wanted == base
    id_, redacted = targets[0], tuple[str, ...]()
    if not unchanged:
        _leave_to_person(app, memory, old, wanted, redact=redact)
        written = memory.supersede(targets, wanted, redact=redact)
        id_, redacted = written.id, written.redacted
    restored = [entry.id for entry in old if entry.status == "deleted"]
    if app.json:
        app.emit(
            {
                "id": id_,
                "changed": not unchanged,
                "supersedes": [] if unchanged else targets,
                "restored": restored,
                "merged": len(targets) > 1,
                "redacted": list(redacted),
            }
        )
    elif unchanged:
        app.line(f"{short(id_)}  says that already; nothing was stored")
    else:
        app.line(f"{short(id_)}  {_what_it_did(old, restored)}")
    write_notices.say(app, memory, redacted)


def _leave_to_person(
    app: App, memory: MemoryLedger, old: list[Entry], wanted: Memory, *, redact: bool
) -> None:
    """Propose it beside what a person wrote, where no person asks for it.

    Raises:
        WaitingError: then.
    """
    command = Supersede(tuple(entry.id for entry in old), wanted)
    if not persons_part(memory.workspace, [command]) or not person_only.is_nobody(app):
        return
    id_ = replacements.propose(memory.scope, old, wanted, app.by().name, session(), redact=redact)
    person_only.wait(
        app,
        f"{short(id_)} is a candidate that would replace {' '.join(short(entry.id) for entry in old)}",
        "Until then nothing changes",
    )


def _names_an_event(memory: MemoryLedger, text: str) -> bool:
    """Return whether TEXT is an existing id: then the text was forgotten."""
    if not _LIKE_AN_ID.fullmatch(text):
        return False
    try:
        memory.recall.resolve(text)
    except LedgerError:
        return False
    return True


def _what_it_did(old: list[Entry], restored: list[str]) -> str:
    each = {entry.id: entry for entry in old}
    if len(each) > 1:
        names = ", ".join(short(id_) for id_ in each)
        back = f"; {', '.join(map(short, restored))} had been deleted" if restored else ""
        return f"merges {names}{back}"
    entry = old[0]
    verb = "brings back" if restored else "supersedes"
    return f"{verb} {short(entry.id)}  {plain(entry.memory.text)}"
