"""muniment anchor consistency: whether one checkpoint goes on from another.

Implements specs/cli.md (X-262) and specs/proofs.md (T-24).
"""

from __future__ import annotations

import base64
from pathlib import Path

import click

from cli.app import App, common_options
from cli.progress import ProgressBar
from language.printable import plain
from ledger.errors import UsageError


@click.command("consistency")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@common_options
def command(app: App, old: str, new: str) -> int:
    """Say whether checkpoint NEW continues checkpoint OLD, and print the proof of it.

    OLD and NEW are checkpoint files or numbers of events. The proof is one base64 hash a line, in the form of
    c2sp.org/tlog-witness; whoever has the two checkpoints can check it. Exits with 1 if NEW does not continue OLD.

    \b
    Examples:
      muniment anchor consistency monday.checkpoint friday.checkpoint
      muniment anchor consistency 100 250
    """
    memory = app.memory()
    with ProgressBar("reading the chain") as progress:
        done = memory.proofs.consistency(_side(old), _side(new), progress)
    if app.json:
        app.emit(
            {
                "consistent": not done.fault,
                "fault": done.fault,
                "old": {"size": done.old.size, "root": done.old.root.hex()},
                "new": {"size": done.new.size, "root": done.new.root.hex()},
                "proof": [base64.b64encode(each).decode() for each in done.proof],
            }
        )
    elif done.fault:
        app.line(plain(f"not consistent: {done.fault}"))
    else:
        app.lines(base64.b64encode(each).decode() for each in done.proof)
        app.note(f"consistent: the first {done.old.size} of {done.new.size} events are the same")
    return 1 if done.fault else 0


def _side(text: str) -> int | bytes:
    """Return a number of events, or the bytes of a checkpoint's file."""
    path = Path(text)
    if text.isascii() and text.isdigit() and not path.exists():
        return int(text)
    try:
        with path.open("rb") as file:
            return file.read(1 << 20)
    except OSError as error:
        raise UsageError(f"{text} is neither a number of events nor a file ({error.strerror})") from None
