"""The review queue of the viewer: what waits for a person, and what each of their answers does.

Implements specs/report.md (H-25, H-26). What waits, and what an answer means, is `learning.review`'s, as for `muniment review`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from documents import replacements
from language.printable import short
from learning.review import ReviewItem
from ledger.errors import UsageError
from ledger.fold import Entry
from muniment import MemoryLedger


def review_queue(memory: MemoryLedger) -> dict[str, Any]:
    """Return what waits, in the order of `muniment review`, and how many requests only the terminal shows."""
    items = memory.review.waiting()
    replaces = replacements.of_candidates(memory.workspace, [item.entry for item in items])
    return {
        "requests": len(memory.review.requests()),
        "items": [_shown(memory, item, replaces.get(item.entry.id, ())) for item in items],
    }


def _shown(memory: MemoryLedger, item: ReviewItem, replaced: Iterable[Entry]) -> dict[str, Any]:
    entry, (kind, name) = item.entry, item.source
    old = _named(replaced)
    ids = {each["id"] for each in old}
    return {
        "id": entry.id,
        "why": item.why,
        "days": item.doubt.days if item.doubt.stale else None,
        "gone": list(item.doubt.gone),
        "compromised": entry.compromised,
        "wish": {"by": item.wish.by, "at": item.wish.at} if item.wish else None,
        "status": entry.status,
        "text": entry.memory.text,
        "details": list(entry.memory.details),
        "body": entry.memory.body,
        "section": entry.memory.effective_section,
        "learned": entry.learned,
        "by": {"name": entry.by.name, "role": entry.by.role, "via": entry.by.via},
        "from": {"kind": kind, "name": name},
        "replaces": old,
        "contradicts": [each for each in _named(memory.review.contradicted(entry)) if each["id"] not in ids],
        "restores": _named(memory.review.brought_back(entry)),
    }


def _named(entries: Iterable[Entry]) -> list[dict[str, str]]:
    return [{"id": entry.id, "text": entry.memory.text} for entry in entries]


def decide(memory: MemoryLedger, id_: str, answer: str, text: str = "") -> dict[str, Any]:
    """Carry one answer out: confirm, edit or delete; return what was done as a sentence, and the events.

    Raises:
        StateError: the memory does not wait any longer, or the edit changes nothing.
        UsageError: there is no such answer.
        LedgerError: it cannot be stored.
    """
    item = memory.review.item(id_)
    entry = item.entry
    if answer == "confirm":
        events = memory.review.confirm([entry])
        taken = list(replacements.by_confirming(memory.workspace, [entry]))
        events += dict.fromkeys(each.new for each in taken if each.new not in {*events, id_})
        now_active = " (active now)" if entry.status == "candidate" else ""
        said = "; ".join([f"confirmed {short(id_)}{now_active}", *map(str, taken)])
    elif answer == "delete":
        back = memory.review.brought_back(entry)
        events = memory.review.delete(entry)
        said = f"deleted {short(id_)}{', brought back ' if back else ''}{', '.join(short(old.id) for old in back)}"
    elif answer == "edit":
        events = [memory.review.edit(entry, text).id]
        said = f"{short(events[0])} supersedes {short(id_)}"
    else:
        raise UsageError("an answer is confirm, edit or delete")
    memory.review.settle(item)
    return {"said": said, "events": events}
