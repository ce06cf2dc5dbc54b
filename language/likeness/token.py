"""The values of a text read for comparison: tokens, and the parts of a clause during reading.

Implements specs/likeness.md (L-3…L-7). Only values.
"""

from __future__ import annotations

from typing import Literal

from ledger.named_tuple import NamedTuple

ClauseKind = Literal["main", "condition", "contrast"]


class Token(NamedTuple):
    """A word or a fact in its place.

    Attributes:
        sign: 1, -1, or 0 if the text says both.
        condition: it is in a condition, which is not asserted.
        side: `<` before, `>` after in time; `l`, `r` left and right of a relation; else empty.
        place: `scope` if it says where a text holds; `subject` before `is` or a colon; `name` if it names one of many
            (`task 2`); the verb and preposition before a value; else empty.
        fact: it is a number, a path, a version or another identifier, which must be equal.
    """

    sign: int
    condition: bool
    side: str
    place: str
    fact: bool


class PreparedText(NamedTuple):
    """A prepared text.

    Attributes:
        flat: the text without case, emphasis and outer punctuation.
        tokens: its words and facts, in order.
        negated: whether the number of all its negations is odd (L-11).
        limits: the words that narrow or widen it (L-10).
        deeds: its verbs of action among the words without content of their own.
        spans: its code spans, whole.
        text: the original text, in NFKC form and with straight quotes.
    """

    flat: str
    tokens: dict[str, Token]
    negated: bool
    limits: frozenset[str]
    deeds: frozenset[str]
    spans: frozenset[str]
    text: str


class Kept(NamedTuple):
    """A word or fact of the current clause: a `Token` whose sign is not known yet."""

    key: str
    side: str
    place: str
    fact: bool


class ClausePart:
    """A stretch of a clause that has one sign: its main part, a condition, or the text after `instead of`."""

    def __init__(self, kind: ClauseKind, opener: str = "") -> None:
        self.kind = kind
        self.opener = opener
        self.negations = 0
        self.denied = 0  # the number of tokens before its last negation
        self.permits = False
        self.about = 0  # the number of tokens before its `is`
        self.topics = 0  # the number of tokens that are marked as its subject
        self.predicated = False  # it is negated after its `is`
        self.to: int | None = None  # the place of a `to` among the tokens
        self.tokens: list[Kept] = []
