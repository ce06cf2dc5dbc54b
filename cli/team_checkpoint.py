"""What `muniment team checkpoint` says: the note that was signed, and how what is here compares with one.

Implements specs/cli.md (X-359).
"""

from __future__ import annotations

from pathlib import Path

from cli.app import App, put
from cli.ledger_files import refuse_own_file, write_output
from cli.proof_file import read
from cli.show_entry import count_of, fields
from language.printable import plain
from ledger import note
from proofs.signed_team_checkpoints import (
    AHEAD,
    BEHIND,
    DIFFERS,
    SAME,
    Compared,
    ComparedChain,
    TeamCheckpoints,
)
from proofs.team_checkpoint import parse

_VERDICTS = {
    SAME: "the same history",
    AHEAD: "the same history, and more since",
    BEHIND: "a part of that history is not here yet: run muniment team sync, then this again",
    DIFFERS: "another history: a chain was rewritten, or the signer was shown another one",
}
_COLORS = {SAME: "green", AHEAD: "green", BEHIND: "yellow", DIFFERS: "red"}


def sign(app: App, output: Path | None) -> None:
    """Print a signed checkpoint, or write it into a file."""
    memory = app.memory()
    if output is not None:
        refuse_own_file(memory, output)
    data = TeamCheckpoints(memory.team.folder, memory.workspace).signed()
    made, _ = parse(data)
    if output is not None:
        write_output(output, data, 0o644)
    if app.json:
        chains = [
            {"id": each.genesis, "epoch": each.epoch, "size": each.size, "root": each.root.hex()}
            for each in made.chains
        ]
        value = {"team": made.team, "rosters": made.rosters, "chains": chains, "checkpoint": data.decode()}
        app.emit({**value, "path": str(output) if output else None})
    elif output is None:
        put(data)
    signed = (
        f"signed {count_of(len(made.chains), 'chain')}, {count_of(sum(e.size for e in made.chains), 'event')}"
    )
    app.note(f"{signed} in {plain(str(output))}" if output else signed)


def check(app: App, path: Path) -> int:
    """Compare what is here with the checkpoint in a file; return the exit code."""
    memory = app.memory()
    found = TeamCheckpoints(memory.team.folder, memory.workspace).compared(
        read(path, "checkpoint", note.MAX_BYTES)
    )
    if app.json:
        app.emit(
            {
                "state": found.state,
                "signer": found.signer,
                "rosters": found.rosters,
                "chains": [each._asdict() for each in found.chains],
            }
        )
    else:
        _print(app, found)
    return 0 if found.state in (SAME, AHEAD) else 1


def _print(app: App, found: Compared) -> None:
    app.line(app.style(_VERDICTS[found.state], fg=_COLORS[found.state]))
    rows = [("signed by", plain(found.signer)), ("rosters", found.rosters)]
    rows += [(plain(each.label), _beside(each)) for each in found.chains]
    app.lines(fields(rows, "  "))


def _beside(each: ComparedChain) -> str:
    return f"{each.state}: {count_of(each.here, 'event')} here, {each.there} in the checkpoint"
