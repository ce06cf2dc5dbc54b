"""The report: how long it takes to write, and how long its page takes to recompute the chain in a browser."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from benchmarks.ledgers import fill, found
from benchmarks.measure import Row
from benchmarks.processes import PROGRAM, ROOT, run
from tests.report.browsers import Browser, browser

_EVENTS = 10_000
_ALLOWED = 1.0
"""Seconds that a report of `_EVENTS` events may take."""


def reporting(folder: Path, scale: float) -> list[Row]:
    """Writing a report; and its page, from the data at hand to the verdict, beside `muniment verify`."""
    events = max(200, int(_EVENTS * scale))
    ledger = found(folder)
    fill(ledger, events)
    ledger.documents.replay()
    ledger.close()
    program = [*PROGRAM, "--ledger", str(folder / "ledger")]
    file, turns = folder / "report.html", max(3, int(7 * min(scale, 1)))
    written = [_seconds([*program, "report", "--force", "-o", str(file)]) for _ in range(turns)]
    rows = [
        Row(f"muniment report of {events:,} events", statistics.median(written), _ALLOWED, "s", 1.0,
            "floor: the second allowed; a whole process")
    ]  # fmt: skip
    with _window() as window:
        if window is not None:
            verified = statistics.median(_seconds([*program, "verify"]) for _ in range(turns))
            judged = statistics.median(_judged(window, file) for _ in range(turns))
            rows.append(
                Row(f"its page in Chromium, until {events:,} events are judged", judged, verified, "s", 2.5,
                    "floor: muniment verify, a whole process")
            )  # fmt: skip
    return rows


def _seconds(arguments: list[str]) -> float:
    begun = time.perf_counter()
    run(arguments, ROOT)
    return time.perf_counter() - begun


@contextmanager
def _window() -> Iterator[Browser | None]:
    """Give Chromium; None where there is none, or nothing to drive it."""
    with suppress(pytest.skip.Exception), browser("chromium") as started:
        yield started
        return
    yield None


def _judged(window: Browser, file: Path) -> float:
    """Return the seconds from a page's data at hand to its verdict."""
    window.do("open", url="about:blank")
    window.open(file)
    window.do("wait", expression="performance.getEntriesByName('judged').length > 0", seconds=300)
    taken = window.evaluate("""() => {
        const [loaded, judged] = ['loaded', 'judged'].map((name) => performance.getEntriesByName(name)[0].startTime);
        return judged - loaded;
    }""")
    return float(taken) / 1e3
