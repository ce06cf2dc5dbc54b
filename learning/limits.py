"""How many memories may still be written automatically: in a conversation, in an hour.

Implements specs/capture.md (K-68, K-153). Counted from the logs of all scopes and from what waits in their outboxes; so
neither a restart nor a ledger that was locked for long resets them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from documents.proposal import Proposal
from documents.scope import Scope
from ledger.instant import written
from projections.rates import automatic_between, automatic_in

HOUR = 3_600_000_000
_NOW = 60_000_000
"""What was written up to a minute from now was written now: another process looked at the clock later than we did."""


def over_conversation(
    scopes: Iterable[Scope], proposal: Proposal, most: int, waiting: Iterable[Proposal]
) -> str:
    """Return that one more memory of a conversation would be too many, or "".

    Args:
        scopes: the ledgers.
        proposal: what would be written of it.
        most: how many it may have.
        waiting: what waits in the outboxes.
    """
    assert proposal.memory is not None
    conversation = proposal.memory.provenance.conversation
    count = sum(automatic_in(memory.workspace.index, conversation) for memory in scopes)
    count += sum(
        each.memory is not None and each.memory.provenance.conversation == conversation for each in waiting
    )
    if count < most or not conversation:
        return ""
    return f"this conversation has {count} automatic memories, as many as limits.per_conversation allows"


def over_hour(scopes: Iterable[Scope], now: int, most: int, waiting: Collection[Proposal]) -> str:
    """Return that one more memory in the hour up to `now` would be too many, or ""; arguments as above."""
    since, until = written(now - HOUR), written(now + _NOW)
    count = sum(automatic_between(memory.workspace.index, since, until) for memory in scopes) + len(waiting)
    if count < most:
        return ""
    return f"this hour has {count} automatic memories, as many as limits.per_hour allows"
