"""Recognises requests to forget: "forget what I said about Redpanda, we run Kafka".

Implements specs/capture.md (K-41, K-140, K-242). The linear model judges whether a clause asks for it; the other words name
the subject. Other modules find such a memory and wait for a yes. Pure.
"""

from __future__ import annotations

from language.durability import Model, model
from language.stop_words import content_words
from learning.detection.speech import Sentence, sentences
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

LONGEST = 300
"""A longer sentence is not a request to forget."""
SHORT = 60
"""A longer sentence names its own subject."""
_DROWNED = 2.0
"""How far below the level a sentence may score if one of its clauses may be a request."""
_CLAUSE = lazy_pattern(r"[,;:?!]\s+|\.\s+|\s+[–—-]+\s+")


class Asked(NamedTuple):
    """The subject to forget, in the person's words ("" if they only point at it), and the other clauses."""

    about: str
    rest: str


def asked(said: str, weights: Model | None = None) -> Asked | None:
    """Return the subject that a sentence asks to forget, or None, as for "don't forget to …".

    If a sentence may ask for it but is unclear, the subject is "" and the sentence becomes no memory.
    """
    weights = weights or model()
    if len(said) > LONGEST:
        return None
    if not weights.may_be_wish(said, less=_DROWNED):
        return None
    clauses = [part for part in _CLAUSE.split(said) if part.strip()]
    if not weights.may_be_wish(said) and not weights.may_be_wish(clauses[0]):
        return None
    if not weights.is_wish(said):
        return Asked("", "")
    orders = [at for at, part in enumerate(clauses) if weights.is_wish(part)] or [len(clauses) - 1]
    about = _named(weights, [clauses[at] for at in orders]) or _named(weights, clauses[: orders[-1]])
    return Asked(about, ", ".join(clauses[orders[-1] + 1 :]).strip(" .!?"))


def may_ask(text: str) -> bool:
    """Return whether a text may ask to forget something, in any words (K-140)."""
    return any(asked(said.text) is not None for said in sentences(text))


def joined(spoken: list[Sentence], weights: Model) -> list[Sentence]:
    """Return the sentences; join one that names nothing with the sentence before it, if both together are a request."""
    found: list[Sentence] = []
    for said in spoken:
        before = found[-1] if found and len(said.text) <= SHORT else None
        if before is not None:
            both = f"{before.text.rstrip('.!?…')}, {said.text}"
            if weights.is_wish(both) and not _named(weights, [said.text]):
                found[-1] = Sentence(both, before.sure and said.sure, said.paragraph)
                continue
        found.append(said)
    return found


def _named(weights: Model, clauses: list[str]) -> str:
    """Return the telling words of clauses, without the words that ask to forget."""
    said = [word.strip("'\"`“”‘’.,;:!?()") for clause in clauses for word in clause.split()]
    return " ".join(word for word in content_words(said) if word and not weights.speaks_of_forgetting(word))
