"""Ledgers to measure: made in a scratch folder, of any size, with sentences that look like memories."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import muniment
from ledger.command import Create
from ledger.event import By
from ledger.ledger import Ledger
from ledger.memory import SECTIONS, Memory
from muniment import MemoryLedger

BY = By("bench", "user", "library")
_WORDS = (
    "build deploy cache token session index parser branch review schema migration timeout retry queue worker "
    "logger metric socket header cookie router module package import export compile test fixture snapshot cluster "
    "volume region bucket lambda policy secret scope handler middleware payload stream buffer thread lock"
).split()
_RARE = [f"{a}{b}" for a in ("zeb", "qua", "vix", "jol", "kry") for b in _WORDS]


def sentence(number: int) -> str:
    """Return a sentence of its own for each number; common words, and a rare one in every hundredth."""
    rng = random.Random(number)
    words = [rng.choice(_WORDS) for _ in range(8)]
    if number % 100 == 0:
        words.append(_RARE[(number // 100) % len(_RARE)])
    return f"The {' '.join(words)} uses setting {number}"


def words_of(number: int) -> tuple[str, str]:
    """Return two different common words, others for each number."""
    first, second = random.Random(number).sample(_WORDS, 2)
    return first, second


def memory(number: int, *, topics: int = 0) -> Memory:
    """Return the memory with this number; with `topics`, spread over that many topics."""
    topic = f"area/topic-{number % topics}" if topics else ""
    section = SECTIONS[number % len(SECTIONS)]
    return Memory(sentence(number), section=section, topic=topic, tags=(f"tag{number % 50}",))


def found(folder: Path) -> MemoryLedger:
    """Make an empty ledger below `folder`, with keys and marks of its own."""
    os.environ["MUNIMENT_HOME"] = str(folder / "home")
    os.environ["MUNIMENT_STATE"] = str(folder / "state")
    return muniment.init(folder / "ledger", by=BY)


def bare_of(ledger: MemoryLedger) -> Ledger:
    """Return the chain alone of a ledger, to be written without index and documents."""
    from ledger.founding import open_ledger
    from ledger.keys import KeyDirectory

    return open_ledger(
        ledger.workspace.place.directory,
        KeyDirectory(ledger.workspace.home.keys),
        ledger.workspace.state,
        view=Unseeing(),
    )


def fill(ledger: MemoryLedger, count: int, *, topics: int = 0, start: int = 0) -> None:
    """Learn `count` memories in batches, without index and documents."""
    bare = bare_of(ledger)
    for at in range(start, start + count, 5000):
        numbers = range(at, min(at + 5000, start + count))
        bare.write([Create(memory(n, topics=topics)) for n in numbers], BY)


class Unseeing:
    """A view that knows nothing, so that a chain can be filled at the speed of the chain alone."""

    def __getattr__(self, name: str) -> Any:
        """Answer every question of the View port with nothing."""
        if name in (
            "ids",
            "family",
            "places",
            "written_by_others",
            "twins",
            "unseen_tips",
            "unfinished_erasures",
        ):
            return lambda *_: []
        return lambda *_: None
