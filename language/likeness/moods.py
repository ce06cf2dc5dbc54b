"""Keeps apart what is so, what must be, and what is needed or wished for: "prod has a VPN", "prod needs a VPN".

Implements specs/likeness.md (L-18, L-29). What is done, must be or
may be done: `duties`. Asked only about texts that everything else calls the same. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

from collections.abc import Iterator

from language.likeness import vocabulary
from ledger.lazy_pattern import lazy_pattern

__all__ = ["is_state_and_order", "is_there_and_wanted"]

_SENTENCE = lazy_pattern(r"[.;:!\n](?=\s|$)")
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
    return vocabulary.canonical(_STEMS.get(word, word))


# --- what there is, and what is needed or wished for (L-29) ---

_TELLING = lazy_pattern(
    r"\b(?:needs?|must|should|ought|has|have|owns?|lacks?|lives?|resides?|works?|i'd|uses?|is|are)\b"
    r"|\b(?:needed|needing|requir|demand|mandatory|necessary|want|wish|hope|like|love|prefer|enjoy|would)"
)
_POSSESSED = lazy_pattern(
    r"\b(?<!must )(?<!should )(?<!shall )(?<!to )(?<!not )(?:has|have|owns?|lacks?)\b"
    r"(?! (?:to|been|(?:\w+ly |not |already |an? |strong )*(?:need|wish|preference|desire|requirement)\w*|\w+ed)\b)"
)
_NEEDED = lazy_pattern(
    r"\bneed(?:s|ed|ing)?\b(?! (?:to|not)\b)|\brequir(?:es?|ed|ing)\b|\brequirement|\b(?:must|should|shall|to) have\b"
    r"|\bdemand|\bmandatory\b|\bnecessary\b"
)
_OBLIGED = lazy_pattern(r"\b(?:must|should|shall|ought|needs? to|ha(?:s|ve) to|needed|wanted)\b")
_WISHED = lazy_pattern(
    r"\b(?:want(?:s|ed)?|wish(?:es)?|hopes?)\b(?! to\b)|\b(?:would|i'd|'d) like\b(?! to\b)"
)
_LIKED = lazy_pattern(r"\b(?:likes?|loves?|prefers?|enjoys?)\b|\bpreference")
_SPENT = lazy_pattern(r"\b(?:lives?|resides?)\b")
_WORKS = lazy_pattern(r"\bworks?\b")
_WANTS_TO = lazy_pattern(r"\b(?:user|i|he|she|we|they) wants? to (?!be\b|see\b)")
_DOES = lazy_pattern(
    r"\b(?:user|he|she) (?:\w+ly |always |also )?\w+s\b|\b(?:i|we|they) (?:\w+ly |always |also )?\w+"
)
_PLEASED = lazy_pattern(r"\b(?:want|prefer|like|love|should|must|would|need|wish|expect|ask|has to|have to)")
_IS = lazy_pattern(r"\b(?:is|are|am)\b(?! (?:needed|required|mandatory|necessary|wanted)\b)")
_USES = lazy_pattern(
    r"\buses\b|(?<!\bto )(?<!\bnot )(?<!\balways )(?<!\bnever )(?<!\bplease )(?<!\bmust )(?<!\bshould )(?<=\w )use\b"
)
_A_PERSON_MUST = lazy_pattern(r"\b(?:user|i|he|she) (?:should|must|ought to|ha(?:s|ve) to|needs? to)\b")


def is_there_and_wanted(one: str, other: str, *, contrary: bool = False) -> bool:
    """Say whether one text says that something is there, and the other that it is needed or wished for (L-29).

    Of texts that are contrary, as "has no license" and "needs a license", only what somebody has is asked.
    """
    one, other = one.casefold(), other.casefold()
    if _TELLING.findall(one) == _TELLING.findall(other):
        return False
    if contrary:
        return _is_had(one, other) or _is_had(other, one)
    if _intends(one, other) or _intends(other, one):
        return True
    if (_A_PERSON_MUST.search(one) is None) != (_A_PERSON_MUST.search(other) is None):
        return True
    return _is_there(one, other) or _is_there(other, one)


def _is_there(there: str, wanted: str) -> bool:
    if _SPENT.search(there) and _WORKS.search(wanted) and not _WORKS.search(there):
        return True
    needs = _NEEDED.search(wanted) and not (_NEEDED.search(there) or _OBLIGED.search(there))
    wishes = _WISHED.search(wanted) and not _WISHED.search(there)
    likes = _LIKED.search(wanted) and not _LIKED.search(there)
    if needs and (_IS.search(there) or _USES.search(there)):
        return True
    if _is_had(there, wanted):
        return True
    return bool((needs or wishes or likes) and not _SPENT.search(wanted) and _SPENT.search(there))


def _is_had(there: str, wanted: str) -> bool:
    if _POSSESSED.search(there) is None or _POSSESSED.search(wanted) is not None:
        return False
    needs = _NEEDED.search(wanted) and not (_NEEDED.search(there) or _OBLIGED.search(there))
    wishes = _WISHED.search(wanted) and not _WISHED.search(there)
    return bool(needs or wishes or (_LIKED.search(wanted) and not _LIKED.search(there)))


def _intends(one: str, other: str) -> bool:
    """Say whether one text says what somebody wants to do, and the other that somebody does it."""
    return (
        _WANTS_TO.search(one) is not None
        and _DOES.search(other) is not None
        and _PLEASED.search(other) is None
    )
