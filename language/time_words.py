"""Times that a question names in words: "last week", "three days ago", "in May", "on 5 May 2026".

Implements specs/projections.md (P-214). English; days, weeks (from Monday) and months are those of the local time zone.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from re import Match, Pattern
from typing import NamedTuple

from language import dates
from language.unspaced import words_of
from ledger.instant import SECOND, written
from ledger.lazy_pattern import lazy_pattern

_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {word: number for number, word in enumerate("a two three four five six seven".split(), 1)} | {
    "an": 1,
    "one": 1,
}
_MONTH, _NUMBER = f"({'|'.join(_MONTHS)})", f"([0-9]{{1,3}}|{'|'.join(_NUMBERS)})"
_NOT_SAID = lazy_pattern(r'"[^"]*"|\b\w+:\S+')
"""Phrases and filters, whose content is meant literally."""


class NamedTime(NamedTuple):
    """A time that a question names: from `since` until before `until`, as written instants.

    `relative` has the words that name it relative to now, which a memory of that time does not contain.
    """

    said: str
    since: str
    until: str
    relative: frozenset[str] = frozenset()


def named(text: str, now: int) -> NamedTime | None:
    """Return the first time that a question names; `now` is in µs."""
    today = datetime.fromtimestamp(now / SECOND, UTC).astimezone().date()
    plain = _NOT_SAID.sub(" ", text.lower())
    for pattern, days, is_relative in _FORMS:
        for said in pattern.finditer(plain):
            try:
                first, end = days(said, today)
                since, until = (written(dates.span(day.isoformat()).since) for day in (first, end))
            except (ValueError, OverflowError):  # no such day
                continue
            words = frozenset(words_of(said[0])) if is_relative else frozenset[str]()
            return NamedTime(said[0], since, until, words)
    return None


_Days = tuple[date, date]
"""The first day, and the day after the last."""


def _day(first: date) -> _Days:
    return first, first + timedelta(days=1)


def _unit(name: str, at: date) -> _Days:
    """Return the day, week, month or year of a day."""
    if name == "week":
        monday = at - timedelta(days=at.weekday())
        return monday, monday + timedelta(weeks=1)
    if name == "month":
        return _month(at.year, at.month)
    return (date(at.year, 1, 1), date(at.year + 1, 1, 1)) if name == "year" else _day(at)


def _month(year: int, month: int) -> _Days:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _back(today: date, number: int, unit: str) -> date:
    """Return the day so many units before today; for months and years, the first of the month."""
    if unit in ("day", "week"):
        return today - timedelta(days=number * (7 if unit == "week" else 1))
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1)
    return date(months // 12, months % 12 + 1, 1)


def _number(text: str) -> int:
    return _NUMBERS.get(text) or int(text)


def _recent(said: Match[str], today: date) -> _Days:
    return _back(today, _number(said[1]), said[2]), today + timedelta(days=1)


def _last(said: Match[str], today: date) -> _Days:
    return _unit(said[2], today if said[1] == "this" else _back(today, 1, said[2]))


def _weekday(said: Match[str], today: date) -> _Days:
    return _day(today - timedelta(days=(today.weekday() - _WEEKDAYS.index(said[1]) - 1) % 7 + 1))


def _dated(said: Match[str], today: date) -> _Days:
    """Return a day of a month; without a year, the latest one until today."""
    day, month = (said["before"] or said["after"]), _MONTHS.index(said["month"]) + 1
    year = int(said["year"]) if said["year"] else today.year
    at = date(year, month, int(day))
    return _day(at if said["year"] or at <= today else date(year - 1, month, int(day)))


def _in_month(said: Match[str], today: date) -> _Days:
    month = _MONTHS.index(said[1]) + 1
    return _month(int(said[2]) if said[2] else today.year - (month > today.month), month)


_FORMS: tuple[tuple[Pattern[str], Callable[[Match[str], date], _Days], bool], ...] = (
    (lazy_pattern(r"\btoday\b"), lambda _, today: _day(today), True),
    (lazy_pattern(r"\byesterday\b"), lambda _, today: _day(today - timedelta(days=1)), True),
    (lazy_pattern(rf"\b{_NUMBER} (day|week|month|year)s? ago\b"),
     lambda said, today: _unit(said[2], _back(today, _number(said[1]), said[2])), True),
    (lazy_pattern(rf"\b(?:last|past) {_NUMBER} (day|week|month|year)s\b"), _recent, True),
    (lazy_pattern(r"\b(last|past|previous|this) (week|month|year)\b"), _last, True),
    (lazy_pattern(rf"\blast ({'|'.join(_WEEKDAYS)})\b"), _weekday, False),
    (lazy_pattern(
        rf"\b(?:(?P<before>[0-9]{{1,2}})(?:st|nd|rd|th)? )?(?P<month>{'|'.join(_MONTHS)})"
        r"(?(before)| (?P<after>[0-9]{1,2})(?:st|nd|rd|th)?)\b(?:,? (?P<year>[0-9]{4}))?"), _dated, False),
    (lazy_pattern(rf"\b(?:in|during) {_MONTH}\b(?: ([0-9]{{4}}))?"), _in_month, False),
    (lazy_pattern(rf"\b{_MONTH} ([0-9]{{4}})\b"), _in_month, False),
    (lazy_pattern(r"\bin (20[0-9]{2})\b"), lambda said, _: _unit("year", date(int(said[1]), 1, 1)), False),
)  # fmt: skip
"""The form of a named time, its days, and whether its words are relative to now."""
