"""Decides whether a sentence is proposed: rules where they are certain, the linear model where they are not.

Implements specs/capture.md (K-42, K-43, K-49, K-147, K-281). A rule that is certain is vetoed only where the model finds the sentence
passing beyond doubt; one that is only likely needs the model's consent; the model alone needs to be sure. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from documents.proposal import Basis
from language import signals
from language.word_classes import CLASS_OF
from learning.detection import guessing, own_life, replacing, tastes
from learning.detection.policy import CONFIDENCE
from ledger.lazy_pattern import lazy_pattern

Signals = frozenset[str]

VETO = 0.05
"""Below this p even a certain rule is not followed."""
ORDERED = 0.02
"""Below this p an order that says "keep in mind" is an order, and nothing that is to be remembered."""
CORRECTS = 0.002
"""Below this p a correction is none: once made, it is only a candidate."""
DOUBT = 0.5
"""Below this p nothing is proposed that no certain rule speaks for."""
HEDGED = 0.3
"""From this p on what a person is not sure of themselves is filed, where it is not about the task."""
LIKELY = 0.5
"""From this p on what a likely rule speaks for is sure."""
ALONE = 0.52
"""From this p on it is where no rule speaks."""
CHANGED = 0.4
"""From this p on a statement that names what is no longer so is followed (K-49)."""
OF_OTHERS = 0.3
"""From this p on a frame that tells of the person's life is followed where it tells of a relative."""
IN_SPITE = 0.6
"""From this p on it is proposed where a cue speaks against it."""
TOLD = 0.6
"""From this p on what is told before a question or an order is looked at by itself (K-144)."""
BY_ITSELF = 0.1
"""From this p on "always …" or "never …" is followed that a message consists of."""
SUREST = 0.9
SURE = 0.7
"""The confidence of what is only just sure (K-60)."""
LEAST = 0.5
"""The confidence of what is only just proposed."""


class SentenceVerdict(NamedTuple):
    """Why a sentence is proposed, how sure that is, and the rules that spoke for it."""

    basis: Basis
    confidence: float
    rules: tuple[str, ...]


REPORTED_FAULT = frozenset(("broken", "mend"))
"""Something is broken, and to be mended: a state, whatever else is said of it."""
_OF_ERRORS = frozenset(("broken",))
_SILENT = frozenset(("greeting", "thanks", "praise", "assent"))
_NO_CHANGE = frozenset(("question", "asking", "hypothetical", "reported", "hedged", "broken"))
_HOLDS = frozenset(("passing",))
_NOT_OF_A_LIFE = frozenset(
    ("question", "asking", "ask", "order", "hypothetical", "reported", "hedged", "passing", "broken")
)
_AGAINST = frozenset(
    (
        "question",
        "asking",
        "passing",
        "hypothetical",
        "reported",
        "broken",
        "mend",
        "progress",
        "recall",
        "not_forget",
    )
)
_OF_THE_TASK = frozenset(
    ("question", "asking", "order", "ask", "progress", "broken", "passing", "hypothetical", "reported")
)
_OF_A_HOME = frozenset(("is_named", "kin_fact", "health", "remember", "notice", "habit", "team"))
"""What is told of a relative is mostly of their day, but for this."""
_OF_A_PERSON = frozenset(("name", "family", "kin_fact", "health"))
_CLAUSE = lazy_pattern(r"[,;:—–]\s|\s(?=(?:so|but|because)\b)", re.IGNORECASE)
_SETTLED = frozenset(("decided", "chosen"))
_STANDING_ORDER = frozenset(("habit", "order_rule"))
_ALWAYS = lazy_pattern(r"(?:please )?(?:always|never) (\w+)", re.IGNORECASE)
_OTHERWISE = frozenset(("question", "asking", "hypothetical", "recall"))

_VETOES = {
    "from now on": 0.0,
    "from now on, they": 0.3,
    "I prefer": 0.01,
    "we went with": 0.3,
    "how to answer": 0.12,
    "do it with": 0.0,
    "always, never": 0.2,
    "here we": 0.2,
    "always so": 0.03,
}
"""From which p a certain rule is followed, where that is not VETO: the more it is said of the moment, the higher."""

