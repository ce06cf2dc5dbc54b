"""Compares when words were said with when a memory was stated, so that a file read late does not override it.

Implements specs/capture.md (K-270, K-271). Uses the instant that the program wrote beside the words, never the time of the reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import orjson

from documents.proposal import Proposal
from learning.outcome import Taken, names
from ledger.event import split_line
from ledger.fold import Entry
from ledger.instant import SECOND, from_iso, is_instant, parsed, written
from ledger.memory import Provenance
from projections.workspace import Workspace

_MILLISECONDS = 13
"""Seconds since 1970 have ten digits now, milliseconds thirteen."""
_BROUGHT = ("import", "git")
"""Doors where a person's memory arrives with the time of its origin elsewhere."""


def instant_of(at: str) -> int | None:
    """Return a program's instant, in ISO 8601 or in seconds or milliseconds since 1970; None if it is invalid."""
    with suppress(ValueError, OverflowError):
        if at.isdecimal() and len(at) >= _MILLISECONDS - 3:
            found = int(at) * (SECOND // 1000 if len(at) >= _MILLISECONDS else SECOND)
            return found if is_instant(written(found)) else None
        return from_iso(at)
    return None


def dated(proposal: Proposal, now: int) -> Proposal:
    """Return a proposal whose memory has the time when it was said (K-270), unless that is unknown or in the future."""
    memory = proposal.memory
    said = said_at(proposal, now)
    if memory is None or memory.provenance.date or not memory.provenance.conversation or said is None:
        return proposal
    return proposal._replace(
        memory=memory._replace(provenance=memory.provenance._replace(date=written(said)))
    )


def said_at(proposal: Proposal, now: int) -> int | None:
    """Return when a proposal was said; None if that is unknown or after `now`."""
    said = instant_of(proposal.date) if "T" in proposal.date or proposal.date.isdecimal() else None
    return said if said is not None and said <= now else None


def origin_at(origin: Provenance, proposal: Proposal, now: int) -> Provenance:
    """Return an origin with the time when the words were said (K-270)."""
    said = said_at(proposal, now)
    return origin if said is None or not origin.conversation else origin._replace(date=written(said))


def said_since(keeping: Workspace, proposal: Proposal, entries: Sequence[Entry]) -> list[Entry]:
    """Return those of the entries that were stated after a proposal was said (K-271)."""
    said = said_at(proposal, keeping.clock())
    if said is None:
        return []
    conversation = proposal.memory.provenance.conversation if proposal.memory else ""
    return [entry for entry in entries if _stated_at(keeping, entry, conversation) > said]


def deleted_since(keeping: Workspace, proposal: Proposal) -> list[Entry]:
    """Return the memory that says the same and was deleted after a proposal was said (K-271)."""
    said, memory = said_at(proposal, keeping.clock()), proposal.memory
    gone = keeping.index.deleted_same(memory) if memory is not None and said is not None else None
    entry = keeping.index.entry(gone) if gone is not None else None
    if entry is None or said is None or not any(at > said for at in _told_of(keeping, entry.id, "delete")):
        return []
    return [entry]


def older(proposal: Proposal, since: Sequence[Entry], scope: str) -> Taken:
    """Return the outcome of words that newer statements have overtaken."""
    event = "the current one" if since[0].live else "it was deleted"
    why = f"said {proposal.date[:10]}, before {event}: {names(since)}"
    return Taken(proposal, "older", targets=tuple(entry.id for entry in since), scope=scope, why=why)


def _stated_at(keeping: Workspace, entry: Entry, conversation: str) -> int:
    """Return when a memory was last stated; 0 if that is unknown, in an undated turn of the same conversation."""
    memory = entry.memory
    by_hand = memory.source == "manual" and entry.by.via not in _BROUGHT
    own = None if by_hand else instant_of(memory.provenance.date)
    if own is None and conversation and conversation == memory.provenance.conversation:
        return 0
    own = parsed(entry.learned) if own is None else own
    if entry.fresh_since == entry.learned:
        return own
    return max([own, *_told_of(keeping, entry.id, "confirm")])


def _told_of(keeping: Workspace, id_: str, kind: str) -> Iterator[int]:
    """Yield the time of each event of a kind about a memory: when its words were said, else when it was written."""
    from projections.recall import Recall

    for row in Recall(keeping).said_of(id_):
        if row.kind == kind:
            yield instant_of(origin_in(Recall(keeping).line(row.id), "date")) or parsed(row.at)


def origin_in(line: bytes, member: str) -> str:
    """Return a member of the provenance in a line of the chain, "" if it is missing or erased."""
    payload = split_line(line).payload
    try:
        value = orjson.loads(payload) if payload else {}
        return str(value.get("provenance", {}).get(member, ""))
    except (ValueError, AttributeError):
        return ""  # erased
