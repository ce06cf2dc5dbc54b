"""Limits how many memories are written automatically in one conversation and in one hour.

Implements specs/capture.md (K-68, K-153). Counts the logs and the outboxes of all scopes, so that neither a restart nor
a long lock resets a limit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from documents.proposal import Proposal
from documents.scope import Scope
from ledger.instant import written
from projections.rates import automatic_between, automatic_in

HOUR = 3_600_000_000
_NOW = 60_000_000
"""Events up to a minute ahead count too, since another process may have read the clock after us."""


def over_conversation(
    scopes: Iterable[Scope], proposal: Proposal, most: int, waiting: Iterable[Proposal]
) -> str:
    """Return the reason why a conversation may have no further memory, or "".

    Args:
        scopes: the ledgers.
        proposal: the memory in question.
        most: the limit.
        waiting: the proposals in the outboxes.
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
    """Return the reason why the hour up to `now` may have no further memory, or ""; arguments as above."""
    since, until = written(now - HOUR), written(now + _NOW)
    count = sum(automatic_between(memory.workspace.index, since, until) for memory in scopes) + len(waiting)
    if count < most:
        return ""
    return f"this hour has {count} automatic memories, as many as limits.per_hour allows"
