"""Explains for every memory why it is in a prompt, or why not.

Implements specs/projections.md (P-130).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ledger.fold import Entry

__all__ = ["Explained", "Trace", "Why"]

Why = Literal[
    "shown", "asked", "budget", "same", "contradicts", "candidate", "archived", "topic", "daily", "bare"
]
"""In this order: shown; a candidate that the user is asked about; or left out: no room in the budget, the same as (or
contradicted by) a more local memory, an unconfirmed candidate, archived by gc, its topic does not match, a daily note
without relation to the task, a note of only titles, rules and tables."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One memory of one scope, and why it is shown or not.

    `place` is its section or topic; `rank` its place among the examined entries, from 1; `relevance` the
    beginnings of the task's words in it; `pattern` the `when_to_use` that matched its topic; `tokens` its cost
    (0 if uncounted); `other` and `other_scope` name the memory that prevails.
    """

    id: str
    scope: str
    text: str
    place: str
    why: Why
    rank: int = 0
    relevance: tuple[str, ...] = ()
    importance: str = ""
    pattern: str = ""
    tokens: int = 0
    other: str = ""
    other_scope: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values, without empty members."""
        said = {name: value for name, value in asdict(self).items() if value}
        return {**said, "relevance": list(self.relevance)} if self.relevance else said


@dataclass(slots=True)
class Trace:
    """Notes the fate of each entry; a later note on an entry of a scope replaces the earlier one."""

    found: dict[tuple[str, str], Explained] = field(default_factory=dict)

    def note(self, entry: Entry, scope: str, why: Why, **more: Any) -> None:
        """Note why an entry is shown or not; `more` are members of Explained."""
        memory = entry.memory
        place = memory.topic or memory.effective_section
        self.found[scope, entry.id] = Explained(
            entry.id, scope, memory.text, place, why, importance=memory.importance, **more
        )
