"""Every place where a copy of what a ledger says may lie beside chain, index and documents, and what is done with it.

Implements specs/erasure.md (Z-7…Z-9). Ours are cleaned; what somebody typed, or was given, is only named.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from documents.session_buffer import BUFFER_NAME
from keeping import Keeping
from learning.kept import OUTBOX, WINDOWS
from learning.taken_from_agents import followed
from ledger.chain import CHAIN_NAME
from ledger.location import worktrees_that_show
from projections import given
from projections.index_schema import INDEX_NAME
from projections.local import LOCAL_NAME
from projections.matches import document_files

EVENTS, TEXTS, WHOLE, BOOKKEEPING, LINES, EXPORT, PROOF, NAMED = (
    "events", "texts", "whole", "bookkeeping", "lines", "export", "proof", "named",
)  # fmt: skip
"""How a copy is cleaned: the payloads of its events blanked; strings of a JSON file emptied; the file taken away, of
BOOKKEEPING whatever it says; lines taken out; the rows of erased memories taken out; the text left out of a proof.
NAMED is not cleaned."""

WORKTREE = "document that git checked out"
LOCAL, BUFFER = "local state", "session buffer"
LINKED = "file behind a link"


class Copy(NamedTuple):
    """A file that may hold a copy: what it is, in a word or two, and how it is cleaned."""

    path: Path
    kind: str
    way: str


def copies(memory: Keeping, ledger_id: str) -> Iterator[Copy]:
    """Give every file of ledger, state and documents that may hold a copy, and those that it gave away."""
    yield from _of_the_ledger(memory.place.directory)
    yield from _of_the_state(memory.home.state, ledger_id)
    yield from _of_people(memory)
    for path in given.sweep(memory.local):
        yield Copy(path, "file that is being written", NAMED)
    for each in given.given(memory.local):
        way = {given.EXPORT: EXPORT, given.PROOF: PROOF}.get(each.kind, NAMED)
        yield Copy(each.path, each.kind, way if each.unchanged else NAMED)


def _of_the_ledger(directory: Path) -> Iterator[Copy]:
    for path in _files(directory):
        if path.name.startswith((f"{CHAIN_NAME}.torn-", f".{CHAIN_NAME}.")):
            yield Copy(path, "torn tail", EVENTS)
        elif path.name.startswith(f"{LOCAL_NAME}.damaged-"):
            yield Copy(path, "damaged local state", BOOKKEEPING)
    imported = directory / "imported"
    for path in _files(imported):
        behind = imported.is_symlink()  # somebody else's files: named, and not written (F-19)
        yield Copy(path.resolve(), LINKED, NAMED) if behind else Copy(path, "imported chain", EVENTS)
    for folder in sorted(each for each in directory.glob("before-recover-*") if not each.is_symlink()):
        for path in sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()):
            yield Copy(path, "kept by recover", BOOKKEEPING if path.name.startswith(INDEX_NAME) else LINES)


def _of_the_state(state: Path, ledger_id: str) -> Iterator[Copy]:
    for path in _files(state / OUTBOX / ledger_id):
        yield Copy(path, "outbox", WHOLE)
    for folder in sorted((state / WINDOWS).glob("*")):
        for path in _files(folder):
            yield Copy(path, "waiting window", WHOLE)
    for path in _files(state / "hooks" / "spool"):
        yield Copy(path, "spool", TEXTS)


def _of_people(memory: Keeping) -> Iterator[Copy]:
    ours = {folder.resolve() for folder in memory.document_folders()}
    for folder in worktrees_that_show(memory.place, memory.home):
        for path in document_files(folder) if folder.resolve() not in ours else ():
            yield Copy(path, WORKTREE, NAMED)
    for folder in followed(memory):
        for path in sorted(each for each in folder.rglob("*.md") if each.is_file()):
            yield Copy(path, "memory of an agent", NAMED)
    yield from _behind_links(memory)
    for folder in dict.fromkeys([*memory.document_folders(), memory.place.own_folder]):
        yield Copy(folder / BUFFER_NAME, BUFFER, NAMED)
        for path in document_files(folder):
            if path.suffix != ".md":
                yield Copy(path, "edited copy", NAMED)


def _behind_links(memory: Keeping) -> Iterator[Copy]:
    """Give the files to which links among the documents lead, and that are none of them: nothing is written there (P-86)."""
    every = [path for folder in memory.document_folders() for path in document_files(folder)]
    whole = {path for path in every if path.resolve() == path.parent.resolve() / path.name}
    known = {path.resolve() for path in whole}
    for path in every:
        if path not in whole and path.resolve() not in known:
            yield Copy(path.resolve(), LINKED, NAMED)


def _files(folder: Path) -> list[Path]:
    """Return the files in a folder, not those that a link leads to."""
    return sorted(path for path in folder.glob("*") if path.is_file() and not path.is_symlink())