_CERTAIN: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    # name of the rule, signals that it needs all of, signals of which it bears none
    (
        "from now on",
        frozenset(("standing",)),
        frozenset(("hypothetical", "reported", "asking", "hedged", "passing", "third")),
    ),
    (
        "from now on, they",
        frozenset(("standing", "third")),
        frozenset(("hypothetical", "reported", "asking", "hedged", "passing")),
    ),
    ("I prefer", frozenset(("prefer",)), _AGAINST | {"hedged", "points"}),
    ("we decided", frozenset(("decided",)), _OTHERWISE | {"hedged", "reported", "passing", "family"}),
    (
        "we went with",
        frozenset(("chosen",)),
        _OTHERWISE | {"hedged", "reported", "passing", "order", "mend", "progress"},
    ),
    ("my name is", frozenset(("name",)), _AGAINST),
    ("my family", frozenset(("family", "is_named")), _OTHERWISE),
    ("my health", frozenset(("health", "self")), _AGAINST | {"third"}),
    ("where I live", frozenset(("lives",)), _AGAINST | {"hedged"}),
    ("never here", frozenset(("project", "order_rule")), _AGAINST | {"hedged"}),
    ("always here", frozenset(("project", "habit")), _AGAINST | {"hedged"}),
    ("on this machine", frozenset(("machine", "states")), _AGAINST | {"hedged", "correct"}),
    ("how to answer", frozenset(("answers", "order_rule")), _AGAINST | {"hedged", "order"}),
    ("all answers", frozenset(("all_answers", "order_rule")), _AGAINST | {"hedged", "order"}),
    ("all answers", frozenset(("answers", "order_rule", "habit")), _AGAINST | {"hedged", "order"}),
    ("I prefer", frozenset(("compares",)), _AGAINST | {"hedged"}),
    ("what I do", frozenset(("works", "self")), _AGAINST | {"hedged", "third", "reported"}),
    ("my family", frozenset(("kin_fact",)), _AGAINST | {"hedged"}),
    ("here we", frozenset(("house", "team")), _AGAINST | {"hedged", "order", "request", "aside"}),
    ("always so", frozenset(("ending", "answers")), _AGAINST | {"hedged"}),
    ("always so", frozenset(("ending", "order")), _AGAINST | {"hedged"}),
    ("always so", frozenset(("ending", "order_rule")), _AGAINST | {"hedged"}),
    ("do it with", frozenset(("to_do",)), _AGAINST | {"hedged"}),
    ("do it with", frozenset(("explained",)), _AGAINST | {"hedged"}),
    ("always, never", frozenset(("habit", "order_rule")), _AGAINST | {"hedged", "path"}),
    ("do it with", frozenset(("tool", "code", "does_with")), _AGAINST | {"hedged"}),
)
_LIKELY: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("I like, I hate", frozenset(("likes",)), _AGAINST),
    ("I prefer", frozenset(("prefer",)), _AGAINST),
    ("I dislike", frozenset(("dislike",)), _AGAINST),
    ("I want you to", frozenset(("wants",)), _AGAINST),
    ("always, never", frozenset(("habit",)), _OTHERWISE | {"broken"}),
    ("as a rule", frozenset(("regular",)), _OTHERWISE),
    ("a rule", frozenset(("rule", "team")), _AGAINST),
    ("for the record", frozenset(("notice",)), _OTHERWISE),
    ("who I am", frozenset(("role", "self")), _AGAINST),
    ("my family", frozenset(("family",)), _AGAINST),
    ("my health", frozenset(("health",)), _AGAINST),
    ("where I live", frozenset(("place", "self")), _AGAINST),
    ("we went with", frozenset(("chosen",)), _OTHERWISE | {"hedged"}),
    ("we use", frozenset(("team",)), _AGAINST),
    ("this machine", frozenset(("local",)), _AGAINST),
    ("this project", frozenset(("project",)), _AGAINST),
    ("this machine", frozenset(("machine",)), _AGAINST),
    ("a promise", frozenset(("committed",)), _AGAINST),
)


def judge(said: str, message: str, cues: Signals, p: float, *, corrects: bool) -> SentenceVerdict | None:
    """Return whether and why a sentence is proposed: by cues and model, what it says is over, what it tells of a life.

    Args:
        said: the sentence, as the person wrote it.
        message: the text of its message.
        cues: the signals of the sentence (K-23).
        p: how likely the model finds it durable.
        corrects: whether it sets what is wanted against what is not.
    """
    at_a_time = "passing" in cues and (
        replacing.is_change(said) or (cues & _SETTLED and not replacing.holds_for_now(said))
    )
    verdict = decide(cues - _HOLDS if at_a_time else cues, p, corrects=corrects)
    if (
        verdict is not None
        and verdict.basis == "stated"
        and (guessing.appears(said) or _is_hedged(said, cues))
    ):
        return SentenceVerdict("hedged", CONFIDENCE["hedged"], verdict.rules)
    open_to_it = p >= CHANGED and not cues & _NO_CHANGE and (verdict is None or verdict.basis == "stated")
    if open_to_it and replacing.is_lasting_change(said, message):
        return SentenceVerdict("stated", SUREST, ("a change",))
    least = OF_OTHERS if "family" in cues else own_life.LEAST
    if _is_unsure(verdict) and p >= least and not cues & _NOT_OF_A_LIFE and own_life.lasts(said):
        return SentenceVerdict("stated", SURE, ("my life",))
    if verdict is None and p >= BY_ITSELF and cues >= _STANDING_ORDER and _is_all(said, message, cues):
        return SentenceVerdict("stated", SURE, ("always, never",))
    if verdict is None and tastes.is_lasting(said, message, cues, p):
        return SentenceVerdict("stated", LEAST, ("a taste or rule",))
    return verdict


