"""Reports in one line the edits that were recorded without a person's request: at a session's start, or by an agent's `adopt`.

Implements specs/editing.md (D-86). Counts by document alone; no typed text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from documents.adopting.adoption import Adoption

if TYPE_CHECKING:
    from projections.workspace import Workspace

BY_AGENT = "taken in by an agent"
"""The name of the fact that counts what an agent's own `adopt` recorded; the next session's start reports it."""

Counts = Mapping[str, Sequence[int]]
"""By document: how many edits were recorded, and how many of them wait for a person."""


def counted(done: Iterable[Adoption]) -> dict[str, list[int]]:
    """Return how many of these edits were recorded, and how many of them wait."""
    found = {}
    for each in done:
        if each.guard or not (each.commands or each.requests or each.unpromoted):
            continue
        proposed = each.counts().get("proposed", 0)
        changes = sum(line not in each.lines for line, _, _ in each.requests)
        waits = proposed + changes + len(each.unpromoted)
        taken = sum(each.counts().values()) + changes
        found[each.path] = [taken + len(each.unpromoted), waits]
    return found


def note(memory: Workspace, done: Iterable[Adoption]) -> None:
    """Note what an agent recorded, so that the next session's start reports it."""
    counts = {path: list(each) for path, each in _read(memory.local.fact(BY_AGENT)).items()}
    for path, (edits, waits) in counted(done).items():
        before = counts.get(path, [0, 0])
        counts[path] = [before[0] + edits, before[1] + waits]
    if counts:
        memory.local.note(BY_AGENT, json.dumps(counts))


def noted(memory: Workspace) -> dict[str, list[int]]:
    """Return what agents recorded since the last call, and forget it."""
    counts = _read(memory.local.fact(BY_AGENT))
    if counts:
        memory.local.note(BY_AGENT, "")
    return counts


def sentence(counts: Counts, held: Iterable[str] = ()) -> str:
    """Return the line, or ""; the edits of documents in `held` were not recorded."""
    parts = []
    if counts:
        edits = [f"{_number(each[0], 'edit')} of {path}" for path, each in sorted(counts.items())]
        number = sum(each[0] for each in counts.values())
        parts.append(f"{' and '.join(edits)} {'was' if number == 1 else 'were'} recorded")
        if waits := sum(each[1] for each in counts.values()):
            parts.append(f"{waits} {'waits' if waits == 1 else 'wait'} for the user: muniment review")
    if named := ", ".join(sorted(set(held))):
        parts.append(f"edits of {named} wait for the user: muniment status")
    return f"muniment: {'; '.join(parts)}" if parts else ""


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _read(value: str) -> dict[str, list[int]]:
    with suppress(ValueError, TypeError, AttributeError):
        return {
            str(path): [int(edits), int(waits)] for path, (edits, waits) in json.loads(value or "{}").items()
        }
    return {}
