"""Keeps apart what is so, what must be, what should be, and what was ordered and is done: "passwords must be encrypted".

Implements specs/likeness.md (L-42, L-43). The verbs of prescribing carry no matter for the rest of likeness, and a rule
may be told as an order ("sign commits") or as what is done ("commits are signed"). Asked only about texts that everything
else calls the same. Pure; linear in the texts' lengths.
Patterns are compiled when first asked: every command pays for its imports.
"""

from __future__ import annotations

import re

from language.likeness import vocabulary

__all__ = ["binds_otherwise", "is_order_and_outcome"]

_MUST = r"\b(?:must|mustn't|shall|shan't|ha(?:s|ve) (?:got )?to|needs? to|need|needs|mandatory|obliged|require[sd]?|requirement)\b"
_SHOULD = r"\b(?:should|shouldn't|ought|supposed to|recommended|recommend|encouraged|advisable|better|expected to)\b"
_STATED = (
    r"\b(?:is|are|isn't|aren't|gets?|does|do|doesn't|don't|has|have|uses)\b"
    r"|\b(?:\w{2,}[^s\W]s)\b(?= (?:a|an|the|at|in|on|to|with|within)\b)"
)
_ORDERS_BY = frozenset(
    "please always never do don't dont not only also use ensure make keep avoid just let".split()
)
_AROUND = ".,;:!?\"'()[]{}<>*_`"
_ARTICLES = frozenset("a an the all any every each this that these those our your my its".split())


def binds_otherwise(one: str, other: str) -> bool:
    """Say whether one text says that something must be, the other that it should be, or that it is (L-42).

    An order is either: "encrypt passwords" is what must, and what should be done.
    """
    one, other = one.casefold(), other.casefold()
    mine, yours = _binding(one), _binding(other)
    if mine == yours:
        return False
    if mine and yours:
        return True
    free, bound = (one, other) if not mine else (other, one)
    return _opens_alike(free, bound)


def _binding(text: str) -> str:
    if re.search(_MUST, text) is not None:
        return "must"
    return "should" if re.search(_SHOULD, text) is not None else ""


def _opens_alike(free: str, bound: str) -> bool:
    """Say whether a text that orders nothing opens with what the other one says must do or be something."""
    first, second = _first(free), _first(bound)
    if first == "" or first != second:
        return False
    return re.search(_STATED, free) is not None or _bound_verb(bound) in map(
        vocabulary.canonical, free.split()[1:]
    )


def _bound_verb(text: str) -> str:
    """Return the verb that a modal verb binds: *respond* of "reviewers should respond"."""
    modal = re.search(_MUST, text) or re.search(_SHOULD, text)
    rest = text[modal.end() :].split() if modal is not None else []
    return next((vocabulary.canonical(word) for word in rest if word not in _ORDERS_BY | {"to", "be"}), "")


def _first(text: str) -> str:
    for chunk in text.split():
        word = chunk.strip(_AROUND)
        if word in _ORDERS_BY:
            return ""
        if word and word not in _ARTICLES:
            return vocabulary.canonical(word)
    return ""


# --- what was ordered, and is done (L-43) ---

_ONCE = frozenset(
    vocabulary.canonical(word)
    for word in """fix close finish complete remove delete rename migrate merge resolve implement upgrade archive drop release
    ship deploy install revert replace refactor rewrite create translate document investigate clean split extract move
    publish announce triage repair patch port convert restore reopen approve book order buy cancel send rotate""".split()
)
"""What is done once to a thing, and then is done."""
_DONE = (
    r"(?P<who>[^.;:!?,]{1,80}?) (?:is|are|has been|have been|was|were|got)(?P<now> (?:now|already|all|finally|fully|just))*"
    r" (?P<verb>[a-z]+)(?P<rest>(?!\S)[^.;!?]*|$)"
)
_DEFINITE = r"^(?:the|this|that|my|our|your|these|those|\w+'s)\b|[#\d]|\b(?:pr|ticket|bug|issue|task) \w+$"
_IRREGULAR = dict(
    pair.split(":")
    for pair in """built:build written:write rewritten:rewrite sent:send kept:keep made:make done:do taken:take split:split
    broken:break chosen:choose held:hold frozen:freeze hidden:hide drawn:draw bought:buy paid:pay taught:teach""".split()
)
_SENTENCE = r"[.;:!\n](?=\s|$)"


def is_order_and_outcome(one: str, other: str) -> bool:
    """Say whether one text orders what the other says is done: "fix the login test", "the login test is fixed" (L-43)."""
    one, other = one.casefold(), other.casefold()
    return _has_come_of(one, other) or _has_come_of(other, one)


def _has_come_of(told: str, ordered: str) -> bool:
    for sentence in re.split(_SENTENCE, told):
        found = re.match(_DONE, sentence.strip())
        if found is None or re.search(_DEFINITE, found["who"]) is None:
            continue
        said = found["verb"]
        if not (said.endswith("ed") or said in _IRREGULAR) or said in vocabulary.PRESCRIBED:
            continue
        verb = vocabulary.canonical(_IRREGULAR.get(said, said))
        ends = not found["rest"].strip(" .,")
        if (ends or verb in _ONCE or found["now"]) and verb in _ordered(ordered):
            return True
    return False


def _ordered(text: str) -> set[str]:
    """Return the verbs that open the sentences of a text."""
    found = set()
    for sentence in re.split(_SENTENCE, text):
        for chunk in sentence.split():
            word = chunk.strip(_AROUND)
            if word and word not in _ORDERS_BY:
                if not word.endswith("ed"):
                    found.add(vocabulary.canonical(word))
                break
    return found
