"""Makes a text plain: without Unicode variants, case, emphasis, code marks and outer punctuation.

Implements specs/likeness.md (L-2, L-4, L-24). Pure; linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata

from language.likeness import vocabulary
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_RAISED = str.maketrans({sign: f"^{plain}" for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)})
"""NFKC would turn `x²` into the name `x2`."""
_VARIANTS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201b": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": " ; ",
        "\u2212": "-",
        **dict.fromkeys("≤≦⩽", "<="),
        **dict.fromkeys("≥≧⩾", ">="),
        "≠": "!=",
    }  # curly apostrophes, and a minus
)
"""Variants of one sign, and signs that are read as in code."""
AROUND = ".,;:!?\"'()[]{}<>*_`"
"""Signs around a word that do not belong to it."""
_OUTER = " \t\n.,;:!?\"'()[]{}<>*_~-•"
_EMPHASIS = lazy_pattern(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)")
CODE_SPAN = lazy_pattern(r"(?<!`)`+([^`]+)`+")


class Plain(NamedTuple):
    """A text made plain.

    Attributes:
        text: in NFKC form, with straight quotes.
        flat: without case, emphasis, outer punctuation and backticks.
        phrased: `flat`, but a grammar word that is a code span keeps a backtick, since it is a name.
        spans: its code spans, whole.
    """

    text: str
    flat: str
    phrased: str
    spans: frozenset[str]


def made_plain(text: str) -> Plain:
    """Return the forms of a text for comparison (L-2)."""
    text = unicodedata.normalize("NFKC", text.translate(_RAISED)).translate(_VARIANTS)
    flat = text.casefold()
    spans = (
        frozenset(" ".join(each.split()) for each in CODE_SPAN.findall(flat))
        if "`" in flat
        else frozenset[str]()
    )
    if "*" in flat or "_" in flat:
        flat = _EMPHASIS.sub("", flat)
    phrased = " ".join((CODE_SPAN.sub(_named, flat) if spans else flat).split()).strip(_OUTER)
    return Plain(text, " ".join(flat.replace("`", "").split()).strip(_OUTER), phrased, spans)


def _named(span: re.Match[str]) -> str:
    """Return the text of a code span; a single grammar word in it becomes a name (`let`, `any`)."""
    return f"{span[1]}`" if span[1] in vocabulary.GRAMMAR else span[1]
