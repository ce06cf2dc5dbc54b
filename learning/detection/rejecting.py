"""Reads the short answers that people give to a piece of work: what they reject, want otherwise, and want again.

Implements specs/capture.md (K-32, K-34, K-145). "no dicts, pydantic models", "grams please, not cups", "type hints missing
again". What becomes of them is for `learning.detection.corrections` and the detector. Pure.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

from learning.detection.corrections import (
    END,
    ITEM,
    NOT_A_THING,
    Contrast,
    contrast,
    is_file,
    is_of_files,
    stems,
)
from ledger.lazy_pattern import lazy_pattern

Wishes = deque[tuple[str, str]]
"""What was said in short behind pieces of work, each with its message, the newest last."""

_REJECTED = rf"(?P<rejected>{ITEM})"
_WANTED = rf"(?P<wanted>{ITEM})"
_ANSWERED = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        # "no dicts, pydantic models for responses": a thing, and another one, but not "no luck, same error"
        (
            r"^(?:please\s+|but\s+|hm+,?\s+)?no\s+(?!no\b|it|that|this|we|i|there|they|you|he|she|one|more|longer|need|wait|luck|dice|"
            r"change|difference|effect|errors?|success|"
            r"output|result|problem|worries|idea|clue|joke|way|rush|hurry|pressure|wonder|doubt|thanks|thank|please|really|just|the\b)"
            rf"{_REJECTED}\s*[,;:—–-]\s*(?!same|still|it\b|that\b|this\b|great|good|nice|thanks|but\b|so\b|and\b|why\b|what\b|i\b|"
            rf"we\b)(?P<wanted>[\w@`][^.;!?]*)"
        ),
        # what somebody says who has just been given something: the words alone would not be a correction
        rf"^not\s+(?:with\s+|in\s+|as\s+|the\s+|a\s+)?{_REJECTED}\s*[,;:—–-]\s*{_WANTED}{END}",
        (
            rf"\b(?:don'?t|do not|never|stop)\s+(?:ever\s+)?(?:\w+\s+(?:with|in|through|by|to|into|on)\s+)?{_REJECTED}\s*[,;:—–-]\s*"
            rf"(?:please\s+|but\s+|rather\s+|just\s+)*(?P<wanted>[\w@`][^.;!?]*)"
        ),
        (
            r"\byou(?:'ve)?\s+(?:\w+\s+){0,5}?(?:in|with|as|by|using|used|via|through)\s+(?P<rejected>[\w@/+#'.-]+)[,;:]?\s+(?:please\s+)?"
            r"(?:(?:please\s+)?(?:don'?t|no|stop|not\s+that))[\s,;:]+(?P<wanted>[\w@`][^.;!?]*)"
        ),
        r"\byou\s+(?:shouldn'?t|should\s+not)\s+(?:have\s+)?(?P<rejected>\w+(?:\s+\w+){0,4}?)\s*[,;:—–-]\s*(?:please\s+)?(?P<wanted>[\w@`][^.;!?]*)",
        r"^(?:wir|ich|bitte|hier)?\s*(?:nicht|kein\w*)\s+(?P<rejected>\w+)\s*[,;:—–-]\s*(?:sondern\s+)?(?P<wanted>[\w@`][^.;!?]*)",
        r"^pas\s+(?:de\s+|d')?(?P<rejected>\w+)\s*[,;:—–-]\s*(?P<wanted>[\w@`][^.;!?]*)",
    )
)
_OPENS_REJECTING = lazy_pattern(
    r"^(?:(?:no|nope|nah|ok|hey|again|and|but|wait|hm+|nein|non|please|ugh|argh|sorry|still|i\s+said)[\s,;:!.…]+)*"
    r"(?:not?\b|don'?t\b|do\s+not\b|never\b|stop\b|without\b|avoid\b|drop\b|leave\s+out\b|skip\b|you\s+shouldn'?t\b|you\s+should\s+not\b|"
    r"\w+!+\s+not\b|but\s+you\b|you\s+(?:used|wrote|put|added|keep)\b|less\b|fewer\b|too\s+(?:many|much)\b|kein\w*\b|nicht\b|ohne\b|"
    r"pas\b|sans\b|sin\b|sem\b|nada\s+de\b)",
    re.IGNORECASE,
)
_LIKE_THAT = lazy_pattern(r"\b(?:that|this|it|like)\b", re.IGNORECASE)
_NO_FIRST = lazy_pattern(r"^(?:no|nope|nah|nein|non|não|wrong|falsch)[,;:!.—–-]+\s+\w+", re.IGNORECASE)
_AGAIN = lazy_pattern(
    r"\b(?:again|as\s+before|as\s+(?:i\s+)?(?:already\s+)?said|already\s+(?:said|told|asked)|told\s+you|like\s+(?:i\s+said|"
    r"last\s+time|before)|once\s+more|"
    r"i\s+(?:said|asked\s+for|told|wanted)\b|remember\s*\?|still\s+(?:a|an|no|in)\b|missing\s+again|je\s+t'ai\s+(?:déjà\s+)?dit|"
    r"ich\s+hab\w*\s+(?:doch\s+|schon\s+)*gesagt|there\s+it\s+is|still\s+(?:the|with|using)|how\s+many\s+times|you\s+keep|(?:second|"
    r"third)\s+time|another\s+time|same\s+(?:thing|mistake|remark|as)|"
    r"schon\s+(?:gesagt|wieder|mal|erwähnt)|wieder|nochmal|noch\s+einmal|wie\s+gesagt|encore|déjà\s+dit|je\s+l'ai\s+dit|otra\s+vez|"
    r"ya\s+(?:te\s+)?(?:lo\s+)?dije|"
    r"de\s+nuevo|de\s+novo|outra\s+vez|já\s+(?:disse|falei))\b|!!|^again\b",
    re.IGNORECASE,
)
_OF_THIS_RESULT = lazy_pattern(
    r"\b(?:that|it|this)(?:'s|\s+is|\s+was)\s+(?:still\s+)?(?:not|wrong|broken|fine|ok|it)\b|\b(?:this|that)\s+(?:one|file|line|"
    r"test|branch|function)\b|"
    r"\b(?:yet|now|for\s+now|at\s+all|i\s+already|never\s+mind|line\s+\d+|the\s+other\s+one|wait)\b|\?\s*$|"
    r"\b(?:idea|problem|worries|need|thanks|clue|longer|wonder|matter)\b",
    re.IGNORECASE,
)
_OF_THIS_PIECE = lazy_pattern(rf"{_OF_THIS_RESULT.pattern}|\b(?:it|this|that|these|them)\b", re.IGNORECASE)
_MOST_IN_A_REJECTION = 16
_MOST_IN_A_REMINDER, _MOST_IN_A_WISH = 5, 12
_REMINDS = lazy_pattern(r"\b(?:remember|again|wieder|encore|otra\s+vez|de\s+novo)\s*\?+\s*$", re.IGNORECASE)
_OF_A_STATE = lazy_pattern(
    r"\b(?:not|isn't|aren't|still)\s+(?:not\s+)?(?:\w+ly\s+)?\w+(?:ed|en|ing)\s*[.!]*$", re.IGNORECASE
)
_NO_THING = lazy_pattern(
    r"^(?:(?:please|but|and|hm+|ok|also|again|wait)[\s,]+)*(?:no|fewer|less|without|too\s+(?:many|much)|leave\s+out|skip|kein\w*|"
    r"ohne|pas\s+de|sin|sem)\s+"
    r"(?:the\s+|any\s+|those\s+|all\s+)?(?P<thing>[\w.+#/-]+(?:\s(?!please\b|here\b|in\b|on\b|for\b)[\w.+#/*-]+)?)",
    re.IGNORECASE,
)
_DO_NOT = lazy_pattern(
    rf"^(?:no[\s,]+|please\s+|but\s+|hm+[\s,]+)*(?P<wanted>[\w@`][\w\s.+#/-]{{0,40}}?)\s*(?:,|;|—|–)\s*(?:and\s+|please\s+|we\s+)*"
    rf"(?:don'?t|do\s+not|never|no|not)\s+(?:use\s+|do\s+|the\s+)?(?P<rejected>{ITEM}){END}",
    re.IGNORECASE,
)
_POINTS = lazy_pattern(r"(?:the|this|that|these|those|my|your|i|it)\b", re.IGNORECASE)


def answer(said: str) -> Contrast | None:
    """Return what a short answer to somebody's work wants otherwise, None where it rejects but that one result (K-32)."""
    if len(said.split()) > _MOST_IN_A_REJECTION or (
        _OPENS_REJECTING.match(said) is None and _AGAIN.search(said) is None
    ):
        return None
    for pattern in _ANSWERED:
        if (found := pattern.search(said)) is not None:
            wanted, rejected = found["wanted"].strip(" ,;'\".!"), found["rejected"].strip(" ,;'\"")
            first = rejected.lower().partition(" ")[0]
            if (
                wanted
                and rejected
                and first not in NOT_A_THING
                and not _LIKE_THAT.search(rejected)
                and not _OF_THIS_RESULT.search(said)
                and not is_file(wanted)
            ):
                return Contrast(wanted, rejected)
    return None


