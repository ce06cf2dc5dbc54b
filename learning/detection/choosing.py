"""Chooses among the proposals of one message: what it says twice, what it takes back itself, which are the surest.

Implements specs/capture.md (K-40, K-45). Pure.
"""

from __future__ import annotations

from dataclasses import replace

from documents.proposal import Proposal
from language.likeness import likeness
from learning.detection.heard import bare


def distinct(found: list[Proposal]) -> list[Proposal]:
    """Leave out what one message says twice, and say of what it takes back what that was."""
    if len(found) < 2:
        return found
    kept: list[Proposal] = []
    for one in found:
        now = one
        for at, other in enumerate(kept):
            verdict = _compared(now, other)
            if verdict == "same":
                kept[at] = max(other, now, key=_weight)
                break
            if verdict == "contradicts" and other.memory is not None and not now.about:
                now = replace(now, action="supersede", about=other.memory.text)
        else:
            kept.append(now)
    return kept


def best(found: list[Proposal], most: int) -> list[Proposal]:
    """Return the surest proposals in the order in which they were said; what is to be forgotten first."""
    if len(found) <= most:
        return found
    ranked = sorted(range(len(found)), key=lambda at: (-_weight(found[at]), at))
    return [found[at] for at in sorted(ranked[:most])]


def _weight(proposal: Proposal) -> float:
    return 1.0 if proposal.memory is None else proposal.memory.confidence


def _compared(one: Proposal, other: Proposal) -> str:
    if one.memory is None or other.memory is None:
        return "same" if one.memory is other.memory and one.about == other.about else "different"
    ours, theirs = (set(bare(memory.text).split()) for memory in (one.memory, other.memory))
    if ours == theirs:
        return "same"
    if 2 * len(ours & theirs) < min(len(ours), len(theirs)):
        return "different"
    return likeness(one.memory.text, other.memory.text)
