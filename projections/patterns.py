"""Matches the `when_to_use` of topics against a task and the name of the agent that has it.

Implements specs/projections.md (P-40, P-41, P-120…P-124). Patterns are other people's text. They run on RE2, whose
time grows with the text and not with the pattern's cunning, with a cap on its memory; without RE2, or where it
cannot take one, a pattern is compared as a phrase. Nothing here is ever run by an engine that backtracks.
"""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from projections.relevance import content_words

__all__ = ["MAX_PATTERN", "MOST_PATTERNS", "Asked", "Match", "has_engine", "is_pattern", "why_not_run"]

MAX_PATTERN = 300
"""A longer pattern is compared as a phrase: characters."""
MOST_PATTERNS = 500
"""So many patterns are compiled for one prompt; the others are compared as phrases."""
MAX_MEMORY = 1 << 20
"""What RE2 may use for one pattern, in bytes."""
MAX_PROGRAM = 2000
"""How many steps a compiled pattern may have: where RE2 has no memory left, time is steps times characters."""
MAX_TEXT = 4_000
"""So much of a task is matched, in characters."""

_TRIES = 100
"""After so many matches without a letter or digit, a pattern that can match nothing has no other."""

# What a sentence does not have. Not among it, because sentences do: a `?` or `.` at an end, `(so)`, `C++`, `*.py`.
_SYNTAX = re.compile(
    r"""
    \\[A-Za-z.()\[\]{}+*?^$|\\/-]           # an escape
    | (?<!\|)\|(?!\|) | \|\|                # alternatives
    | \.[*+?] | \w\?\w | \)[*+?{] | \][*+?{]  # something repeated
    | \(\?                                  # (?:, (?i)
    | \[\^?[^\]\s]+-[^\]\s]+\]              # [a-z]
    | ^\^ | \$$                             # ends
    | \w\{\d+,?\d*\}
    """,
    re.VERBOSE,
)
_WINDOWS_PATH = re.compile(r"^[A-Za-z]:\\")
_EMPTY_BRANCHES = re.compile(r"^\|+|(?<!\\)\|+$|(?<=[^\\]\|)\|+")
_GROUP_NAME = re.compile(r"\(\?P?<\w+>|\(\?[a-zA-Z]*[:)]")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_RUN = re.compile(r"[A-Za-z]{3,}(?![*?{])")
_LONGER_RUN = re.compile(r"[A-Za-z]{3,}(?=[A-Za-z][*?{])")
_GROUP_SIGN = re.compile(r"\\.|[()]")
_OPTIONAL_GROUP = re.compile(r"\)[*?{]")

_ENDINGS = frozenset(
    "e s es ed ing ings er ers ion ions ation ations ment ments al able ive ity y ly ies".split()
) | {""}
_SHORT_FORMS = {
    "auth": ("authentic", "authoriz", "authoris"),
    "config": ("configur",),
    "db": ("databas",),
    "dep": ("dependenc",),
    "doc": ("document",),
    "env": ("environment",),
    "repo": ("repositor",),
}
"""How programmers shorten words: what the long forms begin with."""


class Match(NamedTuple):
    """How well something matches (0: not at all), and the pattern or phrase by which it does."""

    strength: int = 0
    by: str = ""


NO_MATCH = Match()


def is_pattern(text: str) -> bool:
    """Say whether a `when_to_use` has the syntax of a regular expression (P-120)."""
    return bool(_SYNTAX.search(text)) and not _WINDOWS_PATH.match(text)


def has_engine() -> bool:
    """Say whether RE2 is installed."""
    return _engine() is not None


def why_not_run(pattern: str) -> str:
    """Return why a pattern cannot be run and is compared as a phrase; "" where it can or is no pattern (P-123)."""
    if not is_pattern(pattern):
        return ""
    if len(pattern) > MAX_PATTERN:
        return f"it is longer than {MAX_PATTERN} characters"
    if not has_engine():
        return "google-re2 is not installed"
    found = _compiled(pattern)
    return found if isinstance(found, str) else ""


