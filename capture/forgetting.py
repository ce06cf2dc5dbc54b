"""Recognises what a person asks to forget: "Forget what I said about Redpanda, we run real Kafka".

Implements specs/capture.md (K-41). Names what is meant; whether something of the sort is known, and a yes, are others' business. Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Asked(NamedTuple):
    """What is to be forgotten, in the person's words, and what else the sentence says ("" for nothing)."""

    about: str
    rest: str


_TOLD = r"(?:I|we)(?:'ve|\s+have|\s+had)?\s+(?:just\s+|once\s+|ever\s+)?(?:said|told\s+you|mentioned|wrote|gave\s+you|taught\s+you|shared)"
_VERB = r"(?:forget|delete|remove|drop|scrap|erase|wipe|discard|unlearn|clear|ditch)"
_NOTED = r"(?:note|notes|memory|memories|bit|thing|things|part|stuff|entry|entries|fact|rule|preference|plan|info(?:rmation)?|line)"
_WHAT = rf"""
    (?: (?:what(?:ever)?|everything|anything|all(?:\s+(?:that|of\s+what))?|the\s+{_NOTED}|that\s+{_NOTED}|
    my\s+{_NOTED}|stuff)\s+(?:that\s+)?
        (?:{_TOLD}|you\s+(?:have\s+|'ve\s+)?(?:saved|stored|know|noted|remember(?:ed)?|learned|wrote(?:\s+down)?))
        (?:\s+(?:about|on|of|regarding|concerning|with|for))? \s*
      | (?:the|that|this|my|your|any|those|all)\s+(?:\w+\s+)?{_NOTED}\s+(?:that\s+)?(?:about|on|of|regarding|with|
      saying|where|from)\s+
      | everything\s+(?:about|on|you\s+know\s+about)\s+
      | that\s+(?=(?:I|we|my|our)\b)
      | (?=(?:my|our|the)\s+(?:\w+\s+){{0,4}}(?:rule|preference|thing|number|address|plan|name|password|note|bit|
      setup|convention|decision)\b)
    )"""
_FORGET = re.compile(
    rf"(?:\b(?:please|pls|you\s+can|can\s+you|could\s+you|just|now|ignore\s+and|and|then|so|ok(?:ay)?|hey|"
    rf"oh|small\s+favou?r:?)[\s,]+)*\b(?<!n't\s)(?<!not\s)(?<!never\s)"
    rf"{_VERB}\s+(?:from\s+(?:your\s+)?memory\s+)?{_WHAT}(?P<about>(?:[^,.;!?]|[.](?=\w))+)(?P<rest>.*)",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_FROM_MEMORY = re.compile(
    rf"\b{_VERB}\s+(?P<about>(?:[^,.;!?]|[.](?=\w))+?)\s+from\s+(?:your\s+|the\s+)?memor(?:y|ies)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OF_MEMORY = re.compile(
    rf"\b{_VERB}\s+from\s+(?:your\s+|the\s+)?memor(?:y|ies)\s+(?:that\s+)?(?P<about>(?:[^,.;!?]|"
    rf"[.](?=\w))+)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_MORE = re.compile(
    r"\b(?:don't|do\s+not|stop)\s+remember(?:ing)?\s+(?P<about>(?:that|my|our|the|"
    r"what)\b[^,.;!?]+?)(?:\s+any\s?more)?(?P<rest>[,.;!?].*|$)",
    re.IGNORECASE | re.DOTALL,
)
_OTHERS = re.compile(
    r"\b(?:vergiss\s+(?:bitte\s+)?(?:,?\s*was\s+ich\s+(?:dir\s+)?(?:über|zu|von)|alles\s+(?:über|zu))|"
    r"oublie\s+(?:ce\s+que\s+j'ai\s+dit|tout)\s+(?:sur|de|à\s+propos\s+d[eu'])|"
    r"olvida\s+(?:lo\s+que\s+(?:te\s+)?(?:dije|he\s+dicho)|todo)\s+(?:sobre|de)|"
    r"esqueça?\s+(?:o\s+que\s+(?:eu\s+)?(?:disse|falei)|tudo)\s+(?:sobre|de))\s+"
    r"(?P<about>(?:[^,.;!?]|[.](?=\w))+?)(?:\s+(?:gesagt|erzählt)\s+habe)?(?P<rest>[,.;!?].*|$)",
    re.IGNORECASE | re.DOTALL,
)
_NOBODY_ASKED = re.compile(
    r"\bI\s+(?:\w+\s+)?(?:forget|forgot|don't\s+remember|can't\s+remember)\b|^(?:did|do|does)\b|"
    r"\bfrom\s+(?:the\s+)?(?!(?:your\s+|the\s+)?memor)"
    r"[\w./`-]+(?:\s+(?:file|form|page|table|list|readme))?[.!?]?$",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"(?:^|\s)(?:about|in|of|for|that|please|now|again|too|though|altogether|completely|entirely|,|it|is|"
    r"are|was|were|from\s+(?:your\s+)?memory)$",
    re.IGNORECASE,
)
_EMPTY = frozenset(
    (
        "it",
        "that",
        "this",
        "them",
        "me",
        "everything",
        "all",
        "the last message",
        "my last message",
        "the above",
    )
)


def asked(said: str) -> Asked | None:
    """Return what a sentence asks to forget, or None: "forget it" and "don't forget to …" ask nothing of the sort."""
    said = said.replace("’", "'")
    if _NOBODY_ASKED.search(said) is not None:
        return None
    for pattern in (_OF_MEMORY, _FROM_MEMORY, _FORGET, _NO_MORE, _OTHERS):
        if (found := pattern.search(said)) is None:
            continue
        about = found["about"].strip(" '\"`")
        while (end := _DROPPED.search(about)) is not None:
            about = about[: end.start()].rstrip(" ,")
        about = re.sub(
            r"^(?:that|what|the fact that|everything about|about|the note (?:about|on))\s+",
            "",
            about,
            flags=re.IGNORECASE,
        )
        if about and about.casefold() not in _EMPTY:
            return Asked(about, found["rest"].strip(" ,.;!?-–—"))
    return None
