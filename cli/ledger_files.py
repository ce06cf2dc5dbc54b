"""Writes what a command gives away to a new file, which is never one of a ledger's own.

Implements specs/cli.md (X-64, X-84).
"""

from __future__ import annotations

import os
from pathlib import Path

from documents.folders import document_folders
from ledger.chain import CHAIN_NAME
from ledger.durable import replace_file, storage_error, write_new
from ledger.errors import UsageError
from ledger.location import PROJECT_FILE
from muniment import MemoryLedger


def refuse_own_file(memory: MemoryLedger, path: Path) -> None:
    """Refuse an output in a folder of a ledger: of its own files, its documents, the keys, or the state.

    Raises:
        UsageError: names the path.
    """
    home = memory.workspace.home
    folders = {
        home.path,
        memory.workspace.place.directory,
        home.keys,
        home.state,
        *map(Path, document_folders(memory.workspace)),
    }
    known = {os.path.realpath(folder) for folder in folders}
    real = Path(os.path.realpath(path.parent)) / path.name
    if _is_of_a_ledger(real.parent) or any(str(folder) in known for folder in real.parents):
        raise UsageError(f"{path} is in a ledger's own folder: choose another")


def write_output(path: Path, data: bytes, mode: int, *, replace: bool | None = None) -> None:
    """Write a file, whole or not at all; only with `replace` may something be there already, which it replaces.

    Raises:
        UsageError: something is there already; it names --force where `replace` is False, and the command has it.
        StorageError: the disk refuses.
    """
    try:
        if replace:
            replace_file(path, data, mode)
        else:
            write_new(path, data, mode)
    except FileExistsError:
        more = "" if replace is None else ", or add --force to replace it"
        raise UsageError(f"{path} exists already: choose another name{more}") from None
    except OSError as error:
        raise storage_error(error, "writing", path, left="nothing was written") from error


def _is_of_a_ledger(folder: Path) -> bool:
    return (folder / CHAIN_NAME).exists() or (folder / PROJECT_FILE).exists()
