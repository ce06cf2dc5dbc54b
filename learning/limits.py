"""How many memories may still be written without a person's hand: in a conversation, in an hour.

Implements specs/capture.md (K-68, K-152, K-153). Counted from the logs of all scopes and, for a conversation, from what waits
in their outboxes; so neither a restart nor a ledger that was held for long begins anew.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable

from documents.proposal import Proposal
from documents.scope import Scope
from ledger.errors import StorageError
from ledger.instant import is_instant, parsed, written
from projections.local import Local
from projections.rates import automatic_between, automatic_in
from projections.workspace import Workspace

HOUR = 3_600_000_000
_NOW = 60_000_000
"""What was written up to a minute from now was written now: another process looked at the clock later than we did."""
_AHEAD = "clock was ahead"


def over_conversation(
    scopes: Iterable[Scope], proposal: Proposal, most: int, waiting: Iterable[Proposal], more: int = 0
) -> str:
    """Say that one more memory of a conversation would be too many, or "": what is inferred takes no place of what was said.

    Args:
        scopes: the ledgers.
        proposal: what would be written of it.
        most: how many it may have.
        waiting: what waits in the outboxes.
        more: how many a dry run would have written.
    """
    assert proposal.memory is not None
    conversation, inferred = proposal.memory.provenance.conversation, proposal.memory.inferred
    count = (
        sum(automatic_in(memory.workspace.index, conversation, inferred=inferred) for memory in scopes) + more
    )
    count += sum(
        1
        for each in waiting
        if each.memory is not None
        and each.memory.provenance.conversation == conversation
        and (inferred or not each.memory.inferred)
    )
    if count < most:
        return ""
    return f"this conversation has {count} automatic memories, as many as limits.per_conversation allows"


def over_hour(scopes: Iterable[Scope], now: int, most: int, more: int = 0, *, dry: bool = False) -> str:
    """Say that one more memory in the hour up to `now` would be too many, or ""; arguments as above."""
    count = sum(_in_hour(memory.workspace, now, dry=dry) for memory in scopes) + more
    if count < most:
        return ""
    return f"this hour has {count} automatic memories, as many as limits.per_hour allows"


def _in_hour(workspace: Workspace, now: int, *, dry: bool) -> int:
    """Count the hour's memories; those that lie ahead of the clock count for an hour from when that was seen first.

    A clock that was ahead once so hinders nothing for longer, and one that is put back, however often, makes no room.
    """
    found = automatic_between(workspace.index, written(now - HOUR), written(now + _NOW))
    if not found.ahead:
        return found.within
    seen = _seen(workspace.local, now, found.newest_ahead, dry=dry)
    return found.within + (found.ahead if now - seen < HOUR else 0)


def _seen(local: Local, now: int, newest: int, *, dry: bool) -> int:
    """Return when it was first seen that the log is ahead of the clock, up to that seq; note it where it is new."""
    instant, _, seq = local.fact(_AHEAD).partition(" ")
    if is_instant(instant) and seq.isdecimal() and parsed(instant) <= now and newest <= int(seq):
        return parsed(instant)
    if not dry:
        with contextlib.suppress(StorageError, sqlite3.Error, OSError):
            local.note(_AHEAD, f"{written(now)} {newest}")
    return now
