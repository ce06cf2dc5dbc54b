"""What a report holds: the chains as they lie on disk, and what this machine knows beside them.

Implements specs/report.md (H-3, H-4, H-12). The page recomputes what can be recomputed from the chain's bytes; what it cannot
know by itself (pins, marks, documents, what agents saw) is given here and said to be the machine's word.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ledger import reader
from ledger.founding import identity_of
from ledger.instant import written
from ledger.pin_check import known_of
from muniment import MemoryLedger, __version__
from report.documents_shown import documents_shown
from report.review_queue import review_queue
from report.suspicions import suspicions

FORMAT = 1


class ShownChain(NamedTuple):
    """One chain of a report: whose, what this machine knows of it, and its bytes up to the last LF."""

    name: str
    known: dict[str, Any]
    data: bytes


class ReportContents(NamedTuple):
    """All of a report: what it is about, the chains, our own first, and the machine's word beside them."""

    about: dict[str, Any]
    chains: tuple[ShownChain, ...]
    rest: dict[str, Any]


def contents(memory: MemoryLedger, *, live: bool = False) -> ReportContents:
    """Return what a report of this ledger holds, as of now; `live` where this machine serves the page itself.

    Raises:
        NoLedgerError: there is no chain.
        StorageError: it cannot be read.
    """
    workspace = memory.workspace
    rest: dict[str, Any] = {"documents": documents_shown(memory), "suspicions": suspicions(memory)}
    if live:
        rest["review"] = review_queue(memory)
    identity, _ = identity_of(workspace.chain)
    chains = (_own(memory, identity.name),)
    about = {
        "format": FORMAT,
        "made": written(workspace.clock()),
        "version": __version__,
        "live": live,
        "ledger": {"id": identity.id, "name": identity.name, "scope": identity.scope},
        "chains": [{"name": chain.name, "bytes": len(chain.data), **chain.known} for chain in chains],
    }
    return ReportContents(about, chains, rest)


def _own(memory: MemoryLedger, name: str) -> ShownChain:
    workspace = memory.workspace
    expected = known_of(workspace.chain, workspace.state)
    mark = expected.mark
    known = {
        "genesis": expected.genesis,
        "mark": {"seq": mark.seq, "id": mark.id, "start": mark.start, "end": mark.end} if mark else None,
    }
    with reader.opened(workspace.chain) as fd:
        size = reader.end_of_lines(fd, 0, os.fstat(fd).st_size)
        return ShownChain(name, known, reader.read_at(fd, size, 0))
