"""Reads what a sentence says by the way: worth no proposal by itself, of account only beside a memory that it is about.

Implements specs/capture.md (K-141). Which memory that is, is for others to find. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from documents.proposal import Proposal
from language import signals
from language.features import Context
from learning.detection import as_ever, drafting, replacing, rewriting
from learning.detection.heard import Conversation, is_not_meant
from learning.detection.policy import CONFIDENCE
from learning.turn import Turn

_NEVER = frozenset(("hypothetical", "reported", "hedged"))
_NOT = frozenset(("question", "asking", "hypothetical", "reported", "hedged"))
_OF_ALWAYS = frozenset(
    """habit standing regular prefer likes dislike wants remember notice health family lives machine project team role
    answers""".split()
)
"""What makes it worth to look whether a sentence says again what stands."""


class Mention(NamedTuple):
    """A sentence that may say something by the way; read only where somebody asks what it says."""

    turn: Turn
    conversation: Conversation
    said: str
    message: Context
    before: str
    """The sentence before it."""
    answers: str = ""
    """The work that the message answers, and what the person said before that, where it is short."""


def may_be(cues: signals.Signals) -> bool:
    """Say whether a sentence with these signals is worth to be kept as a mention."""
    return not cues & _NEVER


def proposal(mention: Mention) -> Proposal | None:
    """Return what a sentence says by the way, None where it can be about no memory."""
    said = mention.said
    cues = signals.signals(said)
    if cues & _NOT:
        return None
    changes = replacing.may_change(said)
    known = as_ever.marks(said) or as_ever.stays(said) or bool(mention.answers)
    if not (changes or known or cues & _OF_ALWAYS) or is_not_meant(mention.conversation, said, cues):
        return None
    part = drafting.durable_part(said, mention.message) if changes else said
    core = rewriting.resolved(part, mention.before)
    if not core:
        return None
    made = _drafted(mention.turn, said, core if changes else "", cues)
    return made if changes else replace(made, about=mention.answers)


def _drafted(turn: Turn, said: str, changed: str, cues: signals.Signals) -> Proposal:
    """Return a supersede where a sentence may tell of a change, else a confirm.

    `changed` is the part of it that tells of the change, "" for none.
    """
    line = rewriting.stand_alone(changed) if changed else said
    made = drafting.of_sentence(turn, said, line, cues, basis="stated", confidence=CONFIDENCE["observed"])
    about = replacing.given_up(said) if changed else ""
    return replace(
        made, action="supersede" if changed else "confirm", about=about, reason=said[: drafting.MAX_REASON]
    )
