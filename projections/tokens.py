"""Estimates how many tokens a text has, without a tokenizer.

Implements specs/projections.md (P-32).
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Estimate", "estimate_tokens"]

Estimate = Callable[[str], int]
"""Says how many tokens a text has."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has, without a tokenizer (P-32).

    A token is four ASCII characters or three bytes of others; a word is at least one.
    """
    size = len(text)
    if not text.isascii():
        plain = len(text.encode("ascii", "ignore"))
        size = plain + (len(text.encode()) - plain) * 4 // 3
    return max((size + 3) // 4, text.count(" ") + 1 if text else 0)
