"""muniment anchor list: the checkpoints that were signed, and what lies beside them.

Implements specs/cli.md (X-263).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.app import App, common_options
from language.printable import plain
from proofs import note
from proofs.proof import receipts_beside

if TYPE_CHECKING:
    from proofs.signed_checkpoints import Stored

_GIVEN_UP = "  given up by a recover"


@click.command("list")
@common_options
def command(app: App) -> int:
    """List the stored checkpoints that this ledger's keys signed, and what others gave for each.

    \b
    Examples:
      muniment anchor list
      muniment anchor list --json
    """
    memory = app.memory()
    found = memory.proofs.checkpoints()
    kept = {each.data for each in memory.proofs.checkpoints(given_up=False)}
    if app.json:
        app.emit_lines(_value(each) | {"given_up": each.data not in kept} for each in found)
    else:
        app.lines(f"{_line(each)}{'' if each.data in kept else _GIVEN_UP}" for each in found)
        if not found:
            app.note("no checkpoint was signed: muniment anchor checkpoint signs one")
    return 0


def _value(each: Stored) -> dict[str, Any]:
    made = each.checkpoint
    return {
        "size": made.size,
        "root": made.root.hex(),
        "origin": made.origin,
        "path": str(each.path) if each.path.exists() else None,
        "cosignatures": _others(each),
        "receipts": [receipt.kind for receipt in receipts_beside(each.path)],
    }


def _line(each: Stored) -> str:
    made = each.checkpoint
    epoch = each.origin.epoch if each.origin else "?"
    others = [f"{count} cosignature{'s' if count > 1 else ''}"] if (count := _others(each)) else []
    others += [receipt.kind for receipt in receipts_beside(each.path)]
    where = plain(str(each.path)) if each.path.exists() else "remembered only: its file is gone"
    return (
        f"{made.size:>8} events  epoch {epoch}  {made.root.hex()[:16]}…  {', '.join(others) or '-'}  {where}"
    )


def _others(each: Stored) -> int:
    return len(note.parse(each.data).signatures) - 1
