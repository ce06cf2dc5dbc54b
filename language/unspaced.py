"""The words of a text, and the pieces of words in scripts without spaces.

Implements specs/projections.md (P-100). Pure. FTS5's unicode61 treats a whole run of Chinese or Thai as one
word, together with adjacent Latin letters. So this module cuts such words before FTS5 sees them: into pairs of
neighbouring characters, into triples for alphabets, and into the other words between them. It also cuts names of several
words, such as getUserById.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from ledger.lazy_pattern import lazy_pattern

_ALPHABETS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df"
"""Thai and Lao; Burmese; Khmer; Tai Le and New Tai Lue: alphabets, in which two letters say little."""

_SYLLABLES = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u3099-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\ua4cf"
    "\uac00-\ud7ff\uf900-\ufaff\uff10-\uff9f\U00020000-\U0003ffff"
)
"""Chinese, Japanese, Korean (whose particles stick to the word) and Yi; full-width and half-width forms."""

_UNSPACED = lazy_pattern(f"[{_ALPHABETS}{_SYLLABLES}]")
_ALPHABETIC = lazy_pattern(f"[{_ALPHABETS}]")
_RUN = lazy_pattern(f"[{_ALPHABETS}]+|[{_SYLLABLES}]+|[^{_ALPHABETS}{_SYLLABLES}]+")
_ASCII_WORD = lazy_pattern(r"[A-Za-z0-9]+")
_CAMEL = lazy_pattern("[a-z0-9][A-Z]")
_PART = lazy_pattern("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SAYS_LITTLE = lazy_pattern("[\u3041-\u309f]+[*]?|.[*]")


def words_of(text: str) -> list[str]:
    """Return the words of a text as FTS5 sees them: runs of letters, numbers and marks."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return ["".join(run) for is_word, run in groupby(text, _is_of_a_word) if is_word]


def _is_of_a_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LNM" or category == "Co"


def is_unspaced(word: str) -> bool:
    """Return whether a word has characters of a script without spaces between words."""
    return not word.isascii() and _UNSPACED.search(word) is not None


def parts_of_name(word: str) -> list[str]:
    """Return the words of a name such as getUserById or OrderStateMachine; none for JavaScript, iOS or a plain word."""
    if not _CAMEL.search(word) or not word.isascii():
        return []
    parts = _PART.findall(word)
    return parts if len(parts) > 2 or (word[0].islower() and len(parts[0]) > 1) else []


def indexed(texts: Iterable[str]) -> str:
    """Return the pieces of the words in these texts, in order, separated by spaces.

    A piece begins at each character, so that any one or two characters begin one. Words that NFKC changes (full width,
    ligatures) are pieces too, since the words of a query are in NFKC.
    """
    pieces: list[str] = []
    for text in texts:
        normal = unicodedata.normalize("NFKC", text)
        unspaced = is_unspaced(text)
        if unspaced or normal != text or _CAMEL.search(text):
            known = set(words_of(text)) if normal != text else None
            for word in words_of(normal):
                if unspaced and is_unspaced(word):
                    pieces += _pieces(word)
                elif known is not None and word not in known:
                    pieces += [word, *parts_of_name(word)]
                else:
                    pieces += parts_of_name(word)
    return " ".join(pieces)


def otherwise_written(word: str) -> str:
    """Return the NFKC form of a word as words, or "" if the word does not change."""
    normal = " ".join(words_of(unicodedata.normalize("NFKC", word)))
    return "" if normal == word else normal


def wanted(word: str) -> list[str]:
    """Return the pieces to search for an unspaced word of a query; one that ends in `*` is a prefix.

    Leaves out pieces of hiragana only, which is mostly grammar, and single characters, if other pieces remain.
    """
    found: list[str] = []
    for run, size in _runs(unicodedata.normalize("NFKC", word)):
        if size and len(run) < size:
            found.append(f"{run}*")
        else:
            found += [run[at : at + size] for at in range(len(run) - size + 1)] if size else [run]
    found = list(dict.fromkeys(found))
    return [piece for piece in found if not _SAYS_LITTLE.fullmatch(piece)] or found


def wanted_in_order(word: str) -> list[str]:
    """Return the consecutive pieces of an unspaced word; the last may end in `*`."""
    word = unicodedata.normalize("NFKC", word)
    pieces = list(_pieces(word))
    run, size = list(_runs(word))[-1]
    if not size:
        return pieces
    if len(run) < size:
        return [*pieces[: len(pieces) - len(run)], f"{run}*"]
    return pieces[: len(pieces) - size + 1]


def _pieces(word: str) -> Iterator[str]:
    for run, size in _runs(word):
        if size:
            yield from (run[at : at + size] for at in range(len(run)))
        else:
            yield run


def _runs(word: str) -> Iterator[tuple[str, int]]:
    """Yield the runs of one script in a word, with the size of their pieces, 0 for a word by itself."""
    for run in _RUN.findall(word):
        yield run, (3 if _ALPHABETIC.match(run) else 2) if _UNSPACED.match(run) else 0
