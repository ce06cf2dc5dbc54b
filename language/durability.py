"""Estimates how likely a sentence holds something durable, and of which kind: one linear model, in plain Python.

Implements specs/capture.md (K-50, K-51, K-54). `durability.json` beside this file holds the weights; `python -m training`
writes it. A sentence becomes a bag of words and pairs, weighted by TF-IDF and scaled to length 1 (Manning, Raghavan,
Schütze, *Introduction to Information Retrieval*, chapter 6), and the mean of such bags of the characters of each word.
A logistic regression weighs both.
"""

from __future__ import annotations

from array import array
from base64 import b64decode
from collections.abc import Mapping
from functools import cache, lru_cache
from math import exp, sqrt
from pathlib import Path
from typing import Any, Literal

import orjson

from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

WEIGHTS = Path(__file__).with_name("durability.json")
MAX_WORDS = 80
"""Only the first so many words of a sentence are read."""
LONGEST_WORD = 24
"""Only the first so many characters of a word are read."""
SHORT = 25
"""A message of at most so many words is short."""
OF_FORGETTING = 1.5
"""A word that adds at least this to the log odds of a request to forget is not part of its subject."""
REASONS = 6
"""How many n-grams `why` names at most."""
_MOST_WORDS, _MOST_GRAMS = 20_000, 100_000
"""How many words and n-grams are cached."""
_LAST_READ = 256
"""How many sentences are cached, since several heads judge each."""

MemoryKind = Literal["preference", "fact", "convention", "decision"]
LearnedScope = Literal["user", "project"]
HEADS = ("durable", "preference", "fact", "convention", "decision", "user", "corrects", "forget")
"""The questions that the model answers, one column of weights each."""
KINDS: tuple[MemoryKind, ...] = ("preference", "fact", "convention", "decision")

_CODE = lazy_pattern(r"`[^`\n]*`")
_ADDRESS = lazy_pattern(r"https?://\S+")
_PATH = lazy_pattern(r"\S*[/\\]\S+")
_MENTION = lazy_pattern(r"(?<!\w)@\S+")
_NUMBER = lazy_pattern(r"\d+")
_TOKEN = lazy_pattern(r"[^\W_]+(?:'[^\W_]+)?|[?!:]")


class Durability(NamedTuple):
    """The model's judgement of a sentence.

    `p` is the probability that it is durable, between 0 and 1; `type` and `scope` are the likeliest ones; `corrects` is
    the probability that it corrects something; `why` names the strongest n-grams, in log odds, if requested.
    """

    p: float
    type: MemoryKind
    scope: LearnedScope
    corrects: float
    why: tuple[tuple[str, float], ...] = ()


def words(sentence: str) -> list[str]:
    """Return the tokens of a sentence: lower case, with marks for code, addresses, paths, mentions and numbers."""
    text = sentence.lower().replace("’", "'")
    if "`" in text:
        text = _CODE.sub(" CODE ", text)
    if "/" in text or "\\" in text:
        text = _PATH.sub(" PATH ", _ADDRESS.sub(" URL ", text))
    if "@" in text:
        text = _MENTION.sub(" AT ", text)
    return _TOKEN.findall(_NUMBER.sub("0", text))[:MAX_WORDS]


def word_grams(tokens: list[str]) -> set[str]:
    """Return the tokens and their neighbouring pairs, with `^` before the first."""
    return {*tokens, *[f"{one} {two}" for one, two in zip(["^", *tokens], tokens, strict=False)]}


def character_grams(token: str) -> set[str]:
    """Return the runs of three and four characters of a token, with a blank before and after it."""
    spelled = f" {token[:LONGEST_WORD]} "
    threes = {spelled[at : at + 3] for at in range(len(spelled) - 2)}
    return threes.union([spelled[at : at + 4] for at in range(len(spelled) - 3)])


def is_short(message: str) -> bool:
    """Return whether a message is short, since short and long ones have different levels."""
    return len(message.split(maxsplit=SHORT)) <= SHORT


class _Known(NamedTuple):
    """The n-grams of a text that are in a table, each with its place, and the length of their vector."""

    places: dict[str, int]
    length: float


class _Told(NamedTuple):
    """The input of the heads: the words of a sentence, each once, and its known words and pairs."""

    once: set[str]
    known: _Known


class _Places(dict[str, int]):
    """The places of n-grams, found at their first use, -1 if the table lacks one; a hook needs few of 40,000.

    Args:
        lines: all n-grams in the order of their places, a line each, by their first two characters.
    """

    def __init__(self, lines: Mapping[str, str]) -> None:
        super().__init__()
        self._lines: dict[str, tuple[int, str]] = {}
        first = 0
        for beginning, some in lines.items():
            self._lines[beginning] = (first, some)
            first += some.count("\n") + 1

    def __missing__(self, gram: str) -> int:
        if len(self) >= _MOST_GRAMS:
            self.clear()
        first, lines = self._lines.get(gram[:2], (0, ""))
        at = f"\n{lines}\n".find(f"\n{gram}\n")
        self[gram] = place = first + lines.count("\n", 0, at) if at >= 0 else -1
        return place


