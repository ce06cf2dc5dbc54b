"""Review: the decisions of one ledger that wait for a person, their order, and the effect of each answer.

Implements specs/cli.md (X-103…X-106) and specs/doors.md (G-47). Asks and prints nothing: `muniment review` does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from documents import replacements, reverting
from documents.proposal import Proposal
from documents.scope import Scope
from language.printable import short
from learning.proposal_relation import compared
from ledger.command import Delete, Written
from ledger.errors import LedgerError, StateError
from ledger.event import By
from ledger.fold import Entry
from ledger.memory import Memory
from ledger.verbs import base_of, supersede
from projections import requests
from projections.checkout import Checkout
from projections.decay import Doubt, days_since
from projections.missing_references import gone
from projections.proposed_deletes import proposed_deletes
from projections.query import Filter, pointing_at
from projections.recall import Recall
from projections.requests import COMMANDS, DELETE, Request
from projections.turns import takes_turns

FORGET, CANDIDATE, STALE = "forget", "candidate", "stale"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One memory that waits: why, its details, and the request to forget it, if there is one."""

    why: str
    doubt: Doubt
    wish: Request | None = None

    @property
    def entry(self) -> Entry:
        """The memory."""
        return self.doubt.entry

    @property
    def source(self) -> tuple[str, str]:
        """The kind of its source, and the source."""
        return source_of(self.entry)


def source_of(entry: Entry) -> tuple[str, str]:
    """Return the source of a memory: its conversation, else session, file or author, else its writer."""
    origin = entry.memory.provenance
    by = f" by {origin.author}" if origin.author and origin.file else ""
    for kind, name in (
        ("conversation", origin.conversation),
        ("session", origin.session),
        ("file", f"{origin.file}{by}" if origin.file else ""),
        ("author", origin.author),
    ):
        if name:
            return kind, name
    return "writer", entry.by.name


