"""The relation of a proposal to the current memories: it repeats one of them, or contradicts some.

Implements specs/capture.md (K-62, K-64). Reads the index; `language.replacing` compares each pair, and likeness recognises
the same statement in other words. In doubt both stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from documents.proposal import Proposal
from documents.scope import Scope
from language import replacing
from language.likeness import likeness
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from ledger.schema import MAX_TARGETS
from projections.index import Index
from projections.similar_memories import near

_PLACE = lazy_pattern(
    r"(?i)\b(?:here|(?:this|the|our) (?:project|repo|repository|codebase|code base|app|service))\b"
)
_SAID = frozenset(("stated", "asked", "repeated"))


class Relation(NamedTuple):
    """The memory that says the same, or None, and the active memories that the proposal contradicts, the best first."""

    same: Entry | None = None
    against: tuple[Entry, ...] = ()
    surely: bool = False
    """Whether the person plainly says that these memories have changed (K-138)."""


def compared(index: Index, proposal: Proposal) -> Relation:
    """Compare a create or supersede with the current memories of one ledger."""
    memory = proposal.memory
    if memory is None:
        return Relation()
    same: list[Entry] = []
    against: list[Entry] = []
    for entry in _asked(index, memory.text, proposal.about):
        verdict = _verdict(proposal, memory.text, entry)
        if verdict == "same" and not _differs(proposal, entry):
            same.append(entry)
        elif verdict == "changes" and entry.status == "active":
            against.append(entry)
    best = min(same, key=lambda entry: (entry.status != "active", entry.ts, entry.id), default=None)
    if proposal.action == "supersede" and proposal.targets:
        return _naming(index, proposal, best, against)
    surely = proposal.action == "supersede" and bool(against)
    return Relation(best, tuple(against[:MAX_TARGETS]), surely)


def is_surely_about(proposal: Proposal, entry: Entry) -> bool:
    """Return whether a proposal names a memory, or changes its statement (K-63)."""
    memory = proposal.memory
    if memory is None:
        return False
    return entry.id in proposal.targets or _verdict(proposal, memory.text, entry) == "changes"


def elsewhere(scopes: Mapping[str, Scope], home: str, proposal: Proposal) -> str:
    """Return another scope that already has the subject of a proposal, "" for none (K-142)."""
    memory = proposal.memory
    if memory is None or home not in scopes or proposal.basis not in _SAID:
        return ""
    for scope, keeping in scopes.items():
        if not scope or home in (scope, "local"):
            continue
        found = compared(keeping.workspace.index, proposal)
        if found.same is not None:
            return scope
        if found.surely and scope != "local" and _PLACE.search(memory.text) is None:
            return scope
    return ""


def _verdict(proposal: Proposal, text: str, entry: Entry) -> Literal["changes", "same", "apart"]:
    """Compare a memory with the text of a proposal, and with the statement that the proposal ends."""
    stands, about = entry.memory.text, proposal.about
    verdict = replacing.compare(text, stands)
    if (
        verdict == "apart"
        and about
        and (likeness(about, stands) == "same" or replacing.names(about, text, stands))
    ):
        return "changes"
    if verdict == "apart" and likeness(text, stands) == "same":
        return "same"
    return verdict


def _naming(index: Index, proposal: Proposal, same: Entry | None, against: Sequence[Entry]) -> Relation:
    """Return the targets that a supersede names, whatever they say, and the memories that it changes.

    An active memory that says the same is replaced too, so that it does not exist twice.
    """
    targets = [entry for id_ in proposal.targets if (entry := index.entry(id_)) is not None]
    again = [same] if same is not None and same.status == "active" else []
    every = {entry.id: entry for entry in (*targets, *again, *against)}
    return Relation(None, tuple(every.values())[:MAX_TARGETS])


def _asked(index: Index, text: str, about: str) -> Sequence[Entry]:
    """Return the memories that a text may be about."""
    asked = dict.fromkeys([text, about, *replacing.asked_for(text)])
    return list({entry.id: entry for words in asked if words for entry in near(index, words)}.values())


def _differs(proposal: Proposal, entry: Entry) -> bool:
    """Return whether a memory with the same words is still another one: of another topic, or with a body."""
    memory = proposal.memory
    return memory is not None and bool(entry.memory.body or entry.memory.topic != memory.topic)
