"""Counts what accounts of conversations say, and whether that is enough.

Implements specs/capture.md (K-125).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from eval.memory_writes.accounting import Account
from eval.memory_writes.golden import TEXTUAL

LEAST_PRECISION = 0.85
LEAST_RECALL = 0.70
TOO_MANY_WRONG = 0.05
"""So many false positives a message are too many."""


class Ratio(NamedTuple):
    """So many of so many; of none it is 1."""

    part: int
    whole: int

    @property
    def value(self) -> float:
        """The share, 0 to 1."""
        return self.part / self.whole if self.whole else 1.0

    def __str__(self) -> str:
        """Return the share and what it is of."""
        return f"{self.value:.3f}  ({self.part} of {self.whole})"


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of some conversations; each member counts.

    `asked_active`, `met`: expectations of a save, supersede, delete or confirm that is not optional, and those that were
    met. `asked`, `met_or_filed`: all that are not optional, candidates too; those that were met or for which a candidate
    stands. `scoped`, `typed`: of the memories that meet an expectation, or stand for it as a candidate. `sourced`: of the
    memories that are new.
    """

    conversations: int = 0
    messages: int = 0
    writes: int = 0
    due: int = 0
    wrong: int = 0
    asked_active: int = 0
    met: int = 0
    asked: int = 0
    met_or_filed: int = 0
    matched: int = 0
    typed: int = 0
    scoped: int = 0
    supersedes: int = 0
    superseded: int = 0
    new: int = 0
    sourced: int = 0

    @property
    def ratios(self) -> dict[str, Ratio]:
        """The figures that have a name of their own, in the order in which they are told."""
        return {
            "precision": Ratio(self.due, self.due + self.wrong),
            "recall": Ratio(self.met, self.asked_active),
            "recall with candidates": Ratio(self.met_or_filed, self.asked),
            "false positives a message": Ratio(self.wrong, max(1, self.messages)),
            "scope accuracy": Ratio(self.scoped, self.matched),
            "type accuracy": Ratio(self.typed, self.matched),
            "supersede accuracy": Ratio(self.superseded, self.supersedes),
            "provenance": Ratio(self.sourced, self.new),
        }

    @property
    def shortfalls(self) -> list[str]:
        """What is not as it has to be (K-125); where there is nothing, these conversations PASS."""
        share = {name: ratio.value for name, ratio in self.ratios.items()}
        demands = {
            f"precision is below {LEAST_PRECISION:.2f}": share["precision"] >= LEAST_PRECISION,
            f"recall is below {LEAST_RECALL:.2f}": share["recall"] >= LEAST_RECALL,
            f"of 100 messages {100 * TOO_MANY_WRONG:.0f} or more have a false positive": share[
                "false positives a message"
            ]
            < TOO_MANY_WRONG,
            "a memory does not say where it came from": share["provenance"] == 1.0,
        }
        return [sentence for sentence, holds in demands.items() if not holds]

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        shares = {name.replace(" ", "_"): round(ratio.value, 4) for name, ratio in self.ratios.items()}
        counts = {each.name: getattr(self, each.name) for each in fields(self)}
        return {"pass": not self.shortfalls, "shortfalls": self.shortfalls, **shares, "counts": counts}


def counted(accounts: Iterable[Account]) -> Figures:
    """Return the figures of some conversations."""
    total: Counter[str] = Counter()
    for account in accounts:
        total.update(_counts(account))
    return Figures(**total)


def _counts(account: Account) -> dict[str, int]:
    conversation, heard = account.conversation, account.heard
    judged = account.judged
    needed = [each for each in judged if not each.expected.optional]
    active = [each for each in needed if each.expected.op != "candidate"]
    supersedes = [each for each in judged if each.expected.op == "supersede"]
    matched = [(each.expected, each.by) for each in judged if each.by is not None and each.met != "missed"]
    matched = [(expected, write) for expected, write in matched if expected.op in TEXTUAL]
    harm = sum(each.is_harm for each in account.wrong)
    return {
        "conversations": 1,
        "messages": sum(turn.role == "user" for turn in conversation.turns),
        "writes": len(heard.writes),
        "due": len(heard.writes) - (len(account.wrong) - harm),
        "wrong": len(account.wrong),
        "asked_active": len(active),
        "met": sum(each.met == "met" for each in active),
        "asked": len(needed),
        "met_or_filed": sum(each.met != "missed" for each in needed),
        "matched": len(matched),
        "typed": sum(write.type == expected.type for expected, write in matched),
        "scoped": sum(write.scope == expected.scope for expected, write in matched),
        "supersedes": len(supersedes),
        "superseded": sum(each.met == "met" for each in supersedes),
        "new": sum(write.source is not None for write in heard.writes),
        "sourced": sum(write.source is True for write in heard.writes),
    }
