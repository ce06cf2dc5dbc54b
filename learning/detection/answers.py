"""Says whether a message is a yes or a no to a question that was put.

Implements specs/capture.md (K-71, K-240). Who says more than that in one breath has not answered: what they want is not
guessed. What another sentence goes on to is no part of the answer, unless it may take it back.
"""

from __future__ import annotations

import re
from typing import Literal

from ledger.lazy_pattern import lazy_pattern

Answer = Literal["yes", "no", ""]

_THEM = (
    r"(?:it|that|this|them|those|these|both|all|everything|(?:that|this)\ one|both\ of\ them|all\ of\ (?:it|them)|"
    r"(?:the|that|this)\ (?:memory|note|entry))"
)
_DAS = r"(?:das|es|die|den|sie|ihn|alles|beide\w?|diese\w?|'s)"
_TO_LET_GO = lazy_pattern(
    rf"""(?:please\ |just\ |you\ (?:can|may)\ )?(?:
        (?:delete|forget|remove|erase|drop|get\ rid\ of|bin|trash|scrap|wipe|ditch|discard|clear|purge|lose|unlearn|dump|chuck|toss|
           strike|scratch|kill|throw)(?:\ {_THEM})?(?:\ (?:out|away|off))?(?:\ (?:please|then|now|too|for\ good))?
      | (?:take|throw|chuck|cut|cross|strike|leave)\ {_THEM}\ (?:out|away|off)
      | (?:out|away|off|down)\ with\ {_THEM} | (?:{_THEM}\ )?(?:can|may|should|must)\ go
      | (?:lösch\w*|streich\w*|vergiss|vergessen|entfern\w*)(?:\ {_DAS})?(?:\ (?:bitte|ruhig|einfach|wieder))*(?:\ (?:raus|weg))?
      | (?:nimm|tu|mach|wirf|schmeiß|hau)(?:\ ?{_DAS})?(?:\ (?:bitte|ruhig|einfach|wieder))*\ (?:raus|weg)
      | (?:weg|raus|fort)\ (?:damit|mit\ (?:ihm|ihr|denen))
      | (?:{_DAS}\ )?kann(?:\ (?:bitte|ruhig))?\ (?:weg|raus)
      | (?:supprime\w*|efface\w*|oublie\w*|enlève\w*|retire\w*|vire\w*)(?:[\ -](?:le|la|les|ça|cela|tout))?
      | (?:b[oó]rr|olv[ií]d|elim[ií]n|qu[ií]t|s[aá]c)(?:a|e|ar)(?:l[oae]s?)?(?:\ (?:eso|esto|todo))?
      | (?:apag|esque[cç]|remov|tir|exclu)\w{{1,3}}(?:-?[oa]s?)?(?:\ (?:isso|isto|tudo))?
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""An order to let go: a yes by itself, and one that says to what."""
_PLAIN = lazy_pattern(
    rf"""(?:y|yes|yep|yeah|yup|ya|yea|aye|sure|sure\ thing|of\ course|certainly|affirmative|correct|exactly|absolutely|definitely|
        please\ do|do|do\ (?:it|that|so)|go|go\ ahead|go\ for\ it|confirm|confirmed|i\ confirm|agreed|{_THEM}|i\ do|i\ am|by\ all\ means|
        ja|jep|jup|jo|jawohl|genau|klar|gerne?|(?:mach|tu)(?:\ (?:das|es|ruhig))?|bestätigt|einverstanden|natürlich|unbedingt|
        oui|ouais|vas-y|allez-y|d'accord|bien\ sûr|confirmé|je\ confirme|fais-le|s[ií]|claro|vale|adelante|dale|hazlo|confirmado|
        de\ acuerdo|por\ supuesto|sim|pode|pode\ ser|pode\ sim|certo|claro\ que\ s[ií]m?|isso|isso\ mesmo|va\ bene)""",
    re.VERBOSE | re.IGNORECASE,
)
_FRIENDLY = lazy_pattern(
    r"""(?:ok|okay|k|right|please|pls|thanks|thank\ you|thx|ty|cheers|fine|fine\ by\ me|sounds\ good|
        bitte|danke|danke\ dir|passt|merci|s'il\ te\ plaît|s'il\ vous\ plaît|stp|svp|gracias|por\ favor|obrigad[oa])""",
    re.VERBOSE | re.IGNORECASE,
)
"""Said alone it agrees; before something else it only opens that."""
_YES = rf"(?:{_TO_LET_GO.pattern}|{_PLAIN.pattern}|{_FRIENDLY.pattern})"
_YESES = lazy_pattern(rf"{_YES}(?:\s+{_YES}){{0,3}}", re.VERBOSE | re.IGNORECASE)
"""One yes or several: "yes do it", "ok go ahead"."""
_NO = lazy_pattern(
    rf"""(?:n|no|nope|nah|no\ no|don't|do\ not|never\ mind|nevermind|(?:keep|leave)(?:\ {_THEM})?|wait|stop|cancel|hold\ on|hang\ on|
        not\ (?:that|now|yet|this|those)|rather\ not|nein|nee|nö|nicht|lieber\ nicht|lass(?:\ (?:das|es|mal|gut\ sein))*|
        behalt\w*(?:\ {_DAS})?|warte|non|pas|(?:garde|laisse)(?:[ -](?:le|la|les|ça))?|attends|
        (?:d[eé]ja|gu[aá]rda|mant[eé]n)(?:l[oa]s?)?|espera|não|nao|deixa|mant[eé]m|no\ thanks|no\ thank\ you|no\ gracias|non\ merci)""",
    re.VERBOSE | re.IGNORECASE,
)
_PARTS = lazy_pattern(
    r"[,.!;:…\n—–-]+\s+|\s+/\s+|[,.!;:…]+$|\s+(?=(?:please|pls|thanks|thank you|bitte|danke|merci|gracias|por favor|s'il)\b)",
    re.IGNORECASE,
)
_ENDS = lazy_pattern(r"[.!…]+\s+|\n+")
_TURNS = lazy_pattern(
    r"\b(?:but|except|only|just|not|no|wait|hold|hang|keep|keeps|leave|unless|until|before|though|although|actually|instead|rather|maybe|"
    r"perhaps|later|which|mistake|wrong|undo|restore|stop|never|nope|hm+|"
    r"aber|nur|nicht|nein|erst|doch|außer|warte|behalt\w*|lass|lieber|vielleicht|später|bevor|welche\w?|kein\w*|"
    r"mais|sauf|seulement|pas|non|attends|garde\w*|d'abord|plutôt|peut-être|laisse\w*|"
    r"pero|sólo|solo|menos|espera|primero|antes|mejor|guarda\w*|deja|quizás?|mas|só|não|exceto|deixa|talvez)\b|\bdon['’]?t\b",
    re.IGNORECASE,
)
"""What may take back what was said before it."""


def answer(text: str) -> Answer:
    """Return "yes" or "no" where that is what `text` says, "" otherwise; a no anywhere in it is no yes."""
    if (said := _whole(text)) or len(text) > _LONG:
        return said
    lead, rest = _led(text)
    parts = _split(lead)
    if not rest or not parts or all(_FRIENDLY.fullmatch(part) for part in parts):
        return ""
    return "yes" if _whole(lead) == "yes" and _TURNS.search(rest) is None else ""


def rest(text: str) -> str:
    """Return what a message says in further sentences, behind the one that is its answer; "" for nothing."""
    return "" if _whole(text) else _led(text)[1]


def says_to_what(text: str) -> bool:
    """Say whether an answer is itself an order to let something go: "yes, delete it"."""
    lead = text if _whole(text) else _led(text)[0]
    return any(_orders(part) for part in _split(lead))


_LONG = 600


def _orders(part: str) -> bool:
    """Say whether a part of an answer ends in an order to let go, whatever assents before it."""
    words = part.split()
    return any(
        _TO_LET_GO.fullmatch(" ".join(words[at:])) and (not at or _YESES.fullmatch(" ".join(words[:at])))
        for at in range(min(len(words), 4))
    )


def _whole(text: str) -> Answer:
    parts = _split(text)
    if not parts or len(parts) > 5:
        return ""
    said = ["no" if _NO.fullmatch(part) else "yes" if _YESES.fullmatch(part) else "" for part in parts]
    if said[0] == "no":
        return "no"
    return "yes" if all(each == "yes" for each in said) else ""


def _split(text: str) -> list[str]:
    if len(text) > _LONG:
        return []
    said = _PARTS.split(text.strip().replace("’", "'"))
    return [part for each in said if each and (part := each.strip(" .,!;:…)('\""))]


def _led(text: str) -> tuple[str, str]:
    """Return the sentences of a message that are yeses, from its first on, and the others."""
    at = 0
    for found in _ENDS.finditer(text):
        if _whole(text[: found.start()]) != "yes":
            break
        at = found.end()
    return text[:at].strip(), text[at:].strip() if at else ""
