"""Where the ledger itself shows what is erased: its payload, its index, the documents; what the receipt says of each.

Implements specs/erasure.md (Z-26, Z-27).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from documents.folders import document_folders
from ledger.event import Event
from projections.index_schema import INDEX_NAME
from projections.workspace import Workspace
from proofs.erasing.erasure_receipt import WITHHELD, CopyFound
from proofs.erasing.residue import WHOLE

PAYLOAD, INDEX = "payload", "index with full text and freed pages"
DOCUMENT, DOCUMENTS = "document", "documents"


def cleaned(
    memory: Workspace, blanked: tuple[Event, ...], *, clean: bool, behind: bool
) -> Iterator[CopyFound]:
    """Yield which of these places are rid of it, and which may not be.

    Args:
        memory: the ledger.
        blanked: the events that were to be blanked, as the chain has them now.
        clean: nothing hindered that documents were rendered.
        behind: whether documents were looked at behind the event, so that those that hold it are named already.
    """
    there = any(not event.erased for event in blanked)
    yield CopyFound(PAYLOAD, str(memory.chain), WHOLE if there else "")
    yield CopyFound(
        INDEX, str(memory.place.directory / INDEX_NAME), "" if memory.current.is_clean() else "may hold it"
    )
    for folder in document_folders(memory):
        paused = memory.local.paused(folder)
        if clean and not paused:
            yield CopyFound(DOCUMENTS, str(folder))
        elif not behind:
            yield from (CopyFound(DOCUMENT, str(folder / path), "may hold it") for path in paused)


def told(memory: Workspace, found: Iterable[CopyFound]) -> list[CopyFound]:
    """Return what a receipt tells: each file once, as it was found last, by a path that can be given away."""
    each = {(one.path, one.kind if one.path == WITHHELD else ""): one for one in found}
    return [replace(one, path=relative(memory, one.path)) for one in each.values()]


def relative(memory: Workspace, path: str) -> str:
    """Return a path as a receipt has it, which is given away: from the ledger's folder, the project's root or ~."""
    place = memory.place
    for base, before in ((place.directory, ""), (place.root, ""), (Path.home(), "~/")):
        if base is not None and Path(path).is_relative_to(base):
            return f"{before}{Path(path).relative_to(base)}"
    return path
