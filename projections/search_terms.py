"""Parses a typed query: words, phrases, beginnings of words, and filters.

Implements specs/projections.md (P-66, P-69, P-102, P-103, P-188, P-212, P-214).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from language import dates, developer_terms, time_words
from language.stop_words import STOP_WORDS, content_words
from language.time_words import NamedTime
from language.unspaced import is_unspaced, otherwise_written, parts_of_name, wanted, wanted_in_order, words_of
from ledger.errors import UsageError
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import IMPORTANCES, SOURCES, TIERS, TYPES
from projections.query import STATUSES, Filter

TermKind = Literal["word", "phrase", "beginning", "characters", "related"]

_CHOICES = {"type": TYPES, "tier": TIERS, "source": SOURCES, "importance": IMPORTANCES, "status": STATUSES}
_TIMES = ("since", "until")
_OTHERS = ("section", "tag", "topic", "author", "conversation", "session")

_MOST_SIGNS = 20

_TOKEN = lazy_pattern(
    r"""
    (?P<name>[A-Za-z]+):(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))(?=\s|$)  # a filter
    | "(?P<phrase>[^"]*)"
    | (?P<plain>[^\s"]+)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query.

    `said` is the typed text; the FTS5 expression `every` matches all of it, `some` matches a part.
    """

    kind: TermKind
    said: str
    every: str
    some: str


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: a memory has all `phrases` and any of the `words`; `wanted` narrows it.

    `during` is a time named in words.
    `signs` (an emoji, `=>`) have neither letter nor digit; they count only without other terms.
    """

    phrases: tuple[Term, ...]
    words: tuple[Term, ...]
    wanted: Filter
    signs: tuple[str, ...] = ()
    during: NamedTime | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms."""
        return (*self.phrases, *self.words)


def parse(
    text: str,
    wanted: Filter | None = None,
    *,
    stop_words: frozenset[str] = STOP_WORDS,
    now: int | None = None,
) -> Query:
    """Take a query apart.

    Args:
        text: what a person typed.
        wanted: the filter from options.
        stop_words: words to leave out if others remain.
        now: the instant in µs from which "last week" counts; None ignores such words.

    Raises:
        UsageError: the query is empty, or a filter's value is invalid; the message lists the valid ones.
    """
    phrases: list[Term] = []
    words: list[str] = []
    filters: list[tuple[str, str]] = []
    signs: list[str] = []
    for token in _TOKEN.finditer(text):
        name = (token["name"] or "").lower()
        if _is_filter(name):
            filters.append((name, token["quoted"] if token["bare"] is None else token["bare"]))
        elif token["name"] and token["quoted"] is not None:
            words += words_of(token["name"])
            phrases += _phrase(token["quoted"])
        elif token["phrase"] is not None:
            phrases += _phrase(token["phrase"])
        else:
            words += _words(token[0])
        sign = (token["phrase"] or token["plain"] or "").strip(" *")
        if sign and not words_of(sign) and len(signs) < _MOST_SIGNS:
            signs.append(sign)
    during = None if now is None else time_words.named(text, now)
    content = content_words(words, stop_words)
    if during:
        content = [word for word in content if word.lower() not in during.relative]
    said = content or ([] if phrases or filters or during else words)
    terms = tuple(_term(word) for word in {word.lower(): word for word in said}.values())
    if terms or phrases:
        signs = []
    if not (terms or phrases or filters or signs or during):
        raise UsageError("nothing to search for: give at least one word")
    narrowed = _narrowed(wanted or Filter(), filters)
    return Query(tuple(phrases), terms, narrowed, tuple(dict.fromkeys(signs)), during)


def without_filters(text: str) -> str:
    """Return the typed text without filters and quotes."""
    tokens = (token for token in _TOKEN.finditer(text) if not (token["name"] and _is_filter(token["name"])))
    return " ".join(token["phrase"] or token[0].strip('"') for token in tokens)


def beginnings(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the words of three letters or more as beginnings of words; all other terms as they are."""
    return tuple(
        _beginning(term.said) if term.kind == "word" and len(term.said) >= 3 else term for term in terms
    )


def related(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return related terms of developers for these words (P-212)."""
    meant = developer_terms.related([term.said for term in terms if term.kind == "word"])
    return tuple(
        Term("related", term, each, each) for term in meant if (each := _quoted(" ".join(words_of(term))))
    )


def _is_filter(name: str) -> bool:
    return name.lower() in (*_CHOICES, *_TIMES, *_OTHERS)


def _words(typed: str) -> Iterator[str]:
    """Yield the words of a token; the last one keeps the `*` of a prefix."""
    found = words_of(typed)
    yield from found[:-1]
    if found:
        yield found[-1] + ("*" if typed.endswith(found[-1] + "*") else "")


def _term(word: str) -> Term:
    if word.endswith("*"):
        return _beginning(word[:-1])
    if parts := parts_of_name(word):
        either = f"{_quoted(word)} OR {_quoted(' '.join(parts))}"
        return Term("word", word, either, either)
    if not is_unspaced(word):
        normal = otherwise_written(word)
        either = f"{_quoted(word)} OR {_quoted(normal)}" if normal else _quoted(word)
        return Term("word", word, either, either)
    pieces = [_quoted(piece) for piece in wanted(word)]
    return Term("characters", word, " AND ".join(pieces), " OR ".join(pieces))


def _beginning(word: str) -> Term:
    if is_unspaced(word):  # pieces begin anywhere in it
        return replace(_term(word), kind="beginning", said=f"{word}*")
    expression = _quoted(f"{word}*")
    return Term("beginning", f"{word}*", expression, expression)


def _phrase(text: str) -> Iterator[Term]:
    """Yield the term of a phrase; words of scripts without spaces must each match, in any order."""
    words = words_of(text)
    if not words:
        return
    if any(map(is_unspaced, words)):
        each = [wanted_in_order(word) if is_unspaced(word) else [word] for word in words]
        expression = " AND ".join(" + ".join(map(_quoted, pieces)) for pieces in each)
    else:
        expression = _quoted(" ".join(words))
    yield Term("phrase", text, expression, expression)


def _quoted(piece: str) -> str:
    """Return the FTS5 string of a piece; its words hold letters, numbers and marks alone (P-69)."""
    return f'"{piece[:-1]}" *' if piece.endswith("*") else f'"{piece}"'


# --- filters ---


def _narrowed(wanted: Filter, filters: Sequence[tuple[str, str]]) -> Filter:
    statuses: list[str] = []
    for name, value in filters:
        if name == "status":
            statuses.append(_choice(name, value))
        elif name == "tag":
            wanted = wanted._replace(tags=(*wanted.tags, _some(name, value)))
        else:
            said: dict[str, Any] = {name: _value(name, value)}
            if getattr(wanted, name) not in ("", said[name]):
                raise UsageError(f"{name} is asked for twice: {getattr(wanted, name)} and {value}")
            wanted = wanted._replace(**said)
    if "all" in statuses:
        return wanted._replace(statuses=())
    return wanted._replace(statuses=tuple(statuses)) if statuses else wanted


def _value(name: str, value: str) -> str:
    if name in _CHOICES:
        return _choice(name, value)
    value = _some(name, value)
    if name in _TIMES:
        dates.span(value)
    return value


def _some(name: str, value: str) -> str:
    if not value.strip():
        raise UsageError(
            f"{name}: has no value: write {name}:VALUE, or put it in quotes to search for the word"
        )
    return value.strip()


def _choice(name: str, value: str) -> str:
    if value.lower() not in _CHOICES[name]:
        choices = ", ".join(_CHOICES[name])
        raise UsageError(f"{name}:{value} is not one of {choices}; put it in quotes to search for the words")
    return value.lower()
