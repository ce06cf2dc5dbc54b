"""What the linear model sees of a sentence: its words, their order, their classes, and its place in the message.

Implements specs/capture.md (K-50…K-52). Pure functions; what depends on one word alone is computed once a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from capture.word_classes import CLASS_OF, FUNCTION_WORDS, class_of

_TOKEN = re.compile(
    r"""
      (?P<url> https?://\S+ | www\.\S+ )
    | (?P<code> `[^`\n]+` )
    | (?P<quote> "[^"\n]{2,}" | “[^”\n]{2,}” )
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
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LENGTHS = (2, 3, 4, 6, 8, 11, 15, 20, 30)
_LONGEST_WORD = 20
"""Longer words give no character n-grams: they are keys, hashes and keyboards that a cat sat on."""

Features = dict[str, set[tuple[str, ...]]]
"""By family, the features that a sentence has. The families are named in K-51."""


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


@lru_cache(maxsize=50_000)
def _token(text: str, group: str) -> Token:
    if group == "mark":
        return Token(text[0], text[0], text[0], is_word=False)
    if group != "word":
        shape = f"<{group}>"
        return Token(shape, shape, shape, is_word=True)
    word = text.lower().replace("’", "'")
    if word in FUNCTION_WORDS:
        return Token(word, word, word, is_word=True)
    if text[0].isupper():
        shape = "<CAPS>" if len(text) > 1 and text.isupper() else "<Name>"
        return Token(word, shape, shape, is_word=True)
    return Token(word, "*", class_of(word), is_word=True)


def tokens(sentence: str) -> list[Token]:
    """Return the sentence's words and signs in order; a capital at its beginning is no name."""
    found = [_token(match.group(), match.lastgroup or "") for match in _TOKEN.finditer(sentence)]
    if found and found[0].skeleton == "<Name>":
        found[0] = _token(found[0].text, "word")
    return found


@lru_cache(maxsize=50_000)
def characters(word: str) -> tuple[tuple[str], ...]:
    """Return the n-grams of three to five characters within a word, its ends marked; none of a function word."""
    if word in FUNCTION_WORDS or word[0] == "<" or len(word) > _LONGEST_WORD:
        return ()
    ends = f"^{word}$"
    grams = {ends[at : at + n] for n in (3, 4, 5) for at in range(len(ends) - n + 1)}
    return tuple((gram,) for gram in sorted(grams))


@dataclass(frozen=True, slots=True)
class Context:
    """What a message says about each of its sentences. Made once a message."""

    text: str
    sentences: int
    questions: int
    orders: int

    @classmethod
    def of(cls, text: str) -> Context:
        """Read a message: how many sentences it has, and how many of them ask or order."""
        parts = [part for part in _SENTENCE_END.split(text.strip()) if part.strip()]
        return cls(text, len(parts), sum(map(_asks, parts)), sum(map(_orders, parts)))


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith("?")


def _orders(sentence: str) -> bool:
    match = _TOKEN.search(sentence)
    return match is not None and CLASS_OF.get(match.group().lower()) == "ORDER"


def features(sentence: str, message: Context, signals: frozenset[str] = frozenset()) -> Features:
    """Return what the model sees of a sentence (K-51), by family. `signals` are names that rules gave it."""
    found = tokens(sentence)
    words = [token for token in found if token.is_word]
    texts = ["^", *[token.text for token in found], "$"]
    kinds = ["^", *[token.kind for token in found], "$"]
    frame = ["^", *_skeleton(found), "$"]
    return {
        "word": {(token.text,) for token in found},
        "class": {(CLASS_OF[text],) for text in texts if text in CLASS_OF},
        "pair": set(pairwise(texts)),
        "kinds2": set(pairwise(kinds)),
        "kinds3": set(zip(kinds, kinds[1:], kinds[2:], strict=False)),
        "frame2": set(pairwise(frame)),
        "frame3": set(zip(frame, frame[1:], frame[2:], strict=False)),
        "frame4": set(zip(frame, frame[1:], frame[2:], frame[3:], strict=False)),
        "place": set(_place(sentence, message, words)),
        "signal": {(signal,) for signal in signals},
    }


def _skeleton(found: list[Token]) -> Iterator[str]:
    """Yield the skeleton, several words in a row that carry meaning as one `*`."""
    before = ""
    for token in found:
        if token.skeleton != "*" or before != "*":
            yield token.skeleton
        before = token.skeleton


def _place(sentence: str, message: Context, words: list[Token]) -> Iterator[tuple[str, ...]]:
    """Yield how the sentence begins and ends, how long it is, and what stands around it."""
    if words:
        yield "first", words[0].text
        yield "last", words[-1].text
        yield "begins", *[word.skeleton for word in words[:2]]
        if words[0].text in CLASS_OF:
            yield "first", CLASS_OF[words[0].text]
    yield from [("longer", str(length)) for length in _LENGTHS if len(words) >= length]
    asks, orders = _asks(sentence), _orders(sentence)
    if asks:
        yield ("asks",)
    if message.questions > asks:
        yield ("beside a question",)
    if message.orders > orders:
        yield ("beside an order",)
    yield "sentences", str(min(message.sentences, 6))
