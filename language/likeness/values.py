"""Whether two facts are values for one place, of which one excludes the other: "port 5432", "port 5433".

Implements specs/likeness.md (L-8). Asked about single tokens; pure.
"""

from __future__ import annotations

from language.likeness.token import Token
from ledger.lazy_pattern import lazy_pattern

__all__ = ["are_values", "is_within", "lead"]

_HASH = lazy_pattern(r"(?:\w+:)?(?=[a-f]*\d)[0-9a-f]{7,}|(?:[0-9a-f]+-){4}[0-9a-f]+|/\d+/\d+")
_DATE = lazy_pattern(r"(?<!\d)(?:19|20)\d\d-?[01]\d-?[0-3]\d(?!\d)")


def are_values(x: str, one: Token, y: str, other: Token) -> bool:
    """Say whether two facts exclude each other: numbers of one unit, or identifiers, in a place for one value."""
    if not (one.fact and other.fact) or {"subject", "name"} & {one.place, other.place}:
        return False
    if _is_occurrence(x) or _is_occurrence(y):
        return False
    if is_within(x, y) or is_within(y, x):
        return False
    if x[0] == y[0] == "#":
        return x.partition(" ")[2] == y.partition(" ")[2]
    return "#" not in (x[0], y[0]) and lead(one) == lead(other) != ""


def is_within(path: str, folder: str) -> bool:
    """Say whether a path, as `reading` writes it, lies in a folder."""
    return folder[0] == "/" and path.startswith(f"{folder}/")


def _is_occurrence(fact: str) -> bool:
    """Say whether a fact names what happened once: a hash, a UUID, a tally such as 15/17, a name with a date in it."""
    if fact[0] == "#" and " " in fact:
        return False  # a number with its unit, even where 20 MB in bytes reads as a date
    date = _DATE.search(fact)
    return _HASH.fullmatch(fact) is not None or (date is not None and len(date[0]) < len(fact))


def lead(token: Token) -> str:
    """Return the preposition or verb that leads to a value, nothing where there is none or it opens a scope."""
    word = token.place.rpartition(" ")[2]
    return "" if word in ("scope", "subject", "name") else word
