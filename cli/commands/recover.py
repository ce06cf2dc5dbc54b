"""memledger recover: go on after damage or a rollback.

Implements specs/cli.md (X-83); the work is `ledger.recovery`.
"""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.app import App, common_options, short
from cli.consent import ask
from ledger.errors import StateError
from memledger import MemoryLedger

if TYPE_CHECKING:
    from ledger.recovery import Recovered, Standing


@click.command("recover")
@click.option("-m", "--reason", metavar="REASON", required=True, help="Why; it is signed into the log.")
@click.option(
    "--from",
    "backup",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="BACKUP",
    help="Take the longer chain of a backup (or of a chain file) that goes on where this one ends.",
)
@click.option("--yes", is_flag=True, help="Do it without asking.")
@common_options
def command(app: App, reason: str, backup: Path | None, yes: bool) -> None:
    """Go on with what is good of a chain that was damaged or rolled back; says first what was found.

    Bytes that are not good are set aside in a file beside the chain, never dropped. A signed event says
    what was lost and opens a new epoch, so that everybody can see that something happened here. What the
    good events among those bytes say comes back with `memledger import FILE`. A chain that is gone or has
    no good beginning needs `memledger restore`.

    \b
    Examples:
      memledger verify                                   shows every fault first
      memledger recover -m "disk failed on Friday"
      memledger recover -m "half the log was cut" --from ledger.backup
    """
    memory = app.memory()
    with ExitStack() as stack:
        chain = None
        standing = memory.examine()
        _tell(app, standing)
        behind = _good_behind(memory.chain, standing)
        if behind:
            those = "event stands" if behind == 1 else "events stand"
            app.note(
                f"{behind} good {those} behind the fault: memledger import FILE brings back what they say, "
                "from the file that is set aside"
            )
        if backup is not None:
            chain = _chain_of(backup, stack)
            _tell(app, _stand(chain, standing), f"{backup}: ")
        elif standing.whole:
            raise StateError("the chain is whole and reaches its mark: there is nothing to recover from")
        question = (
            "Take the backup's chain and go on from there?" if backup else "Go on from the last good event?"
        )
        ask(question, yes=yes)
        done = memory.recover(reason, backup=chain)
    _print(app, memory, done, behind)


def _good_behind(chain: Path, standing: Standing) -> int:
    """Return how many events behind the last good one are good by themselves (I-25)."""
    from ledger import reader, salvage

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


def _stand(chain: Path, ours: Standing) -> Standing:
    from ledger import reader, recovery

    with reader.opened(chain) as fd:
        return recovery.stand(fd, ours.mark)


def _tell(app: App, standing: Standing, whose: str = "") -> None:
    """Say on stderr what was found, before anybody decides."""
    for sentence in standing.sentences():
        app.note(f"{whose}{sentence}")


def _print(app: App, memory: MemoryLedger, done: Recovered, behind: int) -> None:
    lost = {"seq": done.lost[0], "id": done.lost[1]} if done.lost else None
    if app.json:
        app.emit({"id": done.id, "kept": str(done.kept) if done.kept else None, "lost": lost})
    else:
        app.line(f"{short(done.id)}  recovered: writing goes on from here")
        if lost:
            app.line(f"  lost: what was acknowledged up to @{lost['seq']} ({short(str(lost['id']))})")
        if done.kept:
            app.line(f"  set aside: {done.kept}")
        if done.kept and behind:
            app.line(f"  bring back the good events in it: memledger import {shlex.quote(str(done.kept))}")
    if memory.outcome:
        app.report_paused(memory.outcome.paused)
