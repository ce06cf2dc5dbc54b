"""What the linear model sees of a sentence: its words, their order, their classes, and its place in the message.

Implements specs/capture.md (K-50…K-52). Pure functions; what depends on one word alone is computed once a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

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
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LENGTHS = (2, 3, 4, 6, 8, 11, 15, 20, 30)
_LONGER = [
    tuple(f"longer {length}" for length in _LENGTHS if count >= length) for count in range(_LENGTHS[-1] + 1)
]
_LONGEST_WORD = 20
"""Longer words give no character n-grams: they are keys, hashes and keyboards that a cat sat on."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the model sees of a sentence, by the families that K-51 names: each name once, each gram as often as it is there.

    The grams can be gone through once.
    """

    words: set[str]
    names: dict[str, set[str]]
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


@lru_cache(maxsize=50_000)
def _tokens_of(piece: str) -> tuple[Token, ...]:
    """Return the tokens of what stands between two blanks; the same few pieces come again and again."""
    return tuple(_token(match.group(), match.lastgroup or "") for match in _TOKEN.finditer(piece))


def tokens(sentence: str) -> list[Token]:
    """Return the sentence's words and signs in order; a capital at its beginning is no name."""
    if "`" in sentence or '"' in sentence or "“" in sentence:
        sentence = _SPAN.sub(lambda match: f" <{match.lastgroup}> ", sentence)
    found = [token for piece in sentence.split() for token in _tokens_of(piece)]
    if found and found[0].skeleton == "<Name>":
        found[0] = _token(found[0].text, "word")
    return found


def spelling(word: str) -> set[str]:
    """Return the n-grams of three to five characters within a word, its ends marked; none of a function word."""
    if word in FUNCTION_WORDS or word[0] == "<" or len(word) > _LONGEST_WORD:
        return set()
    ends = f"^{word}$"
    return {ends[at : at + n] for n in (3, 4, 5) for at in range(len(ends) - n + 1)}


@dataclass(frozen=True, slots=True)
class Context:
    """What a message says about each of its sentences. Made once a message."""

    sentences: int
    questions: int
    orders: int

    @classmethod
    def of(cls, text: str) -> Context:
        """Read a message: how many sentences it has, and how many of them ask or order."""
        sentences = questions = orders = 0
        for part in _SENTENCE_END.split(text):
            if words := part.split(None, 1):
                first = _tokens_of(words[0])
                sentences += 1
                questions += part.rstrip().endswith("?")
                orders += bool(first) and CLASS_OF.get(first[0].text) == "ORDER"
        return cls(sentences, questions, orders)


def features(sentence: str, message: Context, signals: frozenset[str] = frozenset()) -> Seen:
    """Return what the model sees of a sentence (K-51). `signals` are names that rules gave it."""
    found = tokens(sentence)
    texts = ["^", *[token.text for token in found], "$"]
    kinds = ["^", *[token.kind for token in found], "$"]
    frame = _frame(found)
    return Seen(
        words=set(texts[1:-1]),
        names={"place": _place(sentence, message, found), "signal": _together(signals)},
        grams={
            "pair": pairwise(texts),
            "kinds2": set(pairwise(kinds)),
            "kinds3": zip(kinds, kinds[1:], kinds[2:], strict=False),
            "frame2": set(pairwise(frame)),
            "frame3": zip(frame, frame[1:], frame[2:], strict=False),
        },
    )


def _together(signals: frozenset[str]) -> set[str]:
    """Return the signals and each two of them."""
    ordered = sorted(signals)
    return {*ordered, *map(" ".join, combinations(ordered, 2))}


def _frame(found: list[Token]) -> list[str]:
    """Return the skeleton, several words in a row that carry meaning as one `*`."""
    frame = ["^"]
    for token in found:
        if token.skeleton != "*" or frame[-1] != "*":
            frame.append(token.skeleton)
    frame.append("$")
    return frame


def _place(sentence: str, message: Context, found: list[Token]) -> set[str]:
    """Return how the sentence begins and ends, how long it is, and what stands around it."""
    words = [token for token in found if token.is_word]
    place = {f"sentences {min(message.sentences, 6)}"}
    asks, orders = sentence.rstrip().endswith("?"), False
    if words:
        first = words[0].text
        place |= {f"first {first}", f"last {words[-1].text}"}
        place.add("begins " + " ".join([word.skeleton for word in words[:2]]))
        if named := CLASS_OF.get(first):
            orders = named == "ORDER"
            place.add(f"first {named}")
        place.update(_LONGER[min(len(words), _LENGTHS[-1])])
    if asks:
        place.add("asks")
    if message.questions > asks:
        place.add("beside question")
    if message.orders > orders:
        place.add("beside order")
    return place
