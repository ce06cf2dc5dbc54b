"""Matches the `when_to_use` of topics against a task and its agent's name.

Implements specs/projections.md (P-40, P-41, P-120, P-121, P-123, P-186, P-203). Patterns are untrusted text: they run
on RE2 alone, in time linear in the text and with capped memory. RE2 is imported for the first pattern, since hooks wait for
every import.
"""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Iterable
from functools import lru_cache

from language.unspaced import is_unspaced
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from projections.relevance import content_words

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

__all__ = ["NO_MATCH", "Match", "TaskContext", "has_engine", "is_pattern", "phrase_words"]

MOST_PATTERNS = 500
"""The most patterns that are compiled for one prompt; the others are compared as phrases."""
MAX_TEXT = 4_000
"""The number of characters of a task that are matched."""
MAX_PATTERN = 300
"""The longest pattern, in characters; a longer one is compared as a phrase."""
MAX_MEMORY = 1 << 20
"""RE2's memory for one pattern, in bytes."""
MAX_PROGRAM = 2000
"""The most steps of a compiled pattern: without memory, RE2's time is steps times characters."""

# Syntax that sentences do not have. Sentences do have a `?` or `.` at an end, `(so)`, `C++`, `*.py`.
_SYNTAX = lazy_pattern(
    r"""
    \\[A-Za-z.()\[\]{}+*?^$|\\/-]           # an escape
    | (?<!\|)\|(?!\|) | \|\|                # alternatives
    | \.[*+?] | \w\?\w | \)[*+?{] | \][*+?{]  # something repeated
    | \(\?                                  # (?:, (?i)
    | \[\^?[^\]\s]+-[^\]\s]+\]              # [a-z]
    | \[\^?[^\]\s]+\]\w                     # [Dd]ocker
    | ^\^ | \$$                             # ends
    | \w\{\d+,?\d*\}
    """,
    re.VERBOSE,
)
_WINDOWS_PATH = lazy_pattern(r"^[A-Za-z]:\\")
_PLURAL = lazy_pattern(r"s(?![^\W_])")
_HUMPS = lazy_pattern(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIGNED = lazy_pattern(r"(?i:(?<![\w.])\.NET\b|(?<![\w.])[A-Za-z]{1,2}(?:\+\+|#)(?![\w#+]))")
_NAME = lazy_pattern(r"(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[_./:\\]{1,3}[A-Za-z0-9]+)+")
_JOINER = lazy_pattern(r"[_./:\\]+")
_ALTERNATIVES = lazy_pattern(r"[,;]|\bor\b")
_ENDINGS = frozenset("e s es ed ing ings er ers y ly ies".split())
_LONG_ENDINGS = _ENDINGS | set("ion ions ation ations ment ments al able ive ity".split())
"""Not for words of four letters, where they make another word: port and portal, pass and passion."""
_SHORT = 4
_COMMON = content_words("code task project file mention involve concern relate regard")
"""Words of any task, and words by which a description introduces its subject (P-186)."""
_ENOUGH = 2
"""The number of words that is enough for a phrase of any length."""
_TRIES = MAX_TEXT + 1
_SHORT_FORMS = {
    "auth": ("authentic", "authoriz", "authoris"),
    "config": ("configur",),
    "db": ("databas",),
    "dep": ("dependenc",),
    "doc": ("document",),
    "env": ("environment",),
    "repo": ("repositor",),
}
"""Programmers' short forms, with the beginnings of the long forms."""


class Match(NamedTuple):
    """How well something matches (0: not at all), and the pattern or phrase that matches."""

    strength: int = 0
    by: str = ""


NO_MATCH = Match()


class TaskContext:
    """The task and the agent's name that `when_to_use` is matched against, each "" if unknown.

    `of_task` are the content words of the task alone.
    """

    def __init__(self, task: str, agent: str = "") -> None:
        said = (task[:MAX_TEXT], agent[:MAX_TEXT], _HUMPS.sub(" ", agent[:MAX_TEXT]))
        self._texts = tuple(dict.fromkeys(text for text in said if text.strip()))
        self.of_task = content_words(task)
        whole = "\n".join(self._texts)
        self._words = _names(whole) | _plain_words(whole) | _plain_words(_HUMPS.sub(" ", whole))
        self._known: dict[str, int] = {}
        self._compiled = 0

    def __bool__(self) -> bool:
        """Whether there is a task or an agent's name."""
        return bool(self._texts)

    def best(self, when_to_use: Iterable[str]) -> Match:
        """Return the best match of several patterns and phrases, the first of equals."""
        found = (Match(strength, text) for text in when_to_use if (strength := self.strength(text)))
        return max(found, key=lambda match: match.strength, default=NO_MATCH)

    def strength(self, text: str) -> int:
        """Return how well one pattern or phrase matches: by how many content words, 0 if it does not (P-40)."""
        if text not in self._known:
            self._known[text] = self._strength(text) if self._texts else 0
        return self._known[text]

    def _strength(self, text: str) -> int:
        if not is_pattern(text):
            return self._as_phrase(text)
        if len(text) <= MAX_PATTERN and self._compiled < MOST_PATTERNS and has_engine():
            self._compiled += 1
            engine = _compiled(text)
            if engine is not None:
                return max(_matched(engine, each) for each in self._texts)
        return self._shared(phrase_words(text))

    def _as_phrase(self, text: str) -> int:
        common = frozenset[str]() if phrase_words(text) <= _COMMON else _COMMON
        return sum(self._shared(phrase_words(part) - common) for part in _ALTERNATIVES.split(text))

    def _shared(self, words: frozenset[str]) -> int:
        """Return how many of these words the task has, 0 if they are too few."""
        shared = sum(any(_are_akin(word, asked) for asked in self._words) for word in words)
        return 0 if shared * 2 < len(words) and shared < _ENOUGH else shared


# --- phrases ---


def phrase_words(text: str) -> frozenset[str]:
    """Return the content words of a phrase; a name with joining signs is one word (P-203)."""
    return _names(text) | _plain_words(_NAME.sub(" ", text))


def _names(text: str) -> frozenset[str]:
    """Return the names with joining signs in a text, without the signs: `user_id` and `userId` are the same."""
    return frozenset(_JOINER.sub("", name).lower() for name in _NAME.findall(text))


def _plain_words(text: str) -> frozenset[str]:
    """Return the content words of a text; C++, F# and .NET are words (P-186)."""
    return content_words(_SIGNED.sub(" ", text)).union(word.lower() for word in _SIGNED.findall(text))


def _are_akin(one: str, other: str) -> bool:
    """Return whether two stems belong to one word: they differ in an ending, or are its short and long form (P-121)."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if long.startswith(_SHORT_FORMS.get(short, ("\0",))):
        return True
    endings, rest = (_LONG_ENDINGS if len(short) > _SHORT else _ENDINGS), long[len(short) :]
    if len(short) < _SHORT or not long.startswith(short):
        return False
    return rest in endings or (
        rest[0] in "yie" and rest[1:] in endings
    )  # a stem may have lost its last letter


# --- patterns ---


def is_pattern(text: str) -> bool:
    """Return whether a `when_to_use` has the syntax of a regular expression (P-120)."""
    return _SYNTAX.search(text) is not None and not _WINDOWS_PATH.match(text)


@lru_cache(maxsize=1)
def re2_module() -> Any:
    """Return the engine, None if it is not installed."""
    try:
        return importlib.import_module("re2")
    except ImportError:
        return None


def has_engine() -> bool:
    """Return whether RE2 is installed."""
    return re2_module() is not None


def _compiled(pattern: str) -> Any:
    """Compile a pattern; None if RE2 refuses it or it needs too much memory or time."""
    engine = re2_module()
    options = engine.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    options.case_sensitive = False
    options.never_capture = True
    options.longest_match = True  # so that an empty alternative never hides another one
    try:
        found = engine.compile(pattern, options)
    except engine.error:
        return None
    return found if found.programsize <= MAX_PROGRAM else None


def _matched(engine: Any, text: str) -> int:
    """Return how many content words a pattern finds without cutting a word, at least 1 for a letter or digit."""
    for match in itertools.islice(engine.finditer(text), _TRIES):
        start, end = match.span()
        plural = _PLURAL.match(text, end)
        if _cuts(text, start) or (_cuts(text, end) and not plural):
            continue
        if any(map(str.isalnum, match.group())):
            return len(content_words(match.group())) or 1
    return 0


def _cuts(text: str, at: int) -> bool:
    """Return whether a place in a text is inside a word, in scripts that separate words (P-121)."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left.isdigit() != right.isdigit() or not (left.isalnum() and right.isalnum()):
        return False
    return not (is_unspaced(left + right) or (left.islower() and right.isupper()))
