"""muniment recover: go on after damage or a rollback.

Implements specs/cli.md (X-83, X-290); the work is `ledger.recovery`.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from cli import person_only
from cli.app import App, common_options
from cli.asking import ask
from cli.options import Verb, option
from language.printable import short
from ledger import backup_archive
from ledger.errors import LedgerError, OutsideError, StateError
from ledger.recovery import Recovered
from muniment import MemoryLedger
from projections.requests import RECOVER


@click.command("recover", cls=Verb)
@option("-m", "--reason", metavar="REASON", required=True, help="Why; it is signed into the log.")
@option(
    "--from",
    "backup",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="BACKUP",
    help="Restore what is missing from a backup or a plain copy of chain.jsonl.",
)
@option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common_options
def command(app: App, reason: str, backup: Path | None, yes: bool) -> None:
    """Recover from damage or a rollback.

    Continues with the valid part of a chain that was damaged or rolled back; first reports what was found.
    Invalid bytes are moved to a file beside the chain, never dropped. A signed event states what was lost and
    opens a new epoch, so that everybody can see it. `muniment import FILE` restores the valid events among
    those bytes.

    With --from, uses the chain of a backup, or of a plain copy of chain.jsonl, if this chain ends earlier. If every
    event is there and only texts are damaged, just these are restored. A chain that is gone needs none of this:
    copy chain.jsonl back to its place, or run muniment restore. If an agent or a script asks, the request waits for
    a person.

    \b
    Examples:
      muniment verify                                   shows every fault first
      muniment recover -m "disk failed on Friday"
      muniment recover -m "half the log was cut" --from ledger.backup
      muniment recover -m "a bad block" --from ~/copies/chain.jsonl
    """
    with backup_archive.chain_of(backup) as copy:
        memory = app.memory()
        found = memory.upkeep.examine(copy)
        for sentence in found.sentences(backup):
            app.note(sentence)
        question = found.question(backup)
        if backup is None and (there := _held_by_team(app, memory, found.ours.events)):
            raise StateError(
                f"your team has the missing events: run muniment recover --from {there} -m REASON instead"
            )
        if person_only.is_nobody(app):
            person_only.file(app, memory, RECOVER, backup=str(backup.absolute()) if backup else "")
            person_only.wait(app, f"recover would ask: {question}")
        ask(question, yes=yes)
        done = memory.upkeep.recover(reason, backup=copy, behind=bool(found.contradicted))
    _tell(app, memory, done, found.good)


def _held_by_team(app: App, memory: MemoryLedger, have: int) -> Path | None:
    """Return a copy of this chain from its team if that is longer than `have` events, else None (TM-44)."""
    try:
        team = memory.team
        return team.lines_of_ours(have) if team.folder.exists else None
    except OutsideError as error:
        app.note(f"{error} Your team may have the missing events, but could not be asked.")
    except LedgerError:
        pass  # the chain has no good beginning, or the team is not ours: neither helps
    return None


def _tell(app: App, memory: MemoryLedger, done: Recovered, good: int) -> None:
    """Print the result; `good` counts the good events among those set aside."""
    lost = {"seq": done.lost[0], "id": done.lost[1]} if done.lost else None
    if app.json:
        kept = str(done.kept) if done.kept else None
        mended, damaged = list(done.mended), list(done.damaged)
        app.emit({"id": done.id, "kept": kept, "lost": lost, "mended": mended, "damaged": damaged})
    else:
        app.line(f"{short(done.id)}  recovered: writing continues from here")
        if done.mended:
            app.line(f"  restored from the copy: what {_seqs(done.mended)} said")
        if done.damaged:
            seqs = _seqs(done.damaged)
            app.line(f"  damaged in the copy too: {seqs}; muniment erase {seqs} -m REASON gives it up")
        if lost:
            app.line(f"  lost: what was acknowledged up to @{lost['seq']} ({short(str(lost['id']))})")
        if done.kept:
            app.line(f"  set aside: {done.kept}")
        if done.kept and good:
            app.line(f"  bring back the good events in it: muniment import {shlex.quote(str(done.kept))}")
    if done.lost and done.kept is None:
        app.note("texts erased after the copy was made are back: erase them again")
    if memory.documents.outcome:
        app.report_paused(memory.documents.outcome.paused)


def _seqs(seqs: tuple[int, ...]) -> str:
    return " ".join(f"@{seq}" for seq in seqs)
