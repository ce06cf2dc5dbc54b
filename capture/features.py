"""What the linear model sees of a sentence: its words, their order, their classes, and its place in the message.

Implements specs/capture.md (K-50…K-52). Pure functions; what depends on one word alone is computed once a word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from capture.word_classes import CLASS_OF, FUNCTION_WORDS, class_of

_SPAN = re.compile(r"""(?P<code>`[^`\n]+`)|(?P<quote>"[^"\n]{2,}"|“[^”\n]{2,}”)""")
_TOKEN = re.compile(
    r"""
      (?P<span> <(?:code|quote)> )
    | (?P<url> https?://\S+ | www\.\S+ )
    | (?P<flag> (?<![\w-]) --?[a-zA-Z][\w-]*(?:=\S+)? )
    | (?P<path> (?:~|\.{1,2})?/[\w.@*{}<>-]+(?:/[\w.@*{}<>-]*)* | [\w.@-]+(?:/[\w.@*-]+)+/? | \*?\.[a-z]{1,5}\b
        | \b[\w-]+\.(?:py|js|ts|tsx|jsx|md|json|ya?ml|toml|go|rs|c|h|cpp|java|rb|sh|sql|txt|csv|lock|cfg|ini|html|css
          |env|log|xml|proto|tf|kt|swift|vue|svelte)\b )
    | (?P<number> [$€£\#]?\d+(?:[.,:]\d+)*(?:%|[a-z]{1,3}\b)? )
    | (?P<name> \b[A-Za-z]\w*_\w+ | \b[a-z]+[A-Z]\w* | \b[A-Z][a-z]+[A-Z]\w* | \b\w+\(\) | \b\w+(?:\.\w+)+\b )
    | (?P<word> [^\W\d_]+(?:['’][^\W\d_]+)? )
    | (?P<mark> [?!.,:;()…=>|{}\[\]]+ | --? | — | – )
    """,
    re.VERBOSE,
)
_SENTENCE_END = re.compile(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
"""White space behind a sign, and ends of lines; white space begins it, so that all else is skipped."""
_LENGTHS = (2, 3, 4, 6, 8, 11, 15, 20, 30)
_LONGER = [
    tuple(f"longer {length}" for length in _LENGTHS if count >= length) for count in range(_LENGTHS[-1] + 1)
]
_MESSAGE_LENGTHS = (5, 10, 20, 30, 45, 70, 120)
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
_LONGEST = 200
_SCALES: list[float] = [(16 / (count + 4)) ** 0.25 for count in range(_LONGEST + 1)]
_LONGEST_WORD = 20
"""Longer words give no character n-grams: they are keys, hashes and keyboards that a cat sat on."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the model sees of a sentence, by the families that K-51 names: each name once, each gram as often as it is there.

    The grams can be gone through once.
    """

    scale: float
    """What each weight is multiplied with: a long sentence has more of everything."""
    words: set[str]
    names: dict[str, Iterable[str]]
    grams: dict[str, Iterable[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign as the model reads it.

    `text` is lower-case, or the shape of what is no word (`<path>`). `skeleton` is the text where that is a function
    word, a sign or a shape, else `*`, `<Name>` or `<CAPS>`. `kind` is like it, but tells a word's class or ending.
    """

    text: str
    skeleton: str
    kind: str
    is_word: bool


def _token(text: str, group: str) -> Token:
    if group == "mark":
        return Token(text[0], text[0], text[0], is_word=False)
    if group != "word":
        shape = text if group == "span" else f"<{group}>"
        return Token(shape, shape, shape, is_word=True)
    word = text.lower().replace("’", "'")
    if word in FUNCTION_WORDS:
        return Token(word, word, word, is_word=True)
    if text[0].isupper():
        shape = "<CAPS>" if len(text) > 1 and text.isupper() else "<Name>"
        return Token(word, shape, shape, is_word=True)
    return Token(word, "*", class_of(word), is_word=True)


class _Pieces(dict[str, tuple[Token, ...]]):
    """The tokens of what stands between two blanks; the same few pieces come again and again."""

    def __missing__(self, piece: str) -> tuple[Token, ...]:
        if len(self) >= _MOST_PIECES:
            self.clear()
        found = tuple(_token(match.group(), match.lastgroup or "") for match in _TOKEN.finditer(piece))
        self[piece] = found
        return found


_MOST_PIECES = 50_000
_PIECES = _Pieces()


def tokens(sentence: str) -> list[Token]:
    """Return the sentence's words and signs in order; a capital at its beginning is no name."""
    if "`" in sentence or '"' in sentence or "“" in sentence:
        sentence = _SPAN.sub(lambda match: f" <{match.lastgroup}> ", sentence)
    found = [*chain.from_iterable(map(_PIECES.__getitem__, sentence.split()))]
    if found and found[0].skeleton == "<Name>":
        found[0] = _token(found[0].text, "word")
    return found


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
    place: tuple[str, ...]
    """What `place` says of each sentence: how many there are, and how long the message is."""

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
            begin = _PIECES[words[0]]
            orders += bool(begin) and CLASS_OF.get(begin[0].text) == "ORDER"
            task = _task(words) or ("ask" if asks else "")
            if task and first[task] == _NEVER:
                first[task] = text.find(part)
        length = bisect_right(_MESSAGE_LENGTHS, text.count(" ") + text.count("\n") + 1)
        place = (f"sentences {min(sentences, 6)}", f"message {length}")
        return cls(text, sentences, questions, orders, tuple(first.values()), place)

    def before(self, sentence: str) -> str:
        """Return what the message wanted before it came to this sentence: `make`, `order`, `ask` or nothing."""
        if self.sentences < 2 or (at := self.text.find(sentence[:_KNOWN_BY])) < 1:
            return ""
        return next((task for task, begun in zip(_TASKS, self.tasks, strict=True) if begun < at), "")