def is_reminder(said: str) -> bool:
    """Say whether a question only reminds of what was said: "pnpm, remember?", "cups again?"."""
    return len(said.split()) <= _MOST_IN_A_REMINDER and _REMINDS.search(said) is not None


def wish(wishes: Wishes, message: str, said: str) -> None:
    """Note what somebody said in short behind a piece of work, whatever it is (K-145)."""
    if len(said.split()) <= _MOST_IN_A_WISH and stems(said):
        wishes.append((message, said))


def wished(wishes: Iterable[tuple[str, str]], message: str, said: str) -> str:
    """Return what was wished in an earlier message that a short rejection, or an "again", shares a telling word with."""
    told = stems(said)
    if _OF_THIS_RESULT.search(said) or _OF_A_STATE.search(said):
        return ""
    for earlier, wanted in reversed(list(wishes)):
        if earlier != message and told & stems(wanted) and not _OF_THIS_PIECE.search(wanted):
            return wanted
    return ""


def rejects_a_thing(said: str, work: str) -> bool:
    """Say whether a short answer rejects a thing that the work before it shows: "no select *" (K-32)."""
    found = _NO_THING.match(said)
    if found is None or len(said.split()) > _MOST_IN_A_WISH or _OF_THIS_RESULT.search(said):
        return False
    things = stems(found["thing"])
    return bool(things) and things <= stems(work)


