"""Notices that a transport hides the newest events of a chain, or shows this machine another history of it.

Implements specs/team.md (TM-43). Each machine names in its own chain the newest events of others that it has (TM-3). A
named event that never comes was hidden from this machine, cut off or rewritten.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ledger.durable import keep_file, read_file
from ledger.named_tuple import NamedTuple
from projections.index import Index
from team.chain_segments import ids_of
from team.fork_notes import other_lines
from transports.protocol import Transport
from writers.counted import label_of
from writers.team_folder import TeamFolder

PATIENCE = 10
"""In so many syncs an event that is named must come."""
_FILE = "unseen.json"
_ELSEWHERE = -1
"""Noted of an event that is known, though it does not count: it stands after the end of a membership, or on another branch."""
_MISSING = (
    "SELECT s.target, e.seq, coalesce(w.name, ''), coalesce(w.id, '') FROM seen s JOIN events e ON e.id = s.id "
    "LEFT JOIN writers w ON w.number = e.writer LEFT JOIN events t ON t.id = s.target WHERE t.id IS NULL ORDER BY e.n"
)


class _Named(NamedTuple):
    """Which event names one that is missing: its seq, and its writer, whose id is "" for our own chain."""

    seq: int
    name: str
    writer: str


def unseen_findings(folder: TeamFolder, transport: Transport, index: Index, received: int) -> list[str]:
    """Count one more sync, and return a sentence if something that others named did not come in PATIENCE of them.

    Args:
        folder: what is known of the team here; it notes how many syncs ended without what is missing.
        transport: what was exchanged with.
        index: our index, caught up.
        received: how many events came; if none did and nothing is missing, nothing is looked at.
    """
    path = folder.path / _FILE
    noted = _noted(path)
    if noted is not None and not received and all(syncs == _ELSEWHERE for syncs in noted.values()):
        return []
    named = {target: _Named(*who) for target, *who in index.connection().execute(_MISSING)}
    syncs = {id_: _next((noted or {}).get(id_, 0)) for id_ in named}
    if any(each == PATIENCE for each in syncs.values()):
        syncs |= dict.fromkeys(syncs.keys() & set(_elsewhere(folder, transport)), _ELSEWHERE)
    if syncs != noted:
        keep_file(path, json.dumps(syncs).encode(), "noting what did not come")
    hidden = [id_ for id_ in named if syncs[id_] >= PATIENCE]
    return [_said(transport.address, hidden[0], named[hidden[0]], len(hidden))] if hidden else []


def _elsewhere(folder: TeamFolder, transport: Transport) -> Iterator[str]:
    """Yield the ids of events that are known and do not count: of chains that ended, and of other branches of forked ones."""
    copies, membership = folder.copies(), folder.membership()
    counted = {each.genesis for each in membership.members if each.until is None and each.role != "reader"}
    for chain in copies.chains():
        if chain not in counted:
            yield from filter(None, ids_of(copies.path(chain).read_bytes()))
    for chain in folder.forks():
        lines = (line for _, line in other_lines(transport, chain, folder.path_of(chain)))
        yield from filter(None, ids_of(b"".join(line + b"\n" for line in lines)))


def _noted(path: Path) -> dict[str, int] | None:
    try:
        return {str(id_): int(syncs) for id_, syncs in json.loads(read_file(path)).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return None


def _next(syncs: int) -> int:
    return syncs if syncs == _ELSEWHERE else min(syncs + 1, PATIENCE)


def _said(address: str, missing: str, named: _Named, count: int) -> str:
    who = f"{label_of(named.name, named.writer)}@{named.seq}" if named.writer else f"@{named.seq}"
    more = f", nor did {count - 1} others that are named" if count > 1 else ""
    return (
        f"{who} names the event {missing[:12]}, which did not come in {PATIENCE} syncs{more}: {address} hides a chain from this "
        "machine, or shows it another history. Compare muniment team status on both machines"
    )
