"""Compares two prepared texts word by word: negations, words that exclude each other, words of one text only.

Implements specs/likeness.md (L-8…L-11, L-33, L-34, L-51, L-53). Similar words do not make texts the same: it compares negations,
numbers, paths and versions before any overlap of words. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal

from language.likeness.token import PreparedText, Token
from language.likeness.vocabulary import are_rivals, canonical, tables
from ledger.lazy_pattern import lazy_pattern

Likeness = Literal["same", "contradicts", "different"]

_SOFT_WEIGHT = 0.25
_FEW = 6
"""Texts with so few words are compared word by word even if they share hardly any."""
_MANY = 12
"""If either text has more words than this that the other lacks, no words are paired: the texts are too different."""

_OPPOSITE_LIMITS = frozenset(
    frozenset(pair.split())
    for pair in """atleast atmost|morethan lessthan|more less|more fewer|atleast lessthan|atmost morethan|few many|few most
    |all some|all half|all few|always rarely|often rarely""".split("|")
)
_ALL = lazy_pattern(r"\b(all|every|each|always)\b")
_OWNED = lazy_pattern(r"\b(?:user|my|project)\b")
_BOUNDS = frozenset(
    frozenset(map(canonical, pair.split()))
    for pair in """minimum maximum|lower upper|first last|earliest latest|low high|newest oldest
    |latest oldest""".split("|")
)
"""A range has both ends, and the number of one end says nothing about the other."""
_HASH = lazy_pattern(r"(?:\w+:)?(?=[a-f]*\d)[0-9a-f]{7,}|(?:[0-9a-f]+-){4}[0-9a-f]+|/\d+/\d+")
_DATE = lazy_pattern(r"(?<!\d)(?:19|20)\d\d-?[01]\d-?[0-3]\d(?!\d)")
_PIECES = lazy_pattern(r"[^\W\d_]+")
_ENDINGS = frozenset(
    """e s ed ing ings er ers or ors ion ions ation ations ment al ally able ible ance ence ive ity y ly ness
    ies ied ent ize ise ized ised ization""".split()
) | {""}


def read_alike(a: PreparedText, b: PreparedText) -> Likeness:
    """Compare two texts, apart from their wording (L-15…L-50)."""
    if a.flat == b.flat:
        return "same"
    if b.flat < a.flat:
        a, b = b, a
    shared = len(a.tokens.keys() & b.tokens.keys())
    if not a.tokens or not b.tokens or len(a.tokens) + len(b.tokens) > 6 * shared + _FEW:
        return "different"  # too little in common for any rule
    return _Comparison(a, b).verdict()


class _Comparison:
    """Two prepared texts, and the words that they share or lack."""

    def __init__(self, a: PreparedText, b: PreparedText) -> None:
        self.a, self.b = a, b
        self.shared = a.tokens.keys() & b.tokens.keys()
        self.left = a.tokens.keys() - self.shared
        self.right = b.tokens.keys() - self.shared
        self.said = frozenset(
            canonical(piece) for key in self.shared if a.tokens[key].fact for piece in _PIECES.findall(key)
        )
        self.related = 0.0
        self.soft = tables().soft | self.said
        if self.left and self.right:
            self._pair_inflections()

    def _pair_inflections(self) -> None:
        """Treat words of one family (`refactor`, `refactoring`) as shared if their signs agree."""
        beginnings = {y[:4]: y for y in sorted(self.right) if len(y) >= 4}
        for x in sorted(self.left):
            y = beginnings.get(x[:4], "")
            if y in self.right and _is_family(x, y) and not are_rivals(x, y):
                s, t = self.a.tokens[x], self.b.tokens[y]
                if not (s.fact or t.fact) and _sign(s, t) > 0:
                    self.left.discard(x)
                    self.right.discard(y)
                    self.related += 1

    def verdict(self) -> Likeness:
        """Decide in the order of L-9."""
        a, b = self.a.tokens, self.b.tokens
        signs = {key: _sign(a[key], b[key]) for key in self.shared}
        opposed = [key for key, sign in signs.items() if sign < 0]
        mine, yours = self._implied(self.left, a), self._implied(self.right, b)
        shared = self._weight(self.shared) + self.related
        rest = self._weight(mine) + self._weight(yours)
        overlap = shared / (shared + rest) if shared + rest else 0.0
        if opposed:
            if self._is_said_with_without(opposed):
                return "different"
            both = self._weight(mine) >= 1 and self._weight(yours) >= 1
            return "contradicts" if overlap >= (0.6 if both else 0.5) else "different"
        if self._swapped():
            return "contradicts" if overlap >= 0.8 else "different"
        if self._rivalry(mine, yours, shared):
            return "contradicts"
        if any(sign == 0 and a[key].sign != b[key].sign for key, sign in signs.items()):
            return "different"
        if not mine and not yours and self._opposite_limits():
            return "contradicts"
        return "same" if self._is_same(mine, yours, overlap) else "different"

    def _is_said_with_without(self, opposed: list[str]) -> bool:
        """Return whether *without* only seems to oppose the words: `build without x`, `don't build with x`."""
        a, b = self.a, self.b
        said = ("without" in a.flat) + ("without" in b.flat)
        if said == 2:
            if a.flat.startswith("without") != b.flat.startswith("without"):
                # in front, where its end may be unclear
                return a.negated == b.negated or len(opposed) < len(self.shared)
            behind = {each.flat.partition("without")[2] for each in (a, b)}
            return len(behind) > 1 and len({a.tokens[key].sign for key in opposed}) > 1
        agreed = [(a.tokens[key], b.tokens[key]) for key in self.shared] if said == 1 else []
        return any(x.sign == y.sign == -1 and not (x.condition or y.condition) for x, y in agreed)

    def _opposite_limits(self) -> bool:
        """Return whether the texts limit the same thing by opposites: at least and at most, all and some (L-34)."""
        x, y = _limits(self.a), _limits(self.b)
        if x == y:
            return False
        if not x or not y:
            unlimited = self.b if x else self.a
            found = _ALL.search(unlimited.flat)
            word = "" if found is None else "always" if found[1] == "always" else "all"
            return word != "" and len(x | y) == 1 and frozenset((word, *x, *y)) in _OPPOSITE_LIMITS
        return x ^ y in _OPPOSITE_LIMITS and len(x - y) == 1

    @staticmethod
    def _implied(rest: Iterable[str], tokens: dict[str, Token]) -> set[str]:
        """Return `rest` without implied words: in `pnpm, not npm` the negated rival of the wanted value."""
        kept = set(rest)
        if len(kept) > _MANY:
            return kept
        return {
            key
            for key in kept
            if tokens[key].sign >= 0
            or not any(are_rivals(key, each) and token.sign > 0 for each, token in tokens.items())
        }

    def _swapped(self) -> bool:
        """Return whether two words changed sides: first and then, from and to, the two sides of a dependency (L-7)."""
        sides = [{self.a.tokens[key].side, self.b.tokens[key].side} for key in self.shared]
        return {"l", "r"} in sides or {"<", ">"} in sides

    def _rivalry(self, mine: set[str], yours: set[str], shared: float) -> bool:
        """Return whether the texts put words that exclude each other into the same place (L-8)."""
        if not mine or not yours or len(mine) > _MANY or len(yours) > _MANY:
            return False
        a, b = self.a.tokens, self.b.tokens
        left, right = set(mine), set(yours)
        common = shared >= 1 or (self.shared and len(mine) == len(yours) == 1)
        strong = 0
        for x in sorted(mine):
            for y in sorted(right):
                if x not in left or min(a[x].sign, b[y].sign) <= 0:
                    continue
                if self._are_bounds(x, y):
                    continue
                if are_rivals(x, y) or (common and _are_values(x, a[x], y, b[y])):
                    left.discard(x)
                    right.discard(y)
                    strong += 1
        if strong:
            over = sorted((self._weight(left), self._weight(right)))
            return over[0] < 1 and over[1] <= 0.5 * shared
        return self._one_value(left, right) and not _are_of_other_kinds(left, right)

    def _are_bounds(self, x: str, y: str) -> bool:
        """Return whether two words name the ends of a range, which may have the same number (L-51)."""
        if frozenset((x, y)) not in _BOUNDS:
            return False
        if self.a.tokens[x].place == self.b.tokens[y].place == "subject":
            return True
        return {x, y} == {"minimum", "maximum"} and any(key[0] == "#" for key in self.shared)

    def _one_value(self, left: set[str], right: set[str]) -> bool:
        """Return whether only the value of the same verb differs: `hosted on X`, `hosted on Y`."""
        a, b = self.a.tokens, self.b.tokens
        if max(len(left), len(right)) > 2 or not self.shared:
            return False
        places = {a[key].place for key in left} | {b[key].place for key in right}
        place = places.pop()
        if place.endswith(" in") and len(left) != len(right):
            return False
        if any(_is_within(x, y) or _is_within(y, x) for x in left for y in right):
            return False
        if places or any(min(a[x].sign, b[y].sign) <= 0 for x in left for y in right):
            return False
        if place == "use":
            return all(a[key].place == b[key].place == "scope" for key in self.shared)
        if place == "is":
            return self.shared == {"name"} and all(_OWNED.search(each.flat) for each in (self.a, self.b))
        return (
            " " in place and not place.startswith("is ") and all(a[key].place != place for key in self.shared)
        )

    def _is_same(self, mine: set[str], yours: set[str], overlap: float) -> bool:
        """Return whether one text can replace the other (L-10)."""
        a, b = self.a, self.b
        implied = (mine < self.left) != (yours < self.right)
        if a.negated != b.negated and not implied:
            return False
        if _limits(a) != _limits(b) or (a.spans and b.spans and a.spans != b.spans):
            return False
        if a.deeds and b.deeds and a.deeds.isdisjoint(b.deeds):
            return False
        idle = self.said | tables().kinds
        mine, yours = mine - idle, yours - idle
        if (mine and yours) or not mine | yours <= self.soft:
            return False
        rest = [self.a.tokens.get(key) or self.b.tokens[key] for key in mine | yours]
        if any(token.fact or token.place == "scope" or token.condition for token in rest):
            return False
        if overlap < 0.7:
            return False
        return self._sides_agree()

    def _sides_agree(self) -> bool:
        """Return whether each shared word is on the same side of a relation in both texts (L-7)."""
        return all(
            x == y or not {x, y} & {"l", "r"}
            for x, y in ((self.a.tokens[key].side, self.b.tokens[key].side) for key in self.shared)
        )

    def _weight(self, keys: Iterable[str]) -> float:
        return sum([_SOFT_WEIGHT if key in self.soft else 1.0 for key in keys])


def _limits(reading: PreparedText) -> frozenset[str]:
    """Return the limits of a text; `only` adds nothing if the text itself negates the rest."""
    denies = any(token.sign < 0 for token in reading.tokens.values())
    if not denies:
        return reading.limits
    return frozenset(each for each in reading.limits if each.partition(" ")[0] != "only")


def _sign(x: Token, y: Token) -> int:
    """Return 1 if two tokens have the same sign, -1 if one is negated, 0 if a text says both."""
    if x.condition != y.condition:
        neutral = x if x.condition else y
        return 1 if neutral.sign > 0 else x.sign * y.sign
    return x.sign * y.sign


def _is_family(x: str, y: str) -> bool:
    common = next((at for at, (i, j) in enumerate(zip(x, y, strict=False)) if i != j), min(len(x), len(y)))
    return common >= 4 and x[common:] in _ENDINGS and y[common:] in _ENDINGS


# --- values that exclude each other (L-8) ---


def _are_values(x: str, one: Token, y: str, other: Token) -> bool:
    """Return whether two facts exclude each other: numbers of one unit, or identifiers, in the place of a single value."""
    if not (one.fact and other.fact) or {"subject", "name"} & {one.place, other.place}:
        return False
    if _is_occurrence(x) or _is_occurrence(y):
        return False
    if _is_within(x, y) or _is_within(y, x):
        return False
    if x[0] == y[0] == "#":
        return x.partition(" ")[2] == y.partition(" ")[2]
    return "#" not in (x[0], y[0]) and _lead(one) == _lead(other) != ""


def _is_within(path: str, folder: str) -> bool:
    """Return whether a path, in the form of `parsing`, is in a folder."""
    return folder[0] == "/" and path.startswith(f"{folder}/")


def _is_occurrence(fact: str) -> bool:
    """Return whether a fact names a single event: a hash, a UUID, a tally such as 15/17, a name with a date."""
    if fact[0] == "#" and " " in fact:
        return False  # a number with its unit, even if 20 MB in bytes looks like a date
    date = _DATE.search(fact)
    return _HASH.fullmatch(fact) is not None or (date is not None and len(date[0]) < len(fact))


def _lead(token: Token) -> str:
    """Return the preposition or verb before a value, or "" if there is none or it opens a scope."""
    word = token.place.rpartition(" ")[2]
    return "" if word in ("scope", "subject", "name") else word


# --- tools for different purposes (L-53) ---


def _are_of_other_kinds(some: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether words of two texts name tools of different kinds only; unknown words do not count."""
    table = _kinds_of_tools()
    mine, yours = (frozenset().union(*(table.get(word, ()) for word in words)) for words in (some, others))
    return bool(mine and yours) and mine.isdisjoint(yours)


@cache
def _kinds_of_tools() -> dict[str, frozenset[str]]:
    from language.value_kinds import purposes

    return {canonical(name): kinds for name, kinds in purposes().items()}