class Asked:
    """What `when_to_use` is matched against: a task and an agent's name, each "" if unknown.

    `of_task` are the content words of the task alone, `words` those of both.
    """

    def __init__(self, task: str, agent: str = "") -> None:
        said = (task[:MAX_TEXT], agent[:MAX_TEXT])
        self.texts = tuple(text for text in said if text.strip())
        self.of_task = content_words(task)
        self.words = content_words(" ".join(said))
        self._folded = "\n".join(self.texts).casefold()
        self._beginnings = tuple({word[:4] for word in self.words}) + tuple(
            long[:4] for word in self.words for long in _SHORT_FORMS.get(word, ())
        )
        self._beginnings += tuple(
            short for short, longs in _SHORT_FORMS.items() if any(w.startswith(longs) for w in self.words)
        )
        self._known: dict[str, int] = {}
        self._compiled = 0

    def __bool__(self) -> bool:
        """Whether anything is asked at all."""
        return bool(self.texts)

    def best(self, when_to_use: Iterable[str]) -> Match:
        """Return the best match of several patterns and phrases, the first of equals."""
        best = NO_MATCH
        for text in when_to_use:
            strength = self.strength(text)
            if strength > best.strength:
                best = Match(strength, text)
        return best

    def strength(self, text: str) -> int:
        """Return how well one pattern or phrase matches: by how many content words, 0 where it does not (P-40)."""
        if text not in self._known:
            self._known[text] = self._strength(text) if self.texts else 0
        return self._known[text]

    def _strength(self, text: str) -> int:
        if len(text) > MAX_PATTERN or not is_pattern(text):
            return self._as_phrase(text)
        if not may_match(text, self._folded):
            return 0
        if self._compiled >= MOST_PATTERNS or not has_engine():
            return self._as_phrase(text)
        self._compiled += 1
        engine = _compiled(text)
        if isinstance(engine, str):
            return self._as_phrase(text)
        return max(_matched(engine, each) for each in self.texts)

    def _as_phrase(self, text: str) -> int:
        said = text.lower()
        if not any(beginning in said for beginning in self._beginnings):
            return 0
        words = content_words(text)
        common = sum([any(_are_akin(word, asked) for asked in self.words) for word in words])
        return common if common * 2 >= len(words) else 0


def may_match(pattern: str, folded: str) -> bool:
    """Say whether a pattern can match a case-folded text at all, from the letters that it needs (P-122).

    Each alternative must need three letters in a row for this to say no: then one of them is in what it matches.
    """
    bare = _CLASS.sub(" ", re.sub(r"\\.", " ", _GROUP_NAME.sub("(", pattern)))
    if "(?" in bare or "\\" in bare or "[" in bare or _OPTIONAL_GROUP.search(bare):
        return True
    needed = []
    for branch in filter(None, bare.split("|")):
        runs = _RUN.findall(branch) + _LONGER_RUN.findall(branch)
        if not runs:
            return True
        needed += runs
    return any(run.lower() in folded for run in needed)


def _are_akin(one: str, other: str) -> bool:
    """Say whether two stems are of one word: the same, of one family, or a short form (P-121)."""
    if one == other:
        return True
    for short, long in ((one, other), (other, one)):
        if long.startswith(_SHORT_FORMS.get(short, ("\0",))):
            return True
    if one[:4] != other[:4] or len(one) < 4 or len(other) < 4:
        return False
    common = next((at for at, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), 0)
    common = common or min(len(one), len(other))
    return _is_ending(one[common:]) and _is_ending(other[common:])


def _is_ending(rest: str) -> bool:
    """Say whether letters are an ending; a stem may have lost the y, i or e before it."""
    return rest in _ENDINGS or (rest[:1] in "yie" and rest[1:] in _ENDINGS)


# --- RE2 ---


@lru_cache(maxsize=1)
def _engine() -> Any:
    try:
        return importlib.import_module("re2")
    except ImportError:
        return None


@lru_cache(maxsize=1)
def _options() -> Any:
    options = _engine().Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    options.case_sensitive = False
    options.never_capture = True
    options.longest_match = True  # so that an empty alternative never hides another one
    return options


def _compiled(pattern: str) -> Any:
    """Return a pattern as RE2 has it, bound to whole words (P-121); or, as a text, why it cannot take it."""
    engine = _engine()
    try:
        if _closes_what_is_ours(pattern):
            engine.compile(pattern, _options())
        bare = _EMPTY_BRANCHES.sub("", pattern)
        found = engine.compile(rf"(?:\b|^|\W)(?:{bare})(?:\b|$|\W)", _options())
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


def _matched(engine: Any, text: str) -> int:
    """Return how many content words a pattern matches, at least 1 where it matches a letter or digit."""
    for match in itertools.islice(engine.finditer(text), _TRIES):
        said = match.group()
        if any(map(str.isalnum, said)):
            return len(content_words(said)) or 1
    return 0
