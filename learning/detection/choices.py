"""Recognises the answer that settles a question of this conversation: "offset or cursor?" … "cursor it is then, for all lists".

Implements specs/capture.md (K-143). Such an answer says too little to be judged, or to be kept, by itself: it is read
with the person's own question. Pure.
"""

from __future__ import annotations

import re

from language.pieces import mark_runs, marks
from ledger.lazy_pattern import lazy_pattern

_OPENS = (
    r"^(?:(?:ok|okay|yes|yep|yeah|right|alright|fine|good|great|well|so|then|hm+|ah|thanks|let's\s+go\s+with|go\s+with|(?:we'll|"
    r"i'll|we|i)\s+(?:go|stick)\s+with|"
    r"(?:we'll|i'll|we|let's)\s+(?:take|use|do))[\s,.!:]+)*"
)
_CHOSEN = (
    r"(?P<chosen>(?!that|this|it|what|which|nothing|both|neither|no\b|not\b|good|done|see|let|go\b|"
    r"now\b)[\w.+#/-]+(?:\s(?!it\b|then\b|is\b|for\b|and\b)[\w.+#/-]+){0,3})"
)
_SETTLES = lazy_pattern(
    rf"{_OPENS}{_CHOSEN}(?:,?\s+(?:it\s+is|it's\s+going\s+to\s+be|it\s+shall\s+be|wins|then)(?:,?\s+then)?|,?\s+(?:final|settled|"
    rf"decided|agreed)\b|"
    r",\s+that's\s+(?:what|the\s+one|how|settled|decided|final)\b[^,.;!?]*)(?P<rest>[^.!?]*)[.!?]*$",
    re.IGNORECASE,
)
_LASTS = lazy_pattern(
    r"\b(?:final|settled|decided|agreed|for\s+(?:all|every|good|the\s+(?:whole|entire))|everywhere|throughout|what\s+we(?:'ll|"
    r"\s+will)?|how\s+we|ship|from\s+(?:now|here)\s+on|always)\b",
    re.IGNORECASE,
)
_PASSES = lazy_pattern(
    r"\b(?:just|only|this|today|tonight|for\s+now|here|snippet|line|sentence|title|slide|paragraph|option|number|the\s+(?:first|"
    r"second|third|last|former|latter))\b",
    re.IGNORECASE,
)
_OF_A_PART = lazy_pattern(
    r"\b(?:this|today|tonight|snippet|line|sentence|title|slide|paragraph|option|variable|heading|button|now)\b",
    re.IGNORECASE,
)
"""What is asked about these is settled for this task alone."""
_OPTION = lazy_pattern(r"^(?:[a-z]|\d+|option\s+\w+|the\s+\w+(?:\s+one)?|one|two|three)$", re.IGNORECASE)
_ASKS_WHICH = lazy_pattern(
    r"\bor\b|\b(?:which|what)\s+(?:\w+\s+){0,3}?(?:should|shall|fits?|do|would|is|are|options?)\b",
    re.IGNORECASE,
)

_OF_CHOICE = mark_runs("or which what")
"""The words of which a sentence has one that `_ASKS_WHICH` finds something in."""


def asks_which(said: str) -> bool:
    """Say whether a sentence asks which of several things to take."""
    return (
        said.rstrip().endswith("?") and marks(said) & _OF_CHOICE != 0 and _ASKS_WHICH.search(said) is not None
    )


def decision(said: str, question: str, *, technical: bool) -> str:
    """Return the line of the decision that an answer makes, "" where it makes none that lasts.

    Args:
        said: the answer.
        question: what the person asked before it.
        technical: whether they speak of software, where a choice mostly lasts.
    """
    found = _SETTLES.match(said.strip())
    if found is None or not asks_which(question):
        return ""
    chosen = found["chosen"].strip(" ,")
    if (
        _OPTION.match(chosen)
        or _PASSES.search(said)
        or _OF_A_PART.search(question)
        or not (technical or _LASTS.search(said))
    ):
        return ""
    rest = found["rest"].strip(" ,;:")
    asked = question.strip().rstrip(" ?")
    return f"We decided on {chosen}{' ' + rest if rest else ''} ({asked[:1].lower()}{asked[1:]})"
