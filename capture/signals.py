"""Reads the cues of a sentence: named signals that rules decide by and that the model weighs.

Implements specs/capture.md (K-23, K-24). A table of phrases is made into one tree of words, so that a sentence is walked once whatever
the number of cues. What stands in code or quotation marks gives no cue. Pure.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from capture.cues import ASKS, COMMAS, DEEDS, OPENERS, RULES, TABLE, TAGS, TASKS

_TOKEN = re.compile(
    r"""(`[^`]*`)|("[^"]*"|“[^”]*”|«[^»]*»|(?<![\w'])'[^'\n]{2,80}'(?!\w))|(?:\w*_\w+)|[^\W\d_][^\W_]*(?:['-][^\W\d_]+)*\+*|\d[\w.:%]*|[?!:;,()=]|(?<=\s)(?:—|–|--?)(?=\s)""",
)
_QUOTES = re.compile(r"(?:^|[\s(])['\u2018](?=.*['\u2019](?:$|[\s),.;:?!]))").search
"""Where single quotes may stand about words: one before a word, one behind another."""
_DASHES = frozenset(("—", "–", "-", "--"))
"""A sign where blanks stand on both sides."""
_FLAT_QUOTES = str.maketrans({"’": "'", "\u2018": "'", "\u00a0": " "})

Signals = frozenset[str]
Tree = dict[str, Any]
_HERE = "\n"


def _planted(table: str) -> Tree:
    """Return the tree of a table: each word leads to what may follow it, and to the signals that end there."""
    root: Tree = {}
    name = ""
    for entry in re.split(r"\n(?=\w+:)", table.strip()):
        name, _, phrases = entry.partition(":")
        for phrase in re.split(r"\s\|\s|\s\|$|\|\n", phrases):
            words = phrase.split()
            if not words:
                continue
            node = root
            for word in words:
                node = node.setdefault(word, {})
            node[_HERE] = (*node.get(_HERE, ()), name)
    return root


_TREE = _planted(TABLE)
_COMPARES = re.compile(
    r"\b(?:i|we)(?:['’]d|\s+would)?\s+(?:(?:much|really|always|generally|usually|far)\s+)*(?:rather|sooner|like|love|enjoy)\s+"
    r"(?:(?:have|see|get|read|write|use|take|work\s+(?:with|in|on))\s+)?"
    r"(?P<one>(?:[\w-]+\s+){1,4})(?:(?:better|more|rather)\s+)?(?:than|over)\s+(?P<other>[\w -]{3,40}?)[.!]*$",
    re.IGNORECASE,
)
_THIS_ONE = re.compile(
    r"\b(?:an?|the|this|that|these|those|it|you|your|here|two|three|four|five|\d+)\b", re.IGNORECASE
)
_MANY = re.compile(r"\b(?!has\b|was\b|this\b|does\b|his\b|its\b|yes\b|always\b)\w+[^\Ws]s\b")
_KIN_FACT = re.compile(
    r"\b(?i:my)\s(?:\w+\s)?[a-z]+,?\s[A-Z]\w+,?\s(?:is\s(?:an?\s(?!bit\b|little\b|mess\b|pain\b)|allergic|vegan|vegetarian|diabetic|"
    r"coeliac|celiac|deaf|blind|\d+\b|\w+\syears\sold)|(?:works|lives|studies)\s(?:as|in|at|for)\b)"
)
_EXPLAINED = re.compile(
    r"\b(?:with|via|using|through)\s+`[^`-][^`]*`\s*[,;—–-]\s*(?:not|never|because|since|otherwise|plain|bare|"
    r"the\s+(?:plain|bare|default|normal|other|old|full|usual|standard|whole|raw)\s+(?:one|\w+)\s+(?:takes|is|hangs|breaks|fails|skips|misses|needs|runs|does)|"
    r"`[^`]+`\s+(?:takes|is|hangs|breaks|fails|skips|misses|needs|runs|does))\b",
    re.IGNORECASE,
)
_AND_THEN = re.compile(r"`\s*,?\s*(?:and|then)\s")
_SIGNS = (("`", "code"), ('"', "quote"), (":", "colon"), ("=", "equals"), ("!", "loud"))


