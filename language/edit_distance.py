"""The edit distance of two words: letters replaced, added, missing, or two swapped. Pure."""

from __future__ import annotations

from collections import Counter


def distance(typed: str, word: str) -> int:
    """Return the number of changes from one word to the other."""
    return _last_row(typed, word)[-1]


def distance_to_stem(typed: str, stem: str) -> int:
    """Return the number of changes from a word, without up to four of its last letters, to a stem."""
    return min(_last_row(typed, stem)[-5:])


def allowed(word: str) -> int:
    """Return how many changes make a typo of a word: none of one or two letters, one up to five, else two."""
    return 0 if len(word) < 3 else 1 if len(word) < 6 else 2


def is_far(typed: str, word: str, most: int) -> bool:
    """Return whether `typed` surely lacks more than `most` letters of `word`; a quick check that is often False."""
    return sum((Counter(word) - Counter(typed)).values()) > most


def _last_row(typed: str, word: str) -> list[int]:
    """Return the distances of all beginnings of `typed` from `word` (optimal string alignment)."""
    before: list[int] = []
    above = list(range(len(typed) + 1))
    for row, letter in enumerate(word, 1):
        current = [row]
        for at, other in enumerate(typed, 1):
            best = min(above[at] + 1, current[at - 1] + 1, above[at - 1] + (letter != other))
            if row > 1 and at > 1 and letter == typed[at - 2] and word[row - 2] == other:
                best = min(best, before[at - 2] + 1)
            current.append(best)
        before, above = above, current
    return above
