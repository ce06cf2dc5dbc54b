"""What garbage collection hides: the formula by hand, its limits, and what it always keeps."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ledger.event import By
from ledger.fold import Entry
from ledger.instant import DAY, parsed, written
from ledger.memory import Memory
from projections.gc import plan, score

NOW = parsed("2026-11-20T15:00:00.000000Z")


def _entry(id_: str = "a", *, days: float = 40, status: str = "active", **record: Any) -> Entry:
    """Return a memory that a detector learned `days` ago and that is worth little."""
    record = {"source": "auto", "importance": "low", **record}
    learned = written(NOW - int(days * DAY))
    memory = Memory(f"text of {id_}", **record)
    by = By("ada", "agent", "hook")
    return Entry(id_ * 64, 1, memory, status, learned, learned, by, learned, (learned, id_))


def _is_archived(entry: Entry, uses: dict[str, int] | None = None, **limits: float) -> bool:
    return bool(list(plan([entry], uses or {}, NOW, **limits)))


# --- the formula ---


@pytest.mark.parametrize(
    ("age", "uses", "most", "importance", "expected"),
    [
        (0, 0, 0, "low", 0.30 + 0 + 0.30 * 0.25),
        (0, 0, 0, "critical", 0.30 + 0.30),
        (7, 0, 10, "medium", 0.30 / math.e + 0.15),
        (14, 0, 10, "high", 0.30 / math.e**2 + 0.225),
        (0, 10, 10, "critical", 1.0),
        (0, 3, 15, "low", 0.30 + 0.40 * 0.5 + 0.075),
        (10_000, 0, 5, "low", 0.075),
        (-3, 0, 0, "low", 0.375),
    ],
)
def test_the_score_is_recency_use_and_importance(
    age: float, uses: int, most: int, importance: str, expected: float
) -> None:
    """P-70: 7 days are an e-folding time; log1p(3) is half of log1p(15); a clock ahead counts as now."""
    assert score(age, uses, most, importance) == pytest.approx(expected)


def test_use_is_measured_against_the_most_used_memory() -> None:
    """P-70: of all memories, whether they are judged or not."""
    entries, uses = [_entry("a"), _entry("b")], {"a" * 64: 3, "c" * 64: 15}
    judged = {verdict.entry.id[0]: verdict.score for verdict in plan(entries, uses, NOW, threshold=0.5)}
    assert judged["a"] - judged["b"] == pytest.approx(0.2)


# --- limits ---


def test_what_is_old_unused_and_unimportant_is_archived() -> None:
    """P-71, P-73: 0.30·exp(-40/7) + 0.075 = 0.076."""
    (verdict,) = plan([_entry()], {}, NOW)
    assert verdict.score == pytest.approx(0.0760, abs=1e-4)
    assert (round(verdict.age_days), verdict.uses) == (40, 0)
    assert "below 0.2 and older than 30 days" in verdict.why


@pytest.mark.parametrize(("days", "archived"), [(29.99, False), (30, False), (30.01, True), (31, True)])
def test_only_what_is_older_than_the_limit_is_archived(days: float, archived: bool) -> None:
    """P-71: exactly 30 days are not older than 30 days."""
    assert _is_archived(_entry(days=days)) is archived


@pytest.mark.parametrize(("importance", "archived"), [("low", True), ("medium", True), ("high", False)])
def test_importance_alone_can_keep_a_memory(importance: str, archived: bool) -> None:
    """P-70: 0.075 and 0.15 are below the threshold, 0.225 is not."""
    assert _is_archived(_entry(days=400, importance=importance)) is archived


def test_the_threshold_itself_is_not_below_it() -> None:
    """P-71: strictly below."""
    assert not _is_archived(_entry(days=1e5), threshold=0.075)
    assert _is_archived(_entry(days=1e5), threshold=0.0751)


def test_a_used_memory_stays() -> None:
    """P-70: 0.075 + 0.40 for the most used one."""
    assert not _is_archived(_entry(), {"a" * 64: 1})


def test_age_counts_from_learning_not_from_confirming() -> None:
    """P-70: a confirm refreshes staleness, and is no use."""
    assert _is_archived(_entry()._replace(fresh_since=written(NOW)))


# --- what is always kept ---


@pytest.mark.parametrize("record", [{"tier": "committed"}, {"source": "manual"}, {"section": "Corrections"}])
def test_what_people_rely_on_is_kept(record: dict[str, str]) -> None:
    """P-71: committed ones, manual ones and Corrections."""
    assert not _is_archived(_entry(days=1000, **record))


@pytest.mark.parametrize("status", ["superseded", "deleted", "erased"])
def test_what_does_not_stand_is_not_judged(status: str) -> None:
    """P-70: it is listed nowhere anyway."""
    assert not _is_archived(_entry(status=status))


def test_candidates_are_judged() -> None:
    """P-70: a question that nobody answered for months."""
    assert _is_archived(_entry(status="candidate"))
