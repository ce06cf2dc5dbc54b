"""Whole processes: what an agent waits for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.ledgers import fill, found
from benchmarks.measure import Row, alternating

ROOT = Path(__file__).resolve().parents[1]
UNAVOIDABLE = "import sqlite3, click, orjson, blake3"
"""What inject cannot avoid.

The database, the command line, JSON, and the hash that ties the index to the chain.
"""


def inject(folder: Path, scale: float) -> list[Row]:
    """`memledger inject` as a whole process."""
    count = max(1000, int(10_000 * scale))
    ledger = found(folder)
    fill(ledger, count)
    ledger.replay()
    ledger.close()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed tool has its bytecode
    command = [
        sys.executable,
        "-m",
        "cli",
        "--ledger",
        str(ledger.place.directory),
        "inject",
        "--task",
        "cache token",
    ]

    def run(arguments: list[str]) -> None:
        subprocess.run(arguments, check=True, capture_output=True, env=environment, cwd=folder)

    for _ in range(3):
        run(command)
    mine, theirs = alternating(lambda: run(command), lambda: run([sys.executable, "-c", UNAVOIDABLE]), 20)
    bare, _ = alternating(lambda: run([sys.executable, "-c", "pass"]), lambda: None, 10)
    note = f"floor: the 120 ms allowed; bare Python {bare * 1e3:.0f} ms, with unavoidable imports {theirs * 1e3:.0f} ms"
    return [Row(f"memledger inject at {count:,} memories, whole process", mine * 1e3, 120.0, "ms", 1.0, note)]
