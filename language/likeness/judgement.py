"""Judges whether two texts are the same, contradict each other, or are different.

Implements specs/likeness.md (L-1, L-2). `word_comparison` compares the content of the texts, `wording` their form.
Pure: no I/O, no clock, no model.
"""

from __future__ import annotations

from language.likeness.parsing import read
from language.likeness.token import PreparedText
from language.likeness.word_comparison import Likeness, read_alike
from language.likeness.wording import asks, differs, is_reversed, speak_of_other_times


def likeness(one: str | PreparedText, other: str | PreparedText) -> Likeness:
    """Compare two texts; their order does not matter.

    Args:
        one: a text, or the result of `read` for it, which saves time if it is compared often.
        other: the same.
    """
    a = one if isinstance(one, PreparedText) else read(one)
    b = other if isinstance(other, PreparedText) else read(other)
    if a.text == b.text:
        return "same"
    verdict = read_alike(a, b)
    if verdict != "contradicts" and a.tokens.keys() == b.tokens.keys() and is_reversed(a.text, b.text):
        verdict = "contradicts"
    if verdict == "different" or asks(a.text) != asks(b.text):
        return "different"
    if verdict == "contradicts":
        return "different" if speak_of_other_times(a.text, b.text) else "contradicts"
    return "different" if differs(a.text, b.text) else "same"


def denies(one: PreparedText, other: PreparedText) -> bool:
    """Return whether one text negates a word that the other one asserts: `pnpm, not npm` denies `npm`."""
    return any(
        token.sign < 0 < other.tokens[key].sign and not token.condition and not other.tokens[key].condition
        for key, token in one.tokens.items()
        if key in other.tokens
    )
