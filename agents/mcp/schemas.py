"""What the tools return: their output schemas, and how a memory looks in them.

Implements specs/doors.md (G-41, G-43). What memories say is inert (projections.md P-33) before it is put in here.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from language.printable import plain, short, who
from ledger.fold import Entry
from projections.inert import NOTHING, inert
from projections.query import LogRow


class Writer(BaseModel):
    """Who wrote something, and through which door."""

    name: str
    role: str
    via: str


class Saved(BaseModel):
    """What became of something that was to be remembered."""

    outcome: Literal["created", "superseded", "confirmed", "promoted", "candidate", "known", "queued"]
    id: str = Field(description="The id of the current memory; empty while it waits in the outbox.")
    scope: str = Field(description="user, project or local.")
    active: bool = Field(description="Whether agents are told of it; a candidate waits for a person.")
    replaced: list[str] = Field(description="Ids of the memories that it replaced.")
    against: list[str] = Field(description="Ids of memories that contradict it, for a person to decide.")
    note: str = Field(description="Why, and what to do next; may be empty.")


class Confirmed(BaseModel):
    """What became of a confirmation."""

    id: str
    scope: str
    text: str
    promoted: bool = Field(description="Whether it was a candidate and is active now.")


class Deleted(BaseModel):
    """The result of a request to forget."""

    outcome: Literal["forgotten", "waiting", "kept", "queued"]
    id: str
    scope: str
    text: str
    pending: str = Field(description="The request that waits for the person, or empty.")
    note: str = Field(description="What the person was asked, or can do.")


class Hit(BaseModel):
    """A memory that was found."""

    id: str
    scope: str
    path: str = Field(description="The document that contains it, for memory_get; empty if none does.")
    score: float = Field(description="1 for the best of this search; says nothing between two searches.")
    text: str
    status: str
    section: str
    type: str
    learned: str
    stale: bool = Field(description="Not confirmed for a long time.")
    compromised: bool = Field(default=False, description="Signed with a stolen key: do not rely on it.")
    why: list[str] = Field(description="The words, phrases or prefixes that matched.")


class Hits(BaseModel):
    """What a search found, best first."""

    results: list[Hit]
    did_you_mean: str = Field(default="", description="The corrected query, if yours matched nothing.")


class Piece(BaseModel):
    """A memory or a document, or some lines of it."""

    id: str = Field(description="The memory's full id; empty for a document.")
    path: str = Field(description="The document's path; empty for a memory that is in none.")
    scope: str
    first: int = Field(description="The number of the first line that is given, from 1.")
    lines: int = Field(description="How many lines are given.")
    total: int = Field(description="How many lines there are.")
    content: str
    status: str = Field(
        default="", description="active, candidate, superseded, deleted or erased; of a memory."
    )
    by: Writer | None = None
    learned: str = ""
    fresh_since: str = ""
    compromised: bool = False
    confidence: float | None = None
    source: str = Field(
        default="", description="manual: a person wrote it, and you cannot replace it; else auto."
    )
    provenance: dict[str, str] = Field(default_factory=dict)


class Event(BaseModel):
    """Something that was done to a version."""

    kind: str
    at: str
    by: Writer
    what: str
    compromised: bool = False


class Version(BaseModel):
    """One version of a memory."""

    version: int
    id: str
    status: str
    text: str
    learned: str
    by: Writer
    reason: str
    compromised: bool
    replaces: list[str]
    events: list[Event]


class History(BaseModel):
    """All versions of a memory, oldest first."""

    scope: str
    versions: list[Version]


class Verdict(BaseModel):
    """What was found of one part of a ledger."""

    state: Literal["sound", "findings", "not checked"]
    sentence: str
    findings: list[str] = Field(description="The first of them, at most 20.")


class Verified(BaseModel):
    """What verifying one ledger found."""

    scope: str
    sound: bool
    events: int
    integrity: Verdict
    completeness: Verdict
    projections: Verdict
    members: Verdict | None = Field(
        default=None, description="In a team: the copies of other members' chains."
    )


class Verification(BaseModel):
    """What verifying the ledgers found."""

    sound: bool = Field(description="Whether no fault was found in any of them.")
    ledgers: list[Verified]


def said(entry: Entry) -> str:
    """Return what a memory says as one inert line."""
    memory = entry.memory
    text = f"{memory.title}: {memory.text}" if memory.topic and memory.title.strip() else memory.text
    return inert(text) or NOTHING


def writer_of(entry: Entry) -> Writer:
    """Return who wrote a memory."""
    return Writer(name=entry.by.name, role=entry.by.role, via=entry.by.via)


def event_of(row: LogRow) -> Event:
    """Return an event of the timeline."""
    what = "(erased)" if row.erased else inert(row.what)
    by = Writer(name=row.name, role=row.role, via=row.via)
    return Event(kind=row.kind, at=row.at, by=by, what=what, compromised=row.compromised)


def timeline_line(row: LogRow, scope: str, status: str) -> str:
    """Return an event as a line: when, what, which, by whom, where, what it says.

    `status` is that of the memory that it made, which is told where that is not active.
    """
    what = "(erased)" if row.erased else inert(row.what)
    by = who(plain(row.name), row.role, row.via)
    now = f" [{status}]" if status not in ("", "active") else ""
    now += " [by a compromised key]" if row.compromised else ""
    return f"- {row.at[:19]}Z {row.kind} {short(row.id)} {scope}{now} by {by}{f': {what}' if what else ''}"
