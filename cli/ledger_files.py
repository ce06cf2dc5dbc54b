"""What a ledger is made of, so that no command writes its output over it.

Implements specs/cli.md (X-64, X-84).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from documents.folders import document_folders
from ledger.chain import CHAIN_NAME
from ledger.errors import UsageError
from ledger.lazy_pattern import lazy_pattern
from ledger.location import IGNORE_FILE, PROJECT_FILE, ROOTS
from muniment import MemoryLedger
from projections.configuration import CONFIG_NAME
from projections.index_schema import INDEX_NAME
from projections.layout import MEMORY_FILE
from projections.local import LOCAL_NAME
from projections.vectors.vector_store import VECTORS_NAME

_ANYWHERE = tuple(name.casefold() for name in (CHAIN_NAME, INDEX_NAME, LOCAL_NAME, VECTORS_NAME))
"""Names that no output gets, in no folder: whoever finds such a file takes it for a ledger's."""

_IN_ITS_FOLDER = lazy_pattern(
    rf"({CONFIG_NAME}|{PROJECT_FILE}|{ROOTS}|{IGNORE_FILE}|render\.lock|tree\.cache|{MEMORY_FILE}(\..*)?"
    r"|(memory|memories|keys|imported|anchors|before-recover-[^/]*)/.*)",
    re.IGNORECASE,
)
"""What lies in the folder of a ledger, or of its documents, beside these (specs/files.md)."""


def refuse_own_file(memory: MemoryLedger, path: Path) -> None:
    """Refuse an output at `path` where a file of this or another ledger stands or will stand.

    Raises:
        UsageError: names the path.
    """
    if belongs_to_a_ledger(memory, path):
        raise UsageError(f"{path} is the place of a ledger's own file: choose another")


def belongs_to_a_ledger(memory: MemoryLedger, path: Path) -> bool:
    """Say whether a file at `path` is, or would be taken for, a part of a ledger: by its name and its folders."""
    name = path.name.casefold()
    if any(name == own or name.startswith((f"{own}.", f"{own}-")) for own in _ANYWHERE):
        return True
    real = Path(os.path.realpath(path.parent)) / path.name
    home = memory.workspace.home
    if any(real.is_relative_to(os.path.realpath(folder)) for folder in (home.keys, home.state)):
        return True
    known = {os.path.realpath(folder) for folder in (home.path, *document_folders(memory.workspace))}
    return any(
        _IN_ITS_FOLDER.fullmatch(real.relative_to(folder).as_posix()) is not None
        for folder in real.parents
        if str(folder) in known or _is_of_a_ledger(folder)
    )


def _is_of_a_ledger(folder: Path) -> bool:
    return (folder / CHAIN_NAME).exists() or (folder / PROJECT_FILE).exists()
