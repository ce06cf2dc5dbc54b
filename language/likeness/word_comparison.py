"""Compares two texts as they were read, word by word: what is denied, what excludes what, what only one of them says.

Implements specs/likeness.md (L-8…L-11, L-33, L-34, L-51, L-53). Similar words are not sameness: what is denied, what is counted, which
path or version is named is compared before any overlap of words. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from language.likeness.token import PreparedText, Token
from language.likeness.tool_kinds import are_of_other_kinds
from language.likeness.values import are_values, is_within, lead
from language.likeness.vocabulary import MANNERS, are_choices, are_rivals, canonical, tables
from ledger.lazy_pattern import lazy_pattern

__all__ = ["Likeness", "read_alike"]

Likeness = Literal["same", "contradicts", "different"]

_SOFT_WEIGHT = 0.25
_FEW = 6
"""How many words two texts may have that have next to none in common, and still be compared word by word."""
_MANY = 12
"""With more words than this on either side that the other lacks, nothing is paired: the texts are far apart."""

_OPPOSITE_LIMITS = frozenset(
    frozenset(pair.split())
    for pair in """atleast atmost|morethan lessthan|more less|more fewer|atleast lessthan|atmost morethan|few many|few most
    |all some|all half|all few|always rarely|often rarely""".split("|")
)
_ALL = lazy_pattern(r"\b(all|every|each|always)\b")
_BARE = frozenset(("", "subject", "name"))
_DIRECT = _BARE | {"is", "use"}
"""The places that no preposition leads to."""
_OWNED = lazy_pattern(r"\b(?:user|my|project)\b")
_BOUNDS = frozenset(
    frozenset(map(canonical, pair.split()))
    for pair in """minimum maximum|lower upper|first last|earliest latest|low high|newest oldest
    |latest oldest""".split("|")
)
"""Of a range both ends are there: that one is some number says nothing of the other."""
_BOUNDED = lazy_pattern(
    r"^(?:before|after) \S*\d"
    r"|\b(?:before|after) (?=\S*\d)\S+ (?:is|are|was|were|must|should|may|can|needs?|uses?|gets?|has|have)\b"
)
"""What comes before or after some number is what the text is about, or where it holds."""
_PIECES = lazy_pattern(r"[^\W\d_]+")
_ENDINGS = frozenset(
    """e s ed ing ings er ers or ors ion ions ation ations ment al ally able ible ance ence ive ity y ly ness
    ies ied ent ize ise ized ised ization""".split()
) | {""}


def read_alike(a: PreparedText, b: PreparedText) -> Likeness:
    """Return how two texts stand to each other but for what L-15…L-18 and L-20, L-22 tell apart."""
    if a.flat == b.flat:
        return "same"
    if b.flat < a.flat:
        a, b = b, a
    shared = len(a.tokens.keys() & b.tokens.keys())
    if not a.tokens or not b.tokens or len(a.tokens) + len(b.tokens) > 6 * shared + _FEW:
        return "different"  # too little in common for any rule
    return _Comparison(a, b).verdict()


class _Comparison:
    """Two readings, and what of each the other has."""

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
        """Take words of one family (`refactor`, `refactoring`) as shared, where their signs agree."""
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
            if self._is_said_with_without(opposed) or self._is_denied_by_its_rival():
                return "different"
            both = self._weight(mine) >= 1 and self._weight(yours) >= 1
            return "contradicts" if overlap >= (0.6 if both else 0.5) else "different"
        if self._swapped():
            return "contradicts" if overlap >= 0.8 and not self._leaves_both_times() else "different"
        if self._rivalry(mine, yours, shared):
            return "contradicts"
        if any(sign == 0 and a[key].sign != b[key].sign for key, sign in signs.items()):
            return "different"
        if not mine and not yours and self._opposite_limits():
            return "contradicts"
        return "same" if self._is_same(mine, yours, overlap) else "different"

    def _is_said_with_without(self, opposed: list[str]) -> bool:
        """Say whether *without* opposes words that agree: `build without x`, `don't build with x`; or turned them round."""
        a, b = self.a, self.b
        said = ("without" in a.flat) + ("without" in b.flat)
        if said == 2:
            if a.flat.startswith("without") != b.flat.startswith("without"):
                # put in front, where it may be that nothing tells where it ends
                return a.negated == b.negated or len(opposed) < len(self.shared)
            behind = {each.flat.partition("without")[2] for each in (a, b)}
            return len(behind) > 1 and len({a.tokens[key].sign for key in opposed}) > 1
        agreed = [(a.tokens[key], b.tokens[key]) for key in self.shared] if said == 1 else []
        return any(x.sign == y.sign == -1 and not (x.condition or y.condition) for x, y in agreed)

    def _is_denied_by_its_rival(self) -> bool:
        """Say whether one text asserts what the other denies the rival of (L-51): `include x`, `don't exclude x`."""
        a, b = self.a.tokens, self.b.tokens
        if len(self.left) > _MANY or len(self.right) > _MANY:
            return False
        if any(a[x].sign * b[y].sign < 0 and are_rivals(x, y) for x in self.left for y in self.right):
            return True
        return any(  # *keep, allow, add* are no tokens
            are_rivals(key, canonical(word))
            for rest, text in ((self.left, self.b.flat), (self.right, self.a.flat))
            if rest
            for word in tables().frame.intersection(text.split())
            for key in rest
        )

    def _opposite_limits(self) -> bool:
        """Say whether the texts limit the same by opposites: at least and at most, all and some (L-34)."""
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
        """Return `rest` without what goes without saying: in `pnpm, not npm` the denied rival of what is asked for."""
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
        """Say whether two things changed sides: first and then, from and to, who depends on whom (L-7)."""
        sides = [{self.a.tokens[key].side, self.b.tokens[key].side} for key in self.shared]
        return {"l", "r"} in sides or ({"<", ">"} in sides and not self._is_converse())

    def _leaves_both_times(self) -> bool:
        """Say whether *before* and *after* one thing leave room for both texts (L-51).

        What is denied on one side may be denied on the other; and what holds before 9:00 may be said beside what holds
        after it.
        """
        a, b = self.a.tokens, self.b.tokens
        denied = any(
            {a[key].side, b[key].side} == {"<", ">"} and a[key].sign == b[key].sign == -1
            for key in self.shared
        )
        return denied or all(_BOUNDED.search(each.flat) for each in (self.a, self.b))

    def _is_converse(self) -> bool:
        """Say whether one text says *before* and the other *after*, of two things that kept their sides (L-51).

        What was done goes with the one that is named first: `x was released before y`, `y was released after x`.
        """
        mine = {key for key, token in self.a.tokens.items() if token.condition and token.side}
        yours = {key for key, token in self.b.tokens.items() if token.condition and token.side}
        if not mine or not yours or mine & yours or not (mine | yours) <= self.shared:
            return False
        return all(self.a.tokens[key].side == self.b.tokens[key].side for key in mine | yours)

    def _rivalry(self, mine: set[str], yours: set[str], shared: float) -> bool:
        """Say whether the texts put things into one place that exclude each other (L-8)."""
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
                if are_rivals(x, y) or self._are_choices(x, y) or (common and are_values(x, a[x], y, b[y])):
                    left.discard(x)
                    right.discard(y)
                    strong += 1
        if not strong and are_of_other_kinds(_words_of(left), _words_of(right)):
            return False
        if self._other_spans(left | right, shared):
            return True
        over = sorted((self._weight(left), self._weight(right)))
        if strong:
            return over[0] < 1 and over[1] <= 0.5 * shared
        return self._one_value(left, right)

    def _are_bounds(self, x: str, y: str) -> bool:
        """Say whether two words name the ends of a range, which may both be one number (L-51)."""
        if frozenset((x, y)) not in _BOUNDS:
            return False
        if self.a.tokens[x].place == self.b.tokens[y].place == "subject":
            return True
        return {x, y} == {"minimum", "maximum"} and any(key[0] == "#" for key in self.shared)

    def _are_choices(self, x: str, y: str) -> bool:
        places = {self.a.tokens[x].place, self.b.tokens[y].place}
        # said twice, it says where it holds as well: `use staging keys in staging`
        return (
            places == {"use"} and are_choices(x, y) and self.a.flat.count(x) < 2 and self.b.flat.count(y) < 2
        )

    def _other_spans(self, rest: set[str], shared: float) -> bool:
        """Say whether all that differs is the one code span of each."""
        a, b = self.a, self.b
        if len(a.spans) != 1 or len(b.spans) != 1 or a.spans == b.spans or shared < 1:
            return False
        within = {piece for span in a.spans | b.spans for piece in (*span.split(), *_PIECES.findall(span))}
        within |= {canonical(piece) for piece in within}
        tokens = [a.tokens.get(key) or b.tokens[key] for key in rest]
        leads = {lead(each) for each in tokens}
        return rest <= within and len(leads) == 1 and leads != {""} and all(each.sign > 0 for each in tokens)

    def _one_value(self, left: set[str], right: set[str]) -> bool:
        """Say whether all that differs is the value of the same verb: `hosted on X`, `hosted on Y`."""
        a, b = self.a.tokens, self.b.tokens
        if max(len(left), len(right)) > 2 or not self.shared:
            return False
        places = {a[key].place for key in left} | {b[key].place for key in right}
        place = places.pop()
        if place in MANNERS or (place.endswith(" in") and len(left) != len(right)):
            return False
        if any(is_within(x, y) or is_within(y, x) for x in left for y in right):
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
        """Say whether one text can stand for the other (L-10)."""
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
        if (mine and yours) or not all(map(self._is_soft, mine | yours)):
            return False
        rest = [self.a.tokens.get(key) or self.b.tokens[key] for key in mine | yours]
        if any(token.fact or token.place == "scope" or token.condition for token in rest):
            return False
        if overlap < 0.7 or not _facts_in_order(a, b, self.shared) or not _pieces_match(a, b):
            return False
        return self._sides_agree() and not self._roles_changed() and not self._denied_elsewhere()

    def _denied_elsewhere(self) -> bool:
        """Say whether one text denies what the other is only about (L-10).

        `Slow tests are not here` and `tests are not slow`; `never deploy x` and the state `x: not deployed`.
        """
        for x, y in ((self.a, self.b), (self.b, self.a)):
            for key in self.shared:
                topic, denied = x.tokens[key], y.tokens[key]
                if not topic.condition or denied.condition or denied.sign >= 0:
                    continue
                if denied.place == "subject" or (topic.place == "subject" and ": not " in x.flat):
                    return True
        return False

    def _sides_agree(self) -> bool:
        """Say whether every shared word that has a side of a relation in one text has it in the other (L-7)."""
        return all(
            x == y or not {x, y} & {"l", "r"}
            for x, y in ((self.a.tokens[key].side, self.b.tokens[key].side) for key in self.shared)
        )

    def _roles_changed(self) -> bool:
        """Say whether two words changed roles (L-10).

        Either one without a preposition and one after it (`convert x to y`), or two without one around a third: who
        calls whom.
        """
        pairs = [(self.a.tokens[key], self.b.tokens[key]) for key in self.shared]
        places = [(x.place, y.place) for x, y in pairs if not (x.condition or y.condition)]
        if any(x in _BARE and y not in _DIRECT for x, y in places) and any(
            x not in _DIRECT and y in _BARE for x, y in places
        ):
            return True
        if len(self.shared) < 3:
            return False
        bare = [key for key in self.a.tokens if key in self.shared and self._is_bare(key)]
        order = {key: at for at, key in enumerate(self.b.tokens)}
        return any(order[x] > order[y] > order[z] for x, y, z in zip(bare, bare[1:], bare[2:], strict=False))

    def _is_bare(self, key: str) -> bool:
        return self.a.tokens[key].place in _BARE and self.b.tokens[key].place in _BARE

    def _is_soft(self, key: str) -> bool:
        """Say whether a word adds little: such a word, or one that a fact which both name already says."""
        return key in self.soft

    def _weight(self, keys: Iterable[str]) -> float:
        return sum([_SOFT_WEIGHT if key in self.soft else 1.0 for key in keys])


def _words_of(keys: Iterable[str]) -> Iterable[str]:
    """Give words, and those of code spans, which are kept whole as well (L-4)."""
    for key in keys:
        yield key
        yield from map(canonical, _PIECES.findall(key))


def _limits(reading: PreparedText) -> frozenset[str]:
    """Return what limits a text; `only` says nothing more where the text itself denies the rest."""
    denies = any(token.sign < 0 for token in reading.tokens.values())
    if not denies:
        return reading.limits
    return frozenset(each for each in reading.limits if each.partition(" ")[0] != "only")


def _sign(x: Token, y: Token) -> int:
    """Return 1 where two tokens are asserted alike, -1 where one is denied, 0 where a text says both."""
    if x.condition != y.condition:
        neutral = x if x.condition else y
        return 1 if neutral.sign > 0 else x.sign * y.sign
    return x.sign * y.sign


def _is_family(x: str, y: str) -> bool:
    common = next((at for at, (i, j) in enumerate(zip(x, y, strict=False)) if i != j), min(len(x), len(y)))
    return common >= 4 and x[common:] in _ENDINGS and y[common:] in _ENDINGS


def _facts_in_order(a: PreparedText, b: PreparedText, shared: Iterable[str]) -> bool:
    """Say whether the facts that both texts name stand in one order (L-10)."""
    facts = {key for key in shared if a.tokens[key].fact}
    return len(facts) < 2 or [k for k in a.tokens if k in facts] == [k for k in b.tokens if k in facts]


def _pieces_match(a: PreparedText, b: PreparedText) -> bool:
    """Say whether what stands together in one text's list or sentence stands together in the other's (L-10)."""
    left = [piece for piece in a.pieces if len(piece) > 1]
    right = [piece for piece in b.pieces if len(piece) > 1]
    if len(left) < 2 or len(right) < 2:
        return True
    if len(left) * len(right) > _MANY * _MANY:
        return set(left) == set(right)
    return all(any(len(x & y) * 3 >= len(x | y) * 2 for y in right) for x in left)
