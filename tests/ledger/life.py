"""A scripted life of a ledger, led by a process that can be told to kill itself at any step.

Run as `python -m tests.ledger.life BASE STEP OCCURRENCE`. What was acknowledged goes into BASE/acknowledged,
durably, before the next command begins; how much of which file had reached the disk, into BASE/synced.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger import durable
from ledger.command import Command, Create, Delete, Erase, Supersede
from ledger.event import By
from ledger.founding import found, open_ledger
from ledger.keys import KeyDirectory
from ledger.ledger import Identity, Ledger
from ledger.mark import StateDirectory
from ledger.memory import Memory
from ledger.view import View
from tests.ledger.reference import MemoryView
from tests.observing import kill_at

IDENTITY = Identity("0123456789abcdef" * 2, "work", "user")
ADA = By("ada")
LONG = "a line of a long document\n" * 3000


@dataclass(frozen=True, slots=True)
class Act:
    """One call of `Ledger.write`. Memories are named by their text; `over` names the targets."""

    verb: str
    texts: tuple[str, ...] = ()
    over: tuple[str, ...] = ()


ACTS = (
    Act("create", ("one",)),
    Act("create", ("two",)),
    Act("batch", ("three", "four", "five")),
    Act("supersede", ("six",), ("one",)),
    Act("erase", (), ("two",)),
    Act("document", ("seven",)),
    Act("delete", (), ("three",)),
    Act("create", ("eight",)),
    Act("erase", (), ("seven",)),
    Act("mixed", ("nine",), ("four",)),
)


def live_after(count: int) -> list[str]:
    """Return the texts that are live after so many acts."""
    live: list[str] = []
    for act in ACTS[:count]:
        live = [text for text in live if text not in act.over] + list(act.texts)
    return live


def commands_of(act: Act, ids: dict[str, str]) -> list[Command]:
    """Return the commands of an act; `ids` tells the id of each text."""
    memories = [Memory(text, body=LONG if act.verb == "document" else "") for text in act.texts]
    targets = tuple(ids[text] for text in act.over)
    if act.verb == "supersede":
        return [Supersede(targets, memories[0])]
    if act.verb == "delete":
        return [Delete(targets, "no longer")]
    creates: list[Command] = [Create(memory) for memory in memories]
    return [*creates, Erase(targets, "private")] if act.verb in ("erase", "mixed") else creates


def opened(base: Path, view: View | None = None) -> Ledger:
    """Open the ledger below `base`, founding it if there is none."""
    keys, state = KeyDirectory(base / "keys"), StateDirectory(base / "state")
    if not (base / "ledger" / "chain.jsonl").exists():
        found(base / "ledger", IDENTITY, ADA, keys, state)
    return open_ledger(base / "ledger", keys, state, view=view or MemoryView())


def acknowledged(base: Path) -> Iterator[tuple[int, list[str]]]:
    """Give the numbers of the acts that were acknowledged, with the ids that they were told."""
    path = base / "acknowledged"
    for line in path.read_text().splitlines() if path.exists() else ():
        number, *ids = line.split()
        yield int(number), ids


def live(base: Path, view: View | None = None) -> None:
    """Lead the life, from wherever an earlier process stopped."""
    ledger = opened(base, view)
    with (base / "acknowledged").open("a") as journal:
        ids: dict[str, str] = {}
        for number, act in enumerate(ACTS):
            done = ledger.write(commands_of(act, ids), ADA)
            ids.update(zip(act.texts, (written.id for written in done), strict=False))
            journal.write(" ".join([str(number), *(written.id for written in done)]) + "\n")
            journal.flush()
            os.fsync(journal.fileno())


def note_syncs(base: Path) -> None:
    """Write down how long a file was each time that it had reached the disk."""
    sync: Callable[[int], None] = durable.sync_data

    def noting(fd: int) -> None:
        sync(fd)
        (base / "synced").write_text(str(os.fstat(fd).st_size))

    durable.sync_data = noting


def main(base: Path, step: str, occurrence: int) -> None:
    """Lead the life and die at the given occurrence (from 1) of a step."""
    note_syncs(base)
    kill_at(step, occurrence)
    live(base)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
