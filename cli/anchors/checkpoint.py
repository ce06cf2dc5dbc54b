"""muniment anchor checkpoint: sign what the ledger holds now.

Implements specs/cli.md (X-261) and specs/proofs.md (T-22, T-23).
"""

from __future__ import annotations

import click

from cli.app import App, common_options, put
from cli.progress import ProgressBar


@click.command("checkpoint")
@common_options
def command(app: App) -> int:
    """Sign a checkpoint of everything that the ledger holds now, and print it.

    It is a signed note (c2sp.org/tlog-checkpoint); a copy is kept under anchors/ in the ledger's directory. If
    nothing was learned since the last one, that one is printed. A chain that does not continue what was signed
    before is not signed: exit code 7.

    \b
    Examples:
      muniment anchor checkpoint > monday.checkpoint
      muniment anchor checkpoint --json | jq -r .vkey       the key that others check it by
    """
    from proofs.note import NoteKey, parse

    memory = app.memory()
    with ProgressBar("reading the chain") as progress:
        signed = memory.proofs.checkpoint(progress)
    made = signed.checkpoint
    key = memory.workspace.ledger.signing_key()
    vkey = NoteKey(made.origin, key.public).vkey
    if app.json:
        value = {
            "new": signed.new,
            "size": made.size,
            "root": made.root.hex(),
            "origin": made.origin,
            "vkey": vkey,
            "signatures": len(parse(signed.data).signatures),
            "path": str(signed.path),
            "checkpoint": signed.data.decode(),
        }
        app.emit(value)
    else:
        put(signed.data)
    did = "signed" if signed.new else "nothing was learned since this was signed:"
    app.note(f"{did} {made.size} events; kept as {signed.path}")
    app.note(f"others check it by the key {vkey}")
    return 0
