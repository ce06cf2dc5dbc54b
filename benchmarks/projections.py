"""Rebuilding, one change, search."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import statistics
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import muniment
from benchmarks.ledgers import BY, fill, found, memory, sentence
from benchmarks.measure import Row, alternating
from benchmarks.processes import PROGRAM
from benchmarks.starts import processor_time
from ledger.command import Create
from ledger.verify import Expectation, verify_chain
from muniment import MemoryLedger
from projections import index_schema
from projections.index_schema import FTS_COLUMNS
from projections.search import search

_TABLES = ("events", "memories", "tags", "patterns", "edges", "documents")


def rebuild(folder: Path, scale: float) -> list[Row]:
    """Rebuild of all projections."""
    count = max(200, int(50_000 * scale))
    ledger = found(folder)
    fill(ledger, count, topics=max(1, count // 200))
    ledger.documents.replay()
    mine, theirs = [], []
    for _ in range(3):
        ledger.close()
        for path in (
            *ledger.workspace.place.directory.glob("memory.db*"),
            ledger.workspace.place.documents / "MEMORY.md",
        ):
            path.unlink()
        shutil.rmtree(ledger.workspace.place.documents / "memories")
        begun = time.perf_counter()
        ledger.documents.replay()
        mine.append(time.perf_counter() - begun)
        theirs.append(
            _rebuild_floor(ledger.workspace.chain, ledger.workspace.place.directory / "memory.db", folder)
        )
    return [
        Row(f"rebuild of all projections, {count:,} events", statistics.median(mine), statistics.median(theirs), "s", 2.0,
            "floor: verify, plus executemany of the same rows into an equal schema with FTS")
    ]  # fmt: skip


def _rebuild_floor(chain: Path, index: Path, folder: Path) -> float:
    """Return the seconds of verifying the chain and writing the same rows into an equal, empty database."""
    with sqlite3.connect(index) as source:
        rows = {table: source.execute(f"SELECT * FROM {table}").fetchall() for table in _TABLES}
        texts = source.execute(f"SELECT n, {', '.join(FTS_COLUMNS)} FROM memories").fetchall()
    path = folder / "floor.db"
    path.unlink(missing_ok=True)
    begun = time.perf_counter()
    verify_chain(chain, Expectation())
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in (
        "journal_mode = WAL",
        "synchronous = OFF",
        "wal_autocheckpoint = 4000",
        "cache_size = -16000",
    ):
        db.execute(f"PRAGMA {pragma}")
    index_schema.create(db)
    db.execute("BEGIN")
    for table, values in rows.items():
        if values:
            db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values[0]))})", values)
    db.executemany(
        f"INSERT INTO memories_fts (rowid, {', '.join(FTS_COLUMNS)}) VALUES ({', '.join('?' * (len(FTS_COLUMNS) + 1))})",
        texts,
    )
    db.execute("COMMIT")
    taken = time.perf_counter() - begun
    db.close()
    return taken


def one_add(folder: Path, scale: float) -> list[Row]:
    """One add until every projection is current."""
    large = max(400, int(100_000 * scale))
    small = min(1000, large // 2)
    ledgers = {}
    for count in (small, large):
        ledger = found(folder / str(count))
        fill(ledger, count, topics=count // 200)
        ledger.documents.replay()
        ledgers[count] = ledger
    numbers = iter(range(10_000_000, 20_000_000))

    def add(count: int) -> None:
        text = memory(next(numbers)).text
        written = ledgers[count].write([Create(muniment.Memory(text, topic="area/topic-1"))], BY)
        if written[0].known:
            raise RuntimeError("nothing was added")

    for count in (small, large):
        add(count)
    mine, theirs = alternating(lambda: add(large), lambda: add(small), max(10, int(60 * scale)))
    for ledger in ledgers.values():
        ledger.close()
    return [
        Row(f"one add until all is current, at {large:,} memories", mine * 1e3, theirs * 1e3, "ms", 3.0,
            f"floor: the same at {small:,} memories in topics of 200")
    ]  # fmt: skip


def store(folder: Path, scale: float) -> list[Row]:
    """One `store` in a process that goes on, documents current, by the size of the ledger; and `muniment add`."""
    sizes, times = (100, max(200, int(10_000 * scale))), max(20, int(100 * scale))
    ledgers = {count: found(folder / str(count)) for count in sizes}
    taken, used = {}, {}
    for count, ledger in ledgers.items():
        fill(ledger, count)
        ledger.documents.replay()
        texts = iter([memory(10_000_000 + number) for number in range(times + 10)])
        for _ in range(10):
            ledger.store(next(texts))
        seconds, processor = [], []
        for _ in range(times):
            begun, before = time.perf_counter(), time.process_time()
            ledger.store(next(texts))
            seconds.append(time.perf_counter() - begun)
            processor.append(time.process_time() - before)
        taken[count], used[count] = statistics.median(seconds), statistics.median(processor)
        ledger.close()
    small, large = sizes
    adds = _adds(ledgers, folder, max(3, int(20 * min(scale, 1))))
    return [
        Row(f"store until all is current, at {large:,} memories", taken[large] * 1e3, taken[small] * 1e3, "ms", 1.5,
            f"floor: the same at {small}"),
        Row("its processor's time", used[large] * 1e3, 3.0, "ms", 1.0,
            f"floor: the 3 ms allowed; {used[small] * 1e3:.1f} ms at {small}"),
        Row(f"muniment add at {large:,} memories, processor's time", adds[large] * 1e3, adds[small] * 1e3, "ms", 1.5,
            f"floor: the same at {small}, in turns; nearly all of both is the start of a process"),
    ]  # fmt: skip


def _adds(ledgers: Mapping[int, MemoryLedger], folder: Path, turns: int) -> dict[int, float]:
    """Return the seconds of processor time of `muniment add` in each ledger, as a whole process."""
    numbers = itertools.count(20_000_000)
    used: dict[int, list[float]] = {count: [] for count in ledgers}
    for _ in range(turns):
        for count, ledger in ledgers.items():
            os.environ["MUNIMENT_HOME"] = str(folder / str(count) / "home")
            os.environ["MUNIMENT_STATE"] = str(folder / str(count) / "state")
            program = [*PROGRAM, "--ledger", str(ledger.workspace.place.directory)]
            used[count].append(processor_time([*program, "add", sentence(next(numbers))], b"", folder))
    return {count: statistics.median(times[2:]) for count, times in used.items()}


def searching(folder: Path, scale: float) -> list[Row]:
    """Search, top 10."""
    count = max(1000, int(100_000 * scale))
    ledger = found(folder)
    fill(ledger, count)
    index = ledger.workspace.index
    db = index.connection()
    rows = []
    for name, words in (("rare", "zebbuild"), ("common", "cache token")):
        bare = (
            "SELECT m.* FROM memories_fts JOIN memories m ON m.n = memories_fts.rowid "
            "WHERE memories_fts MATCH ? ORDER BY rank LIMIT 10"
        )
        expression = " AND ".join(f'"{word}"' for word in words.split())
        mine, theirs = alternating(
            partial(search, index, words),
            lambda: db.execute(bare, (expression,)).fetchall(),
            30,
        )
        rows.append(
            Row(
                f"search, top 10 of {count:,}, {name} words",
                mine * 1e3,
                theirs * 1e3,
                "ms",
                2.0,
                "floor: the bare FTS5 query of the same rows",
            )
        )
    ledger.close()
    return rows
