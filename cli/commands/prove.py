"""muniment prove: a file that proves one memory to others.

Implements specs/cli.md (X-264), specs/proofs.md (T-41) and specs/erasure.md (Z-9).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.app import App, common_options, put
from cli.ledger_files import refuse_own_file, write_output
from cli.options import Verb, option
from cli.progress import ProgressBar
from cli.proof_file import read
from language.printable import plain, short
from ledger.fold import Entry
from projections.output_files import PROOF, giving


@click.command("prove", cls=Verb)
@click.argument("id_", metavar="ID")
@option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it (default, and -: stdout).",
)
@option(
    "--checkpoint",
    "under",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The checkpoint to prove it under (default: the newest that others confirmed, else the newest).",
)
@option("--without-text", is_flag=True, help="Prove the event without its text.")
@common_options
def command(app: App, id_: str, output: Path | None, under: Path | None, *, without_text: bool) -> int:
    """Export a proof of one memory.

    The file proves what the memory says, who signed it, and its position in the ledger. Others check it with
    muniment verify FILE --key VKEY, without this ledger. muniment key show prints your VKEY: give it to them
    yourself, not along with the file. The file contains the text of this memory and of no other. If no
    checkpoint covers the memory, one is signed.

    \b
    Examples:
      muniment prove 3f2a9c81 -o memory.proof
      muniment prove @41 --without-text -o memory.proof     only that it was there
      muniment verify memory.proof --key "$VKEY"
    """
    memory = app.memory()
    path = None if output is None or str(output) == "-" else output
    if path is not None:
        refuse_own_file(memory, path)
    with ProgressBar("reading the chain") as progress:
        made = memory.proofs.prove(
            id_, read(under, "checkpoint") if under else None, progress=progress, text=not without_text
        )
    data = made.proof.encode()
    if path is not None:
        with giving(memory.workspace.local, path, PROOF):
            write_output(path, data, 0o644)
    under_size = made.under.checkpoint.size
    entry = memory.workspace.index.entry(made.id)
    if app.json:
        app.emit(
            {
                "id": made.id,
                "seq": made.proof.index,
                "path": str(path) if path else None,
                "checkpoint": {"size": under_size, "path": str(made.under.path)},
                "text": made.proof.payload is not None,
                "status": entry.status if entry else None,
                "disowned": made.disowned,
                "receipts": [each.kind for each in made.proof.receipts],
                "proof": data.decode() if path is None else None,
            }
        )
    elif path is None:
        put(data)
    else:
        app.line(f"{short(made.id)}  @{made.proof.index} of {under_size} events  {plain(str(path))}")
    if made.disowned is not None:
        app.note(f"by a compromised key: @{made.disowned} disowns it, and verifying the file shows that")
    if made.proof.payload is None:
        app.note("what it says is not in the file")
    if entry is not None and not entry.live:
        app.note(f"{_since(entry)}: the file proves that it was said, not that it is current")
    return 0


def _since(entry: Entry) -> str:
    """Return why a memory is no longer current."""
    by = ", ".join(short(id_) for id_ in entry.superseded_by)
    return f"no longer current, {entry.status}{f' by {by}' if by and entry.status == 'superseded' else ''}"
