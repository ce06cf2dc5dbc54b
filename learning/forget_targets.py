"""Finds the memories that a person asks to forget, and those that an assistant quotes.

Implements specs/capture.md (K-71, K-140, K-241). Only names them: a deletion needs the person's yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from documents.scope import Scope
from language.likeness import likeness
from language.stop_words import content_words
from language.telling_words import stem, telling
from language.unspaced import words_of
from language.value_kinds import tokens
from ledger.fold import Entry
from ledger.lazy_pattern import lazy_pattern
from projections.index import Index
from projections.similar_memories import near

_QUOTATION = lazy_pattern(
    r"\"([^\"\n]{4,300})\"|“([^”\n]{4,300})”|„([^“”\"\n]{4,300})[“”\"]|«([^»\n]{4,300})»|\u2039([^\u203a\n]{4,300})\u203a|`([^`\n]{4,300})`|"
    r"\u2018([^’\n](?:[^’\n]|’(?=\w)){3,299})’|(?<![\w'])'([^'\n](?:[^'\n]|(?<=\w)'(?=\w)){3,299})'(?!\w)"
)
_OFFERS = lazy_pattern(
    r"\b(?:forget|delete|remove|erase|drop|discard|unlearn|wipe|scrap|clear|bin|purge|strike|let (?:it|that|this) go|"
    r"take (?:it|that|this|them|one) (?:out|off)|get rid of|"
    r"vergess\w*|lösch\w*|streich\w*|entfern\w*|(?:raus|heraus|weg)nehmen|oubli\w*|efface\w*|supprim\w*|enl[eè]v\w*|retir\w*|"
    r"olvid\w*|borr\w*|elimin\w*|quit[oae]\w*|esque[cç]\w*|apag\w*|remov\w*|tir[oae]\w*)\b",
    re.IGNORECASE,
)
_SHORT_QUESTION = 3
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+|\n+")
_LISTED = 4_000
"""So many characters of an assistant's message are searched for memories."""
_MOST_QUOTED = 24
_LEAST_SAID = 8
"""A memory needs at least so many characters to be recognised without quotation marks."""
_OF_NOTES = frozenset(
    stem(word)
    for word in "rule note thing bit fact memory entry preference plan info information setup "
    "convention decision line part stuff detail".split()
)
_ENOUGH = 0.5
"""A request means only memories that have at least this share of its telling words."""


def named(index: Index, about: str) -> list[Entry]:
    """Return the current memories that "forget X" means.

    These have all telling words of X; if none does, those with the most of them, if that is at least half.
    """
    wanted = _telling(about)
    if not wanted:
        return []
    found = [(entry, _telling(" ".join(_all_texts(entry)))) for entry in near(index, about)]
    whole = [entry for entry, said in found if wanted <= said]
    meant = telling(tokens(about)) - _OF_NOTES
    if whole or not meant:
        return whole
    shares = [
        (entry, len(meant & telling(tokens(" ".join(_all_texts(entry))))) / len(meant)) for entry, _ in found
    ]
    most = max((share for _, share in shares), default=0.0)
    return [entry for entry, share in shares if share == most >= _ENOUGH]


def quoted(scopes: Iterable[Scope], text: str) -> list[str]:
    """Return the ids of the current memories in all ledgers that a text quotes or repeats word by word."""
    text = text[:_LISTED]
    quotations = [next(filter(None, found)) for found in _QUOTATION.findall(text)][:_MOST_QUOTED]
    scopes = list(scopes)
    found = [
        entry.id
        for words in quotations
        for memory in scopes
        for entry in near(memory.workspace.index, words)
        if likeness(words, entry.memory.text) == "same"
    ]
    said = _plain(text)
    return found or [
        entry.id
        for sentence in _SENTENCE_END.split(text)[:_MOST_QUOTED]
        for memory in scopes
        for entry in near(memory.workspace.index, sentence)
        if len(entry.memory.text) >= _LEAST_SAID and f" {_plain(entry.memory.text)} " in f" {said} "
    ]


def offers(text: str) -> bool:
    """Return whether an assistant asks if it should forget something."""
    return "?" in text and _OFFERS.search(text) is not None


def asks_something(text: str) -> bool:
    """Return whether a text ends in a question of its own, more than "sure?"."""
    last = _SENTENCE_END.split(text.strip())[-1]
    return last.endswith("?") and len(last.split()) > _SHORT_QUESTION


def _plain(text: str) -> str:
    return " ".join(words_of(text)).casefold()


def touches(scopes: Iterable[Scope], said: str) -> bool:
    """Return whether a sentence shares a telling word with a current memory: without one it cannot mean any."""
    words = telling(tokens(said))
    return any(
        words & telling(tokens(entry.memory.text))
        for memory in scopes
        for entry in near(memory.workspace.index, said)
    )


def _telling(text: str) -> set[str]:
    words = [word.casefold() for word in words_of(text)]
    return {word[:-1] if word.endswith("s") and len(word) > 3 else word for word in content_words(words)}


def _all_texts(entry: Entry) -> list[str]:
    memory = entry.memory
    return [memory.text, memory.title, *memory.details, *memory.tags]
