"""What keeps two texts apart that read the same: case that means something, questions, and an order of roles.

Implements specs/likeness.md (L-15…L-17). Asked only about texts that everything else calls the same or contrary, so
that a text is looked at again only then. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

import re
from collections import Counter

from language.likeness import vocabulary
from ledger.lazy_pattern import lazy_pattern

_SPAN = lazy_pattern(r"(?<!`)`+([^`]+)`+")
_MARK = lazy_pattern(r"\?[\"')\]*_!.]*(?:\s|$)")
_INVERTED = lazy_pattern(
    r"\W{0,9}(?:(?:should|is|are|does|did|can|could|would|will|was|were|may|must) "
    r"(?:we|i|you|it|they|he|she|there|this|that|these|those|the|a|an|our|my|your|all|any|every|`\w+)"
    r"|(?:how|why|what|where|who|which|when) (?:do|does|did|is|are|can|could|should|would|will)"
    r"|(?:do|have|has) (?:we|i|you|they|he|she|it|all|any|our|my|your))\b",
    re.IGNORECASE,
)
"""How a sentence begins that asks: `should we …`, and not `do not …` nor `do the …`."""
_AROUND = ".,;:!?\"'()[]{}<>*`"
_LIKE_GRAMMAR = frozenset(("us", "it", "who"))
"""In capitals each of these is a name."""
_EITHER_CASE = frozenset(
    """api sql ui ux cli gui html xml uri cpu gpu ssl tls ssh http https jwt orm sdk ide csv pdf uat qa ai llm ok tdd
    utc ip tcp udp dns css aws gcp""".split()
)
"""Names that people write in either case."""
_SYMMETRIC = frozenset("the be is are am was were and or & -".split())
"""What stands on both sides of one of these may change places: `pnpm and npm`, `the port is 5432`."""
_BE = r"\b(?:is|are|was|were|be|been|being) "
_DONE_BY = lazy_pattern(_BE + r"(?:\w{1,30} ){1,2}?by\b", re.IGNORECASE)
_BY = lazy_pattern(r"\bby\b", re.IGNORECASE)
_PASSIVE = lazy_pattern(_BE + r"(?:(?:\w{1,30} ){1,2}?(?:by|with|via)|required|needed)\b", re.IGNORECASE)


_FOCUS = frozenset("not never only just all every each always also even both".split())
"""What one of these is about is the word after it."""
_FOCUSED = lazy_pattern(r"not|never|only|just|all|every|each|always|also|even|both|n't", re.IGNORECASE)
_PARTLY = lazy_pattern(r"(?:\bnot|n'?t) (?:all|always|both|each|every\w{0,9})\b", re.IGNORECASE)
_CODE = lazy_pattern(r"[`./_\"'-]")
_EMPTY = lazy_pattern(r"(?<!\S)(?:\"\"|'')(?![^\s.,;])")


def asks(text: str) -> bool:
    """Say whether a text asks something (L-15)."""
    if "?" in text and _MARK.search(_SPAN.sub("x", text) if "`" in text else text):
        return True
    return _INVERTED.match(text) is not None


def is_written_otherwise(one: str, other: str) -> bool:
    """Say whether a word that both texts have is written in a case that makes it another one (L-16)."""
    if _is_all_small(one) and _is_all_small(other):
        return False
    if len(_EMPTY.findall(one)) != len(_EMPTY.findall(other)):
        return True
    mine, yours = _forms(one), _forms(other)
    return _tells(mine, yours) or _tells(yours, mine)


def _is_all_small(text: str) -> bool:
    """Say whether a text has no capital but its first letter, and nothing that looks like code."""
    return text[1:].islower() and _CODE.search(text) is None


def _tells(mine: dict[str, set[str]], yours: dict[str, set[str]]) -> bool:
    return any(
        form not in yours[form.casefold()]
        for forms in mine.values()
        for form in forms
        if form.casefold() in yours
    )


def _forms(text: str) -> dict[str, set[str]]:
    """Return each word in lower case, code spans among them, with the forms of it whose case means something."""
    found: dict[str, set[str]] = {}
    for span in _SPAN.findall(text) if "`" in text else ():
        form = f"`{' '.join(span.split())}"
        found.setdefault(form.casefold(), set()).add(form)
    chunks = text.split()
    shouted = _shouted(chunks)
    for at, chunk in enumerate(chunks):
        word = chunk.strip(_AROUND)
        if at in shouted or not word:
            continue
        if at == 0 and word[1:].islower():
            word = word.lower()
        folded = word.casefold()
        if vocabulary.is_known(folded) or folded in _EITHER_CASE:
            continue
        forms = found.setdefault(folded, set())
        if _in_capitals(word) or _is_code(word):
            forms.add(word)
    return found


def _in_capitals(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _is_code(word: str) -> bool:
    """Say whether a word is an option, or looks like a path, a file or a name in code."""
    return word[0] == "-" or any(sign in word for sign in "./_")


def _shouted(chunks: list[str]) -> set[int]:
    """Return the places of words whose capitals are emphasis: a word of grammar, and those in capitals beside it."""
    if len(chunks) > 1 and "`" not in "".join(chunks) and "".join(chunks).isupper():
        return set(range(len(chunks)))
    found: set[int] = set()
    run: list[int] = []
    stressed = False
    for at, chunk in enumerate([*chunks, ""]):
        word = chunk.strip(_AROUND)
        if "`" not in chunk and word.isupper():
            run.append(at)
            folded = word.casefold()
            stressed |= len(word) > 1 and folded in vocabulary.GRAMMAR and folded not in _LIKE_GRAMMAR
            continue
        if stressed:
            found.update(run)
        run, stressed = [], False
    return found


def is_ordered_otherwise(one: str, other: str) -> bool:
    """Say whether two words changed places around a third, as who does and to whom it is done (L-17).

    Where only one text says by whom something is done, they have to, and without a change they did.
    """
    at, left = _once(_order(other)), _once(_order(one))
    places = [at[word] for word in left if word in at]
    lowest = list(places)
    for nth in range(len(lowest) - 2, -1, -1):
        lowest[nth] = min(lowest[nth], lowest[nth + 1])
    highest, changed = -1, False
    for place, least in zip(places, lowest[1:], strict=False):
        changed = changed or least < place < highest
        highest = max(highest, place)
    if changed:
        return (_PASSIVE.search(one) is None) == (_PASSIVE.search(other) is None)
    if _BY.search(one) is not None and _BY.search(other) is not None:
        return False  # `imports are sorted by name`
    return (_DONE_BY.search(one) is None) != (_DONE_BY.search(other) is None)


def has_another_focus(one: str, other: str) -> bool:
    """Say whether `not all` stands in one text only, or a `just` before another one of the same words (L-17)."""
    if _FOCUSED.search(one) is None and _FOCUSED.search(other) is None:
        return False
    if (_PARTLY.search(one) is None) != (_PARTLY.search(other) is None):
        return True
    left, right = _order(one), _order(other)
    return Counter(left) == Counter(right) and _focused(left) != _focused(right)


def _focused(order: list[str]) -> list[tuple[str, str]]:
    return sorted(
        (word, after) for word, after in zip(order, [*order[1:], ""], strict=False) if word in _FOCUS
    )


def _order(text: str) -> list[str]:
    bare = (chunk.strip(_AROUND).removesuffix("'s") for chunk in text.casefold().split())
    return [vocabulary.canonical(word) for word in bare if word and word not in _SYMMETRIC]


def _once(order: list[str]) -> dict[str, int]:
    """Return the places of the words that stand there once, in order."""
    counts = Counter(order)
    return {word: place for place, word in enumerate(order) if counts[word] == 1}