class _Table:
    """The n-grams of one sort: the IDF of each, and its IDF times the weight for each head."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._places = _Places(stored["grams"])
        self._idf, self._idf_unit = _numbers(stored["idf"]), stored["idf_unit"]
        self._packed: Mapping[str, str] = stored["pulls"]
        self._pulls: dict[str, array[int]] = {}
        self._units: Mapping[str, float] = stored["units"]

    def known(self, grams: set[str]) -> _Known:
        """Return the n-grams that are in the table, and the length of their vector."""
        places, idf = self._places, self._idf
        found = {gram: at for gram in grams if (at := places[gram]) >= 0}
        return _Known(found, self._idf_unit * sqrt(sum([idf[at] ** 2 for at in found.values()])))

    def pull(self, known: _Known, head: str) -> float:
        """Return the sum that n-grams add to a head's score, with their vector scaled to length 1."""
        if not known.places:
            return 0.0
        numbers = self.numbers(head)
        return sum([numbers[at] for at in known.places.values()]) * self._units[head] / known.length

    def pulls(self, known: _Known, head: str) -> list[float]:
        """Return the part of that sum for each n-gram."""
        numbers = self.numbers(head)
        return [numbers[at] * self._units[head] / known.length for at in known.places.values()]

    def numbers(self, head: str) -> array[int]:
        """Return the weights of a head, unpacked at their first use."""
        if head not in self._pulls:
            self._pulls[head] = _numbers(self._packed[head])
        return self._pulls[head]


class _Spelling(dict[str, float]):
    """The part of a head's score from the characters of each word; computed once for each word."""

    def __init__(self, table: _Table, head: str) -> None:
        super().__init__()
        self._table, self._head = table, head

    def __missing__(self, token: str) -> float:
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[token] = score = self._table.pull(self._table.known(character_grams(token)), self._head)
        return score


class Model:
    """The weights that `python -m training` stored."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._words, characters = _Table(stored["words"]), _Table(stored["characters"])
        self._bias: Mapping[str, float] = stored["bias"]
        self._spelling = {head: _Spelling(characters, head) for head in self._bias}
        self._slope, self._offset = stored["line"]
        self._levels: Mapping[str, float] = stored["levels"]
        self._read = lru_cache(_LAST_READ)(self._read_anew)

    def margin(self, sentence: str, head: str = "durable") -> float:
        """Return the score of a head for a sentence, in log odds."""
        once, known = self._read(sentence)
        if not once:
            return self._bias[head]
        spelled = self._spelling[head]
        letters = sum([spelled[token] for token in once]) / sqrt(len(once))
        return self._bias[head] + self._words.pull(known, head) + letters

    def probability(self, sentence: str) -> float:
        """Return the probability that a sentence is durable."""
        return self.of_margin(self.margin(sentence))

    def candidate(self, message: str) -> float:
        """Return the lowest probability at which a sentence of a message is worth asking about (K-51)."""
        return self._levels["short" if is_short(message) else "long"]

    @property
    def active(self) -> float:
        """The lowest probability at which a sentence is nearly certain."""
        return self._levels["active"]

    def is_wish(self, sentence: str) -> bool:
        """Return whether a sentence asks to forget a memory (K-41)."""
        return self.margin(sentence, "forget") >= self._levels["forget"]

    def may_be_wish(self, sentence: str, *, less: float = 0.0) -> bool:
        """Return whether a sentence may ask for it: true for nearly all requests, and for few other sentences (K-140).

        `less` lowers the level, in log odds.
        """
        return self.margin(sentence, "forget") >= self._levels["perhaps forget"] - less

    def speaks_of_forgetting(self, word: str) -> bool:
        """Return whether a word belongs to the request to forget, and not to its subject."""
        return self.margin(word, "forget") - self._bias["forget"] >= OF_FORGETTING

    def judge(self, sentence: str, *, explain: bool = False) -> Durability:
        """Return the model's whole judgement of a sentence."""
        kinds = [self.margin(sentence, kind) for kind in KINDS]
        return Durability(
            self.probability(sentence),
            KINDS[kinds.index(max(kinds))],
            "user" if self.margin(sentence, "user") > 0 else "project",
            _logistic(self.margin(sentence, "corrects")),
            self._why(sentence) if explain else (),
        )

    def of_margin(self, margin: float) -> float:
        """Return a margin of *durable* as a probability (Platt scaling, fitted on held-out repositories)."""
        return _logistic(self._slope * margin + self._offset)

    def _read_anew(self, sentence: str) -> _Told:
        tokens = words(sentence)
        return _Told(set(tokens), self._words.known(word_grams(tokens)))

    def _why(self, sentence: str) -> tuple[tuple[str, float], ...]:
        known = self._read(sentence).known
        pulls = zip(known.places, self._words.pulls(known, "durable"), strict=True)
        said = [(f"“{gram}”", round(pull * self._slope, 2)) for gram, pull in pulls]
        return tuple(sorted(said, key=lambda one: (-abs(one[1]), one[0]))[:REASONS])


def _logistic(odds: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))


def _numbers(packed: str) -> array[int]:
    """Return signed 16-bit little-endian numbers that are stored as base64."""
    numbers = array("h", b64decode(packed))
    if _IS_BIG:
        numbers.byteswap()
    return numbers


_IS_BIG = array("h", [1]).tobytes()[0] == 0


@cache
def model() -> Model:
    """Return the shipped model, read at its first use."""
    return Model(orjson.loads(WEIGHTS.read_bytes()))
