"""Every measure of the benchmarks runs, at sizes that prove nothing but that: a renamed method must not wait for `make bench`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import MEASURES

SMALLEST = 0.001

SLOW = frozenset(("capture", "hooks", "inject", "memory", "report", "scale", "starts", "store", "team"))
"""What starts many processes."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.soak) if name in SLOW else name for name in sorted(MEASURES)],
)
def test_a_measure_gives_its_rows(name: str, tmp_path: Path) -> None:
    rows = MEASURES[name](tmp_path, SMALLEST)
    assert rows
    assert all(row.ours >= 0 and row.floor > 0 and row.reach > 0 for row in rows)
