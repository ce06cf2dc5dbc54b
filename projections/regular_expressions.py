"""Runs the patterns of `when_to_use` on RE2, as far as they can be run.

Implements specs/projections.md (P-41, P-120, P-121, P-123, P-197). Patterns are other people's text: RE2's time grows with the text
and not with the pattern's cunning, and its memory is capped. Nothing here is run by an engine that backtracks.
Imported when the first `when_to_use` is looked at, since hooks wait for every import.
"""

from __future__ import annotations

import importlib
import itertools
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from language.unspaced import is_unspaced
from ledger.lazy_pattern import lazy_pattern
from projections.relevance import content_words

__all__ = [
    "MAX_PATTERN",
    "compiled",
    "has_engine",
    "is_pattern",
    "matched",
    "matches_nothing",
    "may_be_phrase",
    "may_match",
    "why_not_run",
]

MAX_PATTERN = 300
"""A longer pattern is compared as a phrase: characters."""
MAX_MEMORY = 1 << 20
"""What RE2 may use for one pattern, in bytes."""
MAX_PROGRAM = 2000
"""How many steps a compiled pattern may have: where RE2 has no memory left, time is steps times characters."""

_TRIES = 4_001
"""So many matches are looked at, which is one at each place of the longest text."""
_FEWER_TRIES = 1_000
"""And so many where RE2 by itself has found nothing in words of ASCII, and only their parts and plurals are left."""

