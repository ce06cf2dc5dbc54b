"""Instants: UTC microseconds since 1970 as integers, and their one written form.

Implements specs/event.md (E-16).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from ledger.lazy_pattern import lazy_pattern

Clock = Callable[[], int]
"""Returns the present instant in microseconds since 1970-01-01T00:00:00Z."""

SHAPE = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z")
SECOND = 1_000_000
DAY = 86_400 * SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC throughout this module; half the time of the aware one


def system_clock() -> int:
    """Return the machine's clock in microseconds since 1970."""
    return time.time_ns() // 1000


def written(instant: int) -> str:
    """Return `instant` as `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
    seconds, rest = divmod(instant, SECOND)
    return f"{_whole(seconds)}.{rest:06d}Z"


@lru_cache(maxsize=8)
def _whole(seconds: int) -> str:
    return (_NAIVE_EPOCH + timedelta(seconds=seconds)).isoformat(timespec="seconds")


def parsed(text: str) -> int:
    """Return the instant that `text` (of the written form) names.

    Raises:
        ValueError: the text has another form or names no real date.
    """
    if not SHAPE.fullmatch(text):
        raise ValueError(f"not an instant: {text!r}")
    since = datetime.fromisoformat(text[:-1]) - _NAIVE_EPOCH
    return since.days * DAY + since.seconds * SECOND + since.microseconds


def is_instant(text: object) -> bool:
    """Return whether `text` is an instant in the written form."""
    if type(text) is not str or not SHAPE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def from_iso(text: str) -> int:
    """Return the instant that a program wrote in any form of ISO 8601; UTC by default.

    Raises:
        ValueError: it is not a time.
    """
    moment = datetime.fromisoformat(text.strip())
    return from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def from_datetime(moment: datetime) -> int:
    """Return the instant of a moment that has a time zone.

    Raises:
        ValueError: in UTC it lies outside of the years 1 to 9999.
    """
    instant = (moment - _EPOCH) // timedelta(microseconds=1)
    try:
        written(instant)
    except OverflowError:
        raise ValueError(f"out of range: {moment}") from None
    return instant
