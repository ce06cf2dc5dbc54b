"""Matches the `when_to_use` of topics against a task and the name of the agent that has it.

Implements specs/projections.md (P-40, P-41, P-121, P-123, P-186, P-203). Phrases are compared here; patterns are run by
`projections.regular_expressions`, and compared as phrases where they cannot be run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ledger.named_tuple import NamedTuple
from projections.identifiers import Name, Spellings, names_in
from projections.relevance import content_words

__all__ = ["MOST_PATTERNS", "NO_MATCH", "Match", "TaskContext", "phrase_words"]

MOST_PATTERNS = 500
"""So many patterns are compiled for one prompt; the others are compared as phrases."""
MAX_TEXT = 4_000
"""So much of a task is matched, in characters."""

# Compiled when first asked: a session that starts asks nothing, and hooks wait for every import.
_NAME_PARTS = r"_+|(?<=[a-z0-9])(?=[A-Z])"
_ENDINGS = frozenset("e s es ed ing ings er ers y ly ies".split()) | {""}
_LONG_ENDINGS = frozenset("ion ions ation ations ment ments al able ive ity".split())
"""These make another word of a short one: port and portal, pass and passion."""
_SIGNED = r"(?i:(?<![\w.])\.NET\b|(?<![\w.])[A-Za-z]{1,2}(?:\+\+|#)(?![\w#+]))"
_LETTER = r"(?<![\w'\u2019&/.-])[B-HJ-Z](?![\w'\u2019&/+#-]|\.\w)"
"""A language of one letter: R, C, D; not A and I, and nothing that is part of a name or a shortened word."""
_ANYWHERE = content_words("code task project file")
"""What any task of a coding agent may say: alone none of these makes a match (P-186)."""
_SAYING = content_words("mention involve concern relate regard")
"""How a description says that a task is about something (P-186)."""
_ALTERNATIVES = r"[,;]|\bor\b"
_ENOUGH = 2
"""So many words of a phrase are enough, however many it has."""
_SHORT = 4
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


class TaskContext:
    """What `when_to_use` is matched against: a task and an agent's name, each "" if unknown.

    `of_task` are the content words of the task alone, `words` those of both.
    """

    def __init__(self, task: str, agent: str = "") -> None:
        said: tuple[str, ...] = (task[:MAX_TEXT], agent[:MAX_TEXT])
        if agent and (parts := re.sub(_NAME_PARTS, " ", said[1])) != said[1]:
            said = (*said, parts)
        self.texts = tuple(text for text in said if text.strip())
        self._is_ascii = all(map(str.isascii, self.texts))
        self.of_task = content_words(task)
        self.words = spoken_words(" ".join(said))
        self._folded = "\n".join(self.texts).casefold()
        self._beginnings = tuple({word[:4].lower() for word in self.words}) + tuple(
            long[:4] for word in self.words for long in _SHORT_FORMS.get(word, ())
        )
        self._beginnings += tuple(
            short for short, longs in _SHORT_FORMS.items() if any(w.startswith(longs) for w in self.words)
        )
        self._spellings = Spellings("\n".join(self.texts))
        self._beginnings += tuple(self._spellings.begins)
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
        from projections import regular_expressions

        if len(text) > regular_expressions.MAX_PATTERN or not regular_expressions.is_pattern(text):
            return self._as_phrase(text, from_pattern=regular_expressions.is_pattern(text))
        if not regular_expressions.may_match(text, self._folded) and not regular_expressions.may_be_phrase(
            text
        ):
            return 0
        if self._compiled >= MOST_PATTERNS or not regular_expressions.has_engine():
            return self._as_phrase(text, from_pattern=True)
        self._compiled += 1
        found = 0
        for whole in (True, False) if self._is_ascii else (False,):
            engine = regular_expressions.compiled(text, whole=whole)
            if isinstance(engine, str):
                return self._as_phrase(text, from_pattern=True)
            found = found or max(
                regular_expressions.matched(engine, each, whole=whole) for each in self.texts
            )
        return found or (self._as_phrase(text) if regular_expressions.may_be_phrase(text) else 0)

    def _as_phrase(self, text: str, *, from_pattern: bool = False) -> int:
        said = text.lower()
        if not any(beginning in said for beginning in self._beginnings):
            return 0
        if from_pattern:
            return self._shared((), text, anything=telling_words(text) <= _ANYWHERE)
        anything = phrase_words(text) <= _ANYWHERE
        return sum(self._shared(*names_in(part), anything=anything) for part in re.split(_ALTERNATIVES, text))

    def _shared(self, names: Sequence[Name], rest: str, *, anything: bool) -> int:
        """Return how many content words of an alternative are said, 0 where these are too few.

        With `anything` it is enough that a word is said which any task may say (P-186).
        """
        words = telling_words(rest)
        shared = {word for word in words if self._says(word)}
        shared.update(name.spellings for name in names if self._names(name))
        words = words.union(name.spellings for name in names)
        says_something = not shared <= _ANYWHERE or anything
        few = len(shared) * 2 < len(words) and len(shared) < _ENOUGH
        return len(shared) if says_something and not few else 0

    def _says(self, word: str) -> bool:
        return any(_are_akin(word, asked) for asked in self.words)

    def _names(self, name: Name) -> bool:
        """Say whether a name is named, or all the words of one that a hyphen joins are said (P-203)."""
        return self._spellings.has(name) or (bool(name.words) and all(map(self._says, name.words)))


def phrase_words(text: str) -> frozenset[str]:
    """Return the content words of a phrase; a name that signs join is one, given as the pattern of its spellings."""
    names, rest = names_in(text)
    return telling_words(rest).union(name.spellings for name in names)


def telling_words(text: str) -> frozenset[str]:
    """Return the content words of a phrase that say what it is about, not how a task is about it (P-186)."""
    return spoken_words(text) - _SAYING


def spoken_words(text: str) -> frozenset[str]:
    """Return the content words of a task, parts of names too; C++, F#, .NET and a capital letter alone are words (P-186)."""
    if not text.strip():
        return frozenset()
    signed = re.findall(_SIGNED, text)
    rest = re.sub(_SIGNED, " ", text) if signed else text
    return content_words(rest).union((word.lower() for word in signed), re.findall(_LETTER, rest))


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
    endings = _ENDINGS | _LONG_ENDINGS if common > _SHORT else _ENDINGS
    return _is_ending(one[common:], endings) and _is_ending(other[common:], endings)


def _is_ending(rest: str, endings: frozenset[str]) -> bool:
    """Say whether letters are an ending; a stem may have lost the y, i or e before it."""
    return rest in endings or (rest[:1] in "yie" and rest[1:] in endings)