def wants_otherwise(said: str, work: str) -> Contrast | None:
    """Return what a short answer sets against something that the work before it shows: "grams please, not cups" (K-32)."""
    if (
        len(said.split()) > _MOST_IN_A_REJECTION
        or said.rstrip().endswith("?")
        or _OF_THIS_RESULT.search(said)
    ):
        return None
    found = contrast(said)
    if found is None and (set_aside := _DO_NOT.match(said)) is not None:
        found = Contrast(set_aside["wanted"].strip(), set_aside["rejected"].strip())
    if found is None or not found.wanted or is_of_files(found) or _POINTS.match(found.wanted):
        return None
    words = stems(found.rejected)
    return found if words and words <= stems(work) else None


def sets_aside(said: str) -> bool:
    """Say whether a short answer sets aside a way of doing things: "no docstrings on helpers", "celsius, not fahrenheit"."""
    if len(said.split()) > _MOST_IN_A_REJECTION or not is_manner(said):
        return False
    return _OPENS_REJECTING.match(said) is not None or contrast(said) is not None


def rejects(said: str) -> bool:
    """Say whether a short answer says no to a way of doing things, or says that it was said before."""
    if len(said.split()) > _MOST_IN_A_REJECTION or said.rstrip().endswith("?"):
        return False
    return (
        is_again(said)
        or _NO_FIRST.match(said) is not None
        or (_OPENS_REJECTING.match(said) is not None and len(said.split()) > 1)
    )


def is_manner(said: str) -> bool:
    """Say whether a rejection may be of a way of doing things: known again, it is a correction (K-34)."""
    return not is_again(said) and _OF_THIS_RESULT.search(said) is None and bool(stems(said))


def is_again(said: str) -> bool:
    """Say whether a sentence says that it repeats another one."""
    return _AGAIN.search(said) is not None
