"""Keeps apart texts that a joining word or a quantifier turns: "lint or test", "lint and test"; "any reviewer", "all reviewers".

Implements specs/likeness.md (L-41, L-45). *And, or, any, all, each* carry no matter for the rest of likeness. Asked only
about texts that everything else calls the same. Pure; linear in the texts' lengths.
Patterns are compiled when first asked: every command pays for its imports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from language.likeness.phrases import spelled_out

__all__ = ["counts_otherwise", "is_joined_otherwise"]

_CLAUSE = r"[.;:!?](?=\s|$)|\bbut\b|,(?= (?:not|never)\b)"
_NEGATION = r"\b(?:not|never|no|none|neither|nor|without|avoid|except|excluding|cannot|nobody|forbid|forbidden|ban)\b|n't\b"
_OR = r"\b(?:or|and/or)\b"
_JOINING = r"\b(?:or|and/or|either|both|together|as well as|and)\b|&"
_STRESSED = r"\b(?:even|only|just|exactly) (?:if|when|while|after|before|once)\b"
_IF = r"\b(?:if|when|while|after|before|once)\b"


def is_joined_otherwise(one: str, other: str) -> bool:
    """Say whether *or* joins in one text what *and* joins in the other, or *even if* stands for *if* (L-41).

    In what is denied, both say the same: "never log names or tokens", "never log names and tokens".
    """
    one, other = one.casefold(), other.casefold()
    if sorted(re.findall(_STRESSED, one)) != sorted(re.findall(_STRESSED, other)) and bool(
        re.search(_IF, one)
    ) == bool(re.search(_IF, other)):
        mine = {each.split()[0] for each in re.findall(_STRESSED, one)}
        yours = {each.split()[0] for each in re.findall(_STRESSED, other)}
        if "even" in mine ^ yours:
            return True
    if re.search(_OR, one) is None and re.search(_OR, other) is None:
        return False
    left, right = spelled_out(one), spelled_out(other)
    if sum(_alternatives(left)) == sum(_alternatives(right)):
        return False
    return re.search(_JOINING, left) is not None and re.search(_JOINING, right) is not None


def _alternatives(text: str) -> Iterator[int]:
    """Give of each clause how many times *or* joins something in it that is not denied."""
    for clause in re.split(_CLAUSE, text):
        denied = re.search(_NEGATION, clause)
        yield len(re.findall(_OR, clause if denied is None else clause[: denied.start()]))


# --- how many (L-45) ---

_ANY = r"\bany\b"
_ALL = r"\b(?:all|every|each)\b"
_DEMANDED = r"\b(?:must|should|shall|ought|needs? to|ha(?:s|ve) to|is|are)\b"
_OPEN = r"\b(?:if|when|whenever|unless|once|until|can|may|could|might|allowed)\b|^(?!any\b)"
_ABOUT = (
    r"\b(?:about|around|roughly|approximately|approx|circa|nearly|almost|close to|some) (?=\d|(?:one|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve|all|every|each|no|none|always|never)\b)"
)
_EXCEPT = r"\b(?:except|apart from|other than|save for|aside from|barring|(?:all|every\w*|any\w*|no ?one|nobody|none)(?: \w+)? but)\b"
_HEDGED = (
    r"\b(?:probably|perhaps|maybe|possibly|presumably|apparently|likely|ideally|preferably|consider|generally|typically"
    r"|normally|seems?|supposedly|allegedly|try (?:to|and|not)|aim to|where possible|if possible|when possible)\b"
)


def counts_otherwise(one: str, other: str) -> bool:
    """Say whether one text says *any* and the other *all*, or one alone *about*, *probably*, *except* (L-45)."""
    one, other = one.casefold(), other.casefold()
    for sign in (_ABOUT, _HEDGED, _EXCEPT):
        if (re.search(sign, one) is None) != (re.search(sign, other) is None):
            return True
    return _is_any_for_all(one, other) or _is_any_for_all(other, one)


def _is_any_for_all(one: str, other: str) -> bool:
    """Say whether *any* stands where the other text says *all*, and does not say the same: what *any* one must, all must."""
    if re.search(_ANY, one) is None or re.search(_ALL, one) is not None or re.search(_ALL, other) is None:
        return False
    if re.search(_ANY, other) is not None:
        return False
    return (
        re.search(_OPEN, one) is not None
        or re.search(_DEMANDED, one) is None
        or re.search(_NEGATION, one) is not None
    )
