"""Keeps apart what holds for a while and what holds: "use npm for now", "use npm"; "until March", "from March on".

Implements specs/likeness.md (L-44). The words that say how long are mostly small ones, which carry no matter for the
rest of likeness. Asked only about texts that everything else calls the same. Pure; linear in the texts' lengths.
Patterns are compiled when first asked: every command pays for its imports.
"""

from __future__ import annotations

import re

__all__ = ["lasts_otherwise"]

_UNITS = (
    r"(?:morning|afternoon|evening|night|week|weekend|month|quarter|year|sprint|iteration|session|release|cycle"
    r"|summer|winter|spring|autumn)"
)
_THING = (
    r"(?:time|once|pr|pull request|mr|branch|commit|task|ticket|issue|run|turn|chat|conversation|file|step)"
)
_TERMS = (
    (
        "now",
        r"\bfor (?:now|the (?:moment|time being|meantime|present|interim))\b|\bin the (?:meantime|interim)\b",
    ),
    ("now", r"\b(?:temporarily|provisionally|meanwhile)\b|\bfor (?:a|some|the) (?:while|time|bit)\b"),
    ("now", r"\bat (?:the moment|present)\b|\buntil further notice\b|\bas a (?:stopgap|workaround)\b"),
    ("today", r"\b(?:today|tonight|tomorrow|right now|this (?:very )?instant)\b"),
    ("this", rf"\b(?:this|next|last) {_UNITS}\b"),
    (
        "this",
        rf"\b(?:just |only )?(?:for |in |on )?(?:this|the current) {_THING}\b(?! (?:is|are|has|uses|needs|must|should)\b)",
    ),
    ("until", r"\b(?:until|till|til|up until|through the end of|no later than)\b"),
    ("from", r"\b(?:starting|beginning|effective|as of|as from|since)\b(?! now\b)"),
    ("from", r"\bfrom (?!now\b)(?:\S+ ){1,3}?on(?:wards?)?\b(?=[,.;]|$)"),
    ("while", r"\b(?:as long as|so long as)\b"),
    ("once", r"\b(?:just this once|just once|one last time|for once)\b"),
)
_ANY_TERM = (
    r"\b(?:now|moment|present|interim|mean|time|temporar|provision|until|till?|today|tonight|tomorrow|this|next|last|while"
    r"|current|start|begin|effective|as (?:of|from|long|a)|since|from|during|throughout|so long|through|once|later)"
)


def lasts_otherwise(one: str, other: str) -> bool:
    """Say whether one text alone says that it holds for a while, or from a time on."""
    one, other = one.casefold(), other.casefold()
    if re.search(_ANY_TERM, one) is None and re.search(_ANY_TERM, other) is None:
        return False
    return _terms(one) != _terms(other)


def _terms(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _TERMS if re.search(pattern, text) is not None)
