"""When a weekly job is due: G-31."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.instant import DAY, parsed, written
from projections.weekly_jobs import WEEK, due

SUNDAY = parsed("2026-11-22T10:00:00.000000Z")


def test_from_sunday_on_until_it_was_done() -> None:
    """Never, before, at, and after."""
    assert due("", SUNDAY, 10).now
    assert due("nonsense", SUNDAY, 10).now
    assert due("2026-11-22T09:59:59.999999Z", SUNDAY, 10).now
    assert not due("2026-11-22T09:59:59.999999Z", SUNDAY - 1, 10).now
    assert not due("2026-11-22T10:00:00.000000Z", SUNDAY + DAY, 10).now
    assert due("2026-11-22T10:00:00.000000Z", SUNDAY, 10).next == "2026-11-29T10:00:00.000000Z"


def test_a_run_that_began_later_last_week_is_due_on_time() -> None:
    """Seven days from the last time would skip this Sunday."""
    assert due(written(SUNDAY - WEEK + 3_000_000), SUNDAY + 1, 10).now


def test_a_date_that_is_still_to_come_does_not_count() -> None:
    """A clock went wrong; the job must not wait for it."""
    assert due("2031-01-01T00:00:00.000000Z", SUNDAY, 10).now


@given(now=st.integers(SUNDAY, SUNDAY + 200 * WEEK), ago=st.integers(0, 3 * WEEK), hour=st.integers(0, 23))
def test_once_a_week_and_no_more(now: int, ago: int, hour: int) -> None:
    """What was done now is not due before `next`, and is then; what is over seven days old always is."""
    assert due(written(now - ago), now, hour).now or ago <= WEEK
    after = due(written(now), now, hour)
    assert not after.now
    then = parsed(after.next)
    assert now < then <= now + WEEK
    assert written(then).startswith(f"{written(then)[:10]}T{hour:02}:00:00.000000")
    assert not due(written(now), then - 1, hour).now
    assert due(written(now), then, hour).now
