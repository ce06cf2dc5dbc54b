"""Prints the table of measurements, ours against the floor of the same run.

`--json FILE` writes it as JSON too.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
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


def main() -> int:
    """Measure what was asked for and print it; the exit code is 0 whatever the figures are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "measures",
        nargs="*",
        metavar="MEASURE",
        help=f"of {', '.join(MEASURES)} (default: all but {', '.join(sorted(ASKED_FOR))})",
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="of the sizes; 0.01 tries the benchmark itself out"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON")
    arguments = parser.parse_args()
    unknown = set(arguments.measures) - MEASURES.keys()
    if unknown:
        parser.error(f"there is no measure {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    print(f"{'measure':<58} {'ours':>11} {'floor':>11} {'ratio':>7} {'reach':>7}")
    for name in arguments.measures or [name for name in MEASURES if name not in ASKED_FOR]:
        for row in _apart(name, arguments.scale):
            rows.append(row)
            verdict = "" if row.ratio <= row.reach else "  missed"
            print(
                f"{row.name:<58} {row.ours:>7.4g} {row.unit:<4}{row.floor:>7.4g} {row.unit:<4}"
                f"{row.ratio:>6.2f}x {row.reach:>6.2f}x{verdict}"
            )
            print(f"    {row.note}")
            sys.stdout.flush()
    if arguments.json:
        machine = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "system": platform.system(),
        }
        arguments.json.write_text(
            json.dumps({"machine": machine, "rows": [row.to_json() for row in rows]}, indent=2) + "\n"
        )
    return 0


def measured(name: str, scale: float) -> list[Row]:
    """Return the rows of a measure, taken in a folder of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="muniment-bench-") as folder:
        return MEASURES[name](Path(folder), scale)


def _apart(name: str, scale: float) -> list[Row]:
    """Measure in a process of its own: what one measure leaves in memory would slow the next one down."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as one:
        return one.submit(measured, name, scale).result()


if __name__ == "__main__":
    sys.exit(main())
