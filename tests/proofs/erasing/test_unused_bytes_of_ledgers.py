"""After any erase in any ledger the index's files hold no word of what was erased, pages that are free or half full included.

Tests specs/erasure.md (Z-28) through the public object, on ledgers whose rows were moved from page to page.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muniment
from ledger.command import Command, Confirm, Create, Supersede
from muniment import Memory, MemoryLedger

LETTERS = "bcdfghjklmnpqrtvwxz"
"""Without vowels, so that the full text cuts no ending off a word."""
LENGTH = 14
SHARED = 4
"""The full text stores of a term only what differs from the one before: two random words share no more than this."""


def word(draw: random.Random) -> str:
    return "".join(draw.choices(LETTERS, k=LENGTH))


def some_memory(draw: random.Random, said: str) -> Memory:
    """Return a memory that says its word in each member that a row has, of any size up to several pages."""
    filling = "filling " * draw.choice((0, 1, 5, 20, 60, 1500))
    return Memory(
        f"The {said} {filling[:800]}".strip(),
        details=(f"beside {said}",) * draw.randint(0, 2),
        tags=(said,) * draw.randint(0, 1),
        body=f"{filling}\n{said}\n{filling}" if draw.random() < 0.4 else "",
        section=draw.choice(("", "Workflow", "Attic")),
    )


def lived_in(memory: MemoryLedger, draw: random.Random, size: int) -> dict[str, list[str]]:
    """Fill a ledger in several batches, with changes and searches between; return the words of each memory by its newest id."""
    words: dict[str, list[str]] = {}
    for _ in range(draw.randint(2, 5)):
        new = [word(draw) for _ in range(size)]
        changed = draw.sample(sorted(words), len(words) // 4)
        newer = [word(draw) for _ in changed]
        kept = draw.sample(sorted(words.keys() - set(changed)), len(words) // 4)
        commands: list[Command] = [Create(some_memory(draw, said)) for said in new]
        commands += [
            Supersede((id_,), some_memory(draw, said)) for id_, said in zip(changed, newer, strict=True)
        ]
        commands += [Confirm((id_,), "looked at again " * draw.randint(0, 9)) for id_ in kept]
        draw.shuffle(commands)
        done = zip(commands, memory.write(commands), strict=True)
        for command, written in done:
            if isinstance(command, Create):
                words[written.id] = [command.memory.text.split()[1]]
            elif isinstance(command, Supersede):
                words[written.id] = [*words.pop(command.targets[0]), command.memory.text.split()[1]]
        if draw.random() < 0.5:
            memory.search(draw.choice(new))
    return words


def holding(memory: MemoryLedger, words: Iterable[str]) -> set[str]:
    """Return the words of which the bytes of `memory.db` or of its write-ahead log have what tells them from others."""
    files = [path.read_bytes().lower() for path in memory.workspace.place.directory.glob("memory.db*")]
    return {each for each in words if any(each[SHARED:].encode() in data for data in files)}


@settings(max_examples=settings().max_examples // 8)
@given(
    seed=st.integers(0, 2**32), size=st.integers(3, 30), share=st.floats(0.02, 0.9), times=st.integers(1, 3)
)
def test_no_byte_of_the_index_holds_a_word_that_was_erased(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, share: float, times: int
) -> None:
    """Z-28: every version goes; what was not erased is there as it was, and found."""
    draw = random.Random(seed)
    base: Path = tmp_path_factory.mktemp("ledger")
    with muniment.init(base) as memory:
        words = lived_in(memory, draw, size)
        every = [each for said in words.values() for each in said]
        assert len({each[SHARED:] for each in every}) == len(every)
        assert holding(memory, every) == set(every)
        gone = draw.sample(sorted(words), max(times, int(len(words) * share)))
        for at in range(times):
            memory.erasures.erase(gone[at::times], "no longer ours")
            assert not memory.erasures.cleaning
        erased = {each for id_ in gone for each in words.pop(id_)}
        assert holding(memory, every) == set(every) - erased
        left = {id_: said[-1] for id_, said in words.items()}
        assert {entry.id: entry.memory.text.split()[1] for entry in memory.load_all()} == left
        if left:
            id_ = draw.choice(sorted(left))
            assert [hit.entry.id for hit in memory.search(left[id_])] == [id_]
    with closing(sqlite3.connect(base / "memory.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
