"""Knows a word that mixes alphabets: within Latin letters stands one that only looks like a Latin one.

Implements specs/capture.md (K-165). Hardly a keyboard types such a word: it is not the word that people read. Signs and
the Greek letters of formulas, genes and units are written among Latin ones in earnest. Pure.
"""

from __future__ import annotations

from ledger.lazy_pattern import lazy_pattern

_ALIKE = (
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0417"
    "\u0430\u0435\u0455\u0456\u0458\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u04bb\u0501\u051b\u051d\u0475"  # Cyrillic
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b9\u03bf\u03c5"  # Greek
    "\u054d\u054f\u0585\u0578\u057d\u0581"  # Armenian
    "\u13a0-\u13f4"  # Cherokee
    "\u2102\u210a-\u2113\u2115\u2119-\u211d\u2124\u2128\u212a\u212c-\u2134\u2139\u2145-\u2149"  # letters as signs
    "\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d6a5"  # wide letters, those of formulas
)
_OF_FORMULAS = "\u03b1\u03b3\u03ba\u03bd\u03c1\u03c4\u03c7"
"""Greek letters that stand beside capitals and digits: beside small letters they only look Latin."""
_MIXED = lazy_pattern(f"[A-Za-z][{_ALIKE}]|[{_ALIKE}][A-Za-z]|[a-z][{_OF_FORMULAS}]|[{_OF_FORMULAS}][a-z]")


def mixes(text: str) -> bool:
    """Say whether a text has a word of Latin letters and of others that look like them: "pnpm" with a Cyrillic p."""
    return not text.isascii() and _MIXED.search(text) is not None
