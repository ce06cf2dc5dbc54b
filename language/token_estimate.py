"""Estimates how many tokens a text has, without a tokenizer and its vocabulary.

Implements specs/projections.md (P-32); `python -m eval --dataset tokens` compares it with three real ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ledger.lazy_pattern import lazy_pattern

Estimate = Callable[[str], int]
"""Returns how many tokens a text has."""

_PIECES = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,3}|\n\s*|[^\S\n]{2,}|[!-/:-@\[-`{-~]+")
_SHORT = lazy_pattern("[\x80-\u07ff]")
_LONG = lazy_pattern("[\U00010000-\U0010ffff]")
_WHOLE = 24
"""Costs are counted in fractions of a token: so many make one."""


@lru_cache(maxsize=1)  # a section is estimated when it is filled, and again when it is recorded
def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has (P-32).

    A word of up to six letters is one token, and each further letter a sixth; `camelCase` is two words. Up to
    three digits are 1¼, a line end with what is indented after it 1, other runs of spaces 1¼, a run of signs ¾ and
    each further sign ⅜; of the characters beyond ASCII those of two bytes ½, of three 1, of four 2. Rounded up.
    """
    cost = 0
    for piece in _PIECES.findall(text):
        first = piece[0]
        if first.isalpha():
            cost += 24 if len(piece) <= 6 else len(piece) * 4
        elif first.isdigit():
            cost += 30
        elif first == "\n":
            cost += 24
        elif first.isspace():
            cost += 30
        else:
            cost += 9 + 9 * len(piece)
    if not text.isascii():
        beyond = len(text) - len(text.encode("ascii", "ignore"))
        cost += 24 * beyond - 12 * len(_SHORT.findall(text)) + 24 * len(_LONG.findall(text))
    return -(-cost // _WHOLE)
