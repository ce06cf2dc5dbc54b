"""Judges what a language model says of memories that are no longer true, by answers that were recorded.

Implements specs/capture.md (K-287). Each answer is what an agent would give `propose_memories` that was asked by the prompt
`end_of_session`, was shown four memories that a search gave, and heard one message of a person.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import NamedTuple

from eval.pairs import ASKED, DATA, LEAST, Pair, pairs

ANSWERS = DATA / "answers.jsonl"


class Replaced(NamedTuple):
    """Of the pairs of a kind: in how many the old memory is replaced or not, as it should be, and how many others are replaced."""

    kind: str
    pairs: int
    right: int
    others: int

    @property
    def passes(self) -> bool:
        """Whether enough is right; of memories that stand none may be replaced."""
        return self.right >= LEAST.get(self.kind, 1.0) * self.pairs


def found() -> Iterator[Replaced]:
    """Give the figures of each kind of the pairs."""
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    answers = {row["id"]: [id_ for item in row["items"] for id_ in item["replaces"]] for row in rows}
    every = pairs(ASKED)
    for kind in dict.fromkeys(pair.kind for pair in every):
        mine = [(pair, answers[_key(pair)]) for pair in every if pair.kind == kind]
        is_over = kind in ("changes", "negations")
        right = sum((_id(pair) in replaced) == is_over for pair, replaced in mine)
        others = sum(len(set(replaced) - {_id(pair)}) for pair, replaced in mine)
        yield Replaced(kind, len(mine), right, others)


def report(_misses: bool = False) -> tuple[str, bool]:
    """Return the figures, a line each, and whether they pass."""
    every = list(found())
    lines = [
        f"{each.kind:<12}{each.right:>4} of {each.pairs} old memories {_verb(each)}, {each.others} others replaced"
        for each in every
    ]
    passes = all(each.passes for each in every)
    return "\n".join([*lines, "PASS" if passes else "FAIL"]), passes


def _verb(score: Replaced) -> str:
    return "replaced" if score.kind in LEAST else "let stand"


def _key(pair: Pair) -> str:
    return hashlib.sha256(f"{pair.old}\n{pair.new}".encode()).hexdigest()[:16]


def _id(pair: Pair) -> str:
    return hashlib.sha256(pair.old.encode()).hexdigest()[:12]
