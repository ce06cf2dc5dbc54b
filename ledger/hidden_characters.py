"""Characters that act on a terminal, or that nobody sees, and how they are written where a person reads.

Implements specs/projections.md (P-209) and specs/cli.md (X-8): ESC and other controls, signs that turn the direction of
writing, and tag characters. Pure.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

__all__ = ["INVISIBLE", "named", "referred", "unreferred"]

INVISIBLE = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Part of a class in a pattern: invisible characters and changes of direction; not the two joiners, which scripts need."""

_HIDDEN = lazy_pattern(
    "[\x01-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_REFERENCE = lazy_pattern(r"&(?=(?:#38;)*#([0-9]{1,7});)")
_WRITTEN = lazy_pattern(r"&#(?:38;(?=(?:#38;)*#([0-9]{1,7});)|([0-9]{1,7});)")


def named(text: str) -> str:
    """Return a text in which each of them stands by its name: `<U+202E>`."""
    return text if text.isprintable() else _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def referred(text: str, *, literal: bool = True) -> str:
    """Return a text in which each of them is a reference of HTML: `&#8238;`.

    With `literal`, a reference in the text itself is marked, so that `unreferred` restores the text.
    """
    if literal and "&#" in text:
        text = _REFERENCE.sub(lambda found: "&#38;" if _is_hidden(found[1]) else "&", text)
    return text if text.isprintable() else _HIDDEN.sub(lambda found: f"&#{ord(found[0])};", text)


def unreferred(text: str) -> str:
    """Return the text that `referred` wrote so."""
    return _WRITTEN.sub(_read, text) if "&#" in text else text


def _read(found: re.Match[str]) -> str:
    behind, number = found.groups()
    if behind is not None:
        return "&" if _is_hidden(behind) else found[0]
    return chr(int(number)) if _is_hidden(number) else found[0]


def _is_hidden(number: str) -> bool:
    return int(number) < 0x110000 and _HIDDEN.match(chr(int(number))) is not None
