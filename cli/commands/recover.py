"""muniment recover: go on after damage or a rollback.

Implements specs/cli.md (X-83, X-290); the work is `ledger.recovery`.
"""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

import muniment
from cli import person_only
from cli.app import App, common_options
from cli.consent import ask
from language.printable import short
from ledger import durable, location, reader
from ledger.errors import StateError
from muniment import MemoryLedger
from projections.requests import RECOVER

if TYPE_CHECKING:
    from ledger.recovery import ChainStanding, Recovered


@click.command("recover")
@click.option("-m", "--reason", metavar="REASON", required=True, help="Why; it is signed into the log.")
@click.option(
    "--from",
    "backup",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="BACKUP",
    help="Restore what is missing from a backup or a plain copy of chain.jsonl.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common_options
def command(app: App, reason: str, backup: Path | None, yes: bool) -> None:
    """Recover from damage or a rollback.

    Continues with the valid part of a chain that was damaged or rolled back; first reports what was found.
    Invalid bytes are moved to a file beside the chain, never dropped. A signed event states what was lost and
    opens a new epoch, so that everybody can see it. `muniment import FILE` restores the valid events among
    those bytes.

    With --from, uses the chain of a backup, or of a plain copy of chain.jsonl, if this chain is missing, empty,
    another ledger's, or ends earlier. If every event is there and only texts are damaged, just these are
    restored. If an agent or a script asks, the request waits for a person.

    \b
    Examples:
      muniment verify                                   shows every fault first
      muniment recover -m "disk failed on Friday"
      muniment recover -m "half the log was cut" --from ledger.backup
      muniment recover -m "chain.jsonl was deleted" --from ~/copies/chain.jsonl
    """
    go_on(app, reason, backup, yes=yes)


def go_on(app: App, reason: str, backup: Path | None, *, yes: bool = False) -> None:
    """Say what stands, ask, and recover; where no person asks for it, it waits for one."""
    from ledger.recovery import check_copy, nothing_to_recover

    with ExitStack() as stack:
        chain = _chain_of(backup, stack) if backup is not None else None
        known: list[str] = []
        memory = _ledger_of(app, chain)
        standing = memory.upkeep.examine(chain)
        _tell(app, standing)
        behind = _good_behind(memory.workspace.chain, standing)
        if behind:
            those = "event stands" if behind == 1 else "events stand"
            app.note(
                f"{behind} good {those} behind the fault: muniment import FILE brings back what they say, "
                "from the file that is set aside"
            )
        if chain is not None:
            theirs = _stand(chain, standing)
            _tell(app, theirs, f"{backup}: ")
            check_copy(backup or chain, theirs)
            question = _question(standing, theirs)
        elif standing.whole and not standing.blank:
            known = memory.proofs.behind()
            if not known:
                raise StateError(nothing_to_recover(standing))
            for sentence in known:
                app.note(sentence)
            question = f"Give up what came after @{standing.events - 1}, and go on from here?"
        else:
            question = "Go on from the last good event?"
        if person_only.is_nobody(app):
            person_only.file(app, memory, RECOVER, backup=str(backup.absolute()) if backup else "")
            person_only.wait(app, f"recover would ask: {question}")
        ask(question, yes=yes)
        done = memory.upkeep.recover(reason, backup=chain, behind=bool(known))
        _bind(memory)
        _print(app, memory, done, behind)


def _ledger_of(app: App, copy: Path | None) -> MemoryLedger:
    """Return the ledger that is meant: in a checkout whose project ledger is gone, that of which we have a copy."""
    from ledger import founding

    home = muniment.home()
    if copy is None or app.directory is not None or app.scope not in {None, "project"}:
        return app.memory()
    project = location.find_project(home, Path())
    if project is None or project.bound:
        return app.memory()
    place = location.in_project(home, project.root, project.id, "project")
    memory = MemoryLedger(place, home, by=app.by())
    pin = memory.workspace.state.pin_of(place.directory)
    if pin is None or memory.workspace.chain.exists() or founding.identity_of(copy)[1] != pin.genesis:
        return app.memory()
    durable.private_folder(place.directory)  # it is gone, and its databases need it
    return memory


def _bind(memory: MemoryLedger) -> None:
    """Bind the project's root again where its registry went with the ledger (F-5)."""
    place = memory.workspace.place
    if place.root is not None and not location.is_bound(memory.workspace.home, place.root, place.project):
        location.bind(memory.workspace.home, place.root, place.project)


def _question(ours: ChainStanding, theirs: ChainStanding) -> str:
    """Ask what the person is about to do; what is lost with it is in the question."""
    if theirs.lost is not None:
        return f"Take the copy's chain and give up what came after @{theirs.events - 1}?"
    if ours.mendable and theirs.events <= ours.events:
        return "Take what is damaged here from the copy?"
    return "Take the copy's chain and go on from there?"


def _good_behind(chain: Path, standing: ChainStanding) -> int:
    """Return how many events behind the last good one are good by themselves (I-25)."""
    from ledger import salvage

    if standing.tip is None or not standing.rest:
        return 0
    with reader.opened(chain) as fd:
        return salvage.salvage(reader.lines(fd, standing.tip.end), [standing.tip.link.key]).good


def _chain_of(backup: Path, stack: ExitStack) -> Path:
    """Return the chain file that a backup is or holds."""
    from ledger import archive

    if not archive.is_archive(backup):
        return backup
    return stack.enter_context(archive.unpacked(backup)).chain


def _stand(chain: Path, ours: ChainStanding) -> ChainStanding:
    from ledger import recovery

    with reader.opened(chain) as fd:
        return recovery.stand(fd, ours.mark)


def _tell(app: App, standing: ChainStanding, whose: str = "") -> None:
    """Say on stderr what was found, before anybody decides."""
    for sentence in standing.sentences():
        app.note(f"{whose}{sentence}")


def _print(app: App, memory: MemoryLedger, done: Recovered, behind: int) -> None:
    lost = {"seq": done.lost[0], "id": done.lost[1]} if done.lost else None
    if app.json:
        kept = str(done.kept) if done.kept else None
        mended, damaged = list(done.mended), list(done.damaged)
        app.emit({"id": done.id, "kept": kept, "lost": lost, "mended": mended, "damaged": damaged})
    else:
        app.line(f"{short(done.id)}  recovered: writing goes on from here")
        if done.mended:
            app.line(f"  taken from the copy: what {_seqs(done.mended)} said")
        if done.damaged:
            seqs = _seqs(done.damaged)
            app.line(f"  damaged in the copy too: {seqs}; muniment erase {seqs} -m REASON gives it up")
        if lost:
            app.line(f"  lost: what was acknowledged up to @{lost['seq']} ({short(str(lost['id']))})")
        if done.kept:
            app.line(f"  set aside: {done.kept}")
        if done.kept and behind:
            app.line(f"  bring back the good events in it: muniment import {shlex.quote(str(done.kept))}")
    if done.lost and done.kept is None:
        app.note("what was erased after the copy was made is back with it: erase it again")
    if memory.documents.outcome:
        app.report_paused(memory.documents.outcome.paused)


def _seqs(seqs: tuple[int, ...]) -> str:
    return " ".join(f"@{seq}" for seq in seqs)
