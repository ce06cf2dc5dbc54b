"""Keeps apart texts that a joining word or a quantifier turns: "lint or test", "lint and test"; "any reviewer", "all reviewers".

Implements specs/likeness.md (L-41, L-45). *And, or, any, all, each* carry no matter for the rest of likeness. Asked only
about texts that everything else calls the same. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.likeness.phrases import spelled_out

__all__ = ["counts_otherwise", "is_joined_otherwise"]

_CLAUSE = re.compile(r"[.;:!?](?=\s|$)|\bbut\b|,(?= (?:not|never)\b)")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|avoid|except|excluding|cannot|nobody|forbid|forbidden|ban)\b|n't\b"
)
_OR = re.compile(r"\b(?:or|and/or)\b")
_JOINING = re.compile(r"\b(?:or|and/or|either|both|together|as well as|and)\b|&")
_FROM_TO = re.compile(r"\b(?:even|only|just|exactly) (?:if|when|while|after|before|once)\b")
_IF = re.compile(r"\b(?:if|when|while|after|before|once)\b")


def is_joined_otherwise(one: str, other: str) -> bool:
    """Say whether *or* joins in one text what *and* joins in the other, or *even if* stands for *if* (L-41).

    In what is denied, both say the same: "never log names or tokens", "never log names and tokens".
    """
    one, other = one.casefold(), other.casefold()
    if sorted(_FROM_TO.findall(one)) != sorted(_FROM_TO.findall(other)) and bool(_IF.search(one)) == bool(
        _IF.search(other)
    ):
        mine = {each.split()[0] for each in _FROM_TO.findall(one)}
        yours = {each.split()[0] for each in _FROM_TO.findall(other)}
        if "even" in mine ^ yours:
            return True
    if _OR.search(one) is None and _OR.search(other) is None:
        return False
    left, right = spelled_out(one), spelled_out(other)
    if sum(_alternatives(left)) == sum(_alternatives(right)):
        return False
    return _JOINING.search(left) is not None and _JOINING.search(right) is not None


def _alternatives(text: str) -> Iterator[int]:
    """Give of each clause how many times *or* joins something in it that is not denied."""
    for clause in _CLAUSE.split(text):
        denied = _NEGATION.search(clause)
        yield len(_OR.findall(clause if denied is None else clause[: denied.start()]))


# --- how many (L-45) ---

_ANY = re.compile(r"\bany\b")
_ALL = re.compile(r"\b(?:all|every|each)\b")
_ONE = re.compile(r"\b(?:one|a single|a) (?!of\b)")
_DEMANDED = re.compile(r"\b(?:must|should|shall|ought|needs? to|ha(?:s|ve) to|is|are)\b")
_OPEN = re.compile(r"\b(?:if|when|whenever|unless|once|until|can|may|could|might|allowed)\b|^(?!any\b)")
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|approx|circa|nearly|almost|close to|some) (?=\d|(?:one|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve|all|every|each|no|none|always|never)\b)"
)
_EXCEPT = re.compile(
    r"\b(?:except|apart from|other than|save for|aside from|barring|(?:all|every\w*|any\w*|no ?one|nobody|none)(?: \w+)? but)\b"
)
_HEDGED = re.compile(
    r"\b(?:probably|perhaps|maybe|possibly|presumably|apparently|likely|ideally|preferably|consider|generally|typically"
    r"|normally|seems?|supposedly|allegedly|try (?:to|and|not)|aim to|where possible|if possible|when possible)\b"
)
_EACH_TIME = re.compile(r"\b(?:per|for each|for every|an?) (?=(?:\w+))")


def counts_otherwise(one: str, other: str) -> bool:
    """Say whether one text says *any* and the other *all*, or one alone *about*, *probably*, *except* (L-45)."""
    one, other = one.casefold(), other.casefold()
    for sign in (_ABOUT, _HEDGED, _EXCEPT):
        if (sign.search(one) is None) != (sign.search(other) is None):
            return True
    return _is_any_for_all(one, other) or _is_any_for_all(other, one)


def _is_any_for_all(one: str, other: str) -> bool:
    """Say whether *any* stands where the other text says *all*, and does not say the same: what *any* one must, all must."""
    if _ANY.search(one) is None or _ALL.search(one) is not None or _ALL.search(other) is None:
        return False
    if _ANY.search(other) is not None:
        return False
    return _OPEN.search(one) is not None or _DEMANDED.search(one) is None or _NEGATION.search(one) is not None
