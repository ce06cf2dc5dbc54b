"""Dates as people type and read them: local, and a day is the whole day (specs/cli.md X-320, X-321)."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.dates import TimeSpan, day, moment, span
from ledger.errors import UsageError
from ledger.instant import DAY, SECOND, parsed, written

NOW = parsed("2026-11-27T14:36:42.000000Z")
"""A Friday; in the zone of the tests (UTC+05:45) it is 20:21:42."""
HOUR = 3600 * SECOND


def at(instant: str) -> int:
    return parsed(f"{instant}.000000Z")


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts the test into a time zone."""

    def put(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    return put


@pytest.mark.parametrize(
    ("typed", "begins"),
    [
        ("today", "2026-11-26T18:15:00"),
        ("Yesterday", "2026-11-25T18:15:00"),
        ("friday", "2026-11-26T18:15:00"),
        ("thursday", "2026-11-25T18:15:00"),
        ("monday", "2026-11-22T18:15:00"),
        ("saturday", "2026-11-20T18:15:00"),
        (" 2026-11-20 ", "2026-11-19T18:15:00"),
        ("2026-W47-5", "2026-11-19T18:15:00"),
    ],
)
def test_a_day_is_the_whole_day_of_the_person(typed: str, begins: str) -> None:
    """From its local midnight to the next one; a weekday is the newest one, which may be today."""
    begin = at(begins)
    assert span(typed, NOW) == TimeSpan(begin, begin + DAY - 1, begin + DAY)


@pytest.mark.parametrize(
    ("typed", "instant"),
    [
        ("12h", NOW - 12 * HOUR),
        ("7d", NOW - 7 * DAY),
        ("2w", NOW - 14 * DAY),
        ("2026-11-20 14:30", at("2026-11-20T08:45:00")),
        ("2026-11-20T14:30", at("2026-11-20T08:45:00")),
        ("2026-11-20T14:30:00Z", at("2026-11-20T14:30:00")),
        ("2026-11-20 14:30:00+02:00", at("2026-11-20T12:30:00")),
        ("2026-11-20T00:00", at("2026-11-19T18:15:00")),
    ],
)
def test_a_time_is_one_instant_local_unless_it_says_otherwise(typed: str, instant: int) -> None:
    assert span(typed, NOW) == TimeSpan(instant, instant, instant)


@pytest.mark.parametrize(
    "typed",
    ["", "soon", "2026-13-01", "14:30", "-3d", "7", "99999999w", "999999w", "@3", "0001-01-01T00:00+14:00"],
)
def test_what_is_no_date_gets_a_sentence_with_the_forms(typed: str) -> None:
    with pytest.raises(UsageError) as refused:
        span(typed, NOW)
    said = str(refused.value)
    assert said.startswith(f"{typed!r} is not a date or time")
    assert all(form in said for form in ("today", "yesterday", "monday", "7d", "2026-11-20 14:30", "Z"))


def test_the_last_day_of_the_calendar_has_an_end() -> None:
    assert written(span("9999-12-31", NOW).until).startswith("9999-12-31T23:59:59")


def test_a_day_on_which_the_clock_changes_has_its_own_length(zone: Callable[[str], None]) -> None:
    """23 hours in spring, 25 in autumn."""
    zone("CET-1CEST,M3.5.0,M10.5.0/3")
    spring, autumn = span("2026-03-29"), span("2026-10-25")
    assert (spring.until - spring.since, autumn.until - autumn.since) == (23 * HOUR, 25 * HOUR)
    assert day("2026-03-28T23:30:00.000000Z") == "2026-03-29"


def test_a_moment_is_shown_with_its_offset(zone: Callable[[str], None]) -> None:
    """In UTC as Z; at the ends of the calendar, where the local time has no name, in UTC."""
    assert moment("2026-11-20T15:11:00.123456Z") == "2026-11-20 20:56:00+05:45"
    assert moment("9999-12-31T23:59:59.000000Z") == "9999-12-31 23:59:59Z"
    zone("LMT-0:19:32")
    assert moment("1900-01-01T00:00:00.000000Z") == "1900-01-01 00:19:32+00:19:32"
    zone("UTC0")
    assert moment("2026-11-20T15:11:00.123456Z") == "2026-11-20 15:11:00Z"


@given(st.integers(0, 4_000_000_000))
def test_what_is_shown_can_be_typed(seconds: int) -> None:
    instant = seconds * SECOND
    assert span(moment(written(instant))).since == instant
    assert span(day(written(instant))).since <= instant < span(day(written(instant))).until
