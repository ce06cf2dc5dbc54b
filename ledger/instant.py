"""Instants: UTC microseconds since 1970 as integers, and their one written form.

Implements specs/event.md (E-16).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], int]
"""Returns the present instant in microseconds since 1970-01-01T00:00:00Z."""

SHAPE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z")
SECOND = 1_000_000
DAY = 86_400 * SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def system_clock() -> int:
    """Return the machine's clock in microseconds since 1970."""
    return time.time_ns() // 1000


def written(instant: int) -> str:
    """Return `instant` as `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
    moment = _EPOCH + timedelta(microseconds=instant)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if moment.year >= 1000 else _padded(moment)


def _padded(moment: datetime) -> str:
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S.%f}Z"


def parsed(text: str) -> int:
    """Return the instant that `text` (of the written form) names.

    Raises:
        ValueError: the text has another form or names no real date.
    """
    if not SHAPE.fullmatch(text):
        raise ValueError(f"not an instant: {text!r}")
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)


def is_instant(text: object) -> bool:
    """Say whether `text` is an instant in the written form."""
    if type(text) is not str or not SHAPE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def from_typed(text: str) -> int:
    """Return the instant that a person typed: a date, or a date and time in any ISO 8601 form, UTC unless it says otherwise.

    Raises:
        ValueError: it is no time.
    """
    moment = datetime.fromisoformat(text.strip())
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)
