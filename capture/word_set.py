"""The words of a sentence as a set: what no word of a pattern is in needs no pattern.

Implements specs/capture.md (K-46). A set is made once a sentence; asking it costs a tenth of a search. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_RUN = re.compile(r"[^\W\d_]+")
_MOST_PIECES = 50_000


class _Pieces(dict[str, list[str]]):
    """The words of what stands between two blanks; the same few pieces come again and again."""

    def __init__(self, word: re.Pattern[str]) -> None:
        super().__init__()
        self._word = word

    def __missing__(self, piece: str) -> list[str]:
        if len(self) >= _MOST_PIECES:
            self.clear()
        found = self[piece] = self._word.findall(piece.lower().replace("’", "'"))
        return found


_WORDS, _RUNS = _Pieces(_WORD), _Pieces(_RUN)


@lru_cache(maxsize=512)
def word_set(said: str) -> frozenset[str]:
    """Return the words of a sentence in lower case, contractions whole."""
    return frozenset(chain.from_iterable(map(_WORDS.__getitem__, said.split())))


@lru_cache(maxsize=512)
def letter_runs(said: str) -> frozenset[str]:
    r"""Return the runs of letters of a sentence in lower case, contractions cut: each word that `\b…\b` finds is one."""
    return frozenset(chain.from_iterable(map(_RUNS.__getitem__, said.split())))
