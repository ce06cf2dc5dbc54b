"""muniment anchor rfc3161: have a timestamping authority stamp a checkpoint.

Implements specs/cli.md (X-272) and specs/anchors.md (W-30, W-31).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.app import App, common_options
from proofs.trusting import trust


@click.command("rfc3161")
@click.argument("url")
@click.option(
    "--roots",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PEM",
    help="The authority's root certificates, to check the token with (default: anchor.roots of your config.toml).",
)
@common_options
def command(app: App, url: str, roots: Path | None) -> int:
    """Have the timestamping authority at URL stamp a checkpoint (RFC 3161), and keep its token.

    It gets a SHA-256 digest and nothing else. Without its root certificates the token is not checked now;
    muniment verify --roots PEM checks it later, offline. Needs the extra muniment[anchors].

    \b
    Examples:
      muniment anchor rfc3161 https://tsa.example/tsr --roots tsa-root.pem
    """
    from cli.anchors.anchor_report import tell

    memory = app.memory()
    tell(app, memory.anchors.anchor_rfc3161(url, trust(memory.workspace.home, roots=roots)))
    return 0
