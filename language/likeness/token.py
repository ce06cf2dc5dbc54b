"""What a text that was read for comparison is made of: tokens, and the parts of a clause while it is being read.

Implements specs/likeness.md (L-3…L-7). Values only.
"""

from __future__ import annotations

from typing import Literal

from ledger.named_tuple import NamedTuple

ClauseKind = Literal["main", "condition", "contrast"]


class Token(NamedTuple):
    """A word or a fact where it stands.

    Attributes:
        sign: 1, -1, or 0 if the text says both.
        condition: it stands in a condition, which is not asserted.
        side: `<` before, `>` after in time; `l`, `r` left and right of a relation; else empty.
        place: `scope` where it says where a text holds, `subject` before `is` or a colon, `name` where it names one
            of many (`task 2`), the verb and preposition before a value, else empty.
        fact: it is a number, a path, a version or another identifier, compared exactly.
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
        tokens: what it says, in order.
        negated: whether its negations are odd, all parts together (L-11).
        limits: the words that narrow or widen it (L-10).
        deeds: which verbs of doing it has among those that carry no matter.
        spans: its code spans, whole.
        text: the text as it is written, in NFKC form and with straight quotes.
    """

    flat: str
    tokens: dict[str, Token]
    negated: bool
    limits: frozenset[str]
    deeds: frozenset[str]
    spans: frozenset[str]
    text: str


class Kept(NamedTuple):
    """A word or fact of the clause that is being read: as a `Token`, and its sign is not known yet."""

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
        self.denied = 0  # so many tokens stood before its last negation
        self.permits = False
        self.about = 0  # so many tokens stand before its `is`
        self.topics = 0  # so many tokens were marked as what it is about
        self.predicated = False  # it is denied after that
        self.to: int | None = None  # where in the tokens a `to` stands
        self.tokens: list[Kept] = []
