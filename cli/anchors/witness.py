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
    """Have the witness at URL cosign a checkpoint.

    The witness compares the checkpoint with what it saw of this ledger before. URL is its submission prefix
    (c2sp.org/tlog-witness). Its operator must know this ledger's key, which muniment anchor checkpoint prints.
    The witness gets the checkpoint and a proof, but no memory. Its answer is checked with the key that you
    give, and added to the checkpoint's file.

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
