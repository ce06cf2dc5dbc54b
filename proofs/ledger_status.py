"""How a ledger stands on this machine: its chain, mark, keys, memories and documents, and what is left to do.

Implements specs/cli.md (X-62). Changes nothing; the index may catch up.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import orjson

from documents.differing_documents import DocumentDifference, differing
from documents.foreign_files import strays_in
from ledger.errors import LedgerError, NoLedgerError, RollbackError
from ledger.founding import identity_of
from ledger.key_places import KeyPlaces, key_places
from ledger.keys import KeyDirectory
from ledger.location import bound_roots
from projections.index import Index
from projections.memory_counts import by_status, compromised, stale
from projections.query import LogRow, damaged
from projections.recall import Recall

if TYPE_CHECKING:
    from documents.documents import Documents
    from projections.workspace import Workspace

T = TypeVar("T")

EQUAL, BEHIND, LOST, UNKNOWN, NO_MARK = "equal", "behind", "lost", "unknown", "missing"
"""How the chain compares with the high-water mark: BEHIND is the mark, which the next write moves."""

VERIFIED = "verified"
"""The name under which local.db keeps what the last verify found."""


class ChainExtent(NamedTuple):
    """How long a chain is: events (None if it cannot be read), bytes, and its newest event."""

    events: int | None = 0
    bytes: int = 0
    newest: LogRow | None = None


class MarkStanding(NamedTuple):
    """How the chain compares with the high-water mark, and the event that the mark names."""

    state: str = NO_MARK
    seq: int | None = None
    id: str | None = None


class LastVerify(NamedTuple):
    """When a ledger was verified here last (as written), whether it was sound, and up to which event."""

    at: str
    sound: bool
    seq: int | None


class LedgerStatus(NamedTuple):
    """How a ledger stands.

    `fault` says why the chain cannot be read, and `unread` why something else cannot. `memories` counts by status, and
    what is stale, compromised and archived; it and `keys` are None if they cannot be known. `behind`: the documents do
    not show the newest changes. `unfinished_erasures` counts events whose text may still be stored somewhere, and is 1
    if only documents may hold some.
    """

    id: str
    name: str
    bound: list[Path]
    chain: ChainExtent
    mark: MarkStanding
    verified: LastVerify | None
    memories: dict[str, int] | None
    keys: KeyPlaces | None
    differing: dict[str, DocumentDifference]
    strays: list[str]
    behind: bool
    set_aside: list[Path]
    damaged: list[str]
    unfinished_erasures: int
    fault: str
    unread: list[str]


def status_of(workspace: Workspace, documents: Documents) -> LedgerStatus:
    """Return how a ledger stands.

    Raises:
        NoLedgerError: there is no ledger.
        LedgerError, OSError: its directory is gone, too.
    """
    unread = list[str]()

    def asked(what: str, question: Callable[[], T], otherwise: T) -> T:
        """Return an answer; where there is none, note why and return `otherwise`."""
        try:
            return question()
        except (LedgerError, OSError, sqlite3.OperationalError) as error:
            unread.append(f"{what}: {error}")
            return otherwise

    index, fault, lost = _index(workspace)
    try:
        identity, _ = identity_of(workspace.chain)
    except (LedgerError, OSError) as error:
        identity = None
        if not fault:
            unread.append(f"the first event of the log: {error}")
    place = workspace.place
    pin = workspace.state.pin_of(place.directory)
    ledger_id = pin.ledger if pin else identity.id if identity else ""
    differences = asked(
        "the documents", lambda: differing(documents, workspace.local), dict[str, DocumentDifference]()
    )
    aside = asked("what was set aside", lambda: set_aside(workspace, documents), list[Path]())
    memories = None if index is None else asked("the memories", lambda: _memories(workspace, index), None)
    if workspace.trouble:
        unread.append(f"the local state: {workspace.trouble}")
    return LedgerStatus(
        id=ledger_id,
        name=identity.name if identity else "",
        bound=bound_roots(workspace.home.project(place.project)) if place.project else [],
        chain=_chain(workspace),
        mark=_mark(workspace, ledger_id, index, lost=lost),
        verified=_last_verify(workspace),
        memories=memories,
        keys=asked("the keys", lambda: _keys(workspace, ledger_id), None) if ledger_id else None,
        differing=differences,
        strays=[] if place.usual else [*strays_in(place.documents)],  # G-60
        behind=index is not None and _behind(workspace, index),
        set_aside=aside,
        damaged=[] if index is None else damaged(index),
        unfinished_erasures=0 if index is None else _unfinished(workspace, index),
        fault=fault,
        unread=unread,
    )


def set_aside(workspace: Workspace, documents: Documents) -> list[Path]:
    """Return the files that were kept instead of dropped: torn bytes, damaged local state, edited copies."""
    directory, folder = workspace.place.directory, workspace.place.documents
    found = [*directory.glob("chain.jsonl.torn-*"), *directory.glob("local.db.damaged-*")]
    for path in () if documents.folder_fault() else workspace.local.rendered(folder):
        document = folder / path
        found += document.parent.glob(f"{document.name}.edited-*")
    return sorted(found)


def _index(workspace: Workspace) -> tuple[Index | None, str, bool]:
    """Return the index, else why there is none and whether the chain lost acknowledged events."""
    try:
        return workspace.index, "", False
    except (LedgerError, OSError) as error:
        if isinstance(error, NoLedgerError) or not workspace.place.directory.is_dir():
            raise
        return None, str(error), isinstance(error, RollbackError) and workspace.chain.exists()


def _unfinished(workspace: Workspace, index: Index) -> int:
    return len(index.unfinished_erasures()) or int(workspace.local.erasures.cleaning())


def _chain(workspace: Workspace) -> ChainExtent:
    try:
        length = workspace.chain.stat().st_size
    except OSError:
        return ChainExtent()
    try:
        newest = Recall(workspace).event(f"@{workspace.index.position()}")
    except LedgerError:
        return ChainExtent(None, length)
    return ChainExtent(newest.seq + 1, length, newest)


def _mark(workspace: Workspace, ledger_id: str, index: Index | None, *, lost: bool) -> MarkStanding:
    mark = workspace.state.mark_of(ledger_id).read() if ledger_id else None
    if mark is None:
        return MarkStanding()
    state = LOST if lost else UNKNOWN
    if index is not None:  # it has found the marked event in its place
        state = EQUAL if mark.seq == index.position() else BEHIND
    return MarkStanding(state, mark.seq, mark.id)


def _keys(workspace: Workspace, ledger_id: str) -> KeyPlaces:
    """Return where the keys lie (X-250), held against the mark, which knows those in force."""
    mark = workspace.state.mark_of(ledger_id).read()
    public, commitment = (mark.key, mark.next_key) if mark else ("", "")
    return key_places(KeyDirectory(workspace.home.keys), ledger_id, public, commitment)


def _last_verify(workspace: Workspace) -> LastVerify | None:
    try:
        value = orjson.loads(workspace.local.fact(VERIFIED) or b"null")
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("at"), str):
        return None
    seq = value.get("seq")
    return LastVerify(value["at"], bool(value.get("sound")), seq if isinstance(seq, int) else None)


def _memories(workspace: Workspace, index: Index) -> dict[str, int]:
    found = by_status(index)
    return {
        **{name: found.get(name, 0) for name in ("active", "candidate", "superseded", "deleted", "erased")},
        "stale": stale(index, Recall(workspace).stale_before()),
        "compromised": compromised(index),
        "archived": len(workspace.local.archived()),
    }


def _behind(workspace: Workspace, index: Index) -> bool:
    """Return whether the documents do not show the newest changes."""
    rendering = workspace.local.rendering(workspace.place.documents)
    return rendering is None or rendering.id != index.id_at(index.newest())
