"""Where the ledger itself shows what is erased: its payload, its index, the documents; what the receipt says of each.

Implements specs/erasure.md (Z-26, Z-27). Documents are looked at before the event and compared behind it: one that held
it and was written anew since, or is gone, was cleaned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from documents.folders import document_folders
from ledger.event import Event
from projections.index_schema import INDEX_NAME
from projections.text_occurrences import document_files
from projections.workspace import Workspace
from proofs.erasing.erasure_receipt import WITHHELD, CopyFound
from proofs.erasing.residue import WHOLE, Residue

PAYLOAD, INDEX, DOCUMENT = "payload", "index with full text and freed pages", "document"
_TOPICS = "memories"


def documents_that_hold(memory: Workspace, residue: Residue) -> dict[str, str]:
    """Return the documents that say it now, each with a stamp of the file; no digest, by which it could be guessed (Z-30).

    Args:
        memory: the ledger.
        residue: what to look for, without excuses: of two equal lines one goes.
    """
    found = {}
    for folder in document_folders(memory):
        for path in document_files(folder):
            if path.suffix == ".md":
                with suppress(OSError):
                    if residue.holds(path.read_bytes()):
                        found[str(path)] = _stamp(path)
    return found


def cleaned(memory: Workspace, blanked: tuple[Event, ...], held: Mapping[str, str]) -> Iterator[CopyFound]:
    """Give what of these places is rid of it, or may not be; a document that still says it is named by who looked.

    Args:
        memory: the ledger.
        blanked: the events that were to be blanked, as the chain has them now.
        held: what `documents_that_hold` returned.
    """
    there = any(not event.erased for event in blanked)
    yield CopyFound(PAYLOAD, str(memory.chain), WHOLE if there else "")
    if memory.current.is_clean():
        yield CopyFound(INDEX, str(memory.place.directory / INDEX_NAME))
    else:
        yield CopyFound(INDEX, str(memory.place.directory / INDEX_NAME), "may hold it")
    paused = {
        str(folder / path) for folder in document_folders(memory) for path in memory.local.paused(folder)
    }
    for path, stamp in sorted(held.items()):
        stands = now(Path(path))
        if not stands and _TOPICS in Path(path).parts:  # nothing but what was erased gave it its name
            yield CopyFound(DOCUMENT, WITHHELD)
        elif stands != stamp:
            yield CopyFound(DOCUMENT, path)
        elif path in paused:
            yield CopyFound(DOCUMENT, path, "may hold it")


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


def now(path: Path) -> str:
    """Return a stamp of a file as it is now, "" where it is gone."""
    try:
        return _stamp(path)
    except FileNotFoundError:
        return ""
    except OSError:
        return "unreadable"


def _stamp(path: Path) -> str:
    """Return what changes where a file is written anew or saved again."""
    status = path.stat()
    return f"{status.st_dev}:{status.st_ino}:{status.st_mtime_ns}"