def _is_all(said: str, message: str, cues: Signals) -> bool:
    """Say whether a message is one standing order and nothing else: then it is about no task (K-42)."""
    if cues & (_AGAINST | {"hedged", "path", "points"}) or message.strip().rstrip(".!") != said.rstrip(".!"):
        return False
    found = _ALWAYS.match(said)
    return found is not None and CLASS_OF.get(found[1].lower()) == "ORDER"


def _is_hedged(said: str, cues: Signals) -> bool:
    """Say whether a person is not sure of what they tell of themselves or theirs; a hedge of another clause says nothing of it."""
    own = cues & _OF_A_PERSON
    if "hedged" not in cues or not own:
        return False
    telling = [cues_of for clause in _CLAUSE.split(said) if (cues_of := signals.signals(clause)) & own]
    return not any("hedged" not in cues_of for cues_of in telling)


def _is_unsure(verdict: SentenceVerdict | None) -> bool:
    return verdict is None or (verdict.basis == "stated" and verdict.confidence < SURE)


def decide(signals: Signals, p: float, *, corrects: bool) -> SentenceVerdict | None:
    """Return whether and why a sentence is proposed by its signals and the model alone."""
    if "remember" in signals and not signals & _OTHERWISE and ("order" not in signals or p >= ORDERED):
        return SentenceVerdict("asked", CONFIDENCE["asked"], ("remember",))
    if "assent" in signals and not signals & {"standing", "words_20", "words_more"}:
        return None
    certain = tuple(name for name in _certain(signals) if p >= _VETOES.get(name, VETO))
    if certain:
        return SentenceVerdict("stated", SUREST, certain)
    if "correct" in signals and corrects and p >= CORRECTS and not signals & _OTHERWISE:
        return SentenceVerdict("corrected", CONFIDENCE["corrected"], ("a correction",))
    if (signals & _SILENT and "words_3" in signals) or signals >= REPORTED_FAULT:
        return None
    likely = _likely(signals)
    if "hedged" in signals and p >= HEDGED and not signals & _OF_THE_TASK:
        return SentenceVerdict("hedged", CONFIDENCE["hedged"], likely)
    if p < DOUBT:
        return None
    if "hedged" in signals:
        return SentenceVerdict("hedged", CONFIDENCE["hedged"], likely)
    if _is_against(signals) or ("family" in signals and not signals & _OF_A_HOME):
        return SentenceVerdict("stated", _confidence(p, ALONE), likely) if p >= IN_SPITE else None
    return SentenceVerdict("stated", _confidence(p, LIKELY if likely else ALONE), likely)


def _is_against(signals: Signals) -> bool:
    """Say whether a cue speaks against a sentence; a rule may say what is to be done about errors."""
    against = signals & _AGAINST
    return bool(against) and not (against == _OF_ERRORS and "rule" in signals)


def _confidence(p: float, sure: float) -> float:
    """Return the confidence that stands for a p, which is SURE where p is just `sure`."""
    if p < sure:
        return min(SURE - 0.01, round(LEAST + (SURE - LEAST) * (p - DOUBT) / (sure - DOUBT), 2))
    return round(SURE + (SUREST - SURE) * (p - sure) / (1 - sure), 2)


@lru_cache(maxsize=4096)
def _certain(signals: Signals) -> tuple[str, ...]:
    return _heard(_CERTAIN, signals)


@lru_cache(maxsize=4096)
def _likely(signals: Signals) -> tuple[str, ...]:
    return _heard(_LIKELY, signals)


def _heard(
    rules: tuple[tuple[str, frozenset[str], frozenset[str]], ...], signals: Signals
) -> tuple[str, ...]:
    return tuple(name for name, needed, bars in rules if needed <= signals and not signals & bars)
