"""Finds the memories that a person means who wants something known no longer, and what an assistant quotes of them.

Implements specs/capture.md (K-71, K-140). Names them; what goes, goes by a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from keeping import Keeping
from learning.matter import read, stem
from learning.supposed import Near
from ledger.fold import Entry
from ledger.likeness import likeness
from projections.index import Index
from projections.resembling import near
from projections.stop_words import content_words
from projections.unspaced import words_of

_QUOTATION = re.compile(
    r"\"([^\"\n]{4,300})\"|“([^”\n]{4,300})”|„([^“\n]{4,300})“|«([^»\n]{4,300})»|`([^`\n]{4,300})`"
)
_OFFERS = re.compile(
    r"\b(?:forget|delete|remove|erase|drop|discard|unlearn|wipe|scrap|clear|take (?:it|that|this) out|get rid of|"
    r"vergess\w*|lösch\w*|streich\w*|entfern\w*|oubli\w*|efface\w*|supprim\w*|retir\w*|olvid\w*|borr\w*|elimin\w*|esque[cç]\w*|"
    r"apag\w*|remov\w*)\b",
    re.IGNORECASE,
)
_OF_NOTES = frozenset(
    stem(word)
    for word in "rule note thing bit fact memory entry preference plan info information setup "
    "convention decision line part stuff detail".split()
)
_ENOUGH = 0.5
"""This share of the telling words of what is to be forgotten a memory holds that is meant."""


def named(index: Index, about: str, find: Near = near) -> list[Entry]:
    """Return the standing memories that somebody means who says "forget X".

    Those that hold all telling words of X; where there are none, those that hold the most of them, if it is half. `find`
    looks for them.
    """
    wanted = _telling(about)
    if not wanted:
        return []
    found = [(entry, _telling(" ".join(_all_texts(entry)))) for entry in find(index, about)]
    whole = [entry for entry, said in found if wanted <= said]
    meant = read(about).all - _OF_NOTES
    if whole or not meant:
        return whole
    shares = [(entry, len(meant & read(" ".join(_all_texts(entry))).all) / len(meant)) for entry, _ in found]
    most = max((share for _, share in shares), default=0.0)
    return [entry for entry, share in shares if share == most >= _ENOUGH]


def quoted(scopes: Iterable[Keeping], text: str) -> list[str]:
    """Return the ids of the standing memories that a text quotes, in all ledgers."""
    quotations = [next(filter(None, found)) for found in _QUOTATION.findall(text)]
    return [
        entry.id
        for words in quotations
        for memory in scopes
        for entry in near(memory.index, words)
        if likeness(words, entry.memory.text) == "same"
    ]


def offers(text: str) -> bool:
    """Say whether an assistant asks whether something is to be forgotten."""
    return "?" in text and _OFFERS.search(text) is not None


def touches(scopes: Iterable[Keeping], said: str) -> bool:
    """Say whether a sentence shares a telling word with a memory that stands: only then it may be about one."""
    words = read(said).all
    return any(words & read(entry.memory.text).all for memory in scopes for entry in near(memory.index, said))


def _telling(text: str) -> set[str]:
    words = [word.casefold() for word in words_of(text)]
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in content_words(words)}


def _all_texts(entry: Entry) -> list[str]:
    memory = entry.memory
    return [memory.text, memory.title, *memory.details, *memory.tags]
