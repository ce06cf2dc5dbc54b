"""How memories look: one line in a list, a page in show, an object in JSON.

Implements specs/cli.md (X-8).
"""

from __future__ import annotations

from typing import Any

from cli.app import App, short
from ledger.fold import Entry
from ledger.memory import Memory


def entry_json(entry: Entry) -> dict[str, Any]:
    """Return a memory with provenance as a JSON-ready object; members of the record stand beside those of its life."""
    return {
        "id": entry.id,
        "seq": entry.seq,
        "status": entry.status,
        "learned": entry.learned,
        "fresh_since": entry.fresh_since,
        "by": {"name": entry.by.name, "role": entry.by.role, "via": entry.by.via},
        "supersedes": list(entry.supersedes),
        "superseded_by": list(entry.superseded_by),
        "deleted_by": list(entry.deleted_by),
        **memory_json(entry.memory),
    }


def memory_json(memory: Memory) -> dict[str, Any]:
    """Return a record with all defaults written out."""
    return {
        "text": memory.text,
        "details": list(memory.details),
        "title": memory.title,
        "body": memory.body,
        "topic": memory.topic,
        "when_to_use": list(memory.when_to_use),
        "tags": list(memory.tags),
        "type": memory.type,
        "section": memory.effective_section,
        "tier": memory.tier,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "inferred": memory.inferred,
        "source": memory.source,
        "category": memory.category,
        "provenance": memory.provenance.to_payload(),
        "extra": memory.extra,
    }


def one_line(app: App, entry: Entry, *, stale: bool = False) -> str:
    """Return a memory as one line: id, date, text, and what is out of the ordinary."""
    text = entry.memory.text or "(erased)"
    marks = []
    if entry.status != "active":
        marks.append(entry.status)
    if stale:
        marks.append("stale")
    if entry.conflict:
        marks.append("conflict")
    if entry.memory.importance in ("high", "critical"):
        marks.append(entry.memory.importance)
    suffix = app.style(f"  [{', '.join(marks)}]", fg="yellow") if marks else ""
    return f"{app.style(short(entry.id), fg='cyan')}  {entry.learned[:10]}  {text}{suffix}"
