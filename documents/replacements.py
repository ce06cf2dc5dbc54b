"""Finds the memories that confirming a candidate replaces, and those that earlier confirmations replaced.

Implements specs/cli.md (X-194, X-291). Edits from git wait as replacements of current memories (specs/editing.md D-25);
local proposals replace at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from documents.scope import Scope
from language.printable import said, short
from ledger import verbs
from ledger.command import Command, Confirm, Supersede
from ledger.errors import StateError, UsageError
from ledger.event import By
from ledger.fold import Entry
from ledger.memory import Memory
from ledger.schema import MAX_TARGETS
from projections import requests
from projections.requests import REPLACE, Request
from projections.workspace import Workspace
from writers.counted import writers_of


def of_candidates(memory: Workspace, candidates: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the memories that each candidate replaces once it is confirmed, by the candidate's id."""
    asked = [entry for entry in candidates if entry.status == "candidate"]
    waiting: dict[str, tuple[str, ...]] = {}
    if any(entry.by.via == "git" for entry in asked):  # no question to git without candidates from git
        from documents.adopting import replaced_by_candidates

        waiting = replaced_by_candidates(memory, memory.place.documents)
    asked_for = requests.replacements(memory) if asked else {}
    return {
        entry.id: _entries(memory, entry, (*waiting.get(entry.id, ()), *asked_for.get(entry.id, ())))
        for entry in asked
    }


def confirm(memory: Scope, entries: Iterable[Entry], reason: str = "", by: By | None = None) -> list[str]:
    """Confirm memories, all or none; return the ids of the events.

    A candidate that replaces others (X-291) is written again, active, and supersedes them all.

    Raises:
        StateError: this machine is an agent of a team, so its confirms would have no effect (TM-21).
    """
    if writers_of(memory.workspace.place.directory).waits >= 0:
        raise StateError(
            "this machine is an agent of the team, so it cannot confirm: a person of the team runs muniment "
            "confirm, or review, on their machine"
        )
    asked_for = requests.replacements(memory.workspace)
    plain, commands = [], list[Command]()
    for entry in entries:
        old = [one.id for one in _entries(memory.workspace, entry, asked_for.get(entry.id, ()))]
        live = [id_ for id_ in old if id_ not in entry.supersedes]
        if entry.status == "candidate" and live:
            record = entry.memory.with_changes(status="active")
            commands.append(Supersede((entry.id, *live), record, reason=reason))
        else:
            plain.append(entry.id)
    chunks = [tuple(plain[at : at + MAX_TARGETS]) for at in range(0, len(plain), MAX_TARGETS)]
    commands += [Confirm(chunk, reason) for chunk in chunks]
    return [done.id for done in memory.write(commands, by)]


def propose(
    memory: Scope, old: Sequence[Entry], wanted: Memory, by: str, session: str, *, redact: bool = False
) -> str:
    """Store a candidate beside memories that only a person may replace, and ask that it replaces them (X-291); return its id.

    Raises:
        UsageError: they are too many for one event; otherwise as `Scope.write` and `requests.file` do.
    """
    live = [entry.id for entry in old if entry.live]
    if len(live) >= MAX_TARGETS:
        raise UsageError(f"an agent asks for at most {MAX_TARGETS - 1} memories to be replaced at once")
    candidate = wanted.with_changes(status="candidate", source="auto")
    command = verbs.create(candidate, memory.workspace.clock(), "")
    id_ = memory.write([command], redact=redact)[0].id
    made = memory.workspace.index.entry(id_)
    if live and made is not None and made.status == "candidate":
        requests.file(memory.workspace, Request(REPLACE, (id_, *live), {}, by, session))
    return id_


def _entries(memory: Workspace, candidate: Entry, waiting: tuple[str, ...]) -> list[Entry]:
    own = [old for id_ in candidate.supersedes if (old := memory.index.entry(id_)) is not None]
    found = [old for id_ in waiting if (old := memory.index.entry(id_)) is not None]
    return own + [old for old in found if old.live]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A memory that was replaced, and the current one in its place."""

    old: Entry
    new: str

    def to_json(self) -> dict[str, str]:
        """Return it as a JSON-ready object."""
        return {"id": self.old.id, "text": self.old.memory.text, "by": self.new}

    def __str__(self) -> str:
        return f"{short(self.new)}  supersedes {short(self.old.id)}  {said(self.old.memory)}"


def by_confirming(memory: Workspace, candidates: Iterable[Entry]) -> Iterator[Replacement]:
    """Yield what confirmed candidates replaced, from the current log.

    Args:
        memory: the ledger, after the write.
        candidates: the candidates as before the write.
    """
    for candidate in candidates:
        now = memory.index.entry(candidate.id) if candidate.status == "candidate" else None
        heirs = [memory.index.entry(id_) for id_ in now.superseded_by] if now else []
        for heir in (now, *heirs):
            for id_ in heir.supersedes if heir else ():
                old = memory.index.entry(id_) if id_ != candidate.id else None
                if heir and old is not None:
                    yield Replacement(old, heir.id)
