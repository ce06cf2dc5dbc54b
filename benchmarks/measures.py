"""The measures by their names."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import chain, processes, projections
from benchmarks.adopting import adopting
from benchmarks.capturing import capturing
from benchmarks.hooks import hooks
from benchmarks.measure import Row
from benchmarks.proving import proving
from benchmarks.reporting import reporting
from benchmarks.scale import scale
from benchmarks.starts import starts
from benchmarks.teams import teams

MEASURES = {
    "append": chain.append,
    "batch": chain.batch,
    "verify": chain.verify,
    "memory": chain.resident,
    "rebuild": projections.rebuild,
    "add": projections.one_add,
    "adopt": adopting,
    "capture": capturing,
    "inject": processes.inject,
    "hooks": hooks,
    "starts": starts,
    "search": projections.searching,
    "prove": proving,
    "store": projections.store,
    "report": reporting,
    "team": teams,
    "scale": scale,
}
ASKED_FOR = frozenset({"scale"})
"""What takes many minutes and runs only where it is named."""


def measured(name: str, scale: float) -> list[Row]:
    """Return the rows of a measure, taken in a folder of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="muniment-bench-") as folder:
        return MEASURES[name](Path(folder), scale)
