"""Scores `language.likeness` over our own labelled pairs, the half that was tuned on and the half that was not.

Implements specs/likeness.md (L-12…L-14).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from language.likeness import Likeness, likeness

PAIRS = Path(__file__).parent / "data" / "likeness.tsv"
HARD = Path(__file__).parent / "data" / "likeness_hard.tsv"
ROLES = Path(__file__).parent / "data" / "likeness_roles.tsv"
TIMES = Path(__file__).parent / "data" / "likeness_times.tsv"
VERDICTS: tuple[Likeness, ...] = get_args(Likeness)
HALVES = ("tuned", "held-out")


def half_of(text: str) -> str:
    """Return `tuned` or `held-out`: the lowest bit of the first byte of the text's SHA-256."""
    return HALVES[hashlib.sha256(text.encode()).digest()[0] & 1]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and how a person says they stand to each other."""

    expected: Likeness
    one: str
    other: str

    @property
    def half(self) -> str:
        """The half of both texts together (L-13)."""
        return half_of(f"{self.one}\n{self.other}")


@dataclass(frozen=True, slots=True)
class Score:
    """What came of some pairs: `confusion[expected, given]` counts them; `wrong` are the ones judged otherwise."""

    confusion: Counter[tuple[Likeness, Likeness]]
    wrong: tuple[tuple[Pair, Likeness], ...]

    @property
    def precision(self) -> float:
        """Of the pairs called same, the share that is."""
        called = sum(self.confusion[expected, "same"] for expected in VERDICTS)
        return self.confusion["same", "same"] / called if called else 1.0

    @property
    def recall(self) -> float:
        """Of the pairs that are the same, the share that was called so."""
        there = sum(self.confusion["same", given] for given in VERDICTS)
        return self.confusion["same", "same"] / there if there else 1.0

    @property
    def reversals(self) -> int:
        """How many contradictions were called the same: none is the only good number."""
        return self.confusion["contradicts", "same"]


def pairs(path: Path = PAIRS) -> list[Pair]:
    """Read labelled pairs: verdict, text, text, separated by tabs; lines that begin with `#` are remarks."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            verdict, one, other = line.split("\t")
            found.append(Pair(next(each for each in VERDICTS if each == verdict), one, other))
    return found


def score(chosen: Iterable[Pair]) -> Score:
    """Judge pairs and compare with what was expected."""
    judged = [(pair, likeness(pair.one, pair.other)) for pair in chosen]
    confusion = Counter((pair.expected, given) for pair, given in judged)
    return Score(confusion, tuple((pair, given) for pair, given in judged if given != pair.expected))


def report(misses: bool = False) -> tuple[str, bool]:
    """Return a table for each set; the floors (L-14) are a test's."""
    found = all_scores()
    lines = [_table(name, one) for name, one in found.items()]
    if misses:
        wrong = [each for name, one in found.items() if name != "all" for each in one.wrong]
        lines += [
            f"{pair.expected:<12} judged {verdict:<12} {pair.one!r}  {pair.other!r}"
            for pair, verdict in wrong
        ]
    return "\n".join(lines), True


def _table(name: str, one: Score) -> str:
    lines = [
        f"{name}: {one.confusion.total()} pairs",
        f"  precision of same            {one.precision:.3f}",
        f"  recall of same               {one.recall:.3f}",
        f"  contradictions called same   {one.reversals}",
        f"  {'expected / judged':<18}" + "".join(f"{verdict:>13}" for verdict in VERDICTS),
    ]
    lines += [
        f"  {expected:<18}" + "".join(f"{one.confusion[expected, given]:>13}" for given in VERDICTS)
        for expected in VERDICTS
    ]
    return "\n".join(lines) + "\n"


def all_scores() -> dict[str, Score]:
    """Return the score of every set by its name, of the sets that are halved also that of each half."""
    return {
        **scores(pairs()),
        "hard": score(pairs(HARD)),
        "times": score(pairs(TIMES)),
        **{f"roles {half}": each for half, each in scores(pairs(ROLES)).items() if half != "all"},
    }


def scores(chosen: Sequence[Pair]) -> dict[str, Score]:
    """Return the score of each half, and of both together."""
    found = {half: score(pair for pair in chosen if pair.half == half) for half in HALVES}
    return {**found, "all": score(chosen)}
