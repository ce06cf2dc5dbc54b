"""muniment anchor witness: have a witness cosign a checkpoint.

Implements specs/cli.md (X-271) and specs/anchors.md (W-50…W-54).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.app import App, common_options
from proofs.trusting import trust


@click.command("witness")
@click.argument("url")
@click.option("--vkey", "vkeys", multiple=True, metavar="VKEY", help="The witness's key. May be repeated.")
@click.option(
    "--policy",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A policy file that has its key (default: anchor.policy or anchor.witness of your config.toml).",
)
@common_options
def command(app: App, url: str, vkeys: tuple[str, ...], policy: Path | None) -> int:
    """Have the witness at URL cosign a checkpoint: it compares it with what it saw of this ledger before.

    URL is its submission prefix, as c2sp.org/tlog-witness has it. Its operator must know this ledger's key:
    muniment anchor checkpoint prints it. The witness gets the checkpoint and a proof, no memory. What it
    answers is checked by the key that you give, and stands in the checkpoint's file from then on.

    \b
    Examples:
      muniment anchor witness https://witness.example/ --vkey witness.example+1a2b3c4d+BHu…
      muniment anchor witness https://witness.example/ --policy ~/witnesses.policy
    """
    from cli.anchors.anchor_report import tell

    memory = app.memory()
    trusted = trust(memory.workspace.home, policy=policy, witnesses=vkeys)
    tell(app, memory.anchors.anchor_witness(url, trusted.witness_keys()))
    return 0
