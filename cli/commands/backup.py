"""muniment backup: one archive of a ledger.

Implements specs/cli.md (X-84); the work is `MemoryLedger.backup`.
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.app import App, common_options
from cli.asking import ask
from cli.ledger_files import refuse_own_file
from cli.options import Verb, option
from cli.progress import ProgressBar

_KEYS = "Anyone who gets the archive can then write as this ledger. Include the private keys?"


@click.command("backup", cls=Verb)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@option("--keys", is_flag=True, help="Include the private keys; asks first.")
@option("--force", is_flag=True, help="Replace FILE if it exists.")
@option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common_options
def command(app: App, file: Path, keys: bool, force: bool, yes: bool) -> None:
    """Back up a ledger to one file.

    FILE is an archive of the chain, the local state and, with --keys, the private keys; in a team also of its rosters
    and of where it syncs, but not of the other members' chains, which a sync fetches again. The chain is verified
    first, so that FILE can be restored. The archive is not encrypted: it holds every memory, and what you erase
    later stays in it.

    \b
    Examples:
      muniment backup ~/backups/memory-2026-11-20.tar.gz
      muniment backup /media/stick/moving.tar.gz --keys
      muniment --scope project backup project.tar.gz
    """
    memory = app.memory()
    refuse_own_file(memory, file)
    if keys:
        ask(_KEYS, yes=yes)
    with ProgressBar("verifying") as progress:
        manifest = memory.upkeep.backup(file, keys=keys, replace=force, progress=progress)
    if app.json:
        app.emit({"file": str(file), "bytes": file.stat().st_size, **manifest.to_json()})
    else:
        size = file.stat().st_size
        app.line(f"{file}  {size:,} bytes, {manifest.seq + 1} events up to @{manifest.seq}")
    app.note(f"only you can read {file} (mode 600); it is not encrypted{_about_keys(keys)}")


def _about_keys(keys: bool) -> str:
    if keys:
        return ", and anyone who has it can write as this ledger"
    return ", and without the private keys: back them up separately, or use --keys"
