"""Reads words and signs as the linear model sees them: what is no word by its shape, a word with its class or ending.

Implements specs/capture.md (K-50). Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from language.word_classes import FUNCTION_WORDS, class_of
from ledger.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(
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


SIGNS = frozenset("?!.,:;()…=>|{}[]-—–")
"""The texts of signs; all others are words or shapes."""


class ModelToken(NamedTuple):
    """A word or sign as the model reads it.

    `text` is lower-case, or the shape of what is no word (`<path>`). `kind` is the text where that is a function word, a sign
    or a shape, else `<Name>`, `<CAPS>`, or the word's class or ending.
    """

    text: str
    kind: str


def read(piece: str) -> list[ModelToken]:
    """Return the words and signs of what stands between two blanks, in order."""
    return [_token(match.group(), match.lastgroup or "") for match in _TOKEN.finditer(piece)]


def skeleton(text: str, kind: str) -> str:
    """Return the kind of a word without its class or ending: `*`, where it has one."""
    return kind if kind == text or kind[0] == "<" else "*"


def _token(text: str, group: str) -> ModelToken:
    if group == "mark":
        return ModelToken(text[0], text[0])
    if group != "word":
        shape = text if group == "span" else f"<{group}>"
        return ModelToken(shape, shape)
    word = text.lower().replace("’", "'")
    if word in FUNCTION_WORDS:
        return ModelToken(word, word)
    if text[0].isupper():
        return ModelToken(word, "<CAPS>" if len(text) > 1 and text.isupper() else "<Name>")
    return ModelToken(word, class_of(word))
