"""Garbage collection: which rows of the index are worth hiding. It archives rows and never touches history.

Implements specs/projections.md (P-70, P-71, P-73). Pure: it takes entries and counters and returns a plan; the
caller writes archive marks into local.db. The score is

    0.30·exp(-age_days / 7) + 0.40·log1p(n) / log1p(max n) + 0.30·importance

with n the number of reads and injections, importance 0.25, 0.5, 0.75 or 1. The 7 days are an e-folding time:
after them the first term has fallen to 1/e (37 %), not to a half.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import exp, log1p

from ledger.fold import Entry
from ledger.instant import DAY, parsed
from ledger.memory import CORRECTIONS

RECENCY_WEIGHT, USE_WEIGHT, IMPORTANCE_WEIGHT = 0.30, 0.40, 0.30
E_FOLDING_DAYS = 7.0
IMPORTANCE = {"low": 0.25, "medium": 0.5, "high": 0.75, "critical": 1.0}


@dataclass(frozen=True, slots=True)
class GcVerdict:
    """A memory to archive: its score, and why."""

    entry: Entry
    score: float
    age_days: float
    uses: int
    why: str


@dataclass(frozen=True, slots=True)
class Collected:
    """The memories that a collection archived (or would archive), and how many listed ones it kept."""

    archived: list[GcVerdict]
    kept: int


def score(age_days: float, uses: int, most_uses: int, importance: str) -> float:
    """Return the score of a memory, from 0.075 (old, unused, low) to 1.

    Args:
        age_days: days since it was learned.
        uses: its reads and injections.
        most_uses: the largest number of uses of any memory.
        importance: low, medium, high or critical.
    """
    recency = exp(-max(0.0, age_days) / E_FOLDING_DAYS)
    use = log1p(uses) / log1p(most_uses) if most_uses else 0.0
    return RECENCY_WEIGHT * recency + USE_WEIGHT * use + IMPORTANCE_WEIGHT * IMPORTANCE[importance]


def plan(
    entries: Iterable[Entry],
    uses: Mapping[str, int],
    now: int,
    *,
    threshold: float = 0.2,
    max_age_days: float = 30,
) -> Iterator[GcVerdict]:
    """Yield the live memories to archive, one by one (P-71).

    Args:
        entries: the memories that are listed now.
        uses: reads and injections by id.
        now: the instant of judging, µs.
        threshold: below this score a memory is a candidate for archiving.
        max_age_days: only memories learned longer ago than this are archived.
    """
    most = max(uses.values(), default=0)
    limits = f"below {threshold:g} and older than {max_age_days:g} days"
    for entry in entries:
        importance, n = entry.memory.importance, uses.get(entry.id, 0)
        age = (now - parsed(entry.learned)) / DAY
        value = score(age, n, most, importance)
        if age <= max_age_days or value >= threshold or not _may_go(entry):
            continue
        facts = f"score {value:.2f} (learned {age:.0f} days ago, used {n} times, importance {importance})"
        yield GcVerdict(entry, value, age, n, f"{facts}: {limits}")


def _may_go(entry: Entry) -> bool:
    """Return whether a memory is live, and neither committed, nor written by a person, nor a correction."""
    memory = entry.memory
    is_kept = memory.tier == "committed" or memory.source == "manual"
    return entry.live and not is_kept and memory.effective_section != CORRECTIONS


def why_not_shown(entry: Entry) -> str:
    """Return why no view shows a memory, whether archived or not, and the fix; "" if it is current."""
    short = entry.id[:12]
    if entry.status == "erased":
        return f"{short} is erased: nothing of it can be shown"
    if entry.status == "deleted":
        undo = f"muniment revert {entry.deleted_by[-1][:12]}" if entry.deleted_by else "muniment supersede"
        return f"{short} is deleted, not archived: {undo} brings it back"
    if entry.status == "superseded":
        newer = ", ".join(id_[:12] for id_ in entry.superseded_by)
        return f"{short} was superseded by {newer}: name that one"
    return ""
