"""Finds what stands that a person speaks of by the way: what they say again, or tell to have changed.

Implements specs/capture.md (K-141). What is not worth a memory by itself still confirms one or takes its place: "so use
an image from ghcr.io, we've pushed there since May". A proposal comes of it only where a memory of that matter stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from documents.proposal import Proposal
from documents.scope import Scope
from language import slots
from learning.detection.policy import SURELY_SAID
from learning.proposal_relation import compared
from ledger.fold import Entry
from projections.similar_memories import near
from projections.workspace import Workspace

_NOT_ITS_SCOPE = {("local", "project")}
"""What is said of this machine is not of what holds elsewhere."""


def heeded(scopes: Mapping[str, Scope], mentioned: Iterable[Proposal]) -> list[Proposal]:
    """Return the proposals that come of what was said by the way, each for the ledger in which its memory stands."""
    found: dict[str, Proposal] = {}
    for mention in mentioned:
        order = sorted(scopes, key=lambda scope: scope != mention.scope)
        for scope in order:
            one = _change(scopes[scope].workspace, mention) if mention.action == "supersede" else None
            one = one or _again(scopes[scope].workspace, mention)
            if one is not None and (mention.scope, scope) not in _NOT_ITS_SCOPE and one.memory is not None:
                found.setdefault(one.memory.text, replace(one, scope=scope or one.scope))
                break
    return list(found.values())


def _change(workspace: Workspace, mention: Proposal) -> Proposal | None:
    assert mention.memory is not None
    against = compared(workspace.index, mention).against
    if not against or any(_is_of_this_talk(mention, entry) for entry in against):
        return None
    return mention


def _again(workspace: Workspace, mention: Proposal) -> Proposal | None:
    """Return the proposal to say a memory again that a clause says, in its own words."""
    assert mention.memory is not None
    for clause in slots.clauses(mention.reason):
        for entry in near(workspace.index, clause.text):
            plain = entry.status == "active" and not entry.memory.body and not entry.memory.topic
            if plain and slots.compare(clause.text, entry.memory.text) == "same":
                return _said_again(mention, entry)
    return None


def _said_again(mention: Proposal, entry: Entry) -> Proposal:
    assert mention.memory is not None
    said = mention.memory._replace(text=entry.memory.text, confidence=SURELY_SAID)
    return replace(mention, action="create", memory=said, about="")


def _is_of_this_talk(mention: Proposal, entry: Entry) -> bool:
    assert mention.memory is not None
    talk = mention.memory.provenance.conversation
    return bool(talk) and entry.memory.provenance.conversation == talk