_KNOWN_BY = 24
"""So many characters tell a sentence from the others of its message (a long one goes over several lines there)."""


def _task(words: list[str]) -> str:
    """Return what the first words of a sentence want: something made, another order, or nothing."""
    for piece in words[:7]:
        for token in _PIECES[piece]:
            if token.text in _MAKING:
                return "make"
            if CLASS_OF.get(token.text) == "ORDER":
                return "order"
            if token.is_word and token.text not in _PLEASING:
                return ""
    return ""


def features(sentence: str, message: Context, signals: frozenset[str] = frozenset()) -> Seen:
    """Return what the model sees of a sentence (K-51). `signals` are names that rules gave it."""
    found = tokens(sentence)
    texts, kinds = rows(found)
    return Seen(
        scale=scale(len(found)),
        words=set(texts[1:-1]),
        names={
            "place": place(sentence, message, found),
            "signal": together(signals, message.before(sentence)),
        },
        grams={
            "pair": pairwise(texts),
            "kinds2": pairwise(kinds),
            "kinds3": zip(kinds, kinds[1:], kinds[2:], strict=False),
        },
    )


def scale(count: int) -> float:
    """Return what the weights of a sentence of so many words and signs are multiplied with."""
    return _SCALES[min(count, _LONGEST)]


def rows(found: list[Token]) -> tuple[list[str], list[str]]:
    """Return the texts and the kinds of tokens, the ends of the sentence marked."""
    return (
        ["^", *[token.text for token in found], "$"],
        ["^", *[token.kind for token in found], "$"],
    )


def together(signals: frozenset[str], before: str) -> list[str]:
    """Return the signals, each two of them, and each with what the message wanted before."""
    ordered = sorted(signals)
    after = [f"{before or 'nothing'} > {name}" for name in ordered]
    return [*ordered, *map(" ".join, combinations(ordered, 2)), *after]


def place(sentence: str, message: Context, found: list[Token]) -> list[str]:
    """Return how the sentence begins and ends, how long it is, and what stands around it; each name once."""
    words = [token for token in found if token.is_word]
    names = [*message.place]
    asks, orders = sentence.rstrip().endswith("?"), False
    if words:
        first = words[0].text
        second = f" {words[1].skeleton}" if len(words) > 1 else ""
        names += (f"first {first}", f"last {words[-1].text}", f"begins {words[0].skeleton}{second}")
        if named := CLASS_OF.get(first):
            orders = named == "ORDER"
            names.append(f"first {named}")
        names += _LONGER[min(len(words), _LENGTHS[-1])]
    if asks:
        names.append("asks")
    if message.questions > asks:
        names.append("beside question")
    if message.orders > orders:
        names.append("beside order")
    return names
