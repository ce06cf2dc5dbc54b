"""Drafts the proposals of a detector: what is remembered of a sentence or a fix, and where it was said.

Implements specs/capture.md (K-4, K-25). What is worth a proposal is decided elsewhere. Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace

from documents.proposal import Basis, Proposal
from language import durable, signals
from language.features import Context
from learning.detection import rewriting, sorting
from learning.detection.failures import Fix
from learning.detection.heard import SHORTEST
from learning.detection.policy import CONFIDENCE, INFERRED
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_LINE, Memory, Provenance

MAX_REASON = 400
PASSING_CLAUSE = 0.3
"""Below this p a clause at an end of a sentence is left out, unless the others are no better."""
_OF_THE_MOMENT = frozenset(
    ("order", "ask", "request", "question", "asking", "progress", "broken", "passing", "thanks")
)
"""What makes it worth to ask the model about the clauses at the ends of a sentence."""

_LEANS = lazy_pattern(
    r"(?:and\s+|so\s+|but\s+)?(?:what|when|where|how|who|which)ever\b|(?:if|when|whenever|wherever|unless|before|after|while|once|wenn|falls|quand|si|cuando)\b",
    re.IGNORECASE,
)
"""What begins so says nothing without what follows."""
_WHERE = lazy_pattern(
    r"(?:in|for|on|at|with|within|during|by|under|as|inside|across)\s+(?:[\w/.'’-]+\s+){0,4}[\w/.'’-]+",
    re.IGNORECASE,
)
"""Nor does what is no more than a place, a case or a manner: "in this project", "for every new endpoint"."""
_BECAUSE = lazy_pattern(r"^(?:because|since|as|weil|da|parce\s+que|porque)\s+", re.IGNORECASE)

Why = tuple[tuple[str, float], ...]


def of_sentence(
    turn: Turn,
    said: str,
    line: str,
    cues: signals.Signals,
    *,
    basis: Basis,
    confidence: float | None = None,
    why: Why = (),
    work: str = "",
) -> Proposal:
    """Return the proposal to remember a sentence.

    Args:
        turn: where it was said.
        said: the sentence, as the person wrote it.
        line: the memory's line.
        cues: the sentence's signals (K-23).
        basis: why it is proposed.
        confidence: how sure that is; without it, as sure as its basis (K-60).
        why: the features that spoke.
        work: of a correction, the work that it answers, which tells whether it is about software.
    """
    corrected = basis in ("corrected", "repeated")
    place = sorting.sort(said, line, cues, message=f"{turn.text}\n{work}", corrected=corrected)
    memory = Memory(
        line,
        type=place.type,
        section=place.section,
        category=place.category,
        importance=place.importance,
        confidence=CONFIDENCE[basis] if confidence is None else confidence,
        inferred=basis in INFERRED,
        source="auto",
        provenance=_origin(turn),
    )
    return Proposal("create", memory, date=turn.at, scope=place.scope, basis=basis, why=why)


def of_fix(turn: Turn, fix: Fix, *, why: Why = ()) -> Proposal:
    """Return the proposal to remember what mended an error (K-36)."""
    memory = Memory(
        fix.line,
        type="fact",
        section="Error Patterns",
        category="error-pattern",
        importance="medium",
        confidence=CONFIDENCE["fixed"],
        inferred=True,
        source="auto",
        provenance=_origin(turn),
    )
    return Proposal("create", memory, date=turn.at, scope="project", basis="fixed", why=why)


def instead_of(proposal: Proposal, about: str, said: str) -> Proposal:
    """Return a proposal as what takes the place of what the same sentence wants forgotten: "forget npm, we use pnpm" (K-244)."""
    if proposal.action != "create" or proposal.basis not in ("stated", "asked"):
        return proposal
    return replace(proposal, action="supersede", about=about, reason=said[:MAX_REASON])


def durable_part(said: str, message: Context) -> str:
    """Return the part of a sentence that is durable: clauses at its ends that are passing go (K-25)."""
    parts = rewriting.clauses(said)
    if len(parts) == 1 or not any(signals.signals(part) & _OF_THE_MOMENT for part in (parts[0], parts[-1])):
        return said
    first, last = (durable.score(part, message).p for part in (parts[0], parts[-1]))
    if min(first, last) >= PASSING_CLAUSE:
        return said
    scores = [first, *(durable.score(part, message).p for part in parts[1:-1]), last]
    begin, end = 0, len(parts)
    while end - begin > 1 and scores[begin] < PASSING_CLAUSE and scores[begin] < max(scores) / 3:
        begin += 1
    while end - begin > 1 and scores[end - 1] < PASSING_CLAUSE and scores[end - 1] < max(scores) / 3:
        end -= 1
    core = "".join(parts[begin:end])
    if len(core) < SHORTEST or (end < len(parts) and _leans(core)):
        return said
    return _BECAUSE.sub("", core) if begin else core


def _leans(core: str) -> bool:
    """Say whether the beginning of a sentence says nothing without what follows it."""
    rest = rewriting.behind_openings(core)
    return not rest or _LEANS.match(rest) is not None or _WHERE.fullmatch(rest) is not None


def _origin(turn: Turn) -> Provenance:
    return Provenance(
        conversation=turn.conversation[:MAX_LINE],
        message=turn.message[:MAX_LINE],
        session=turn.session[:MAX_LINE],
        agent=turn.agent[:MAX_LINE],
        tool=turn.tool[:MAX_LINE],
    )
