"""How what was taken in by itself is told: one line a proposal, and as JSON.

Implements specs/cli.md (X-173). Shared by the commands that learn without being told each thing.
"""

from __future__ import annotations

from typing import Any

from cli.app import App
from language.printable import plain, short
from learning.intake import Taken


def line(app: App, taken: Taken, text: str = "") -> str:
    """Return the line for one proposal: what became of it, its id, what it says, and why where that is not plain."""
    memory = taken.proposal.memory
    said = plain(text or (memory.text if memory else taken.proposal.about))
    id_ = app.style(f"{short(taken.id):12}", fg="cyan")
    where = f" [{memory.topic}]" if memory and memory.topic else ""
    why = f" ({plain(taken.why)})" if taken.why else ""
    return f"{taken.outcome:10}  {id_}  {said}{where}{why}"


def value(taken: Taken) -> dict[str, Any]:
    """Return one proposal and what became of it, for JSON."""
    memory = taken.proposal.memory
    return {
        "outcome": taken.outcome,
        "id": taken.id or None,
        "targets": list(taken.targets),
        "scope": taken.scope,
        "why": taken.why,
        "reason": taken.proposal.reason,
        "memory": memory.to_payload() if memory else None,
    }
