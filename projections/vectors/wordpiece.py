"""Cuts a text into the word pieces of BERT's uncased vocabulary.

`wordpieces.txt` is the vocabulary that came with BERT (Apache License 2.0, see wordpieces.LICENSE): one piece a line,
its number is its line. A word is the longest piece that it begins with, then the longest that goes on (`##`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

_VOCABULARY = Path(__file__).with_name("wordpieces.txt")
_UNKNOWN, _BEGIN, _END = 100, 101, 102
_LONGEST_WORD = 100
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_SPACES = "\t\n\r"


def numbers(text: str, most: int) -> list[int]:
    """Return the numbers of a text's pieces between those of begin and end, at most `most` in all."""
    found = [_BEGIN]
    for word in _words(text):
        found += _pieces(word)
        if len(found) >= most:
            break
    return [*found[: most - 1], _END]


def _words(text: str) -> Iterator[str]:
    """Yield the words and signs of a text, in lower case and without accents."""
    spaced = "".join(map(_spaced, text))
    plain = "".join(
        sign for sign in unicodedata.normalize("NFD", spaced) if unicodedata.category(sign) != "Mn"
    )
    for word in plain.lower().split():
        begin = 0
        for at, sign in enumerate(word):
            if _is_punctuation(sign):
                if at > begin:
                    yield word[begin:at]
                yield sign
                begin = at + 1
        if begin < len(word):
            yield word[begin:]


@lru_cache(maxsize=4096)
def _spaced(sign: str) -> str:
    """Return a sign, with spaces around it if it is a word of its own, or nothing if it is a control."""
    if sign in _SPACES or unicodedata.category(sign) == "Zs":
        return " "
    if sign == "\ufffd" or unicodedata.category(sign) in ("Cc", "Cf", "Co"):
        return ""
    if any(first <= ord(sign) <= last for first, last in _IDEOGRAPHS):
        return f" {sign} "
    return sign


def _is_punctuation(sign: str) -> bool:
    return (sign.isascii() and not sign.isalnum()) or unicodedata.category(sign).startswith("P")


@lru_cache(maxsize=16384)
def _pieces(word: str) -> tuple[int, ...]:
    if len(word) > _LONGEST_WORD:
        return (_UNKNOWN,)
    known, found, begin = _vocabulary(), list[int](), 0
    while begin < len(word):
        mark = "##" if begin else ""
        end = next((at for at in range(len(word), begin, -1) if mark + word[begin:at] in known), 0)
        if not end:
            return (_UNKNOWN,)
        found.append(known[mark + word[begin:end]])
        begin = end
    return tuple(found)


@cache
def _vocabulary() -> dict[str, int]:
    lines = _VOCABULARY.read_text("utf-8").split("\n")
    return {piece: number for number, piece in enumerate(lines) if piece}
