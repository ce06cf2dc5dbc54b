"""A ledger of its own for a projection test, with a clock that the test moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import muniment
from ledger.command import Create
from ledger.event import By
from ledger.instant import DAY, parsed
from muniment import Memory, MemoryLedger

BY = By("tester", "user", "library")
START = parsed("2026-01-05T09:00:00.000000Z")


@dataclass
class Clock:
    """Stands still until it is moved, except for a microsecond at each look."""

    now: int = START

    def __call__(self) -> int:
        self.now += 1
        return self.now

    def pass_days(self, days: float) -> None:
        """Let time pass."""
        self.now += int(days * DAY)


def build(directory: Path) -> tuple[MemoryLedger, Clock]:
    """Found a ledger in `directory` and return it with its clock."""
    muniment.init(directory, by=BY).close()
    return reopen(directory)


def reopen(directory: Path, clock: Clock | None = None) -> tuple[MemoryLedger, Clock]:
    """Open the ledger in `directory` as another process would."""
    clock = clock or Clock()
    place, _ = muniment.locate(directory=directory)
    ledger = MemoryLedger(place, muniment.home(), by=BY, clock=clock)
    ledger.workspace.embed_with(None)  # whatever is installed
    return ledger, clock


def learn(ledger: MemoryLedger, *memories: Memory | str) -> list[str]:
    """Learn these in one batch, without documents; return their ids."""
    commands = [Create(Memory(each) if isinstance(each, str) else each) for each in memories]
    return [done.id for done in ledger.workspace.append(commands)]


def bullet(text: str, **more: object) -> Memory:
    """Return a memory that stands in MEMORY.md."""
    return Memory(text, **more)  # type: ignore[arg-type]


def tree(folder: Path) -> dict[str, bytes]:
    """Return every document below `folder` by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.md"))}
