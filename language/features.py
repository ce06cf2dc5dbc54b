"""What the linear model sees of a sentence: its words, their order, their classes, and its place in the message.

Implements specs/capture.md (K-50). Pure functions; what depends on one word alone is computed once a word.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from language.pieces import kinds_of, piece, read, texts_of
from language.tokens import SIGNS, skeleton
from language.word_classes import CLASS_OF, FUNCTION_WORDS, class_of
from ledger.lazy_pattern import lazy_pattern

_SPAN = lazy_pattern(r"""(?P<code>`[^`\n]+`)|(?P<quote>"[^"\n]{2,}"|“[^”\n]{2,}”)""")
_SENTENCE_END = lazy_pattern(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
"""White space behind a sign, and ends of lines; white space begins it, so that all else is skipped."""
_LENGTHS = (2, 3, 4, 6, 8, 11, 15, 20, 30)
_LONGER = [
    tuple(("longer", f"{length}") for length in _LENGTHS if count >= length)
    for count in range(_LENGTHS[-1] + 1)
]
_MESSAGE_LENGTHS = (5, 10, 20, 30, 45, 70, 120)
_MOST_SENTENCES = 6
_PLACES = [
    [(("sentences", f"{sentences}"), ("message", f"{length}")) for length in range(len(_MESSAGE_LENGTHS) + 1)]
    for sentences in range(_MOST_SENTENCES + 1)
]
_ASKS, _BESIDE_QUESTION, _BESIDE_ORDER = ("asks",), ("beside", "question"), ("beside", "order")
_PLEASING = frozenset(
    """please pls can could would u you now then ok okay so also and i i'd want need like to just next first the hi hello hey
    quick let's lets go ahead for me kindly a""".split()
)
"""What may stand before the verb of a task."""
_MAKING = frozenset(
    "write build make create generate draft design implement add code script prepare set develop produce plan compose".split()
)
"""Orders for something new: what follows them in a message is how it should be."""
_TASKS = ("make", "order", "ask")
_NEVER = 1 << 30
_WANTS_NOTHING = (_NEVER,) * len(_TASKS)
_LONGEST = 200
_SCALES: list[float] = [(16 / (count + 4)) ** 0.25 for count in range(_LONGEST + 1)]
_LONGEST_AROUND = 1_500
"""Of a message of more characters the words beside a sentence are not looked at."""
_LONGEST_WORD = 20
"""Longer words give no character n-grams: they are keys, hashes and keyboards that a cat sat on."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the model sees of a sentence, by the families that K-50 names: each name once, each gram as often as it is there.

    The grams can be gone through once.
    """

    scale: float
    """What each weight is multiplied with: a long sentence has more of everything."""
    words: set[str]
    names: dict[str, Iterable[str]]
    grams: dict[str, Iterable[tuple[str, ...]]]


def rows(sentence: str) -> tuple[list[str], list[str]]:
    """Return the texts and the kinds of a sentence's words and signs in order, its ends marked; a capital at its beginning is no name."""
    if "`" in sentence or '"' in sentence or "“" in sentence:
        sentence = _SPAN.sub(lambda match: f" <{match.lastgroup}> ", sentence)
    pieces = read(sentence)
    texts = ["^", *chain.from_iterable(map(texts_of, pieces)), "$"]
    kinds = ["^", *chain.from_iterable(map(kinds_of, pieces)), "$"]
    if kinds[1] == "<Name>":
        kinds[1] = class_of(texts[1])
    return texts, kinds


def texts_in(text: str) -> Iterable[str]:
    """Return the texts of a message's words and signs, of code and quotations too."""
    return chain.from_iterable(map(texts_of, map(piece, text.split())))


def spelling(word: str) -> set[str]:
    """Return the n-grams of three to five characters within a word, its ends marked; none of a function word."""
    if word in FUNCTION_WORDS or word[0] == "<" or len(word) > _LONGEST_WORD:
        return set()
    ends = f"^{word}$"
    return {ends[at : at + n] for n in (3, 4, 5) for at in range(len(ends) - n + 1)}


