"""Recognises what a person asks to remember in words that no cue holds: "don't lose this: …", "take down that …".

Implements specs/capture.md (K-146). What counts is the form: an order to keep, whose object is "this", "that" or nothing,
before what is to be kept; or such an order before "that". Pure.
"""

from __future__ import annotations

import re

from capture.word_set import word_set

_OPENS = (
    r"^(?:(?:please|pls|ok(?:ay)?|so|and|also|hey|oh|btw|by\s+the\s+way|good\s+to\s+know|can\s+you|could\s+you|would\s+you|"
    r"you\s+(?:should|can|could|may|might\s+want\s+to|must)|"
    r"i(?:'d|\s+would)?\s+(?:want|like|need)\s+you\s+to|make\s+sure\s+(?:you|to)|be\s+sure\s+to|try\s+to|let'?s|now)[\s,.!]+)*"
)
_KEEP = (
    r"(?:remember|memori[sz]e|save|store|keep|note|write|jot|take|put|file|log|record|hold|learn|commit|add|bear|have|"
    r"never\s+forget|(?:don't|do\s+not|dont)\s+(?:lose|forget)|"
    r"keep\s+track\s+of|hang\s+on\s+to|make\s+(?:yourself\s+)?a\s+note\s+of|merk(?:e)?\s+dir|merken|notier\w*|notez?|retiens|apunta|"
    r"anota|guarda|guarde)"
)
_OBJECT = r"(?:\s+(?:this|that|it|one|these|the\s+following|something)(?:\s+one)?)?"
_WHERE = (
    r"(?:\s+(?:down|away|somewhere(?:\s+(?:safe|permanent))?|on\s+to\s+(?:this|that|it)|in\s+mind|(?:in|to|into|on)\s+(?:your\s+|"
    r"the\s+)?(?:memory|notes?|head|mind|file|list)|"
    r"for\s+(?:later|next\s+time|the\s+future|future\s+(?:reference|sessions|use)|me|good|ever|yourself)|forever|about\s+(?:me|us|"
    r"this\s+project)|"
    r"to\s+what\s+you\s+know(?:\s+about\s+(?:me|us|this))?|under\s+[\w\s]{2,30}|please|now|then))*"
)
_NOTE = (
    r"(?:(?:mental\s+)?note(?:\s+to\s+(?:self|yourself|you))?(?:\s+for\s+(?:later|next\s+time|the\s+future))?|for\s+(?:later|"
    r"next\s+time|your\s+(?:memory|notes|records|files)|future\s+reference|"
    r"the\s+(?:record|files|future))|(?:worth|good)\s+(?:knowing|remembering|noting|keeping)|(?:one|something)\s+(?:for|"
    r"to)\s+(?:your\s+)?(?:memory|notes|remember|keep)(?:\s+for\s+[\w\s]{2,14})?|"
    r"(?:one|another)\s+thing\s+to\s+(?:remember|keep|know)(?:\s+for\s+[\w\s]{2,14})?|so\s+(?:that\s+)?you\s+(?:know|"
    r"don't\s+(?:have\s+to\s+)?ask)(?:\s+(?:again|next\s+time))?|"
    r"(?:bitte\s+)?merken|à\s+retenir|para\s+recordar|zum\s+merken|pour\s+(?:la\s+suite|plus\s+tard))"
)
_LEADS = re.compile(
    rf"{_OPENS}(?:{_KEEP}{_OBJECT}{_WHERE}|{_NOTE})\s*[:–—]\s+(?P<what>\S.*)$"
    rf"|{_OPENS}(?:{_KEEP}\s+(?:this|that|it){_WHERE}|{_KEEP}\s+down(?:\s+please)?|{_NOTE})\s*,\s*(?P<that>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_THAT = re.compile(
    rf"{_OPENS}(?:(?:remember|memori[sz]e|store|save|record|keep\s+(?:in\s+mind|a\s+note|note)|take\s+(?:down|note)|write\s+down|"
    rf"jot\s+down|bear\s+in\s+mind|make\s+a\s+note|"
    r"tell\s+your(?:self|\s+future\s+self)|let\s+it\s+be\s+known|never\s+forget|(?:don't|do\s+not)\s+forget)(?:\s+for\s+(?:later|"
    r"next\s+time|the\s+future))?)\s+that\s+(?P<what>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_LEAST = 3
_CUTS = re.compile(r"[:,–—-]\s|\bthat\b")


def asked_to_keep(said: str) -> str:
    """Return what a sentence asks to remember, "" where it asks nothing of the sort."""
    if said.rstrip().endswith("?") or _KEEPS.isdisjoint(word_set(said)) or _CUTS.search(said) is None:
        return ""
    plain = said.replace("’", "'")
    for pattern in (_LEADS, _THAT):
        if (found := pattern.match(plain)) is not None:
            groups = found.groupdict()
            what = groups["what"] or groups.get("that") or ""
            return what if len(what.split()) >= _LEAST else ""
    return ""


_KEEPS = frozenset(
    """remember memorise memorize save store keep note write jot take put file log record hold hang learn commit add bear have lose forget
    track later next future worth good know ask known yourself self merk merke merken notier notiere notieren notez note retenir retiens
    recordar suite tard apunta anota guarda guarde one something another""".split()
)
"""The words of which a sentence has one that asks to keep something."""
