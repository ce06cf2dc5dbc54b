"""Every place where a copy of what a ledger says may lie beside chain, index and documents, and what is done with it.

Implements specs/erasure.md (Z-7…Z-9). Ours are cleaned; what somebody typed, or was given, is only named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from documents.folders import document_folders
from documents.session_buffer import BUFFER_NAME
from ledger.chain import CHAIN_NAME
from ledger.location import worktrees_that_show
from projections import output_files
from projections.copy_places import (
    BOOKKEEPING,
    BUFFER,
    EVENTS,
    EXPORT,
    LINES,
    LINKED,
    NAMED,
    PROOF,
    TEXTS,
    VECTORS,
    WORKTREE,
    Copy,
    CopyPlaces,
    files_in,
)
from projections.index_schema import INDEX_NAME
from projections.local import LOCAL_NAME
from projections.text_occurrences import document_files
from projections.vectors.vector_store import VECTORS_NAME
from projections.workspace import Workspace


def copies(memory: Workspace, ledger_id: str, others: Iterable[CopyPlaces]) -> Iterator[Copy]:
    """Yield every file of ledger, state and documents that may hold a copy, those of `others`, and those that it gave away."""
    yield from _of_the_ledger(memory.place.directory)
    for path in files_in(memory.home.state / "hooks" / "spool"):
        yield Copy(path, "spool", TEXTS)
    for places in others:
        yield from places.copies(memory, ledger_id)
    yield from _of_people(memory)
    for path in output_files.sweep(memory.local):
        yield Copy(path, "file that is being written", NAMED)
    for each in output_files.given(memory.local):
        way = {output_files.EXPORT: EXPORT, output_files.PROOF: PROOF}.get(each.kind, NAMED)
        yield Copy(each.path, each.kind, way if each.unchanged else NAMED)


def _of_the_ledger(directory: Path) -> Iterator[Copy]:
    for path in files_in(directory):
        if path.name.startswith((f"{CHAIN_NAME}.torn-", f".{CHAIN_NAME}.")):
            yield Copy(path, "torn tail", EVENTS)
        elif path.name.startswith(f"{LOCAL_NAME}.damaged-"):
            yield Copy(path, "damaged local state", BOOKKEEPING)
        elif path.name == VECTORS_NAME:
            yield Copy(path, "vectors", VECTORS)
    for folder in sorted(each for each in directory.glob("before-recover-*") if not each.is_symlink()):
        for path in sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()):
            yield Copy(path, "kept by recover", BOOKKEEPING if path.name.startswith(INDEX_NAME) else LINES)


def _of_people(memory: Workspace) -> Iterator[Copy]:
    ours = {folder.resolve() for folder in document_folders(memory)}
    for folder in worktrees_that_show(memory.place, memory.home):
        for path in document_files(folder) if folder.resolve() not in ours else ():
            yield Copy(path, WORKTREE, NAMED)
    yield from _behind_links(memory)
    for folder in dict.fromkeys([*document_folders(memory), memory.place.own_folder]):
        yield Copy(folder / BUFFER_NAME, BUFFER, NAMED)
        for path in document_files(folder):
            if path.suffix != ".md":
                yield Copy(path, "edited copy", NAMED)


def _behind_links(memory: Workspace) -> Iterator[Copy]:
    """Yield the targets of links among the documents that are not documents: nothing is written there (P-86)."""
    every = [path for folder in document_folders(memory) for path in document_files(folder)]
    whole = {path for path in every if path.resolve() == path.parent.resolve() / path.name}
    known = {path.resolve() for path in whole}
    for path in every:
        if path not in whole and path.resolve() not in known:
            yield Copy(path.resolve(), LINKED, NAMED)
