"""muniment erase: blank what memories say, for good.

Implements specs/cli.md (X-28…X-31, X-290); the work is `proofs.erasing`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from cli import person_only
from cli.app import App, common_options
from cli.asking import answer, ask
from cli.options import Verb, option
from cli.record_options import read_text
from cli.show_entry import count_of
from language.printable import plain, short
from ledger.actor import is_terminal
from ledger.command import Written
from ledger.errors import NotFoundError, StateError, UsageError, WaitingError
from muniment import MemoryLedger
from projections.copy_places import WORKTREE
from projections.index_schema import INDEX_NAME
from projections.query import event
from projections.requests import ERASE
from projections.text_occurrences import cannot_be_read
from proofs.erasing.erasure import Erasure
from proofs.erasing.erasure_receipt import CopyFound

_SHOWN = 20
_FIRST = 60
"""So many characters of a text are shown of what is about to go."""
_AFTERWARDS = (
    "if it was a secret, revoke it now: git history, backups, snapshots and other copies keep it, "
    "and only this ledger was searched"
)


@click.command("erase", cls=Verb)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@option(
    "--match",
    "matches",
    multiple=True,
    metavar="TEXT",
    help="Every event that contains TEXT; - reads it from standard input.",
)
@option("-m", "--reason", metavar="REASON", default="", help="Why; it stays in the history.")
@option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common_options
def command(app: App, ids: tuple[str, ...], matches: tuple[str, ...], reason: str, *, yes: bool) -> int:
    """Permanently erase the text of memories.

    Erases all versions and reasons of a memory, or every event that contains TEXT. First lists the affected
    events, and if it asks you, how each text begins. Signatures and links stay valid; it stays visible that an
    event was there, and when.

    Removes every copy that muniment knows of: index, documents, pending items, files set aside and exports.
    Files that a person wrote, or that cannot be cleaned, are named, and the exit code is then 1. A signed
    receipt lists all of it; muniment verify FILE checks one. Only a person erases: requests of an agent or a
    script wait in muniment review (scripts = true in your own config.toml allows yours).

    \b
    Examples:
      muniment erase 3f2a9c81 -m "not ours to keep"
      muniment erase --match - -m "a token"       asks for the text: no shell history keeps it
      pass show old/token | muniment erase --match - --yes
    """
    if bool(ids) == bool(matches):
        raise UsageError("give ids, or --match TEXT")
    if len(matches) > 1:
        raise UsageError("give --match once: run the command once for each text")
    memory = app.memory()
    text = _text_to_match(matches[0], reason) if matches else ""
    targets = _that_say(app, memory, text) if text else tuple(dict.fromkeys(map(memory.recall.resolve, ids)))
    erasures = memory.erasures
    elsewhere = erasures.said_by_others(text) if text else erasures.said_alike_by_others(targets)
    if not targets:
        return _nothing_says_it(app, memory, text, elsewhere)
    going = memory.erasures.would_blank(targets, family=not text)
    if person_only.is_nobody(app):
        _leave_to_person(app, memory, targets, going, text)
    if going:
        _show(app, memory, going, text, said=not yes)
        ask(f"Blank {count_of(len(going), 'event')} for good?", yes=yes)
    written = memory.erasures.erase(targets, reason, family=not text, saying=text)
    return _tell(app, memory, written, elsewhere)


def _leave_to_person(
    app: App, memory: MemoryLedger, targets: Sequence[str], going: Sequence[str], text: str
) -> NoReturn:
    """Let it wait for a person; a text is noted nowhere, so they give it themselves.

    Raises:
        WaitingError: always.
    """
    what = f"{count_of(len(going), 'event')} would be erased permanently"
    if text:
        raise WaitingError(
            f"waiting for a person: {what}. Nothing was done; they run muniment erase --match - in a terminal"
        )
    person_only.file(app, memory, ERASE, *targets)
    person_only.wait(app, what)


def _text_to_match(match: str, reason: str) -> str:
    if match == "-" and is_terminal(sys.stdin):
        text = answer("Text to erase: ", hidden=True)
    else:
        text = read_text(match)
    if not text.strip():
        raise UsageError("the text to look for is empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text to look for is not UTF-8: convert it first") from None
    if text in reason:
        raise UsageError("the reason contains the text to be erased: give another reason")
    return text


def _that_say(app: App, memory: MemoryLedger, text: str) -> tuple[str, ...]:
    found = memory.erasures.that_say(text)
    if found.named:
        has = "has" if found.named == 1 else "have"
        app.note(f"{count_of(found.named, 'event')} {has} it in a name, which is signed and cannot be erased")
    return found.ids


def _nothing_says_it(app: App, memory: MemoryLedger, text: str, elsewhere: Sequence[str]) -> int:
    """Finish an earlier erasure that was hindered, and name the files that still hold a text that no event says.

    What could be cleaned stays, and is named: nobody was asked.

    Raises:
        StateError: events of other machines do.
        NotFoundError: none does.
    """
    if elsewhere:
        raise StateError(_by_others(elsewhere))
    left = memory.erasures.that_hold(text)
    if not left:
        raise NotFoundError("no event of this ledger contains that text; nothing was erased")
    if app.json:
        app.emit({"id": None, "erased": [], "documents": [], "still_in": [each.path for each in left]})
    app.note("no event of this ledger contains that text; nothing was erased")
    _name(app, memory, left)
    return 1


def _show(app: App, memory: MemoryLedger, ids: Sequence[str], text: str, *, said: bool) -> None:
    """List on stderr the affected events: when, which, of what kind; with `said`, at a terminal alone, how each begins.

    The given text is left out of that: it may have been typed unseen.
    """
    said = said and not app.json and is_terminal(sys.stdin) and is_terminal(sys.stderr)
    for id_ in ids[:_SHOWN]:
        if row := event(memory.workspace.index, id_):
            shown = row.what.replace(text, "[…]") if text else row.what
            what = f"  {_first_words(shown)}" if said else ""
            app.note(f"  {row.at[:16].replace('T', ' ')}Z  {row.kind:<9}  {short(id_)}{what}")
    if len(ids) > _SHOWN:
        app.note(f"  and {len(ids) - _SHOWN} more")


def _first_words(text: str) -> str:
    """Return how a text begins, on one line that no terminal takes for a command."""
    words = " ".join(plain(text).split())
    return words if len(words) <= _FIRST else f"{words[:_FIRST].rsplit(' ', 1)[0]} …"


def _remedy(memory: MemoryLedger, path: Path, kind: str) -> str:
    """Return how a text leaves a file that still holds it."""
    if kind == WORKTREE:
        return "run muniment replay in that worktree"
    if path == memory.workspace.chain:
        return "it is in a signed head, which nothing can erase: never edit the chain"
    if path.name.startswith(INDEX_NAME):
        return "run muniment replay once no other process uses it"
    return "remove it there yourself"


def _by_others(places: Sequence[str]) -> str:
    """Return which events of other machines hold a text, and what to do about it (TM-23)."""
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f"other machines wrote it in {', '.join(places[:_SHOWN])}{more}, where it stays: run muniment erase --match there"


def _tell(app: App, memory: MemoryLedger, written: Written, elsewhere: Sequence[str]) -> int:
    """Print what was erased and where copies of it remain; return the exit code."""
    outcome, erasure = memory.documents.outcome, memory.erasures.last or Erasure()
    if app.json:
        result: dict[str, Any] = {
            "id": written.id,
            "erased": list(written.erased),
            "documents": sorted([*outcome.written, *outcome.removed]) if outcome else [],
            "cleaned": [{"kind": each.kind, "path": each.path} for each in erasure.cleaned],
            "still_in": [each.path for each in erasure.named],
            "receipt": str(erasure.receipt) if erasure.receipt else None,
            "elsewhere": list(elsewhere),
        }
        app.emit(result)
    else:
        blanked = (
            count_of(len(written.erased), "event") if written.erased else "already: nothing was left to blank"
        )
        app.line(f"{short(written.id)}  erased {blanked}")
        for each in erasure.cleaned:
            app.line(plain(f"  cleaned {each.kind} {each.path}"))
        if erasure.receipt:
            app.line(f"  receipt {erasure.receipt}")
    _name(app, memory, erasure.named)
    paused = outcome.paused if outcome else {}
    named = {each.path for each in erasure.named}
    app.report_paused({path: why for path, why in paused.items() if path not in named})
    app.note(_AFTERWARDS)
    if elsewhere:
        app.note(plain(_by_others(elsewhere)))
    return 1 if erasure.named or elsewhere else 0


def _name(app: App, memory: MemoryLedger, left: Sequence[CopyFound]) -> None:
    """Name the files that still hold a text, or may."""
    paused = memory.documents.outcome.paused if memory.documents.outcome else {}
    for each in left:
        path = Path(each.path)
        if why := cannot_be_read(path):
            text = f"STILL THERE? {path} cannot be read ({why}): make it readable, and check whether it contains it"
        else:
            why = each.why or paused.get(each.path, "")
            holds = "may hold it" if path.name.startswith(INDEX_NAME) else each.left
            text = (
                f"STILL THERE: {path}{f' ({why})' if why else ''} {holds}; {_remedy(memory, path, each.kind)}"
            )
        app.note(app.style(text, fg="red"))
