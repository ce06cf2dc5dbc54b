"""Takes in all that an agent found worth remembering in a session, item by item.

Implements specs/doors.md (G-38). Each item goes the way of `save_memory`, or of `supersede_memory` where it names what it
replaces; one that is refused stops no other.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agents.mcp import write_tools
from agents.mcp.call_ledgers import Open
from agents.mcp.caller import Caller
from agents.mcp.schemas import Saved, said
from agents.mcp.write_tools import Wish
from language.printable import redacted
from ledger.errors import LedgerError
from ledger.fold import Entry
from projections.similar_memories import near

MOST = 20
"""So many items one call may have."""
SIMILAR = 2
"""How many memories similar to a new one are shown."""


class SessionItem(BaseModel):
    """Something worth remembering, as an agent names it."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(
        description="One line that can be understood alone in a later session, in the user's own words where there are some."
    )
    basis: Literal["asked", "stated", "fixed", "observed"] = Field(description="As for save_memory.")
    scope: Literal["user", "project", "local"] | None = None
    type: Literal["fact", "preference", "decision", "note", "identity", "commitment"] | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    replaces: list[str] = Field(
        default=[], description="Ids of the memories that are no longer true because of it."
    )
    reason: str = Field(default="", description="What the user said, or what you saw, in one line.")


class StandingMemory(BaseModel):
    """An existing memory."""

    id: str
    text: str


class ItemOutcome(BaseModel):
    """What became of one item."""

    text: str
    saved: Saved | None = Field(default=None, description="Null if it was refused.")
    refused: str = Field(default="", description="Why nothing was stored, and what can be done.")
    replaced: list[StandingMemory] = Field(default=[], description="What it replaced, as it was.")
    similar: list[StandingMemory] = Field(
        default=[],
        description="A similar memory: if it is no longer true, propose again with its id in `replaces`.",
    )


class SessionOutcome(BaseModel):
    """What became of the items, in their order."""

    results: list[ItemOutcome]


def propose(now: Open, caller: Caller, items: list[SessionItem]) -> SessionOutcome:
    """Take in each item by itself."""
    return SessionOutcome(results=[_taken(now, caller, item) for item in items])


def _taken(now: Open, caller: Caller, item: SessionItem) -> ItemOutcome:
    wish = Wish(
        item.text,
        item.basis,
        item.scope or "",
        item.confidence,
        item.reason,
        {"type": item.type} if item.type else {},
    )
    try:
        saved = (
            write_tools.supersede(now, caller, item.replaces, wish)
            if item.replaces
            else write_tools.save(now, caller, wish)
        )
    except LedgerError as error:
        return ItemOutcome(text=redacted(item.text), refused=redacted(str(error)))
    old = [
        entry
        for id_ in saved.replaced
        for _, memory in now.reading()
        if (entry := memory.workspace.index.entry(id_)) is not None
    ]
    return ItemOutcome(
        text=item.text,
        saved=saved,
        replaced=[_shown(entry) for entry in old],
        similar=[]
        if item.replaces
        else _similar(now, item.text, {saved.id, *saved.replaced, *saved.against}),
    )


def _similar(now: Open, text: str, but: set[str]) -> list[StandingMemory]:
    found = (
        entry
        for _, memory in now.reading()
        for entry in near(memory.workspace.index, text, SIMILAR + len(but))
    )
    return [_shown(entry) for entry in found if entry.id not in but][:SIMILAR]


def _shown(entry: Entry) -> StandingMemory:
    return StandingMemory(id=entry.id, text=said(entry))
