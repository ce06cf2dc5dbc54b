"""What a measurement is: ours beside its floor, as medians of the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: our figure and the floor's in `unit`, and the ratio that is to be reached."""

    name: str
    ours: float
    floor: float
    unit: str
    reach: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """Ours in terms of the floor."""
        return self.ours / self.floor if self.floor else float("inf")

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON-ready object."""
        return {**asdict(self), "ratio": round(self.ratio, 3), "reached": self.ratio <= self.reach}


def median_time(action: Callable[[], object], times: int) -> float:
    """Return the median of `times` runs of `action`, in seconds."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        action()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def alternating(ours: Callable[[], object], floor: Callable[[], object], times: int) -> tuple[float, float]:
    """Return the medians of both in seconds, measured in turns so that a noisy moment meets both."""
    mine, theirs = [], []
    for _ in range(times):
        mine.append(median_time(ours, 1))
        theirs.append(median_time(floor, 1))
    return statistics.median(mine), statistics.median(theirs)
