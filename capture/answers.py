"""Says whether a message is a yes or a no to a question that was put, and nothing else.

Implements specs/capture.md (K-71). Who says more than that has not answered: what they want is not guessed.
"""

from __future__ import annotations

import re
from typing import Literal

Answer = Literal["yes", "no", ""]

_THEM = r"(?:it|that|them|those|both|all|this|everything)"
_YES = re.compile(
    rf"""(?:y|yes|yep|yeah|yup|ya|aye|sure|ok|okay|k|right|correct|exactly|absolutely|definitely|please|please\ do|
        do|do\ (?:it|that|so)|go|go\ ahead|go\ for\ it|confirm|confirmed|agreed|
        (?:delete|forget|remove|erase|drop|get\ rid\ of)(?:\ {_THEM})?|
        (?:lösch\w*|vergiss|supprime\w*|efface\w*|oublie\w*|borra\w*|olv[ií]da\w*|apaga\w*)
        (?:[\ -](?:es|das|alles|le|la|lo|los|tout|todo|tudo|ça))?|
        that\ one|those|all\ of\ (?:it|them)|{_THEM}|i\ do|i\ am|thanks|thank\ you|fine|fine\ by\ me|sounds\ good|
        ja|jawohl|genau|mach|mach\ das|bitte|oui|vas-y|d'accord|s[ií]|claro|vale|sim|pode|certo|va\ bene)""",
    re.VERBOSE | re.IGNORECASE,
)
_YESES = re.compile(rf"(?:{_YES.pattern})(?:\s+(?:{_YES.pattern})){{0,3}}", re.VERBOSE | re.IGNORECASE)
"""One yes or several: "yes do it", "ok go ahead"."""
_NO = re.compile(
    r"""(?:n|no|nope|nah|don't|do\ not|never\ mind|nevermind|keep\ (?:it|that|them|those)|leave\ (?:it|that|them|those)|wait|stop|cancel|
        not\ (?:that|now|yet|this|those)|nein|nicht|lass|non|pas|não|nao|no\ thanks|no\ thank\ you)""",
    re.VERBOSE | re.IGNORECASE,
)
_PARTS = re.compile(r"[,.!;:\n—–-]+\s+|\s+/\s+|[,.!;:]+$|\s+(?=please\b|thanks\b|bitte\b)")


def answer(text: str) -> Answer:
    """Return "yes" or "no" where that is all that `text` says, "" otherwise; a no anywhere in it is no yes."""
    parts = [
        part.strip(" .,!;:)('\"") for part in _PARTS.split(text.strip()) if part and part.strip(" .,!;:)('\"")
    ]
    if not parts or len(parts) > 5:
        return ""
    said = ["no" if _NO.fullmatch(part) else "yes" if _YESES.fullmatch(part) else "" for part in parts]
    if said[0] == "no":
        return "no"
    return "yes" if all(each == "yes" for each in said) else ""
