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
_VERB = r"(?:forget|delete|remove|drop|scrap|erase|wipe|discard|unlearn|clear|ditch|get\s+rid\s+of|throw\s+(?:out|away)|strike)"
_STORED = r"(?:saved|stored|noted|remembered|recorded|learned)"
_NOTED = r"(?:note|notes|memory|memories|bit|thing|things|part|stuff|entry|entries|fact|rule|preference|plan|info(?:rmation)?|line)"
_WHAT = rf"""
    (?: (?:what(?:ever)?|everything|anything|all(?:\s+(?:that|of\s+what))?|the\s+{_NOTED}|that\s+{_NOTED}|
    my\s+{_NOTED}|stuff)\s+(?:that\s+)?
        (?:{_TOLD}|you\s+(?:have\s+|'ve\s+)?(?:saved|stored|know|noted|remember(?:ed)?|learned|wrote(?:\s+down)?))
        (?:\s+(?:about|on|of|regarding|concerning|with|for))? \s*
      | (?:the|that|this|my|your|any|those|all)\s+(?:\w+\s+)?{_NOTED}\s+(?:that\s+)?(?:about|on|of|regarding|with|
      saying|where|from)\s+
      | everything\s+(?:about|on|you\s+know\s+about)\s+
      | (?:the|that|this|any|your|my)\s+{_STORED}\s+{_NOTED}\s+(?:(?:that|which)\s+)?(?:says?\s+(?:that\s+)?|about\s+|
        on\s+|of\s+|regarding\s+|with\s+)?
      | (?:the|that|this|your)\s+{_NOTED}\s+(?:that|which)\s+(?:says?|claims?|tells?|reads?)\s+(?:that\s+)?
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
_LINE_IN_MEMORY = re.compile(
    rf"\b(?:in|among)\s+(?:your|the)\s+(?:memor(?:y|ies)|notes)\s+(?:there(?:'s|\s+is|\s+are)?|you\s+(?:have|still\s+have))\s+"
    rf"(?:still\s+)?(?:an?|some|the)\s+(?:\w+\s+)?{_NOTED}\s+(?:about|on|saying|that\s+says|of|regarding)\s+(?:that\s+)?"
    rf"(?P<about>[^;!?]+?)[,;.]\s*(?:please\s+|and\s+|pls\s+|can\s+you\s+)*{_VERB}\b(?P<rest>)",
    re.IGNORECASE,
)
_BEFORE_IT = re.compile(
    rf"^(?:please\s+|pls\s+|so\s+|and\s+|then\s+|now\s+|you\s+can\s+|can\s+you\s+|bitte\s+|just\s+)*(?:{_VERB}\s+(?:that|it|this|them|those)\s+"
    r"(?:one\s+)?(?:from|out\s+of)\s+(?:your\s+|the\s+)?(?:memor(?:y|ies)|notes)|"
    r"(?:lösch|lösche|streich|vergiss)\s+(?:das|es)(?:\s+bitte)?\s+(?:aus\s+(?:deinem|dem)\s+gedächtnis|wieder)|"
    r"(?:efface|supprime|oublie)(?:\s|-)(?:ça|le|la)\s+de\s+ta\s+mémoire|(?:borra|olvida)\s+(?:eso|esto)\s+de\s+tu\s+memoria|"
    r"bórralo\s+de\s+tu\s+memoria|apag[au]e?\s+isso\s+da\s+(?:sua\s+|tua\s+)?memória)\b",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"^(?:(?:you|we|I|it|there)(?:'s|'re)?\s+)?(?:(?:don't|do\s+not|doesn't|needn't|shouldn't|no)\s+)?(?:need|have|want|is|isn't|are)?\s*"
    r"(?:to\s+)?(?:know|keep|remember|store|save|longer\s+true|matter)?\s*(?:about\s+)?(?P<about>(?:my|our|the|that|where|what|how)\b[^.;!?]+)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?:^|\b)(?:(?:vergiss|lösch\w*|streich\w*)[,\s]+(?:bitte)?[,\s]*(?:\s*(?:dass|daß)(?:\s+(?:der|die|das|ich|wir|mein\w*|unser\w*))?|"
    r"(?:die|das|den|deine)\s+(?:notiz|eintrag|erinnerung|merker)\s+(?:über|zu|von|mit))|"
    r"(?:oublie|efface|supprime)\s+(?:que|la\s+note\s+(?:sur|qui\s+dit\s+que)|ce\s+que\s+tu\s+sais\s+(?:sur|de)|(?=m(?:on|a|es)\s))|"
    r"(?:olvida|borra|elimina)\s+(?:que|la\s+nota\s+(?:sobre|de|que\s+dice\s+que)|lo\s+que\s+(?:sabes|guardaste)\s+(?:sobre|de)|(?=mis?\s))|"
    r"(?:esquece|esqueça|apaga|apague)\s+(?:que|a\s+nota\s+(?:sobre|de)|o\s+que\s+(?:você\s+)?(?:sabe|guardou)\s+(?:sobre|de)|(?=m(?:eu|inha)s?\s))|"
    r"vergiss\s+(?:bitte\s+)?(?:,?\s*was\s+ich\s+(?:dir\s+)?(?:über|zu|von)|alles\s+(?:über|zu))|"
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
_SPEAKS_OF_MEMORY = re.compile(
    rf"\b(?:(?:from|in)\s+(?:your|the)\s+(?:memor(?:y|ies)|notes)\b.*\b{_VERB}|{_VERB}\b.*\b(?:from|in)\s+your\s+(?:memor(?:y|ies)|notes)|"
    r"(?:don't|do\s+not|never|no\s+need\s+to)\s+(?:remember|memori[sz]e|save|store|note)\b(?!.*\b(?:to|as|in)\s+\w+$))"
    r"|^(?:bitte\s+)?(?:vergiss|vergesst)\b(?!\s+(?:nicht|nie))|^(?:oublie|olvida|esqueça|esquece)\b|^forget\b|"
    r"^(?:please\s+|pls\s+)?(?:forget|unlearn)\s+(?:the|that|what|my|our)\b",
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


def asked(said: str, before: str = "") -> Asked | None:
    """Return what a sentence asks to forget, or None: "forget it" and "don't forget to …" ask nothing of the sort.

    `before` is the sentence before it, which tells what "that" is in "erase that from your memory".
    """
    said = said.replace("’", "'")
    if _BEFORE_IT.match(said) is not None:
        topic = _TOPIC.match(before.replace("’", "'"))
        about = _trimmed(topic["about"]) if topic is not None else ""
        return Asked(about, "") if about else None
    if _NOBODY_ASKED.search(said) is not None:
        return None
    for pattern in (_LINE_IN_MEMORY, _OF_MEMORY, _FROM_MEMORY, _FORGET, _NO_MORE, _OTHERS):
        if (found := pattern.search(said)) is None:
            continue
        about = _trimmed(found["about"])
        if about and about.casefold() not in _EMPTY:
            return Asked(about, found["rest"].strip(" ,.;!?-–—"))
    return None


def _trimmed(about: str) -> str:
    about = about.strip(" '\"`,.")
    while (end := _DROPPED.search(about)) is not None:
        about = about[: end.start()].rstrip(" ,")
    about = re.sub(r"\bbeing\s", "", about)
    return re.sub(
        r"^(?:that|what|the fact that|everything about|about|the note (?:about|on)|using|(?:der|die|das|ich|mein|meine|mon|ma|mes|mi|mis|"
        r"meu|minha|el|la|le)(?=\s\w))\s+",
        "",
        about,
        flags=re.IGNORECASE,
    )


def is_order_to_memory(said: str) -> bool:
    """Say whether a sentence speaks of what is remembered: such an order is no memory, even where it is not understood (K-41)."""
    return _SPEAKS_OF_MEMORY.search(said.lower()) is not None
