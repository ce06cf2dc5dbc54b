"""Says of two texts whether they are the same, contradict each other, or are different.

Implements specs/likeness.md (L-1, L-2, L-39): which rules are asked in which order. `word_comparison` has those that look at
single words. Pure: no I/O, no clock, no model.
"""

from __future__ import annotations

from language.likeness.bonds import belongs_elsewhere, has_another_holder
from language.likeness.deeds import does_otherwise
from language.likeness.duties import binds_otherwise, is_order_and_outcome
from language.likeness.joints import counts_otherwise, is_joined_otherwise
from language.likeness.lasting import lasts_otherwise
from language.likeness.moods import is_state_and_order, is_there_and_wanted
from language.likeness.names import names_another
from language.likeness.parsing import read
from language.likeness.roles import are_mutual, changed_roles, is_said_the_other_way
from language.likeness.states import is_same_fault, is_sound_and_faulty
from language.likeness.times import hold_at_other_times
from language.likeness.token import PreparedText
from language.likeness.turning_words import by_condition, turn
from language.likeness.word_comparison import Likeness, read_alike
from language.likeness.writing import asks, has_another_focus, is_ordered_otherwise, is_written_otherwise

__all__ = ["Likeness", "PreparedText", "are_apart", "denies", "likeness", "read"]

_APART = (
    is_written_otherwise,
    has_another_focus,
    is_state_and_order,
    is_there_and_wanted,
    names_another,
    is_said_the_other_way,
    is_joined_otherwise,
    counts_otherwise,
    binds_otherwise,
    is_order_and_outcome,
    lasts_otherwise,
    does_otherwise,
)
"""What keeps two texts apart that are the same else, each of the two texts as they are written."""


def likeness(one: str | PreparedText, other: str | PreparedText) -> Likeness:
    """Return how two texts stand to each other; the order in which they are given does not matter.

    Args:
        one: a text, or what `read` returned for it, which is worth keeping where it is compared often.
        other: the same.
    """
    a = one if isinstance(one, PreparedText) else read(one)
    b = other if isinstance(other, PreparedText) else read(other)
    if a.text == b.text:
        return "same"
    verdict = read_alike(a, b)
    if verdict == "same" and (is_ordered_otherwise(a.text, b.text) or belongs_elsewhere(a.text, b.text)):
        verdict = "different"
    if verdict == "contradicts" and is_same_fault(a, b):
        return "different"
    if verdict == "different" and (has_another_holder(a.text, b.text) or is_sound_and_faulty(a, b)):
        verdict = "contradicts"
    if verdict == "different" and _have_same_words(a, b):
        if changed_roles(a.text, b.text):
            verdict = "contradicts"
        elif are_mutual(a.text, b.text):
            verdict = "same"
    if verdict == "different" or asks(a.text) != asks(b.text):
        return "different"
    if hold_at_other_times(a.text, b.text, contrary=verdict == "contradicts"):
        return "different"
    if verdict == "contradicts" and (
        is_there_and_wanted(a.text, b.text, contrary=True) or is_order_and_outcome(a.text, b.text)
    ):
        return "different"
    if verdict == "same" and any(differs(a.text, b.text) for differs in _APART):
        return "different"
    return (turn(a.text, b.text) or verdict) if verdict == "same" else verdict


def denies(one: PreparedText, other: PreparedText) -> bool:
    """Say whether a text denies in words what another one asserts: `pnpm, not npm` denies `npm`."""
    return any(
        token.sign < 0 < other.tokens[key].sign and not token.condition and not other.tokens[key].condition
        for key, token in one.tokens.items()
        if key in other.tokens
    )


def are_apart(one: str | PreparedText, other: str | PreparedText) -> bool:
    """Say whether two texts cannot stand for each other, be one of them the shorter way to say it (L-39).

    For callers that take a text with fewer words for a restatement: it may leave out words, and neither a time, a need,
    a condition, a limit or how long it holds, nor the exact form of a name.
    """
    a = one if isinstance(one, PreparedText) else read(one)
    b = other if isinstance(other, PreparedText) else read(other)
    if asks(a.text) != asks(b.text) or a.limits != b.limits or by_condition(a.text, b.text):
        return True
    apart = (is_state_and_order, is_there_and_wanted, names_another, has_another_focus, lasts_otherwise)
    return hold_at_other_times(a.text, b.text, contrary=False) or any(
        differs(a.text, b.text) for differs in apart
    )


def _have_same_words(a: PreparedText, b: PreparedText) -> bool:
    """Say whether texts have the same words, limits and signs, so that only roles can differ (L-35, L-40)."""
    return a.tokens.keys() == b.tokens.keys() and a.limits == b.limits and a.negated == b.negated
