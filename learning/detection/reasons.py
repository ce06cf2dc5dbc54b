"""Finds what a sentence tells behind a wish: "could you use other colours, I'm colour-blind".

Implements specs/capture.md (K-260). What stands before the wish is found by `learning.detection.rewriting`. Pure.
"""

from __future__ import annotations

import re

from language.pieces import mark_words, marks
from language.signals import signals
from learning.detection.first_person import kept
from ledger.lazy_pattern import lazy_pattern

_PERSON = (
    r"(?:i|i'm|im|i've|ive|my|we|we're|we've|our|ich|wir|mein|meine|meinem|meiner|unser|unsere|bei\ (?:uns|mir)|je|j'\w+|mon|ma|mes|nous|"
    r"notre|yo|soy|tengo|vivo|trabajo|mi|mis|nuestro|nuestra|eu|sou|tenho|moro|meu|minha|io|sono|ho|ik)"
)
_BEGINS = lazy_pattern(
    rf"""[,;:(\s](?:(?<=[,;:(])\s*|(?<=\s)(?:[–—-]\s+|(?=(?:because|since|weil|denn|car|parce\ que|porque)\ )))
        (?:(?:and|because|since|as|btw|by\ the\ way|weil|denn|da|car|parce\ que|porque|pues|puisque|comme)\s+)*(?={_PERSON}[\s'])""",
    re.VERBOSE,
)
"""Where a clause begins whose subject is the person or theirs; looked for in lower case."""
_OWN = mark_words(
    """i i'm im i've ive my we we're we've our ich wir mein meine meinem meiner unser unsere uns mir je j'ai mon ma mes nous
    notre yo soy tengo vivo trabajo mi mis nuestro nuestra eu sou tenho moro meu minha io sono ho ik"""
)
_IS_NO_STATEMENT = frozenset(
    """question asking ask order request hypothetical reported thanks assent hedged broken mend progress""".split()
)
_TOLD = 3
"""A reason has so many words at least."""
_LONGEST = 600
"""A longer sentence is none that wishes something and gives its reason."""


def told_behind(sentence: str) -> str:
    """Return what a sentence tells of the person behind its wish or question, "" where it tells nothing (K-260)."""
    if len(sentence) > _LONGEST or not marks(sentence) & _OWN:
        return ""
    low = sentence.lower()
    if len(low) != len(sentence):
        return ""
    low = low.replace("’", "'")
    whole = kept(sentence)
    for found in _BEGINS.finditer(low):
        if found.start() < _TOLD or any(start < found.start() < end for start, end in whole):
            continue
        told = sentence[found.end() :]
        closed = told.find(")")
        if closed >= 0 and "(" not in told[:closed]:
            told = told[:closed]
        if len(told.split()) >= _TOLD and signals(told).isdisjoint(_IS_NO_STATEMENT):
            return told
    return ""
