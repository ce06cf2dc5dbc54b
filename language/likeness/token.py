"""What a text that was read for comparison is made of: tokens, and the parts of a clause while it is being read.

Implements specs/likeness.md (L-3…L-7). Values only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Kind = Literal["main", "condition", "contrast"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a fact where it stands.

    Attributes:
        sign: 1, -1, or 0 where the text says both.
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


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A prepared text.

    Attributes:
        flat: the text without case, emphasis and outer punctuation.
        tokens: what it says, in order.
        negated: whether its negations are odd, all parts together (L-11).
        limits: the words that narrow or widen it (L-10).
        deeds: which verbs of doing it has among those that carry no matter.
        spans: its code spans, whole.
        pieces: the tokens of each member of a list or sentence of a text that has several.
        text: the text as it is written, in NFKC form and with straight quotes.
    """

    flat: str
    tokens: dict[str, Token]
    negated: bool
    limits: frozenset[str]
    deeds: frozenset[str]
    spans: frozenset[str]
    pieces: tuple[frozenset[str], ...]
    text: str


class Kept(NamedTuple):
    """A word or fact of the clause that is being read: as a `Token`, and its sign is not known yet."""

    key: str
    side: str
    place: str
    fact: bool


@dataclass(slots=True)
class ClausePart:
    """A stretch of a clause that has one sign: its main part, a condition, or what stands after `instead of`."""

    kind: Kind
    opener: str = ""
    negations: int = 0
    denied: int = 0  # so many tokens stood before its last negation
    permits: bool = False
    about: int = 0  # so many tokens stand before its `is`
    topics: int = 0  # so many tokens were marked as what it is about
    predicated: bool = False  # it is denied after that
    to: int | None = None  # where in the tokens a `to` stands
    tokens: list[Kept] = field(default_factory=list)
