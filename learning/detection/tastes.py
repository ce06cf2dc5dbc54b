"""Knows a message that is nothing but a lasting taste or rule of somebody's work: "I hate semicolons", "we never deploy on Fridays".

Implements specs/capture.md (K-42). By how the sentence is built: what is liked is a kind of thing, never one that lies before us; a
rule is of a kind as well, in the present tense. It is a candidate at most. Pure.
"""

from __future__ import annotations

import re

from language.signals import Signals
from language.word_classes import CLASS_OF
from ledger.lazy_pattern import lazy_pattern

LEAST_TASTE = 0.15
"""From this p on a taste is asked about: the model knows few of the things that people like."""
LEAST_RULE = 0.1

_AGAINST = frozenset(
    ("question", "asking", "passing", "hypothetical", "reported", "broken", "mend", "progress", "recall", "not_forget", "hedged",
     "thanks", "praise", "third", "path")
)  # fmt: skip
_TASTE = lazy_pattern(
    r"I(?:\s+|(?=['’]))(?:(?:really|generally|personally|absolutely|usually|just)\s+)?"
    r"(?:hate|dislike|detest|loathe|like|love|favou?r|(?:don['’]?t|do\s+not)\s+(?:really\s+)?like|can(?:['’]?t|not)\s+(?:stand|bear)|"
    r"am\s+(?:not\s+)?a\s+(?:big\s+)?fan\s+of|['’]?m\s+(?:not\s+)?a\s+(?:big\s+)?fan\s+of)\s+"
    r"(?P<what>(?:[\w-]+\s+){0,3}?[\w-]+)(?P<where>\s+(?:in|for|inside|within|on|between|as)\s+[\w -]{2,40})?[.!]*",
    re.IGNORECASE,
)
_OF_ONE = lazy_pattern(
    r"\b(?:an?|the|this|that|these|those|it|its|them|him|her|you|your|his|their|my|our|here|there|how|what|when|where|who|why|if|to|both|either|"
    r"some|any|all|such|one|ones|two|three|four|five|new|last|next|first|\d+)\b",
    re.IGNORECASE,
)
_MANY = lazy_pattern(r"(?!has$|was$|this$|does$|his$|its$|yes$|always$)\w+[^\Wsu]s$", re.IGNORECASE)
_HABIT = lazy_pattern(
    r"(?:here\s+)?we\s+(?:never|always)\s+(?P<verb>[\w-]+)\b(?P<rest>[^,;:?]*?)[.!]*", re.IGNORECASE
)
_ALL = lazy_pattern(
    r"(?:all|every\s+one|each|none)\s+(?:of\s+)?our\s+(?:[\w-]+\s+){0,2}?(?P<what>[\w-]+)\s+(?P<verb>[\w-]+)\s+(?P<rest>[^,;:?]+?)[.!]*",
    re.IGNORECASE,
)
_MUST = lazy_pattern(
    r"(?:(?P<each>all|every|each|any|no)\s+)?(?P<what>(?:[\w-]+\s+){0,2}?[\w-]+)\s+(?:must|have\s+to|has\s+to)\s+"
    r"(?P<no>(?:not|never|always)\s+)?(?P<verb>[\w-]+)\b(?P<rest>[^,;:?]*?)[.!]*",
    re.IGNORECASE,
)
_ANCHOR = lazy_pattern(
    r"\bhere\b|\b(?:in|for|across)\s+(?:this|our|the)\s+(?:\w+\s+)?(?:project|repo|repository|codebase|code|team|monorepo)\b",
    re.IGNORECASE,
)
_POINTS = lazy_pattern(
    r"\b(?:this|that|these|those|it|them|again|twice|enough|why|how|what|either|anyway)\b", re.IGNORECASE
)
_BUILT = frozenset(
    """use uses run runs log logs live lives go goes ship ships store stores emit emits return returns target targets share shares follow
    follows write writes read reads listen listens speak speaks publish publishes depend depends talk talks expose exposes export exports
    inherit inherits extend extends start starts end ends belong belongs carry carries expect expects accept accepts""".split()
)
"""Verbs that say how something is made, not how it fares."""
_SUPPOSES = frozenset("have be".split())


def is_lasting(said: str, message: str, cues: Signals, p: float) -> bool:
    """Say whether a message is a sentence that states a lasting taste or rule, and nothing else."""
    if (
        p < min(LEAST_TASTE, LEAST_RULE)
        or cues & _AGAINST
        or message.strip().rstrip(".!") != said.rstrip(".!")
    ):
        return False
    if p >= LEAST_TASTE and "self" in cues and (taste := _TASTE.fullmatch(said)) is not None:
        return _is_kind(taste["what"]) and not _OF_ONE.search(taste["where"] or "")
    return p >= LEAST_RULE and _is_rule(said)


def _is_kind(what: str) -> bool:
    """Say whether words name a kind of things by their plural, and none of them points at some that lie before us."""
    return _MANY.fullmatch(what.rpartition(" ")[2]) is not None and _OF_ONE.search(what) is None


def _is_rule(said: str) -> bool:
    if (habit := _HABIT.fullmatch(said)) is not None:
        return CLASS_OF.get(habit["verb"].lower()) == "ORDER" and not _POINTS.search(habit["rest"])
    if (every := _ALL.fullmatch(said)) is not None:
        return (
            bool(_MANY.fullmatch(every["what"]))
            and every["verb"].lower() in _BUILT
            and not _POINTS.search(every["rest"])
        )
    if (must := _MUST.fullmatch(said)) is None:
        return False
    anchored = _ANCHOR.search(must["rest"]) is not None
    if _OF_ONE.search(must["what"]) or (not anchored and _POINTS.search(must["rest"])):
        return False
    if not (must["each"] or _MANY.fullmatch(must["what"].rpartition(" ")[2])):
        return False
    if must["verb"].lower() in _SUPPOSES and must["no"] is None:
        supposed = re.match(r"\s+\w+(?:ing|ed)\b", must["rest"])
        return anchored and supposed is None
    return anchored or must["no"] is not None or must["each"] is not None
