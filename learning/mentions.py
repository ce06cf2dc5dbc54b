"""Finds what stands that a person speaks of by the way: what they say again, or tell to have changed.

Implements specs/capture.md (K-141). What is not worth a memory by itself still confirms one or takes its place: "so use
an image from ghcr.io, we've pushed there since May". A proposal comes of it only where a memory of that matter stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from documents.proposal import Proposal
from documents.scope import Scope
from learning import restatement
from learning.detection.policy import SURELY_SAID
from learning.detection.replacing import may_change
from learning.proposal_relation import compared, core
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory
from projections.similar_memories import near
from projections.workspace import Workspace

_BESIDE = 2
"""So many telling words a clause may say beside what it says again."""
_REPEATED = lazy_pattern(r"\bagain\b", re.IGNORECASE)
"""Where a clause says again what stands, this is no sign of a change."""
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
    return replace(mention, memory=mention.memory._replace(confidence=SURELY_SAID))


def _again(workspace: Workspace, mention: Proposal) -> Proposal | None:
    """Return the proposal to say a memory again that a clause says, in its own words."""
    assert mention.memory is not None
    if restatement.is_back(mention.reason):
        return None
    answers = mention.about if mention.action == "confirm" else ""
    for entry in near(workspace.index, mention.reason):
        plain = entry.status == "active" and not entry.memory.body and not entry.memory.topic
        if plain and restatement.says_again(core(mention.reason), core(entry.memory.text), answers=answers):
            return _said_again(mention, entry)
    for clause in restatement.clauses(mention.reason):
        if may_change(_REPEATED.sub("", clause)):
            continue
        for entry in near(workspace.index, clause):
            if _is_said(clause, entry):
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


def _is_said(clause: str, entry: Entry) -> bool:
    memory: Memory = entry.memory
    if (
        entry.status != "active"
        or memory.body
        or memory.topic
        or restatement.is_of_others(clause, memory.text)
    ):
        return False
    return restatement.restates(core(clause), core(memory.text), beside=_BESIDE)
