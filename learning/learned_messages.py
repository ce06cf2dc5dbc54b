"""Recognises a message that was learned from before: reading it again has no effect, whatever happened since.

Implements specs/capture.md (K-220, K-221, K-225). The log records it. So neither a crash, nor a lost position, nor a person who
reads a transcript again brings back a deleted memory or removes a later one.
"""

from __future__ import annotations

from collections.abc import Mapping

from documents.proposal import Proposal
from documents.scope import Scope
from learning.outcome import Taken
from learning.statement_times import origin_in
from ledger.memory import Provenance
from projections.origins import deletes_of, learned_from
from projections.workspace import Workspace


def learned_already(scopes: Mapping[str, Scope], proposal: Proposal) -> Taken | None:
    """Return the outcome `known` if a memory was learned from the same message; else None (K-220)."""
    memory = proposal.memory
    if memory is None or not (memory.provenance.conversation and memory.provenance.message):
        return None
    origin = memory.provenance
    for scope, keeping in scopes.items():
        found = learned_from(keeping.workspace.index, origin.conversation, origin.message, memory.text)
        if found is not None and found.memory.topic == memory.topic:
            since = (
                "" if found.live else ", and deleted since" if found.deleted_by else ", and replaced since"
            )
            id_ = found.id if found.live else ""
            return Taken(proposal, "known", id_, scope=scope, why=f"it was learned from this message{since}")
    return None


def turned_down(scopes: Mapping[str, Scope], proposal: Proposal) -> Taken | None:
    """Return the outcome `known` if the memory was learned from a project's file and then deleted; else None (K-225)."""
    memory = proposal.memory
    for scope, keeping in scopes.items():
        gone = keeping.workspace.index.deleted_same(memory) if memory is not None else None
        entry = keeping.workspace.index.entry(gone) if gone is not None else None
        if entry is None or memory is None or keeping.workspace.index.same(memory) is not None:
            continue
        if entry.memory.provenance.file == memory.provenance.file:
            return Taken(
                proposal, "known", scope=scope, why="it was learned from this file, and deleted since"
            )
    return None


def forgotten_already(keeping: Workspace, origin: Provenance) -> bool:
    """Return whether a ledger already deleted memories because of this message (K-221)."""
    if not (origin.conversation and origin.message):
        return False
    from projections.recall import Recall

    return any(
        origin_in(Recall(keeping).line(id_), "message") == origin.message
        for id_ in deletes_of(keeping.index, origin.conversation)
    )
