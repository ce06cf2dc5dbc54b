"""Keeps apart what is not so and what must not be: "the rate limiter is not deployed", "never deploy it".

Implements specs/likeness.md (L-18). Asked only about texts that everything else calls the same. Pure; linear in the
texts' lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger import likeness_words as words

__all__ = ["is_state_and_order"]

_SENTENCE = re.compile(r"[.;:!\n](?=\s|$)")
_AROUND = ".,;:!?\"'()[]{}<>*_`"
_DEFINITE = frozenset("the this that these those".split())
_NOW = frozenset("is are isn't aren't isnt arent".split())
_THEN = frozenset("was were wasn't weren't has have had hasn't haven't hadn't".split())
_BETWEEN = frozenset("not been yet currently still now already being".split())
_MODAL = frozenset(
    "must should shall may can could might need mustn't shouldn't can't cannot couldn't ought".split()
)
_BEFORE_AN_ORDER = frozenset("please always never do not don't dont just to only ever be".split()) | _MODAL
_WHO = frozenset("we you i they".split())
_NEAR = 4
"""So many words may stand between a modal and its `be`."""
_STEMS = dict(
    pair.split(":")
    for pair in """built:build written:write sent:send kept:keep made:make done:do taken:take given:give shown:show
    broken:break chosen:choose held:hold frozen:freeze hidden:hide drawn:draw bound:bind left:leave paid:pay""".split()
)


def is_state_and_order(one: str, other: str) -> bool:
    """Say whether one text says of a thing that it is not done, and the other that it must not be (L-18)."""
    return any(
        not states.isdisjoint(_orders(ordering)) and states.isdisjoint(_orders(stating))
        for stating, ordering in ((one, other), (other, one))
        if (states := frozenset(_states(stating)))
    )


def _sentences(text: str) -> Iterator[list[str]]:
    for sentence in _SENTENCE.split(text.casefold().replace("\u2019", "'")):
        yield [bare for chunk in sentence.split() if (bare := chunk.strip(_AROUND))]


def _states(text: str) -> Iterator[str]:
    """Give the verbs of which a text says that a certain thing is, was or has not been treated so."""
    for said in _sentences(text):
        for at, word in enumerate(said):
            if word not in _THEN and not (word in _NOW and said[0] in _DEFINITE):
                continue
            end = next((end for end in range(at + 1, len(said)) if said[end] not in _BETWEEN), at)
            denied = "not" in said[at:end] or word.endswith(("n't", "nt"))
            if denied and said[end] != "to":
                yield _stem(said[end])
            break


def _orders(text: str) -> Iterator[str]:
    """Give the verbs that a text orders or forbids."""
    for said in _sentences(text):
        modal = next((at for at, word in enumerate(said) if word in _MODAL), None)
        if not said or said[0] == "not" or (said[0] in _WHO and modal != 1):
            continue
        start = 1 if said[0] in _WHO else 0
        if first := next((each for each in said[start:] if each not in _BEFORE_AN_ORDER), ""):
            yield _stem(first)
        to = said.index("to") if "to" in said else len(said)
        for at, word in enumerate(said[:-1]):
            if word == "be" and (to < at or (modal is not None and 0 < at - modal <= _NEAR)):
                yield _stem(said[at + 1])


def _stem(word: str) -> str:
    return words.canonical(_STEMS.get(word, word))