class Context(NamedTuple):
    """What a message says about each of its sentences. Made once a message."""

    text: str
    sentences: int
    questions: int
    orders: int
    tasks: tuple[int, ...]
    """Where the message first wants something made, orders and asks, as far as it does."""
    place: tuple[tuple[str, ...], ...]
    """What `place` says of each sentence: how many there are, and how long the message is."""
    words: frozenset[str]
    """The words and signs of a message of several sentences; none of a very long one."""

    @classmethod
    def of(cls, text: str) -> Context:
        """Read a message: how many sentences it has, and where they ask or order."""
        sentences = questions = orders = 0
        first = dict.fromkeys(_TASKS, _NEVER)
        for part in _SENTENCE_END.split(text):
            if not (words := part.split(None, 8)):
                continue
            sentences += 1
            asks = words[-1].rstrip().endswith("?")
            questions += asks
            begin = piece(words[0]).texts
            orders += bool(begin) and CLASS_OF.get(begin[0]) == "ORDER"
            task = _task(words) or ("ask" if asks else "")
            if task and first[task] == _NEVER:
                first[task] = text.find(part)
        length = bisect_right(_MESSAGE_LENGTHS, text.count(" ") + text.count("\n") + 1)
        place = _PLACES[min(sentences, _MOST_SENTENCES)][length]
        around = texts_in(text) if sentences > 1 and len(text) <= _LONGEST_AROUND else ()
        return cls(text, sentences, questions, orders, tuple(first.values()), place, frozenset(around))

    def before(self, sentence: str) -> str:
        """Return what the message wanted before it came to this sentence: `make`, `order`, `ask` or nothing."""
        if (
            self.sentences < 2
            or self.tasks == _WANTS_NOTHING
            or (at := self.text.find(sentence[:_KNOWN_BY])) < 1
        ):
            return ""
        make, order, ask = self.tasks
        return "make" if make < at else "order" if order < at else "ask" if ask < at else ""


_KNOWN_BY = 24
"""So many characters tell a sentence from the others of its message (a long one goes over several lines there)."""


def _task(words: list[str]) -> str:
    """Return what the first words of a sentence want: something made, another order, or nothing."""
    for word in words[:7]:
        for text in piece(word).texts:
            if text in _MAKING:
                return "make"
            if CLASS_OF.get(text) == "ORDER":
                return "order"
            if text not in SIGNS and text not in _PLEASING:
                return ""
    return ""


def features(sentence: str, message: Context, signals: frozenset[str] = frozenset()) -> Seen:
    """Return what the model sees of a sentence (K-50). `signals` are names that rules gave it."""
    texts, kinds = rows(sentence)
    return Seen(
        scale=scale(len(texts) - 2),
        words=set(texts[1:-1]),
        names={
            "signal": together(signals, message.before(sentence)),
            "beside": message.words.difference(texts),
        },
        grams={
            "place": place(sentence, message, texts, kinds),
            "pair": pairwise(texts),
            "kinds2": pairwise(kinds),
            "kinds3": zip(kinds, kinds[1:], kinds[2:], strict=False),
        },
    )


def scale(count: int) -> float:
    """Return what the weights of a sentence of so many words and signs are multiplied with."""
    return _SCALES[min(count, _LONGEST)]


def together(signals: frozenset[str], before: str) -> list[str]:
    """Return the signals, each two of them, and each with what the message wanted before."""
    ordered = sorted(signals)
    after = [f"{before or 'nothing'} > {name}" for name in ordered]
    return [*ordered, *map(" ".join, combinations(ordered, 2)), *after]


def place(sentence: str, message: Context, texts: list[str], kinds: list[str]) -> list[tuple[str, ...]]:
    """Return how the sentence begins and ends, how long it is, and what stands around it; each by its words, once.

    `texts` and `kinds` are its `rows`.
    """
    words = [text for text in texts if text not in SIGNS]
    names = [*message.place]
    asks, orders = sentence[-1:] == "?" or sentence.rstrip().endswith("?"), False
    if len(words) > 2:
        first = words[1]
        at = texts.index(first)
        begins: tuple[str, ...] = "begins", skeleton(first, kinds[at])
        if len(words) > 3:
            at = texts.index(words[2], at + 1)
            begins = *begins, skeleton(words[2], kinds[at])
        names += ("first", first), ("last", words[-2]), begins
        if named := CLASS_OF.get(first):
            orders = named == "ORDER"
            names.append(("first", named))
        names += _LONGER[min(len(words) - 2, _LENGTHS[-1])]
    if asks:
        names.append(_ASKS)
    if message.questions > asks:
        names.append(_BESIDE_QUESTION)
    if message.orders > orders:
        names.append(_BESIDE_ORDER)
    return names