# What a sentence does not have. Not among it, because sentences do: a `?` or `.` at an end, `(so)`, `C++`, `*.py`.
_SYNTAX = lazy_pattern(
    r"""
    \\[A-Za-z.()\[\]{}+*?^$|\\/-]           # an escape
    | (?<!\|)\|(?!\|) | \|\|                # alternatives
    | \.[*+?] | \w\?\w | \)[*+?{] | \][*+?{]  # something repeated
    | \(\?                                  # (?:, (?i)
    | \[\^?[^\]\s]+-[^\]\s]+\]              # [a-z]
    | \[\^?[^\]\s]+\]\w                    # [Dd]ocker
    | ^\^ | \$$                             # ends
    | \w\{\d+,?\d*\}
    """,
    re.VERBOSE,
)
_PERHAPS = lazy_pattern(r"[^\W\d_]\+[^\W\d_]")
"""go+gle, and react+redux."""
_ESCAPED = lazy_pattern(r"\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|[0-9A-Fa-f]{2})|.)")
_WINDOWS_PATH = lazy_pattern(r"^[A-Za-z]:\\")
_EMPTY_BRANCHES = lazy_pattern(r"^\|+|(?<!\\)\|+$|(?<=[^\\]\|)\|+")
_GROUP_NAME = lazy_pattern(r"\(\?P?<\w+>|\(\?[a-zA-Z]*[:)]")
_CLASS = lazy_pattern(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_RUN = lazy_pattern(r"[A-Za-z]{3,}(?![*?{])")
_LONGER_RUN = lazy_pattern(r"[A-Za-z]{3,}(?=[A-Za-z][*?{])")
_PLURAL = lazy_pattern("es|s")
_STEM = {"s": lazy_pattern(r"[A-Za-z][A-Za-z](?<!s)$"), "es": re.compile(r"[A-Za-z]{3}$")}
"""What stands before such an ending: bus is no plural of bu, nor goes of go."""
_RESTARTS = 16
_NO_SIGN = lazy_pattern(r"\\[bBAzWsDntrfv]|\\[^\w\s]")
_COUNT = lazy_pattern(r"\{\d*,?\d*\}")
_SAYS = lazy_pattern(r"^\[\^|[^\W_]|\\")
_END_INSIDE = lazy_pattern(r"\$\w|\w\^")
"""Escapes that find neither a letter nor a digit; counts; the end of a text before a letter, its begin behind one."""
_GROUP_SIGN = lazy_pattern(r"\\.|[()]")
_OPTIONAL_GROUP = lazy_pattern(r"\)[*?{]")


def is_pattern(text: str) -> bool:
    """Say whether a `when_to_use` has the syntax of a regular expression (P-120)."""
    return bool(_SYNTAX.search(text) or _PERHAPS.search(text)) and not _WINDOWS_PATH.match(text)


def may_be_phrase(text: str) -> bool:
    """Say whether nothing but a `+` between letters makes a pattern of a text, which may be words as well."""
    return not _SYNTAX.search(text)


def has_engine() -> bool:
    """Say whether RE2 is installed."""
    return re2_module() is not None


def why_not_run(pattern: str) -> str:
    """Return why a pattern cannot be run and is compared as a phrase; "" where it can or is no pattern (P-123)."""
    if not is_pattern(pattern):
        return ""
    if len(pattern) > MAX_PATTERN:
        return f"it is longer than {MAX_PATTERN} characters"
    if not has_engine():
        return "google-re2 is not installed"
    found = compiled(pattern, whole=False)  # in whose complaint there is nothing of ours
    found = found if isinstance(found, str) else compiled(pattern)
    return found if isinstance(found, str) else ""


def matches_nothing(pattern: str) -> bool:
    """Say whether a pattern can find no letter and no digit in any text, or has an end in its middle (P-197)."""
    if not is_pattern(pattern):
        return False
    bare = _NO_SIGN.sub(" ", _COUNT.sub("", _GROUP_NAME.sub("(", pattern)))
    branches = bare.split("|")
    if "(" not in bare and all(
        _END_INSIDE.search(_CLASS.sub("x", _ESCAPED.sub("x", each))) for each in branches
    ):
        return True
    bare = _CLASS.sub(lambda found: "x" if _SAYS.search(found.group()) else " ", bare)
    return not any(char.isalnum() or char in "\\." for char in bare)


def may_match(pattern: str, folded: str) -> bool:
    """Say whether a pattern can match a case-folded text at all, from the letters that it needs (P-123).

    Each alternative must need three letters in a row for this to say no: then one of them is in what it matches.
    """
    bare = _CLASS.sub(" ", _ESCAPED.sub(" ", _GROUP_NAME.sub("(", pattern)))
    if "(?" in bare or "\\" in bare or "[" in bare or _OPTIONAL_GROUP.search(bare):
        return True
    needed = []
    for branch in filter(None, bare.split("|")):
        runs = _RUN.findall(branch) + _LONGER_RUN.findall(branch)
        if not runs:
            return True
        needed += runs
    return any(run.lower() in folded for run in needed)


@lru_cache(maxsize=1)
def re2_module() -> Any:
    """Return the engine, None where it is not installed."""
    try:
        return importlib.import_module("re2")
    except ImportError:
        return None


@lru_cache(maxsize=1)
def _options() -> Any:
    options = re2_module().Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    options.case_sensitive = False
    options.never_capture = True
    options.longest_match = True  # so that an empty alternative never hides another one
    return options


def compiled(pattern: str, *, whole: bool = True) -> Any:
    """Return a pattern as RE2 has it, `whole` bound to words of ASCII (P-121); or, as a text, why it cannot take it."""
    engine = re2_module()
    try:
        if whole and _closes_what_is_ours(pattern):
            engine.compile(pattern, _options())
        bare = _EMPTY_BRANCHES.sub("", pattern)
        found = engine.compile(rf"(?:\b|^|\W)(?:{bare})(?:\b|$|\W)" if whole else bare, _options())
    except engine.error as error:
        said = error.args[0] if error.args else ""
        return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return found if found.programsize <= MAX_PROGRAM else "it is too large for what it may use"


def _closes_what_is_ours(pattern: str) -> bool:
    """Say whether a pattern may close a group that it did not open: then RE2 has to see it by itself first."""
    depth = 0
    for sign in _GROUP_SIGN.findall(pattern):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth < 0:
            return True
    return False


def matched(engine: Any, text: str, *, whole: bool = True) -> int:
    """Return how many content words a pattern matches, at least 1 where it matches a letter or digit.

    `whole` as it was compiled; else what cuts a word (P-121) is passed over, and looked for once more behind its
    beginning, since the longest match may have swallowed one that cuts none.
    """
    every = (match.group() for match in itertools.islice(engine.finditer(text), _TRIES))
    for said in every if whole else _uncut(engine, text):
        if any(map(str.isalnum, said)):
            return len(content_words(said)) or 1
    return 0


def _uncut(engine: Any, text: str) -> Iterator[str]:
    """Give what a pattern finds without cutting a word."""
    begins, tries = [0], _FEWER_TRIES if text.isascii() else _TRIES
    for begin in begins:
        for match in itertools.islice(engine.finditer(text, begin), tries):
            tries -= 1
            said = match.group()
            if not said:
                continue
            start, end = match.span()
            if not _cuts(text, start) and (not _cuts(text, end) or _is_plural(text, said, end)):
                yield said
            elif len(said) > 1 and len(begins) <= _RESTARTS:
                begins.append(start + 1)


def _cuts(text: str, at: int) -> bool:
    """Say whether a place in a text is inside of a word: where its script parts words at all (P-121)."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    kinds = unicodedata.category(left)[0], unicodedata.category(right)[0]
    if kinds[1] == "M":
        return True
    if kinds == ("N", "N"):
        return True
    if "N" in kinds or not set(kinds) <= {"L", "M"}:
        return False
    return not (is_unspaced(left + right) or (left.islower() and right.isupper()))


def _is_plural(text: str, said: str, end: int) -> bool:
    """Say whether a match lacks only the ending of the plural, in Latin letters: parser and parsers (P-121)."""
    ending = _PLURAL.match(text, end)
    return (
        ending is not None
        and not _cuts(text, ending.end())
        and _STEM[ending.group()].search(said) is not None
    )
