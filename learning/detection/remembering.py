"""Recognises what a person asks to remember in words that no cue holds: "don't lose this: …", "take down that …".

Implements specs/capture.md (K-146). What counts is the form: an order to keep, whose object is "this", "that" or nothing,
before what is to be kept; or such an order before "that". Pure.
"""

from __future__ import annotations

import re

from language.pieces import mark_words, marks
from ledger.lazy_pattern import lazy_pattern

_OPENS = (
    r"^(?:(?:please|pls|ok(?:ay)?|so|and|also|hey|oh|btw|by\s+the\s+way|good\s+to\s+know|can\s+you|could\s+you|would\s+you|"
    r"you\s+(?:should|can|could|may|might\s+want\s+to|must)|"
    r"i(?:'d|\s+would)?\s+(?:want|like|need)\s+you\s+to|before\s+we\s+(?:start|begin)|one\s+more\s+thing|first\s+of\s+all|"
    r"you(?:'d|\s+had)\s+better|make\s+sure\s+(?:you|to)|be\s+sure\s+to|try\s+to|let'?s|now)[\s,.!]+)*"
)
_KEEP = (
    r"(?:remember|memori[sz]e|save|store|keep|note|write|jot|take|put|file|log|record|hold|learn|commit|add|bear|have|"
    r"never\s+forget|(?:don't|do\s+not|dont)\s+(?:lose|forget)|"
    r"keep\s+track\s+of|hang\s+on\s+to|hold\s+on\s+to|make\s+(?:yourself\s+)?a\s+note\s+of|merk(?:e)?\s+dir|merken|notier(?:en?)?|notez?|retiens|apunta|"
    r"anota|guarda|guarde)"
)
_OBJECT = r"(?:\s+(?:this|that|it|one|these|the\s+following|something)(?:\s+one)?)?"
_WHERE = (
    r"(?:\s+(?:down|away|beyond\s+(?:today|this\s+\w+)|for\s+(?:the|all(?:\s+the)?)\s+(?:next\s+)?(?:chats|sessions|conversations|times|talks)"
    r"(?:\s+to\s+come)?|somewhere(?:\s+(?:safe|permanent))?|on\s+to\s+(?:this|that|it)|in\s+mind|(?:in|to|into|on)\s+(?:your\s+|"
    r"the\s+)?(?:memory|notes?|head|mind|file|list)|"
    r"for\s+(?:later|next\s+time|the\s+future|future\s+(?:reference|sessions|use)|me|good|ever|yourself)|forever|about\s+(?:me|us|"
    r"this\s+project)|"
    r"to\s+what\s+you\s+know(?:\s+about\s+(?:me|us|this))?|under\s+[\w\s]{2,30}|please|thanks|now|then|always|next\s+time|every\s+time|"
    r"in\s+(?:the\s+)?future|from\s+(?:now|here)\s+on|going\s+forward))*"
)
_NOTE = (
    r"(?:(?:mental\s+)?note(?:\s+to\s+(?:self|yourself|you))?(?:\s+for\s+(?:later|next\s+time|the\s+future))?|for\s+(?:later|"
    r"next\s+time|your\s+(?:memory|notes|records|files)|future\s+reference|"
    r"the\s+(?:record|files|future))|(?:worth|good)\s+(?:knowing|remembering|noting|keeping)|(?:one|something)\s+(?:for|"
    r"to)\s+(?:your\s+)?(?:memory|notes|remember|keep)(?:\s+for\s+[\w\s]{2,14})?|"
    r"(?:one|another|some)\s?thing\s+(?:to|worth|(?:that\s+)?you\s+(?:should|must|need\s+to))\s+(?:remember(?:ing)?|keep(?:ing)?|know(?:ing)?|"
    r"not(?:e|ing)|h[ao](?:ld|ng)\s+on\s+to)(?:\s+(?:beyond|for)\s+[\w\s]{2,14})?|so\s+(?:that\s+)?you\s+(?:know|"
    r"don't\s+(?:have\s+to\s+)?ask)(?:\s+(?:again|next\s+time))?|"
    r"(?:bitte\s+)?merken|à\s+retenir|para\s+recordar|zum\s+merken|pour\s+(?:la\s+suite|plus\s+tard))"
)
_LEADS = lazy_pattern(
    rf"{_OPENS}(?:{_KEEP}{_OBJECT}{_WHERE}|{_NOTE})\s*[:–—]\s+(?P<what>\S.*)$"
    rf"|{_OPENS}(?:{_KEEP}\s+(?:this|that|it){_WHERE}|{_KEEP}\s+down(?:\s+please)?|{_NOTE})\s*,\s*(?P<that>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_THAT = lazy_pattern(
    rf"{_OPENS}(?:(?:remember|memori[sz]e|store|save|record|keep\s+(?:in\s+mind|a\s+note|note)|take\s+(?:down|note)|write\s+down|"
    rf"jot\s+down|bear\s+in\s+mind|make\s+a\s+note|file\s+away|"
    r"tell\s+your(?:self|\s+future\s+self)|let\s+it\s+be\s+known|never\s+forget|(?:don't|do\s+not)\s+forget)(?:\s+for\s+(?:later|"
    r"next\s+time|the\s+future|good|ever|the\s+next\s+\w+))?)\s+that\s+(?P<what>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_LEAST = 3
_RULE = lazy_pattern(
    rf"{_OPENS}(?:remember|never\s+forget|(?:don't|do\s+not|dont)\s+forget)\s+to\s+(?P<what>(?:always|never)\s+\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""What is to be done always is no errand, as "remember to push" is one."""
_CUTS = lazy_pattern(r"[:,–—-]\s|\bthat\b|\bto\s+(?:always|never)\b", re.IGNORECASE)


def asked_to_keep(said: str) -> str:
    """Return what a sentence asks to remember, "" where it asks nothing of the sort."""
    if not marks(said) & _KEEPS:
        return ""
    said = said.rstrip()
    if said.endswith("?") and _COULD_YOU.match(said) is not None:
        said = said.rstrip("? ")
    if said.endswith("?") or _CUTS.search(said) is None:
        return ""
    plain = said.replace("’", "'")
    for pattern in (_RULE, _LEADS, _THAT):
        if (found := pattern.match(plain)) is not None:
            groups = found.groupdict()
            if (reason := groups.get("that")) and _REASON.match(reason) is not None:
                return ""
            what = groups["what"] or groups.get("that") or ""
            return what if len(what.split()) >= _LEAST and not says_nothing(what) else ""
    return ""


def asks_to_keep_what_was_said(said: str) -> bool:
    """Say whether a sentence asks to remember the one before it, and says no more than why: "keep that, I always forget it"."""
    if not marks(said) & _KEEPS:
        return False
    found = _POINTS_BACK.match(said.replace("’", "'"))
    return found is not None and (not found["why"] or _REASON.match(found["why"]) is not None)


def says_nothing(line: str) -> bool:
    """Say whether what is left of a sentence that asks to remember something is only when, and please: "next time"."""
    return _NOTHING.fullmatch(f" {line}") is not None


_NOTHING = lazy_pattern(rf"(?:\s+{_KEEP}{_OBJECT})?{_WHERE}[\s.!]*", re.IGNORECASE)
_COULD_YOU = lazy_pattern(r"(?:\w+[\s,]+){0,2}(?:can|could|will|would)\s+you\b", re.IGNORECASE)
_REASON = lazy_pattern(
    r"(?:(?:and\s+)?(?:i|you|we|it)(?:'ll|'d|'m|'re)?\s+(?:keeps?|always|never|comes?|need|will|forget|forgot|get|dig|look|had\s+to|have\s+to|"
    r"ask(?:ed)?|search|might)|because|since|so\s+(?:that\s+)?(?:i|you|we)|as\s+(?:i|you|we)|otherwise|every\s+time|each\s+time)\b",
    re.IGNORECASE,
)
_FOR_LATER = (
    r"(?:in\s+mind|(?:down\s+)?for\s+(?:later|next\s+time|the\s+(?:future|next\s+\w+)|good|ever|future\s+\w+)|in\s+(?:your\s+)?(?:memory|"
    r"notes|head|mind)|(?:to|into)\s+(?:your\s+)?(?:memory|notes)|beyond\s+(?:today|this\s+\w+))"
)
_POINTS_BACK = lazy_pattern(
    rf"{_OPENS}(?:(?:remember|memori[sz]e|h[ao](?:ld|ng)\s+on\s+to|never\s+forget|(?:don't|do\s+not)\s+forget|make\s+(?:yourself\s+)?a\s+note\s+"
    rf"of|merk\s+dir|retiens)\s+(?:this|that|it|das)(?:\s+one)?|{_KEEP}\s+(?:this|that|it)(?:\s+one)?\s+{_FOR_LATER}){_WHERE}\s*(?:[.!?]*|[,;–—-]\s*(?P<why>\S.*))$",
    re.IGNORECASE,
)
_KEEPS = mark_words(
    """remember memorise memorize save store keep note write jot take put file log record hold hang learn commit add bear have lose forget
    track later next future worth good know ask known yourself self merk merke merken notier notiere notieren notez note retenir retiens
    recordar suite tard apunta anota guarda guarde one something another memory notes records files"""
)
"""The words of which a sentence has one that asks to keep something."""
