"""Finds contact data of people in a text: e-mail addresses, telephone numbers, postal addresses.

Implements specs/capture.md (K-67). For automatic writes: a false alarm loses a memory that a person can still ask for,
a miss keeps data that nobody meant to give. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from ledger.lazy_pattern import lazy_pattern

Personal = Literal["e-mail address", "telephone number", "postal address"]

_EMAIL = lazy_pattern(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[^\W\d_]{2,24}(?![\w@])(?!:)")
_NOBODYS = lazy_pattern(
    r"@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|example|invalid|test|localhost)\b", re.IGNORECASE
)

_AT = r"(?:\s?[\[({<]\s?(?:at|@|ät|arroba)\s?[\])}>]\s?|\s(?-i:AT)\s)"
_DOT = r"(?:\s?[\[({<]\s?(?:dot|punkt|point|punto|ponto|\.)\s?[\])}>]\s?|\s(?-i:DOT)\s|\.)"
_SPELT_OUT = lazy_pattern(
    rf"(?<![\w.+-])[\w.+-]{{1,64}}{_AT}(?:[\w-]{{1,63}}{_DOT}){{1,4}}[^\W\d_]{{2,24}}\b|"
    r"(?<![\w.+-])[\w.+-]{1,64}\s(?:at|arroba)\s[\w-]{2,63}(?:\s(?:dot|punkt|punto|ponto)\s[\w-]{1,63}){0,2}\s(?:dot|punkt|punto|ponto)\s(?:com|net|org|info|io|dev|app|me|co|eu|de|at|ch|fr|it|es|pt|br|uk|us|ca|nl|be|pl|cz|se|no|dk|fi|ie|in|jp|au|nz)\b",
    re.IGNORECASE,
)
"""An address that is disguised from programs; it is real, whatever its host."""

_PHONE = lazy_pattern(
    r"""(?<![\w./:=@#$-])
        (?: \+\d{1,3}[\s.\-/]?(?:\(?\d{1,4}\)?[\s.\-/]?){2,5}\d{2,4}          # +49 30 1234567
          | \(\d{2,5}\)\s?\d{2,4}[\s.-]?\d{2,5}(?:[\s.-]?\d{2,4})?            # (030) 123 45 67
          | \d{3}[\s.-]\d{3}[\s.-]\d{4}                                       # 555-010-4477
          | 0\d{1,4}[\s/-]\d{3,4}[\s-]?\d{2,5}(?:[\s-]?\d{2,4})?              # 030 1234 567
          | 0\d(?:[\s.]\d{2}){4}                                              # 06 12 34 56 78
        )(?![\w./:-]*\w)""",
    re.VERBOSE,
)
_SPOKEN_PHONE = lazy_pattern(
    r"\b(?:phone|mobile|cell|telephone|tel|fax|call|reach|text|whatsapp|handy|telefon\w*|number is)\b[^\d\n]{0,24}"
    r"\+?\d[\d\s().-]{5,18}\d",
    re.IGNORECASE,
)
_DIGITS = lazy_pattern(r"\d")
_FEWEST_DIGITS = 7
"""Of a telephone number (ITU-T E.164 names 15 as the most)."""

_STREET = (
    r"(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq|terrace|way|close|"
    r"crescent|highway|hwy|parkway|pkwy)"
)
_STREET_ENDS = ("str", "weg", "allee", "gasse", "platz", "damm", "ufer")
_STREETS = ("rue", "avenue", "boulevard", "place", "chemin", "impasse", "quai")
_STREETS_OF_THE_SOUTH = ("calle", "via", "viale", "piazza", "rua", "avenida", "plaza")
_ADDRESS = (
    (
        ("",),
        lazy_pattern(
            rf"\b\d{{1,5}}[a-z]?,?\s+(?:[NSEW]\.?\s+)?(?:[A-Z][\w'’.-]*\s+){{1,4}}(?i:{_STREET})\b\.?(?!\s*/)"
        ),
    ),
    (
        _STREET_ENDS,
        lazy_pattern(
            r"\b[^\W\d_][\w.-]{0,40}(?:str(?:aße|asse|\.)|straße|weg|allee|gasse|platz|damm|ufer)\s+\d{1,4}\s?[a-z]?\b",
            re.IGNORECASE,
        ),
    ),
    (
        _STREETS,
        lazy_pattern(
            rf"\b\d{{1,4}}(?:\s?(?:bis|ter))?,?\s+(?:{'|'.join(_STREETS)})\s+[^\W\d_]",
            re.IGNORECASE,
        ),
    ),
    (
        _STREETS_OF_THE_SOUTH,
        lazy_pattern(
            rf"\b(?:{'|'.join(_STREETS_OF_THE_SOUTH)})\s+[^\W\d_][\w'’ .-]{{2,40}},?\s+(?:n[.º°o]*\s*)?\d{{1,4}}\b",
            re.IGNORECASE,
        ),
    ),
    (("box", "postfach"), lazy_pattern(r"\b(?:P\.?\s?O\.?\s?Box|Postfach)\s+\d+", re.IGNORECASE)),
    (("",), lazy_pattern(r"\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b")),
)
"""Slow patterns, each with words of which a matching text has at least one."""


def personal_in(text: str) -> Personal | None:
    """Return a person's address or number in `text`, or None.

    Addresses at reserved hosts (RFC 2606) and git remotes (`git@host:path`) do not count. Numbers count only in the
    form of telephone numbers, with 7 to 15 digits (ITU-T E.164). Full-width characters count as plain ones.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if _may_spell_out(text.casefold()) and _SPELT_OUT.search(text) is not None:
        return "e-mail address"
    if "@" in text and any(not _NOBODYS.search(found.group()) for found in _EMAIL.finditer(text)):
        return "e-mail address"
    digits = sum(map(str.isdigit, text))
    for pattern in (_PHONE, _SPOKEN_PHONE) if digits >= _FEWEST_DIGITS else ():
        if any(
            _FEWEST_DIGITS <= len(_DIGITS.findall(found.group())) <= 15 for found in pattern.finditer(text)
        ):
            return "telephone number"
    said = text.casefold() if digits else ""
    if any(
        any(sign in said for sign in signs) and pattern.search(text) for signs, pattern in _ADDRESS if said
    ):
        return "postal address"
    return None


def _may_spell_out(text: str) -> bool:
    """Return whether a text has a sign for "at" and one for "dot", as a disguised address needs; the pattern is slow."""
    return any(sign in text for sign in ("@", "at", "ät", "arroba")) and any(
        sign in text for sign in (".", "dot", "punkt", "point", "punto", "ponto")
    )
