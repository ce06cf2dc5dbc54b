"""Commands as whole processes on a ledger of a million memories, each beside the seconds and the memory that it may take."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.ledgers import fill, found
from benchmarks.measure import Row
from benchmarks.peak import PEAK
from benchmarks.processes import environment
from ledger.location import CONFIG_NAME

MOST_MEMORY = 300.0
"""MiB, of any of them."""

ALLOWED = {
    "list -n 20": 0.5,
    "show @500": 0.5,
    "search cache token": 0.5,
    "inject --task token": 0.5,
    "add A.memory.of.its.own": 1.0,
    "supersede @501 Another.memory": 1.0,
    "delete @502": 1.0,
    "status": 1.0,
    "gc": 20.0,
    "erase --yes @503": 5.0,
    "doctor": 60.0,
    "verify": 240.0,
    "replay": 300.0,
}
"""The seconds that the issue allows; of doctor, verify and replay, which read everything, they are ours."""


def scale(folder: Path, size: float) -> list[Row]:
    """A row for each command, and one for the memory of the greediest."""
    events = max(1000, int(1_000_000 * size))
    ledger = found(folder)
    (ledger.workspace.home.path / CONFIG_NAME).write_text("scripts = true\n")  # an erase without a terminal
    fill(ledger, max(1, events - 1))
    ledger.close()
    _run(folder, "replay")
    _run(folder, "search", "warm")  # the full text is brought up
    rows, most = [], (0.0, "")
    for command, allowed in ALLOWED.items():
        taken, used, peak = _run(folder, *command.split())
        most = max(most, (peak, command))
        note = f"floor: what is allowed; {used:.2f} s of the processor's time, {peak:.0f} MiB"
        rows.append(Row(f"{command.split(' ')[0]} at {events:,} events", taken, allowed, "s", 1.0, note))
    rows.append(
        Row(
            f"memory of any command at {events:,} events",
            most[0],
            MOST_MEMORY,
            "MiB",
            1.0,
            f"most: {most[1]}",
        )
    )
    return rows


_WATCHED = """
import atexit, os
atexit.register(lambda: Path(os.environ["PEAK_FILE"]).write_text(str(peak())))
from cli.program import main
main()
"""


def _run(folder: Path, *arguments: str) -> tuple[float, float, float]:
    """Run a command; return its seconds, those of the processor, and how many MiB it or a worker had at most."""
    noted = folder / "peak"
    command = [sys.executable, "-c", PEAK + _WATCHED, "--ledger", str(folder / "ledger"), *arguments]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(HOME=str(folder), PEAK_FILE=str(noted)),
    )
    taken, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, used, int(noted.read_text()) / 1024
