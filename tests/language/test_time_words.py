"""Tests language/time_words.py (specs/projections.md P-214)."""

from __future__ import annotations

import pytest

from language import dates
from language.time_words import named
from ledger.instant import DAY

NOW = dates.span("2026-11-28").since + DAY // 2
"""A Saturday."""


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("what did we decide today", "2026-11-28", "2026-11-29"),
        ("Yesterday's decision", "2026-11-27", "2026-11-28"),
        ("last week", "2026-11-16", "2026-11-23"),
        ("this week", "2026-11-23", "2026-11-30"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("three days ago", "2026-11-25", "2026-11-26"),
        ("a week ago", "2026-11-16", "2026-11-23"),
        ("11 months ago", "2025-12-01", "2026-01-01"),
        ("in the last 3 days", "2026-11-25", "2026-11-29"),
        ("past two weeks", "2026-11-14", "2026-11-29"),
        ("last Friday", "2026-11-27", "2026-11-28"),
        ("last Saturday", "2026-11-21", "2026-11-22"),
        ("in May", "2026-05-01", "2026-06-01"),
        ("in December", "2025-12-01", "2026-01-01"),
        ("during march 2025", "2025-03-01", "2025-04-01"),
        ("July 2023", "2023-07-01", "2023-08-01"),
        ("on 5 May", "2026-05-05", "2026-05-06"),
        ("on October 13, 2023", "2023-10-13", "2023-10-14"),
        ("December 1st", "2025-12-01", "2025-12-02"),
        ("in 2025", "2025-01-01", "2026-01-01"),
    ],
)
def test_a_time_is_named(text: str, first: str, end: str) -> None:
    """From its first instant to the one after its last."""
    found = named(text, NOW)
    assert found is not None
    assert (dates.day(found.since), dates.day(found.until)) == (first, end)


@pytest.mark.parametrize(
    "text",
    ["deploy on Fridays", "we may march", "31 June", '"last week"', "since:yesterday", "port 2025",
     "9999 years ago", "in 2", "the last of the week", ""],
)  # fmt: skip
def test_no_time_is_named(text: str) -> None:
    """Nor by what is quoted or a filter's value."""
    assert named(text, NOW) is None


def test_only_words_as_seen_from_now_are_relative() -> None:
    """A memory of last week says "yesterday", but one of May may say May."""
    last, may = named("decided last week", NOW), named("decided in May", NOW)
    assert last is not None
    assert may is not None
    assert (last.said, sorted(last.relative)) == ("last week", ["last", "week"])
    assert (may.said, sorted(may.relative)) == ("in may", [])
