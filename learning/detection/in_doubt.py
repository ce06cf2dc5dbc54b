"""Reads a sentence that may be somebody else's: it orders, corrects and confirms nothing, and is a candidate at most.

Implements specs/capture.md (K-172, K-173). Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from documents.proposal import Proposal
from language import durable, signals
from language.features import Context
from learning.detection import attributed, drafting, rewriting
from learning.turn import Turn
from ledger.memory import Memory

DOUBTFUL = 0.55
"""The confidence of what somebody else may have said: as that of a hedge."""
_ORDERS = frozenset(("forget", "correct"))
_RULES = frozenset(("rule", "habit", "standing", "regular"))
_NO_RULE = frozenset(
    ("question", "asking", "hypothetical", "passing", "progress", "broken", "order", "request")
)
_BINDING = 0.2
"""From this p on a rule of the team that somebody gave is a candidate."""


def candidates(
    turn: Turn, said: str, message: Context, read: Callable[[str], list[Proposal]]
) -> list[Proposal]:
    """Return what a sentence in doubt proposes.

    `read` reads a sentence as the person's own, in a conversation that holds nothing else.
    """
    cues = signals.signals(said)
    if cues & _ORDERS:
        return []
    rule = attributed.rule_in(said)
    found = read(rule or said)
    if rule and not found and _binds(rule, message):
        found = [drafting.of_sentence(turn, said, rule, cues, basis="stated")]
    return [
        replace(
            one, action="create", about="", basis="hedged", memory=_doubtful(one.memory, said if rule else "")
        )
        for one in found
        if one.memory is not None
    ]


def _binds(rule: str, message: Context) -> bool:
    cues = signals.signals(rule)
    return bool(cues & _RULES) and not cues & _NO_RULE and durable.score(rule, message, cues).p >= _BINDING


def _doubtful(memory: Memory, said: str) -> Memory:
    """Return a memory as a candidate; with the sentence that tells who said it, where there is one."""
    text = rewriting.stand_alone(said) if said else memory.text
    return memory._replace(text=text, confidence=min(memory.confidence, DOUBTFUL))
