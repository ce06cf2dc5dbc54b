"""Dates and times as people type and read them: in their own time zone, a date as a whole day.

Implements specs/cli.md (X-320, X-321). `ledger.instant` reads the times that programs write.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from ledger.errors import UsageError
from ledger.instant import SECOND, from_datetime, parsed, system_clock, written
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

FORMS = (
    "use today, yesterday, monday (to sunday), 12h, 7d or 2w (ago), 2026-11-20, '2026-11-20 14:30', "
    "or 2026-11-20T14:30:00Z"
)

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_AGO = lazy_pattern(r"([0-9]{1,6})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_ONE_DAY = timedelta(days=1)
_END_OF_TIME = parsed("9999-12-31T23:59:59.999999Z")


class TimeSpan(NamedTuple):
    """The meaning of a typed date or time, in microseconds since 1970: a whole day, or one instant.

    `since` is its first instant, `last` its last one, `until` the bound that --until excludes.
    """

    since: int
    last: int
    until: int


def span(text: str, now: int | None = None) -> TimeSpan:
    """Return the time span of a typed text, in the local time zone unless the text names another.

    Args:
        text: a day (today, yesterday, a weekday, 2026-11-20) or an instant (7d, 2026-11-20 14:30, RFC 3339).
        now: the start for relative dates, in microseconds since 1970; the machine's clock by default.

    Raises:
        UsageError: it is invalid; the message lists the forms.
    """
    present = datetime.fromtimestamp((system_clock() if now is None else now) / SECOND, UTC).astimezone()
    typed = text.strip().lower()
    try:
        day = _day(typed, present.date())
        if day is not None:
            return _whole(day)
        ago = _AGO.fullmatch(typed)
        instant = from_datetime(
            _moment(text.strip()) if ago is None else present - _UNITS[ago[2]] * int(ago[1])
        )
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is not a date or time: {FORMS}") from None
    return TimeSpan(instant, instant, instant)


def since(typed: str) -> str:
    """Return the instant where a typed date or time begins, as written, or "". Raises as `span` does."""
    return typed and written(span(typed).since)


def until(typed: str) -> str:
    """Return the instant before which a typed date or time ends, as written, or "". Raises as `span` does."""
    return typed and written(span(typed).until)


def typed_day(typed: str) -> str:
    """Return the local day of a typed day or instant. Raises as `span` does."""
    return day(since(typed))


def _day(typed: str, today: date) -> date | None:
    if typed in ("today", "yesterday"):
        return today if typed == "today" else today - _ONE_DAY
    if typed in _WEEKDAYS:
        return today - _ONE_DAY * ((today.weekday() - _WEEKDAYS.index(typed)) % 7)
    try:
        return date.fromisoformat(typed.upper())  # the W of a week
    except ValueError:
        return None


def _whole(day: date) -> TimeSpan:
    since = from_datetime(_midnight(day))
    try:
        until = from_datetime(_midnight(day + _ONE_DAY))
    except (ValueError, OverflowError):  # the last day of the calendar
        return TimeSpan(since, _END_OF_TIME, _END_OF_TIME)
    return TimeSpan(since, until - 1, until)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min).astimezone()


def _moment(text: str) -> datetime:
    typed = datetime.fromisoformat(text)
    return typed if typed.tzinfo else typed.astimezone()


def moment(instant: str) -> str:
    """Return a written instant for people: to the second, in the local time zone, with its offset."""
    shown = _local(instant).isoformat(" ")
    return f"{shown[:-6]}Z" if shown.endswith("+00:00") else shown


def day(instant: str) -> str:
    """Return the day of a written instant in the local time zone."""
    return _local(instant).date().isoformat()


def _local(instant: str) -> datetime:
    aware = datetime.fromisoformat(instant).replace(microsecond=0)
    try:
        return aware.astimezone()
    except (ValueError, OverflowError):  # at the ends of the calendar
        return aware
