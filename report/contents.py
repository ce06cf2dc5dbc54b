"""What a report holds: the chains as they lie on disk, and what this machine knows beside them.

Implements specs/report.md (H-3…H-7, H-9, H-12, H-14). The page recomputes what can be recomputed from the chain's bytes; what it cannot
know by itself (pins, marks, documents, what agents saw) is given here and said to be the machine's word.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from documents.document_blame import all_blamed
from ledger.errors import LedgerError, NotFoundError, UsageError
from ledger.founding import identity_of
from ledger.instant import written
from ledger.pin_check import known_of
from ledger.progress import counted
from muniment import MemoryLedger, __version__
from projections.proposal_edges import proposals, uncounted
from proofs.trusting import evidence, trust
from report.chain_part import heads_alone, part_since
from report.review_queue import review_queue
from report.suspicions import signs_json, suspicious
from writers.counted import Writers, label_of, others_of, writers_of

FORMAT = 1
_MOST = 100
"""So many of the memories that wait are compared, the newest; each takes a search."""


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


def contents(
    memory: MemoryLedger, *, live: bool = False, since: str = "", texts: bool = True, most: int | None = None
) -> ReportContents:
    """Return what a report of this ledger holds, as of now.

    Args:
        memory: the ledger.
        live: this machine serves the page itself.
        since: the written instant from which events are shown; "" shows all. Documents, which show earlier ones, are left out.
        texts: whether texts are shown; else only the signed heads, and nothing that quotes them.
        most: so many events at most.

    Raises:
        NoLedgerError: there is no chain.
        NotFoundError: there is no event since then.
        UsageError: there are more than `most`.
        StorageError: it cannot be read.
    """
    workspace = memory.workspace
    identity, _ = identity_of(workspace.chain)
    own = _own(memory, identity.name, since, texts=texts)
    chains = (own, *_others(memory, since, texts=texts))
    events = sum(chain.data.count(b"\n") for chain in chains)
    if most is not None and events > most:
        raise UsageError(f"a page of {events:,} events takes long to open: give --since WHEN, or --all")
    about = {
        "format": FORMAT,
        "made": written(workspace.clock()),
        "version": __version__,
        "live": live,
        "texts": texts,
        "ledger": {"id": identity.id, "name": identity.name, "scope": identity.scope},
        "chains": [{"name": chain.name, "bytes": len(chain.data), **chain.known} for chain in chains],
    }
    return ReportContents(about, chains, _rest(memory, since, texts=texts, live=live))


def _own(memory: MemoryLedger, name: str, since: str, *, texts: bool) -> ShownChain:
    workspace = memory.workspace
    expected = known_of(workspace.chain, workspace.state)
    part = part_since(workspace.chain, since)
    data, mark = (part.data, part.mark(expected.mark)) if texts else heads_alone(part, expected.mark)
    return ShownChain(
        name, {"genesis": expected.genesis, "mark": mark, "from": part.known(), "until": -1}, data
    )


def _others(memory: MemoryLedger, since: str, *, texts: bool) -> Iterator[ShownChain]:
    """Yield the chains of the other writers who count, whose genesis ids the rosters name (TM-7)."""
    for other in others_of(memory.workspace.place.directory):
        with suppress(NotFoundError):  # they wrote nothing since then
            part = part_since(other.path, since)
            data = part.data if texts else heads_alone(part, None)[0]
            known = {"genesis": other.id, "mark": None, "from": part.known(), "until": other.until}
            yield ShownChain(label_of(other.name, other.id), known, data)


def _rest(memory: MemoryLedger, since: str, *, texts: bool, live: bool) -> dict[str, Any]:
    """Return this machine's word; a suspicious memory is quoted only if its event is shown."""
    is_team = writers_of(memory.workspace.place.directory) != Writers()
    return {
        "documents": _documents(memory) if texts and not since else [],
        "suspicions": [
            {"id": entry.id, "signs": signs_json(signs)}
            for entry, signs in (suspicious(memory, since) if texts else ())
        ],
        "proposals": proposals(memory.workspace.index) if is_team else [],
        "uncounted": uncounted(memory.workspace.index) if is_team else [],
        "contradictions": _contradictions(memory) if texts else [],
        "checkpoints": [each.data.decode("utf-8", "replace") for each in memory.proofs.signed.stored()],
        "receipts": _receipts(memory),
        "seen": [each.to_json() for each in memory.seen() if each.at >= since] if texts else [],
        **({"review": review_queue(memory)} if live else {}),
    }


def _documents(memory: MemoryLedger) -> list[dict[str, Any]]:
    """Return each rendered document: its path, how the file stands, and its lines with the ids that they say."""
    shown = []
    with memory.workspace.on_progress("reading documents") as progress:
        for found in counted(all_blamed(memory.workspace), progress):
            lines = [
                [line.text.rstrip("\r\n").encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
                 line.version.id if line.version else None, line.state]
                for line in found.lines
            ]  # fmt: skip
            shown.append({"path": found.path, "file": found.file, "lines": lines})
    return shown


def _contradictions(memory: MemoryLedger) -> list[list[str]]:
    """Return the id of each memory that waits and contradicts active ones, followed by theirs."""
    waiting = [item.entry for item in memory.review.waiting()]
    newest = sorted(waiting, key=lambda entry: entry.ts, reverse=True)[:_MOST]
    found = [(entry, memory.review.contradicted(entry)) for entry in newest]
    return [[entry.id, *(each.id for each in others)] for entry, others in found if others]


def _receipts(memory: MemoryLedger) -> list[dict[str, Any]]:
    """Return what `verify --json` says of each receipt (V-40); none of a chain that its checkpoints cannot be compared with."""
    if not memory.proofs.signed.stored():
        return []
    try:
        found = evidence(memory.proofs.compared(), trust(memory.workspace.home))
    except (LedgerError, ValueError):
        return []
    return [each.to_json() for each in found]