@takes_turns
class Review:
    """The decisions of one ledger that wait for a person.

    Args:
        scope: the ledger.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._workspace = scope.workspace
        self.turn = scope.workspace.turn

    def requests(self) -> list[Request]:
        """Return the commands that agents and scripts request and only a person may run, the oldest first (X-290)."""
        return requests.waiting(self._workspace, *COMMANDS)

    def asked(self) -> int:
        """Return how many requests wait: commands, and requests to forget a memory."""
        asked = requests.waiting(self._workspace, DELETE, *COMMANDS)
        return len(asked) + len(proposed_deletes(self._workspace.index))

    def waiting(
        self,
        *,
        source: str = "",
        conversation: str = "",
        candidates: bool = True,
        stale: bool = True,
        wishes: bool = True,
    ) -> list[ReviewItem]:
        """Return requests to forget, candidates source by source, then stale memories; of each the oldest first.

        Args:
            source: only memories of this conversation, session, agent, file, author or writer.
            conversation: only memories that were learned in this conversation.
            candidates: include candidates.
            stale: include memories that nobody confirmed for a long time, or that name something missing.
            wishes: include memories that an agent asks to forget; each memory is returned once.
        """
        found = [*self._wishes(conversation)] if wishes else []
        ids = {item.entry.id for item in found}
        rest = [
            *(self._candidates(conversation) if candidates else ()),
            *(self._stale(conversation) if stale else ()),
        ]
        found += [item for item in rest if item.entry.id not in ids]
        return [item for item in found if not source or source in _origins(item.entry)]

    def _wishes(self, conversation: str) -> Iterator[ReviewItem]:
        now = self._workspace.clock()
        asked = requests.waiting(self._workspace, DELETE)
        for wish in (*asked, *proposed_deletes(self._workspace.index)):
            meant = self._workspace.index.entry(wish.targets[0])
            if meant is not None and conversation in ("", meant.memory.provenance.conversation):
                yield ReviewItem(FORGET, Doubt(meant, days_since(meant, now), False, ()), wish)

    def _candidates(self, conversation: str) -> list[ReviewItem]:
        project, now = self._project(), self._workspace.clock()
        groups: dict[tuple[str, str], list[ReviewItem]] = {}
        wanted = Filter(conversation=conversation, statuses=("candidate",))
        for entry in Recall(self._workspace).load_all(wanted, archived=True):
            missing = gone(entry.memory, project) if project else ()
            item = ReviewItem(CANDIDATE, Doubt(entry, days_since(entry, now), False, missing))
            groups.setdefault(item.source, []).append(item)
        return [item for group in groups.values() for item in group]

    def _stale(self, conversation: str) -> list[ReviewItem]:
        wanted = Filter(conversation=conversation, statuses=("candidate",))
        doubts = Recall(self._workspace).doubts(wanted, archived=True, project=self._project())
        return [ReviewItem(STALE, doubt) for doubt in doubts]

    def _project(self) -> Checkout | None:
        root = self._workspace.place.root
        return Checkout(root) if root is not None else None

    def contradicted(self, entry: Entry) -> list[Entry]:
        """Return the active memories that a candidate contradicts."""
        if entry.status != "candidate":
            return []
        return list(compared(self._workspace.index, Proposal("create", entry.memory)).against)

    def item(self, id_: str) -> ReviewItem:
        """Return the pending item of one memory, by its whole id.

        Raises:
            StateError: it does not wait, or no longer.
        """
        found = next((item for item in self.waiting() if item.entry.id == id_), None)
        if found is None:
            raise StateError(f"{short(id_)} no longer waits: somebody decided on it meanwhile")
        return found

    def waits_still(self, item: ReviewItem) -> bool:
        """Return whether nobody has decided on the item's memory meanwhile."""
        now, before = self._workspace.index.entry(item.entry.id), item.entry
        return now is not None and (now.status, now.fresh_since) == (before.status, before.fresh_since)

    def confirm(self, entries: Iterable[Entry], reason: str = "", by: By | None = None) -> list[str]:
        """Confirm memories, all or none; a candidate becomes active. Return the ids of the events (X-105, X-291)."""
        return replacements.confirm(self._scope, entries, reason, by)

    def brought_back(self, entry: Entry) -> list[Entry]:
        """Return the memories that come back when a candidate is deleted: it replaced them before anybody agreed."""
        return self._hidden(entry)[1]

    def delete(self, entry: Entry, by: By | None = None) -> list[str]:
        """Delete a memory, and bring back those of `brought_back`; return the ids of the events (X-105)."""
        versions, hidden = self._hidden(entry)
        if not hidden:
            return [done.id for done in self._scope.write([Delete((entry.id,), "")], by)]
        return [*reverting.revert(self._scope, versions, by=by).events]

    def taken(self, entry: Entry) -> Memory:
        """Return the memory that an edit starts from; an edit in a review also accepts a candidate (X-105)."""
        return base_of(entry).with_changes(status="active")

    def edit(self, entry: Entry, text: str, by: By | None = None) -> Written:
        """Replace a memory by an active one with another text (X-105).

        Raises:
            StateError: the text is the same.
        """
        if text.strip() == entry.memory.text:
            raise StateError(f"the text of {short(entry.id)} is unchanged; nothing was stored")
        wanted = self.taken(entry).with_changes(text=text.strip())
        command = supersede([entry], wanted, self._workspace.clock())
        return self._scope.write([command], by)[0]

    def settle(self, item: ReviewItem) -> None:
        """Note that a person decided on a request. If that fails, the decision holds, and the request keeps waiting."""
        if item.wish:
            with suppress(LedgerError, sqlite3.Error, OSError):
                requests.settle(self._workspace, item.wish)

    def _hidden(self, candidate: Entry) -> tuple[list[str], list[Entry]]:
        """Return the versions up to a candidate that nobody agreed to, and the active memories that they replaced.

        Leaves out a memory that was deleted before, or that another memory replaced too.
        """
        index = self._workspace.index
        versions: list[str] = []
        hidden: list[Entry] = []
        todo = [candidate] if candidate.status == "candidate" else []
        while todo:
            version = todo.pop()
            versions.append(version.id)
            for id_ in version.supersedes:
                old = index.entry(id_)
                if old is None or old.status != "superseded" or old.deleted_by or len(old.superseded_by) > 1:
                    continue
                confirmed = any(row.kind == "confirm" for row in pointing_at(index, id_))
                if old.memory.status == "active" or confirmed:
                    hidden.append(old)
                else:
                    todo.append(old)
        return versions, hidden


def of_same_source(item: ReviewItem, items: Iterable[ReviewItem]) -> list[ReviewItem]:
    """Return the candidates among `items` from the source of a candidate, none if it is the only one."""
    if item.why != CANDIDATE:
        return []
    same = [other for other in items if other.why == CANDIDATE and other.source == item.source]
    return same if len(same) > 1 else []


def _origins(entry: Entry) -> set[str]:
    origin = entry.memory.provenance
    named = {origin.conversation, origin.session, origin.agent, origin.file, origin.author, entry.by.name}
    return {*named, source_of(entry)[1]}
