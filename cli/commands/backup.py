"""memledger backup: one archive of a ledger.

Implements specs/cli.md (X-84); the work is `ledger.archive`.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.app import App, common_options
from cli.consent import ask
from cli.progress import ProgressBar
from ledger.errors import StorageError
from memledger import MemoryLedger
from projections.heads import cores

if TYPE_CHECKING:
    from ledger.archive import Manifest

_KEYS = "Whoever gets the archive can then write as this ledger. Put the private keys into it?"


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--keys", is_flag=True, help="Put the private keys in as well; asks first.")
@click.option("--force", is_flag=True, help="Replace FILE where it exists.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@common_options
def command(app: App, file: Path, keys: bool, force: bool, yes: bool) -> None:
    """Make FILE, one archive of the chain, the local state and, with --keys, the private keys.

    The chain is verified first, so that what is in FILE can be restored. The archive is not encrypted: it
    holds every memory, and what is erased later stays in it.

    \b
    Examples:
      memledger backup ~/backups/memory-2026-11-20.tar.gz
      memledger backup /media/stick/moving.tar.gz --keys
      memledger --scope project backup project.tar.gz
    """
    memory = app.memory()
    if keys:
        ask(_KEYS, yes=yes)
    with ProgressBar("verifying") as progress:
        manifest = make(memory, file, keys=keys, replace=force, progress=progress)
    if app.json:
        app.emit({"file": str(file), "bytes": file.stat().st_size, **manifest.to_json()})
    else:
        size = file.stat().st_size
        app.line(f"{file}  {size:,} bytes, {manifest.seq + 1} events up to @{manifest.seq}")
    app.note(f"only you can read {file} (mode 600); it is not encrypted{_about_keys(keys)}")


def _about_keys(keys: bool) -> str:
    if keys:
        return ", and whoever has it can write as this ledger"
    return ", and without the private keys: back them up apart, or use --keys"


def make(
    memory: MemoryLedger,
    into: Path,
    *,
    keys: bool,
    replace: bool = False,
    progress: ProgressBar | None = None,
) -> Manifest:
    """Make the archive `into` of a ledger; see `ledger.archive.write` for what is raised.

    Raises:
        KeyFileError: `keys` are asked for and are not here.
        StorageError: the local state cannot be read.
    """
    from ledger import archive
    from ledger.founding import identity_of
    from ledger.keys import KeyDirectory
    from ledger.verify import Expectation
    from projections.snapshot import copy_database

    identity, genesis = identity_of(memory.chain)
    pin = memory.state.pin_of(memory.place.directory)
    mark = memory.state.mark_of(pin.ledger if pin else identity.id).read()
    expect = Expectation(pin.genesis if pin else genesis, None, mark)
    files = {name: memory.place.directory / name for name in (archive.CONFIG, archive.ROOTS)}
    if keys:
        directory = KeyDirectory(memory.home.keys)
        directory.load(identity.id)
        paths = [directory.path_of(identity.id, following=following) for following in (False, True)]
        files |= {f"keys/{path.name}": path for path in paths}
    with tempfile.TemporaryDirectory() as scratch:
        files[archive.LOCAL] = Path(scratch) / archive.LOCAL
        try:
            copy_database(memory.place.directory / archive.LOCAL, files[archive.LOCAL])
        except sqlite3.DatabaseError as error:
            raise StorageError(
                f"the local state {memory.place.directory / archive.LOCAL} cannot be read: {error}; "
                "memledger doctor says what to do; no backup was made"
            ) from error
        there = {name: path for name, path in sorted(files.items()) if path.exists()}
        source = archive.Source(memory.chain, identity, expect, memory.place.project, there)
        return archive.write(
            source, into, replace=replace, jobs=cores(), clock=memory.clock, progress=progress
        )
