"""Decides whether a message is a yes or a no to a question.

Implements specs/capture.md (K-71, K-240). A sentence that says more than yes or no is not an answer: nothing is guessed.
Further sentences do not belong to the answer, unless they may withdraw it.
"""

from __future__ import annotations

import re
from typing import Literal

from ledger.lazy_pattern import lazy_pattern

Answer = Literal["yes", "no", ""]

_NO = frozenset(
    """n no nope nah don't nevermind never keep leave wait stop cancel hold hang not rather nein nee nö nicht lieber lass behalt behalte
    warte non pas garde laisse attends déjalo déjala guárdalo mantenlo espera não nao deixa mantém""".split()
)
_YES = frozenset(
    """y yes yep yeah yup ya yea aye sure certainly affirmative correct exactly absolutely definitely do go confirm confirmed agreed
    ja jep jup jo jawohl genau klar gern gerne mach tu bestätigt einverstanden natürlich unbedingt oui ouais vas allez d'accord
    confirmé fais sí si claro vale adelante dale hazlo confirmado sim pode certo isso""".split()
)
_AGREES = frozenset("ok okay k right fine passt".split())
"""Alone each of these agrees; before another sentence it only opens that sentence."""
_LETS_GO = lazy_pattern(
    r"delete|forget|remove|erase|drop|bin|trash|scrap|wipe|ditch|discard|clear|purge|unlearn|dump|toss|strike|scratch|kill|throw|rid|away|"
    r"lösch\w*|streich\w*|vergiss|vergessen|entfern\w*|weg|raus|supprim\w*|effac\w*|oubli\w*|enl[eè]v\w*|retir\w*|"
    r"(?:b[oó]rr|olv[ií]d|elim[ií]n|qu[ií]t|s[aá]c)\w+|(?:apag|esque[cç]|remov|exclu)\w+"
)
_BESIDE = frozenset(
    """it that this them those these both all of everything one the memory note entry please pls thanks thank you thx ty so ahead for i
    can may should must just then too now out off get with course by means good das es die den sie ihn alles damit bitte danke
    dir ruhig einfach kann mal mind le la les ça cela tout merci s'il te vous plaît stp svp bien sûr lo los las eso esto todo gracias por
    favor supuesto isto tudo obrigado obrigada mesmo que ser""".split()
)
_WORD = lazy_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_ENDS = lazy_pattern(r"[.!…]+\s+|\n+")
_TAKES_BACK = lazy_pattern(
    r"\b(?:but|except|only|just|not|no|wait|hold|hang|keep|keeps|leave|unless|until|before|though|although|actually|instead|rather|maybe|"
    r"perhaps|later|which|mistake|wrong|undo|restore|stop|never|nope|hm+|"
    r"aber|nur|nicht|nein|erst|doch|außer|warte|behalt\w*|lass|lieber|vielleicht|später|bevor|welche\w?|kein\w*|"
    r"mais|sauf|seulement|pas|non|attends|garde\w*|d'abord|plutôt|peut-être|laisse\w*|"
    r"pero|sólo|solo|menos|espera|primero|antes|mejor|guarda\w*|deja|quizás?|mas|só|não|exceto|deixa|talvez)\b|\bdon['’]?t\b",
    re.IGNORECASE,
)
_LONGEST = 12
"""A message of more words is not a yes."""


def answer(text: str) -> Answer:
    """Return "yes" or "no" if `text` says that, else ""."""
    if said := _whole(text):
        return said
    lead, more = _led(text)
    only_agrees = not set(_words(lead)) - _AGREES - _BESIDE
    return "yes" if lead and not only_agrees and _TAKES_BACK.search(more) is None else ""


def rest(text: str) -> str:
    """Return the sentences of a message after its answer, or ""."""
    return "" if _whole(text) else _led(text)[1]


def lets_go(text: str) -> bool:
    """Return whether an answer is itself an order to delete: "yes, delete it"."""
    return any(_LETS_GO.fullmatch(word) for word in _words(text if _whole(text) else _led(text)[0]))


def _whole(text: str) -> Answer:
    """Return the answer of a text that says nothing else, or ""."""
    words = _words(text)
    plain = [word for word in words if word not in _BESIDE]
    if not plain or len(words) > _LONGEST or "?" in text:
        return ""
    if not all(word in _YES | _NO | _AGREES or _LETS_GO.fullmatch(word) for word in plain):
        return ""
    return "no" if plain[0] in _NO else "" if _NO.intersection(plain) else "yes"


def _led(text: str) -> tuple[str, str]:
    """Return the first sentences of a message, as far as they say yes, and the other sentences."""
    at = 0
    for found in _ENDS.finditer(text):
        if _whole(text[: found.start()]) != "yes":
            break
        at = found.end()
    return text[:at].strip(), text[at:].strip() if at else ""


def _words(text: str) -> list[str]:
    return _WORD.findall(text[:600].casefold().replace("’", "'"))
