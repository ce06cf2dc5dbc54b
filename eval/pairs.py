"""Scores `language.replacing.compare`, and what stands after a new statement, over pairs of a memory and what a person says later.

Implements specs/capture.md (K-286). `data/pairs/README.md` says what the sets are.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import muniment
from documents.proposal import Proposal
from eval.likeness import HARD, PAIRS, ROLES, TIMES
from eval.likeness import pairs as likeness_pairs
from language import replacing
from learning.intake import Taking
from ledger.event import By
from ledger.memory import Memory, Provenance

DATA = Path(__file__).parent / "data" / "pairs"
LEARNED = Path(__file__).parents[1] / "training" / "data" / "pairs"
DEVELOPMENT = ("changes", "negations", "unrelated", "same")
FRESH = "fresh"
ASKED = "asked"
"""The pairs that a language model was asked about (`eval.replacing`)."""
LEAST = {"changes": 0.8, "negations": 0.8}
"""The share of pairs of a kind of which the new one has to take the old one's place."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands, what is said then, and which kind of pair it is."""

    kind: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Score:
    """Of the pairs of a kind: how many are judged as they should be, by the texts and by what stands in a ledger then."""

    kind: str
    pairs: int
    judged: int
    stands: int
    wrong: tuple[tuple[str, Pair], ...]

    @property
    def passes(self) -> bool:
        """Whether enough is right: nothing unrelated may be replaced, and no contradiction be called the same."""
        if self.kind == "unrelated":
            return self.judged == self.stands == self.pairs
        if any(verdict == "same" for verdict, _ in self.wrong):
            return False
        return min(self.judged, self.stands) >= LEAST.get(self.kind, 0) * self.pairs


def pairs(name: str) -> list[Pair]:
    """Read one file of pairs; of a file of one kind its name is the kind."""
    file = (LEARNED if name in DEVELOPMENT else DATA) / f"{name}.jsonl"
    rows = map(json.loads, file.read_text("utf-8").splitlines())
    return [Pair(row.get("kind", name), row["old"], row["new"]) for row in rows]


def scores(chosen: list[Pair]) -> Iterator[Score]:
    """Judge pairs, each kind by itself."""
    for kind in dict.fromkeys(pair.kind for pair in chosen):
        mine = [pair for pair in chosen if pair.kind == kind]
        given = [(replacing.compare(pair.new, pair.old), pair) for pair in mine]
        wanted = {"same": "same", "unrelated": "apart"}.get(kind, "changes")
        right = sum(verdict == wanted for verdict, _ in given)
        wrong = tuple((verdict, pair) for verdict, pair in given if verdict != wanted)
        yield Score(kind, len(mine), right, sum(map(_stands_right, mine)), wrong)


def contradictions_called_same() -> int:
    """Return how many contradictions of the pairs of likeness are taken for the same, which none may be."""
    every = (pair for path in (PAIRS, HARD, ROLES, TIMES) for pair in likeness_pairs(path))
    return sum(
        replacing.compare(pair.other, pair.one) == "same" for pair in every if pair.expected == "contradicts"
    )


def _stands_right(pair: Pair) -> bool:
    """Say whether in a new ledger the old memory stands after a person states the new one, or not, as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = muniment.init(Path(folder) / "ledger")
        ledger.store(Memory(pair.old))
        said = Memory(pair.new, confidence=0.9, source="auto", provenance=Provenance("c-1", "m-1", "c-1"))
        taking = Taking({"": ledger.scope}, By("capture", "system", "hook"))
        taking.take([Proposal("create", said, scope="user", basis="stated")])
        active = [entry.memory.text for entry in ledger.load_all() if entry.status == "active"]
    if pair.kind == "same":
        return active == [pair.old]
    return (pair.old in active) == (pair.kind == "unrelated")


def report(misses: bool = False) -> tuple[str, bool]:
    """Return the figures of the fresh pairs, and whether they pass (K-286)."""
    found = list(scores(pairs(FRESH)))
    reversals = contradictions_called_same()
    passes = not reversals and all(score.passes for score in found)
    lines = [
        f"{each.kind:<12}{each.judged:>4} judged, {each.stands:>4} in a ledger, of {each.pairs}"
        for each in found
    ]
    lines.append(f"contradictions called same {reversals}\n{'PASS' if passes else 'FAIL'}")
    if misses:
        lines += [
            f"{verdict:<8} {pair.old!r}  {pair.new!r}" for each in found for verdict, pair in each.wrong
        ]
    return "\n".join(lines), passes