def words(sentence: str) -> list[str]:
    """Return the words and signs of a sentence, in lower case; a code span is "`" and a quotation is '"'."""
    if "`" in sentence or '"' in sentence or "“" in sentence or "«" in sentence or _QUOTES(sentence):
        return _read(sentence)
    pieces = sentence.split()
    if pieces and pieces[0] in _DASHES and not sentence[0].isspace():
        del pieces[0]
    if pieces and pieces[-1] in _DASHES and not sentence[-1].isspace():
        del pieces[-1]
    return [*chain.from_iterable(map(_PIECES.__getitem__, pieces))]


def _read(text: str) -> list[str]:
    return [
        "`" if found[1] else '"' if found[2] else found[0]
        for found in _TOKEN.finditer(text.lower().translate(_FLAT_QUOTES))
    ]


class _Pieces(dict[str, tuple[str, ...]]):
    """The words of what stands between two blanks; the same few pieces come again and again."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= _MOST_PIECES:
            self.clear()
        found = self[piece] = (piece,) if piece in _DASHES else tuple(_read(piece))
        return found


_MOST_PIECES = 50_000
_PIECES = _Pieces()


def opening(said: list[str]) -> int:
    """Return where a sentence begins behind the words that only open it."""
    at, last = 0, len(said) - 1
    while at < last and (said[at] in OPENERS or said[at] in COMMAS):
        at += 1
    return at


@functools.lru_cache(maxsize=512)
def signals(sentence: str) -> frozenset[str]:
    """Return the names of the signals of a sentence (K-23)."""
    said = words(sentence)
    found: set[str] = set()
    add = found.update
    tree = _TREE
    begin = opening(said)
    for start in {0, begin}:
        _walk(tree["^"], said, start, add)
    for at, word in enumerate(said):
        node = tree.get(word)
        if node is not None:
            if len(node) == 1 and _HERE in node:
                add(node[_HERE])
            else:
                _walk(node, said, at + 1, add)
    found.update(_form(said, said[begin] if said else "", sentence))
    found.update(_constructions(said, begin, sentence, found))
    return frozenset(found)


def _form(said: list[str], first: str, sentence: str) -> Iterator[str]:
    """Give the signals of how a sentence is built."""
    if "?" in said[-2:] and not (len(said) > 4 and said[-2] in TAGS):
        yield "question"
    elif first in ASKS and ":" not in said and "," not in said[:2]:
        yield "asking"
    if first in TASKS:
        yield "order"
    if first in RULES:
        yield "order_rule"
    if "/" in sentence or "_" in sentence:
        yield "path"
    if any(word[0].isdigit() for word in said):
        yield "number"
    for sign, name in _SIGNS:
        if sign in said:
            yield name
    count = len(said)
    yield (
        "words_3" if count <= 3 else "words_8" if count <= 8 else "words_20" if count <= 20 else "words_more"
    )


def _constructions(said: list[str], begin: int, sentence: str, found: set[str]) -> Iterator[str]:
    """Give the signals of constructions that no phrase of fixed words tells; each is looked for where one of its words stands."""
    if "than" in said or "over" in said:
        compared = _COMPARES.search(sentence)
        if compared is not None and _is_of_kinds(compared["one"]) and _is_of_kinds(compared["other"]):
            yield "compares"
    if "family" in found and _KIN_FACT.search(sentence) is not None:
        yield "kin_fact"
    if "code" in found and begin + 2 < len(said):
        first, second, third = said[begin : begin + 3]
        if first == "to":
            if second in DEEDS and third not in _POINTERS and _AND_THEN.search(sentence) is None:
                yield "to_do"
        elif first in DEEDS and second not in _POINTERS and _EXPLAINED.search(sentence) is not None:
            yield "explained"


_POINTERS = frozenset(("it", "this", "that", "them", "these", "those"))


def _is_of_kinds(said: str) -> bool:
    """Say whether words name kinds of things, as "small PRs" does, not things that lie before us."""
    return _MANY.search(said) is not None and _THIS_ONE.search(said) is None


def _walk(node: Tree, said: list[str], at: int, add: Any) -> None:
    """Follow the tree from a node with the words from a place on; `*` stands for one word."""
    if _HERE in node:
        add(node[_HERE])
    if at >= len(said):
        if "$" in node:
            add(node["$"].get(_HERE, ()))
        return
    below = node.get(said[at])
    if below is not None:
        _walk(below, said, at + 1, add)
    if "*" in node:
        _walk(node["*"], said, at + 1, add)
