"""Judges what the detector proposes of messages: fresh ones that were written, and real ones of repositories that it did not see.

Implements specs/capture.md (K-58).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from documents.proposal import Proposal
from language.durability import HEADS, Model
from learning.detection.detector import LearningDetector
from learning.turn import Turn
from ledger.memory import Memory
from training.rows import TYPES, Message, messages

FRESH = Path(__file__).parent / "data" / "messages" / "fresh.jsonl"
ACTIVE, CANDIDATE = 0.7, 0.5
"""From these confidences on a proposal becomes active, or a candidate, under the policy that is set (K-61)."""


class Figures(NamedTuple):
    """How many messages there are of each sort, what was proposed of them, and of how many that told a type or scope it was right."""

    messages: int
    durable: int
    hits: int
    wrong: int
    active: int
    active_right: int
    typed: int
    type_right: int
    scoped: int
    scope_right: int

    def named(self) -> dict[str, float]:
        """Return the figures by name; a share of nothing is 1."""
        return {
            "messages": self.messages,
            "durable": self.durable,
            "precision": _share(self.hits, self.hits + self.wrong),
            "recall": _share(self.hits, self.durable),
            "false positives": _share(self.wrong, self.messages - self.durable),
            "active": self.active,
            "precision of active": _share(self.active_right, self.active),
            "types right": _share(self.type_right, self.typed),
            "scopes right": _share(self.scope_right, self.scoped),
        }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 1.0


GATES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "written": {
            "precision": 0.85,
            "recall": 0.60,
            "false positives": 0.04,
            "types right": 0.80,
            "scopes right": 0.85,
        },
        "real": {"precision": 0.55, "recall": 0.60, "false positives": 0.04, "precision of active": 0.90},
    }
)
"""What each set has to reach; of false positives, what it may have at most."""


def report(_misses: bool = False) -> tuple[str, bool]:
    """Return the figures of both sets, and whether they reach their gates."""
    return told({"written": fresh().named(), "real": natural().named()}, GATES)


def told(
    found: Mapping[str, Mapping[str, float]], gates: Mapping[str, Mapping[str, float]]
) -> tuple[str, bool]:
    """Return figures and the gates that they miss, a line each, and whether they miss none."""
    lines = [
        f"{name}: " + ", ".join(f"{what} {value}" for what, value in figures.items())
        for name, figures in found.items()
    ]
    short = missed(found, gates)
    return "\n".join([*lines, *(f"MISSED {line}" for line in short)]), not short


def missed(found: Mapping[str, Mapping[str, float]], of: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return what does not reach its gate, a line each."""
    return [
        f"{name}: {what} {found[name][what]}, {gate} asked"
        for name, gates in of.items()
        for what, gate in gates.items()
        if (found[name][what] > gate if what == "false positives" else found[name][what] < gate)
    ]


def fresh(file: Path = FRESH) -> Figures:
    """Return the figures of messages that were written by somebody who did not know the detector."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return judged((message, _proposed(message)) for row in rows if (message := _message(row)) is not None)


def natural() -> Figures:
    """Return the figures of real messages; weights, line and levels come from other repositories than each one's own."""
    from training.levels import folds, left_out, settled  # scikit-learn

    found = folds(messages(), HEADS)
    every = left_out(found)
    told = []
    for number, fold in enumerate(found):
        model = Model(settled(fold.stored, [each for each in every if each.fold != number]))
        told += [(message, _proposed(message, model)) for message in fold.held]
    return judged(told)


def judged(told: Iterable[tuple[Message, list[Proposal]]]) -> Figures:
    """Count what was proposed of messages: a message that holds something durable is hit where anything is."""
    count: Counter[str] = Counter()
    for message, found in told:
        memories = [
            one.memory for one in found if one.memory is not None and one.memory.confidence >= CANDIDATE
        ]
        lasts, is_active = bool(message.durable), any(one.confidence >= ACTIVE for one in memories)
        count["messages"] += 1
        count["durable"] += lasts
        count["hits" if lasts else "wrong"] += bool(memories)
        count["active"] += is_active
        count["active_right"] += is_active and lasts
        if lasts and memories:
            best = max(memories, key=lambda one: one.confidence)
            scope = next(one.scope for one in found if one.memory is best)
            count["typed"] += bool(message.type)
            count["type_right"] += bool(message.type) and _type(best) == message.type
            count["scoped"] += bool(message.scope)
            count["scope_right"] += (
                bool(message.scope) and ("user" if scope == "user" else "project") == message.scope
            )
    return Figures(*(count[name] for name in Figures._fields))


def _proposed(message: Message, weights: Model | None = None) -> list[Proposal]:
    return LearningDetector(weights=weights).analyze(
        Turn("user", message.text, conversation="c", message="m")
    )


def _type(memory: Memory) -> str:
    return "convention" if memory.category == "project-pattern" else memory.type


def _message(row: dict[str, Any]) -> Message | None:
    if row["label"] not in ("pos", "neg"):
        return None
    lasts = row["label"] == "pos"
    return Message(
        row["text"],
        (row["span"] or row["text"],) if lasts else (),
        TYPES.get(row["type"], ""),
        row["scope"] if lasts else "",
        bool(row.get("corrects")),
        "fresh",
    )
