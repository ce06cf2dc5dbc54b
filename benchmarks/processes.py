"""Whole processes: what an agent waits for."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.ledgers import BY, fill, found, sentence, words_of
from benchmarks.measure import Row, alternating
from ledger.command import Create
from muniment import Memory, MemoryLedger

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = (sys.executable, str(ROOT / "benchmarks" / "installed" / "program.py"))
"""The command line, without arguments, that runs what an installed `muniment` does."""
UNAVOIDABLE = "import sqlite3, click, orjson, blake3"
"""What inject cannot avoid.

The database, the command line, JSON, and the hash that ties the index to the chain.
"""


def inject(folder: Path, scale: float) -> list[Row]:
    """`muniment inject` as a whole process, without and with topics to match."""
    count = max(1000, int(10_000 * scale))
    plain = _filled(folder / "plain", count)
    topics = _filled(folder / "topics", count - PATTERNS)
    for start in range(0, PATTERNS, 50):
        topics.workspace.append([Create(_topic(number)) for number in range(start, start + 50)], BY)
    topics.documents.replay()
    commands = [_command(ledger) for ledger in (plain, topics)]
    for _ in range(3):
        for command in commands:
            run(command, folder)
    floor = [sys.executable, "-c", UNAVOIDABLE]
    mine, theirs = alternating(partial(run, commands[0], folder), partial(run, floor, folder), 20)
    matching, without = alternating(partial(run, commands[1], folder), partial(run, commands[0], folder), 20)
    bare, _ = alternating(partial(run, [sys.executable, "-c", "pass"], folder), lambda: None, 10)
    note = f"floor: the 120 ms allowed; bare Python {bare * 1e3:.0f} ms, with unavoidable imports {theirs * 1e3:.0f} ms"
    return [
        Row(f"muniment inject at {count:,} memories, whole process", mine * 1e3, 120.0, "ms", 1.0, note),
        Row(f"the same with {PATTERNS} topic patterns", matching * 1e3, without * 1e3, "ms", 1.25,
            "floor: the same command where no memory has a topic"),
    ]  # fmt: skip


PATTERNS = 200


def _filled(folder: Path, count: int) -> MemoryLedger:
    ledger = found(folder)
    fill(ledger, count)
    ledger.documents.replay()
    return ledger


def _topic(number: int) -> Memory:
    """Return what opens a topic of its own: by a pattern with words of its own, some of which the task has."""
    word, other = words_of(number)
    pattern = rf"\b({word}|{other})s?\b.*(service|module)-{number}\b|{other} the {word}"
    return Memory(sentence(number), topic=f"area/topic-{number}", when_to_use=(pattern,))


def _command(ledger: MemoryLedger) -> list[str]:
    directory = str(ledger.workspace.place.directory)
    return [*PROGRAM, "--ledger", directory, "inject", "--task", "cache the token"]


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a measured process: an installed tool has its bytecode."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**own, "PYTHONPATH": str(ROOT), **more}


def run(arguments: list[str], folder: Path, data: bytes = b"") -> None:
    """Run a process to its end in a folder, with `data` as its standard input."""
    subprocess.run(arguments, input=data, check=True, capture_output=True, env=environment(), cwd=folder)
