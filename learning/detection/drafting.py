"""Drafts the proposals of a detector: the memory of a sentence or a fix, and its origin.

Implements specs/capture.md (K-4, K-25, K-28…K-30, K-45). Other modules decide what is worth a proposal. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from documents.proposal import Basis, Proposal
from language.durability import Durability
from learning.detection import certain_words
from learning.detection.standing import CONFIDENCE, INFERRED
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import MAX_LINE, Memory, Provenance

if TYPE_CHECKING:
    from learning.detection.failures import Fix

MAX_REASON = 400
CORRECTS = 0.5
"""A sentence of at least this probability counts as a correction."""

_OPENING = lazy_pattern(
    r"""^(?:
        (?:from\ now\ on|going\ forward|henceforth|ab\ (?:jetzt|sofort)|désormais|dorénavant|a\ partir\ de\ (?:ahora|agora))[,:]?\s+
      | (?:no|nope|nah|actually|hey|hi|hello|ok|okay|so|and|also|oh|well|btw|by\ the\ way|fyi|please\ note(?:\ that)?|
        note(?:\ that)?|just\ so\ you\ know|for\ your\ information|one\ more\ thing|hallo|übrigens|bonjour|salut|au\ fait|hola|
        por\ cierto|olá|oi|aliás)(?:\ there)?\s*[,.:!—–-]+\s+
      | (?:btw|fyi|also(?!\ known)|and)\s+)+""",
    re.VERBOSE | re.IGNORECASE,
)
_LEANS = lazy_pattern(
    r"(?:it|it's|its|that|that's|this|these|those|they|they're|he|she|both|there|das|es|ça|cela|c'est|eso|esto|isso)\b",
    re.IGNORECASE,
)

WordWeights = tuple[tuple[str, float], ...]


def line_of(said: str, before: str) -> str:
    """Return a sentence as a memory's line: the person's own words without an opening; "" if it says nothing alone.

    If it begins with a pronoun, the sentence `before` it in the same message comes first, since it has the referent.
    """
    line = _OPENING.sub("", said).strip()
    if line and line != said and said[0].isupper():
        line = line[0].upper() + line[1:]
    line = line.rstrip("!") if not line.endswith(("..", "?!")) else line
    line = line.removesuffix(".") if not line.endswith("..") else line
    if _LEANS.match(line.replace("’", "'")) is None:
        return line
    if not before or certain_words.is_question(before) or len(before) + len(line) >= MAX_REASON:
        return ""
    return f"{before.rstrip(' .,;:')}. {line}"


def of_sentence(
    turn: Turn,
    said: str,
    line: str,
    judged: Durability,
    *,
    basis: Basis,
    confidence: float,
    why: WordWeights = (),
) -> Proposal:
    """Return the proposal to remember a sentence.

    Args:
        turn: its turn.
        said: the sentence as the person wrote it.
        line: the memory's line.
        judged: the model's judgement of the line.
        basis: why it is proposed.
        confidence: between 0 and 1.
        why: the reasons with their weights.
    """
    corrects = judged.corrects >= CORRECTS
    section, category = _place(judged)
    memory = Memory(
        line,
        type=judged.type if judged.type != "convention" else "fact",
        section=section,
        category=category,
        importance="high" if basis == "asked" or judged.type == "decision" else "medium",
        confidence=confidence,
        inferred=basis in INFERRED,
        source="auto",
        provenance=origin_of(turn),
    )
    scope = "local" if certain_words.is_of_machine(said) else judged.scope
    return Proposal(
        "supersede" if corrects else "create",
        memory,
        reason=said[:MAX_REASON] if corrects else "",
        date=turn.at,
        scope=scope,
        basis=basis,
        why=why,
    )


def of_fix(turn: Turn, fix: Fix, *, why: WordWeights = ()) -> Proposal:
    """Return the proposal to remember how an error was fixed (K-36)."""
    memory = Memory(
        fix.line,
        type="fact",
        section="Error Patterns",
        category="error-pattern",
        importance="medium",
        confidence=CONFIDENCE["fixed"],
        inferred=True,
        source="auto",
        provenance=origin_of(turn),
    )
    return Proposal("create", memory, date=turn.at, scope="project", basis="fixed", why=why)


def instead_of(proposal: Proposal, about: str, said: str) -> Proposal:
    """Return a proposal that replaces the memory to forget: "forget that I use npm, I use pnpm" (K-244)."""
    if proposal.memory is None:
        return proposal
    return proposal._replace(action="supersede", about=about, reason=said[:MAX_REASON])


def _place(judged: Durability) -> tuple[str, str]:
    """Return section and category of a memory, each "" if the type says enough (K-30)."""
    if judged.type == "convention":
        return "Project Conventions", "project-pattern"
    if judged.type == "preference":
        return "", "user-preference"
    if judged.type == "fact":
        return "People & Roles" if judged.scope == "user" else "Project Conventions", ""
    return "", ""


def origin_of(turn: Turn) -> Provenance:
    """Return where a memory of a turn comes from."""
    return Provenance(
        conversation=turn.conversation[:MAX_LINE],
        message=turn.message[:MAX_LINE],
        session=turn.session[:MAX_LINE],
        agent=turn.agent[:MAX_LINE],
        tool=turn.tool[:MAX_LINE],
    )
