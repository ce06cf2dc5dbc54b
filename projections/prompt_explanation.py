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
"""shown; a candidate that the user is asked about; or left out: no room in the budget, said (or contradicted) by
a more local memory, a candidate that nobody confirmed, archived by gc, of a topic that does not match, a day's note
that has nothing to do with the task, a note of titles, rules and tables alone."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One memory of one scope, and why it is shown or not.

    `place` is its section or topic; `rank` its place among all that were looked at, from 1; `relevance` the
    beginnings of the task's words in it; `pattern` the `when_to_use` by which its topic matched; `tokens` what
    it costs (0 if that was not counted); `other` and `other_scope` name the memory that holds instead.
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
        """Return it as JSON values; what says nothing is left out."""
        said = {name: value for name, value in asdict(self).items() if value}
        return {**said, "relevance": list(self.relevance)} if self.relevance else said


@dataclass(slots=True)
class Trace:
    """Takes note of what became of each entry; the last word on an entry of a scope holds."""

    found: dict[tuple[str, str], Explained] = field(default_factory=dict)

    def note(self, entry: Entry, scope: str, why: Why, **more: Any) -> None:
        """Take note of why an entry is shown or not; `more` are members of Explained."""
        memory = entry.memory
        place = memory.topic or memory.effective_section
        self.found[scope, entry.id] = Explained(
            entry.id, scope, memory.text, place, why, importance=memory.importance, **more
        )
