"""Says whether a text gives another value of the very attribute that a memory gives, or denies it word for word.

Implements specs/capture.md (K-63). Stricter than what finds rivals among memories, because what a person wrote is at stake: all
words but one value are the same, and this value is what is said, and not what it is said of. Pure.
"""

from __future__ import annotations

from itertools import takewhile

from language.likeness.tool_kinds import are_of_one_kind
from language.likeness.vocabulary import canonical
from learning import value_kinds

_SAY_NOTHING = frozenset(
    "a an the always everywhere generally usually still again really please just now instead der die das le la les el los".split()
)
_DENY = frozenset(
    "no not never don't doesn't won't isn't aren't do does without nicht nie kein keine pas jamais nunca".split()
)
_BEFORE_ANOTHER_THING = frozenset(
    "in on at for by with as to of from until during when where while für im am bei zu von pour dans à para por en".split()
)

_Item = tuple[str, frozenset[str]]
"""A word, or the words of one value, and the kinds of values that it names."""


def is_given_otherwise(new: str, stands: str) -> bool:
    """Say whether a text says what a memory says but for one value, or all of it and denies it.

    Examples:
        >>> is_given_otherwise("Answer in German", "Answer in French")
        True
        >>> is_given_otherwise("Use two spaces in JSON files", "Use two spaces in YAML files")
        False
    """
    one, other = _items(new), _items(stands)
    meant, denied = _without_denial(one), _without_denial(other)
    if meant == denied:
        return one != other
    start = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))
    if len(one) != len(other) or not start or one[start + 1 :] != other[start + 1 :]:
        return False
    (word, here), (former, there), after = one[start], other[start], one[start + 1 :]
    is_counted = "number" in here & there
    if not is_counted and any(of for _, of in one[:start]):
        return False  # what has the value: tabs in *Go*
    if after and after[0][0] not in _BEFORE_ANOTHER_THING and not (is_counted and len(after) == 1):
        return False  # a part of a name: *JSON* files
    return bool(here & there) or are_of_one_kind([canonical(word)], [canonical(former)])


def _without_denial(items: list[_Item]) -> list[_Item]:
    return [item for item in items if item[0] not in _DENY]


def _items(text: str) -> list[_Item]:
    words = [word for word in value_kinds.tokens(text) if word not in _SAY_NOTHING]
    named: dict[int, tuple[int, set[str]]] = {}
    for value in value_kinds.values(words):
        named.setdefault(value.first, (value.last, set()))[1].add(value.kind)
    items: list[_Item] = []
    at = 0
    while at < len(words):
        last, of = named.get(at, (at, set()))
        items.append((" ".join(words[at : last + 1]), frozenset(of)))
        at = last + 1
    return items
