"""Reads what stands between two blanks, once: its words, and marks that tell of which sets it has one.

Implements specs/capture.md (K-46). People say the same few pieces again and again, so a piece is read once and kept, and a
sentence is put together of what is known of its pieces. A mark is a bit: whether a sentence has one of the words of a set is one
AND, whatever the number of sets, where a search or a set of words would be made for each. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, reduce
from itertools import count
from operator import itemgetter, or_
from typing import NamedTuple

from language import tokens
from ledger.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[^\W\d_]+(?:'[a-z]+)?")
_RUN = lazy_pattern(r"[^\W\d_]+")
_SAID = lazy_pattern(
    r"""(`[^`]*`)|("[^"]*"|“[^”]*”|«[^»]*»|(?<![\w'])'[^'\n]{2,80}'(?!\w))|(?:\w*_\w+)|[^\W\d_][^\W_]*(?:['-][^\W\d_]+)*\+*|\d[\w.:%]*|[?!:;,()=]|(?<=\s)(?:—|–|--?)(?=\s)""",
)
_FLAT_QUOTES = str.maketrans({"’": "'", "\u2018": "'", "\u00a0": " "})
DASHES = frozenset(("—", "–", "-", "--"))
"""A sign where blanks stand on both sides."""
_MOST_PIECES = 50_000

Mark = int
_bits = (1 << at for at in count())
_of_words: dict[str, Mark] = {}
_of_runs: dict[str, Mark] = {}
_of_cues: dict[str, Mark] = {}
_of_pieces: dict[str, Mark] = {}
_SINGLE_QUOTES = "'\u2018"
NUMBER, PAUSE, DASH, QUOTE = (next(_bits) for _ in range(4))
"""A word for cues that begins with a digit; a comma, semicolon, colon or dash before a blank; a dash; a single quote that may begin
a quotation."""


class WordPiece(NamedTuple):
    """What stands between two blanks.

    `said` are the words and signs that cues are made of; `texts` and `kinds` those of the model (`language.tokens`).
    """

    marks: Mark
    said: tuple[str, ...]
    texts: tuple[str, ...]
    kinds: tuple[str, ...]


class _Pieces(dict[str, WordPiece]):
    """The pieces that were read; texts that are the same are kept once, which the processor's cache is glad of."""

    def __init__(self) -> None:
        super().__init__()
        self._same: dict[tuple[str, ...], tuple[str, ...]] = {}

    def __missing__(self, piece: str) -> WordPiece:
        if len(self) >= _MOST_PIECES:
            self.clear()
            self._same.clear()
        low = piece.lower().replace("’", "'")
        said = (piece,) if piece in DASHES else tuple(cue_words(piece))
        marks = marks_of(said)
        for word in _WORD.findall(low):
            marks |= _of_words.get(word, 0)
        for run in _RUN.findall(low):
            marks |= _of_runs.get(run, 0)
        marks |= _of_pieces.get(piece.lower(), 0)
        if piece in DASHES:
            marks |= DASH | PAUSE
        elif piece[-1] in ",;:":
            marks |= PAUSE
        if piece[0] in _SINGLE_QUOTES or "('" in piece or "(\u2018" in piece:
            marks |= QUOTE
        seen = tokens.read(piece)
        texts, kinds = tuple(token.text for token in seen), tuple(token.kind for token in seen)
        once = self._same.setdefault
        found = self[piece] = WordPiece(marks, once(said, said), once(texts, texts), once(kinds, kinds))
        return found


_PIECES = _Pieces()
piece = _PIECES.__getitem__
said_of, texts_of, kinds_of = map(itemgetter, range(1, 4))


@lru_cache(maxsize=64)
def read(sentence: str) -> list[WordPiece]:
    """Return the pieces of a sentence, for reading only."""
    return [*map(piece, sentence.split())]


# --- marks -------------------------------------------------------------------------------------------------------


def mark_words(words: str | Iterable[str]) -> Mark:
    """Return the mark of sentences that have one of the words, which are in lower case; a contraction is one word."""
    return _mark(_of_words, words)


def mark_runs(words: str | Iterable[str]) -> Mark:
    r"""The same by runs of letters, contractions cut: each word that `\b…\b` finds is one."""
    return _mark(_of_runs, words)


def mark_cues(words: str | Iterable[str]) -> Mark:
    """The same by the words and signs that cues are made of (`Piece.said`)."""
    return _mark(_of_cues, words)


def mark_pieces(words: str | Iterable[str]) -> Mark:
    """The same by what stands between two blanks, signs included."""
    return _mark(_of_pieces, words)


def _mark(table: dict[str, Mark], words: str | Iterable[str]) -> Mark:
    mark = next(_bits)
    for word in words.split() if isinstance(words, str) else words:
        table[word] = table.get(word, 0) | mark
    _PIECES.clear()
    read.cache_clear()
    marks.cache_clear()
    return mark


@lru_cache(maxsize=512)
def marks(sentence: str) -> Mark:
    """Return the marks of a sentence."""
    return reduce(or_, map(_marks, read(sentence)), 0)


_marks = itemgetter(0)


def marks_of(said: Iterable[str]) -> Mark:
    """Return the marks of words and signs that cues are made of, those of `mark_cues` and NUMBER alone."""
    found = 0
    for word in said:
        found |= _of_cues.get(word, 0)
        if word[0].isdigit():
            found |= NUMBER
    return found


# --- words -------------------------------------------------------------------------------------------------------


def cue_words(text: str) -> list[str]:
    """Return the words and signs of a text that cues are made of; a code span is "`" and a quotation is '"'."""
    return [
        "`" if found[1] else '"' if found[2] else found[0]
        for found in _SAID.finditer(text.lower().translate(_FLAT_QUOTES))
    ]
