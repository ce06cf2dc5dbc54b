"""Redaction: finds texts that look like secrets, and refuses or cuts them, before anything is signed.

Implements specs/redaction.md (R-1…R-4, R-12, R-14, R-15, R-17). Nothing is compiled at import, because commands that only
read never scan. Nothing here does I/O, and no message ever holds what was found.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from ledger.errors import SecretError
from ledger.lazy_pattern import compiled
from ledger.named_tuple import NamedTuple
from ledger.redaction_named import announces
from ledger.redaction_rules import SecretHit, hits
from ledger.redaction_value import STORED

_FENCE = "\0"
"""Joins a value's strings for the first look: no event holds it (specs/event.md E-6), no rule crosses it."""

_NO_WIDTH = "\u00ad\u034f\u061c\u180e\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u206f"
"""Signs of no width (R-17): a token with some between its letters is copied without them, and works."""

_SHOWN = 8
"""How many findings a message names, so that it stays one line."""


class SecretFinding(NamedTuple):
    """A rule that hit in a value; `where` is the member: `text`, `details[2]`, `provenance.session`."""

    rule: str
    where: str


def scan(text: str) -> tuple[SecretHit, ...]:
    """Return the hits in a text, sorted, none overlapping another; what is redacted already is none."""
    found = hits(text)
    if _hides(text):
        at = [match.start() for match in compiled(f"(?s)[^{_NO_WIDTH}]").finditer(text)]
        seen = hits("".join([text[place] for place in at]))
        found += [SecretHit(hit.rule, at[hit.start], at[hit.end - 1] + 1) for hit in seen]
    return tuple(_settled(text, found)) if found else ()


def findings(value: Any) -> tuple[SecretFinding, ...]:
    """Return the rules that hit in a JSON-like value, and in which members; names are scanned too."""
    places = list(_located(value, "", ""))
    if not _hits_any([name + text for _, name, text in places]):
        return ()  # the common case: one scan for all members
    found = [SecretFinding(hit.rule, where) for where, name, text in places for hit in _within(text, name)]
    return tuple(dict.fromkeys(found))


def redact(text: str) -> str:
    """Return the text with `[redacted:RULE]` in place of each hit; scanning the result finds nothing."""
    return _cut(text, "")


def redact_value(value: Any) -> Any:
    """Return a JSON-like value in which every string is redacted, names of members included."""
    return _redacted(value, "")


def _hits_any(texts: list[str]) -> bool:
    """Scan texts as one: no rule crosses the fences between them."""
    joined = _FENCE.join(texts)
    if hits(joined):
        return True
    # Nothing hides once the signs are gone, so that this goes round once.
    return _hides(joined) and _hits_any([compiled(f"[{_NO_WIDTH}]+").sub("", t) for t in texts if _hides(t)])


def _redacted(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return _cut(value, name)
    if isinstance(value, Mapping):
        return {redact(key): _redacted(each, _member(key).prefix) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(each, name) for each in value]
    return value


def _within(text: str, name: str) -> Iterator[SecretHit]:
    """Find the hits in a text that follows a name; a hit that covers the name alone is skipped."""
    skip = len(name)
    for hit in scan(name + text):
        if hit.end > skip:
            yield SecretHit(hit.rule, max(hit.start - skip, 0), hit.end - skip)


def _cut(text: str, name: str) -> str:
    # Cutting one secret out can bare the edge of another; each round leaves less that is not redacted.
    while found := list(_within(text, name)):
        for hit in reversed(found):
            text = f"{text[: hit.start]}[redacted:{hit.rule}]{text[hit.end :]}"
    return text


def refusal(found: Iterable[SecretFinding], *, can_be_cut: bool = True) -> SecretError:
    """Build the error of a refused write. It names rules and members, never what was found.

    `can_be_cut` tells whether the write would succeed with `redact`.
    """
    each = list(found)
    rules = tuple(dict.fromkeys(one.rule for one in each))
    shown = [*dict.fromkeys(f"{one.rule} in {one.where}" for one in each)]
    listed = ", ".join(shown[:_SHOWN]) + (f", and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else "")
    return SecretError(
        f"refused, nothing was written: this looks like a secret ({listed}); leave it out",
        rules,
        can_be_cut=can_be_cut,
    )


def _hides(text: str) -> bool:
    """Return whether a text contains zero-width characters; nearly free for ASCII."""
    return not text.isascii() and compiled(f"[{_NO_WIDTH}]").search(text) is not None


def _settled(text: str, found: list[SecretHit]) -> Iterator[SecretHit]:
    """Sort, merge what overlaps under the name of the earliest hit, drop what is redacted already."""
    merged: list[tuple[int, SecretHit]] = []
    for rank, hit in sorted(enumerate(found), key=lambda each: each[1].start):
        if merged and hit.start < merged[-1][1].end:
            first, last = merged[-1]
            rule = last.rule if first < rank else hit.rule
            merged[-1] = min(first, rank), SecretHit(rule, last.start, max(last.end, hit.end))
        else:
            merged.append((rank, hit))
    stored = [match.span() for match in compiled(STORED).finditer(text)] if "[redacted:" in text else []
    return (hit for _, hit in merged if not _inside(hit, stored))


def _inside(hit: SecretHit, spans: list[tuple[int, int]]) -> bool:
    place = bisect_right(spans, (hit.start, sys.maxsize)) - 1
    return place >= 0 and hit.end <= spans[place][1]


# --- walking a value ---


class _Member(NamedTuple):
    label: str
    """How messages show the name: itself where it is plain, else `?`, since it may be the secret."""
    prefix: str
    """The text before the value for the scan: the name and a sign if the name announces a secret."""


@lru_cache(maxsize=256)
def _member(name: str) -> _Member:
    plain = re.fullmatch("[a-z][a-z0-9_]{0,31}", name) is not None and not hits(name)
    prefix = f'{name}="' if announces(name) else ""
    return _Member(name if plain else "?", prefix)


def _located(value: Any, where: str, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield where each string of a value stands, the prefix that its member gives it, and the string."""
    if isinstance(value, str):
        yield where, name, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            label, prefix = _member(key)
            place = f"{where}.{label}" if where else label
            if label == "?":
                yield f"the name {place}", "", key
            yield from _located(each, place, prefix)
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _located(each, f"{where}[{number}]", name)
