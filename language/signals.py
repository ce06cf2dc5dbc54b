"""Reads the cues of a sentence: named signals that rules decide by and that the model weighs.

Implements specs/capture.md (K-23). A table of phrases is made into one tree of words, so that a sentence is walked once whatever
the number of cues. What stands in code or quotation marks gives no cue. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, reduce
from itertools import chain, pairwise
from operator import or_
from typing import Any

from language.cues import ASKS, COMMAS, DEEDS, OPENERS, RULES, TABLE, TAGS, TASKS
from language.pieces import DASH, NUMBER, QUOTE, Mark, cue_words, mark_cues, marks, marks_of, read, said_of
from ledger.lazy_pattern import lazy_pattern

_QUOTES = re.compile(r"(?:^|[\s(])['\u2018](?=.*['\u2019](?:$|[\s),.;:?!]))").search
"""Where single quotes may stand about words: one before a word, one behind another."""

Signals = frozenset[str]
Tree = dict[str, Any]
_HERE = "\n"

_SIGNS = {"code": "`", "quote": '"', "colon": ":", "equals": "=", "loud": "!"}
_FORMS = (
    "question", "asking", "order", "order_rule", "path", "words_3", "words_8", "words_20", "words_more",
    "compares", "kin_fact", "to_do", "explained",
)  # fmt: skip
"""Signals that no phrase tells."""


def phrases() -> Iterator[tuple[str, list[str]]]:
    """Give the name of each signal with the words of each of its phrases."""
    for entry in re.split(r"\n(?=\w+:)", TABLE.strip()):
        name, _, phrases = entry.partition(":")
        for phrase in re.split(r"\s\|\s|\s\|$|\|\n", phrases):
            if words := phrase.split():
                yield name, words


def _marked() -> dict[str, Mark]:
    """Return the mark of each signal, which the words have that tell it alone."""
    alone: dict[str, list[str]] = {name: [] for name in _FORMS} | {
        name: [sign] for name, sign in _SIGNS.items()
    }
    for name, words in phrases():
        alone.setdefault(name, []).extend(words if len(words) == 1 else ())
    return {name: mark_cues(words) for name, words in alone.items()} | {"number": NUMBER}


def _planted() -> Tree:
    """Return the tree of all longer phrases: each word leads to what may follow it, and to the marks of what ends there."""
    root: Tree = {}
    for name, words in phrases():
        if len(words) > 1:
            node = root
            for word in words:
                node = node.setdefault(word, {})
            node[_HERE] = node.get(_HERE, 0) | _MARKS[name]
    return root


_OPENING = OPENERS | COMMAS
_MARKS = _marked()
_ALL = reduce(or_, _MARKS.values())
_TREE = _planted()
_BEGIN = _TREE.pop("^")
_PAIRS: dict[tuple[str, str], Tree] = {
    (first, second): below for first, after in _TREE.items() for second, below in after.items()
}
"""Where the tree goes on behind two words: most begin no phrase that the next one goes on with."""
_WIDE = {first: after["*"] for first, after in _TREE.items() if "*" in after}
_LAST: dict[str, Mark] = {first: after["$"][_HERE] for first, after in _TREE.items() if "$" in after}
_FIRST: dict[str, Mark] = {
    word: (_MARKS["order"] if word in TASKS else 0) | (_MARKS["order_rule"] if word in RULES else 0)
    for word in TASKS | RULES
}
"""What the first word says of a sentence."""
_IS_WIDE, _COMPARING = mark_cues(_WIDE), mark_cues("than over")


class _Sets(dict[Mark, Signals]):
    """The sets of signals by their marks: each is made once, so that whoever looks something up by it finds it at once."""

    def __missing__(self, heard: Mark) -> Signals:
        if len(self) >= _MOST_SETS:
            self.clear()
        found = self[heard] = frozenset(name for name, mark in _MARKS.items() if heard & mark)
        return found


_MOST_SETS = 10_000
_SETS = _Sets()
_COMPARES = lazy_pattern(
    r"\b(?:i|we)(?:['’]d|\s+would)?\s+(?:(?:much|really|always|generally|usually|far)\s+)*(?:rather|sooner|like|love|enjoy)\s+"
    r"(?:(?:have|see|get|read|write|use|take|work\s+(?:with|in|on))\s+)?"
    r"(?P<one>(?:[\w-]+\s+){1,4})(?:(?:better|more|rather)\s+)?(?:than|over)\s+(?P<other>[\w -]{3,40}?)[.!]*$",
    re.IGNORECASE,
)
_THIS_ONE = lazy_pattern(
    r"\b(?:an?|the|this|that|these|those|it|you|your|here|two|three|four|five|\d+)\b", re.IGNORECASE
)
_MANY = lazy_pattern(r"\b(?!has\b|was\b|this\b|does\b|his\b|its\b|yes\b|always\b)\w+[^\Ws]s\b")
_KIN_FACT = lazy_pattern(
    r"\b(?i:my)\s(?:\w+\s)?[a-z]+,?\s[A-Z]\w+,?\s(?:is\s(?:an?\s(?!bit\b|little\b|mess\b|pain\b)|allergic|vegan|vegetarian|diabetic|"
    r"coeliac|celiac|deaf|blind|\d+\b|\w+\syears\sold)|(?:works|lives|studies)\s(?:as|in|at|for)\b)"
)
_EXPLAINED = lazy_pattern(
    r"\b(?:with|via|using|through)\s+`[^`-][^`]*`\s*[,;—–-]\s*(?:not|never|because|since|otherwise|plain|bare|"
    r"the\s+(?:plain|bare|default|normal|other|old|full|usual|standard|whole|raw)\s+(?:one|\w+)\s+(?:takes|is|hangs|breaks|fails|skips|misses|needs|runs|does)|"
    r"`[^`]+`\s+(?:takes|is|hangs|breaks|fails|skips|misses|needs|runs|does))\b",
    re.IGNORECASE,
)
_AND_THEN = lazy_pattern(r"`\s*,?\s*(?:and|then)\s")


def words(sentence: str) -> list[str]:
    """Return the words and signs of a sentence, in lower case; a code span is "`" and a quotation is '"'."""
    return _heard(sentence)[0]


@lru_cache(maxsize=64)
def cue_marks(text: str) -> Mark:
    """Return the marks of the words and signs of a text, none of what stands in code or quotation marks."""
    return _heard(text)[1]


def _heard(sentence: str) -> tuple[list[str], Mark]:
    """Return the words and signs of a sentence, and their marks."""
    has = marks(sentence)
    quotes = "`" in sentence or '"' in sentence or "“" in sentence or "«" in sentence
    if quotes or (has & QUOTE and _QUOTES(sentence) is not None):
        said = cue_words(sentence)
        return said, marks_of(said)
    pieces = read(sentence)
    said = [*chain.from_iterable(map(said_of, pieces))]
    if has & DASH:  # a sign only where blanks stand on both sides
        if pieces[0].marks & DASH and not sentence[0].isspace():
            del said[0]
        if said and pieces[-1].marks & DASH and not sentence[-1].isspace():
            del said[-1]
    return said, has


def opening(said: list[str]) -> int:
    """Return where a sentence begins behind the words that only open it."""
    at, last = 0, len(said) - 1
    while at < last and said[at] in _OPENING:
        at += 1
    return at


@lru_cache(maxsize=512)
def signals(sentence: str) -> Signals:
    """Return the names of the signals of a sentence (K-23)."""
    said, heard = _heard(sentence)
    begin = opening(said)
    for start in (0, begin) if begin else (0,):
        if said and said[start] in _BEGIN:
            heard |= _walk(_BEGIN, said, start)
    for at, node in enumerate(map(_PAIRS.get, pairwise(said)), 2):
        if node is not None:
            heard |= _walk(node, said, at)
    if heard & _IS_WIDE:
        for at in range(len(said) - 1):
            if said[at] in _WIDE:
                heard |= _walk(_WIDE[said[at]], said, at + 2)
    heard |= _form(said, begin, sentence, heard)
    return _SETS[(heard | _constructions(said, begin, sentence, heard)) & _ALL]


def _form(said: list[str], begin: int, sentence: str, heard: Mark) -> Mark:
    """Return the marks of how a sentence is built."""
    found = _MARKS["path"] if "/" in sentence or "_" in sentence else 0
    if said:
        first = said[begin]
        found |= _FIRST.get(first, 0) | _LAST.get(said[-1], 0)
        if "?" in said[-2:] and not (len(said) > 4 and said[-2] in TAGS):
            found |= _MARKS["question"]
        elif first in ASKS and not heard & _MARKS["colon"] and "," not in said[:2]:
            found |= _MARKS["asking"]
    count = len(said)
    length = (
        "words_3" if count <= 3 else "words_8" if count <= 8 else "words_20" if count <= 20 else "words_more"
    )
    return found | _MARKS[length]


def _constructions(said: list[str], begin: int, sentence: str, heard: Mark) -> Mark:
    """Return the marks of constructions that no phrase of fixed words tells; each is looked for where one of its words stands."""
    found = 0
    if heard & _COMPARING:
        compared = _COMPARES.search(sentence)
        if compared is not None and _is_of_kinds(compared["one"]) and _is_of_kinds(compared["other"]):
            found |= _MARKS["compares"]
    if heard & _MARKS["family"] and _KIN_FACT.search(sentence) is not None:
        found |= _MARKS["kin_fact"]
    if heard & _MARKS["code"] and begin + 2 < len(said):
        first, second, third = said[begin : begin + 3]
        if first == "to":
            if second in DEEDS and third not in _POINTERS and _AND_THEN.search(sentence) is None:
                found |= _MARKS["to_do"]
        elif first in DEEDS and second not in _POINTERS and _EXPLAINED.search(sentence) is not None:
            found |= _MARKS["explained"]
    return found


_POINTERS = frozenset(("it", "this", "that", "them", "these", "those"))


def _is_of_kinds(said: str) -> bool:
    """Say whether words name kinds of things, as "small PRs" does, not things that lie before us."""
    return _MANY.search(said) is not None and _THIS_ONE.search(said) is None


def _walk(node: Tree, said: list[str], at: int) -> Mark:
    """Follow the tree from a node with the words from a place on, and return the marks found; `*` stands for one word."""
    found: Mark = node.get(_HERE, 0)
    if at >= len(said):
        return found | node["$"].get(_HERE, 0) if "$" in node else found
    below = node.get(said[at])
    if below is not None:
        found |= _walk(below, said, at + 1)
    if "*" in node:
        found |= _walk(node["*"], said, at + 1)
    return found
