"""Takes proposals in: looks at what stands, decides by policy, writes, and says what became of each.

Implements specs/capture.md (K-62…K-73). Every door that learns by itself goes through here: transcripts, hooks, agents'
tools. Nothing of a proposal is written that `capture.policy`, likeness, the limits and redaction have not seen.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from capture.personal import personal_in
from capture.policy import INFERRED, SURELY_SAID, judge
from capture.proposal import Proposal
from keeping import Keeping
from learning.comparing import Compared, compared, elsewhere
from learning.journal import Journal, Line, since
from learning.letting_go import named
from learning.outbox import OUTBOX, Outbox
from ledger.command import Command, Confirm, Create, Delete, Supersede
from ledger.errors import (
    BusyError,
    ChainError,
    KeyFileError,
    LedgerError,
    NoLedgerError,
    NotFoundError,
    RecordError,
    SecretError,
    StateError,
    StorageError,
)
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import parsed, written
from ledger.memory import Memory
from projections.rates import automatic_in, automatic_since

Outcome = Literal[
    "created", "superseded", "confirmed", "promoted", "candidate", "known", "refused", "discarded", "queued", "asked",
    "forgotten",
]  # fmt: skip
WRITTEN: frozenset[Outcome] = frozenset(
    ("created", "superseded", "confirmed", "promoted", "candidate", "forgotten")
)
"""What made an event."""

PATIENCE = 5.0
"""Seconds to wait for another process that holds a ledger, before the outbox takes what was learned."""

HOUR = 3_600_000_000
DAY = 24 * HOUR
_OF_A_PERSON = frozenset(("preference", "identity", "commitment"))
_LATER = (BusyError, StorageError, ChainError, KeyFileError, sqlite3.Error)
"""What keeps a ledger from being written now and says nothing against what is to be written."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a proposal.

    `id` is the memory that stands for it now, "" for none; `targets` are those that it replaced or would forget;
    `scope` names the ledger; `why` says in a sentence why it was refused, discarded, queued or only filed.
    """

    proposal: Proposal
    outcome: Outcome
    id: str = ""
    targets: tuple[str, ...] = ()
    scope: str = ""
    why: str = ""


class Taking:
    """Takes proposals into the ledgers of one person.

    Args:
        scopes: the ledgers by scope, as far as there are any; a single one under "" takes everything (K-70).
        by: who writes.
        journal: where writes are logged.
        dry: decide, and write nothing.
        gives_way: says what stands that a proposal may replace, where that is not K-63's.
    """

    def __init__(
        self,
        scopes: Mapping[str, Keeping],
        by: By,
        *,
        journal: Journal | None = None,
        dry: bool = False,
        gives_way: Callable[[Proposal, Entry], bool] | None = None,
    ) -> None:
        self.scopes = dict(scopes)
        self.by = by
        self._journal = journal
        self._gives_way = gives_way
        self._dry = dry
        self._dry_writes: list[str] = []

    def take(self, proposals: Sequence[Proposal]) -> list[Taken]:
        """Decide on proposals, the first one first, and write what comes of them; one each is returned."""
        correlation = os.urandom(4).hex()
        if proposals and not self._dry and any(self._outboxes()):
            for _ in self.retry():
                pass  # the journal tells
        return [self._timed(proposal, correlation) for proposal in proposals]

    def _timed(self, proposal: Proposal, correlation: str) -> Taken:
        start = time.perf_counter()
        taken = self._take(proposal)
        if self._journal is not None and not self._dry:
            confidence = proposal.memory.confidence if proposal.memory else 1.0
            self._journal.write(
                Line(
                    correlation,
                    proposal.action,
                    taken.outcome,
                    taken.scope,
                    proposal.basis,
                    confidence,
                    since(start),
                    taken.id,
                )
            )
        return taken

    def _take(self, proposal: Proposal) -> Taken:
        if fault := self._fault(proposal):
            return Taken(proposal, "refused", why=fault)
        scope, unbound = self._scope_of(proposal)
        memory = self.scopes.get(scope)
        if memory is None:
            return Taken(proposal, "refused", why="there is no ledger for it: memledger init makes one")
        try:
            if proposal.action == "delete":
                return self._would_forget(proposal, scope)
            return self._decided(proposal, memory, scope, unbound=unbound)
        except NoLedgerError as error:
            return Taken(proposal, "refused", scope=scope, why=str(error))
        except (SecretError, RecordError, StateError, NotFoundError) as error:
            return Taken(proposal, "refused", scope=scope, why=str(error))
        except _LATER as error:
            return self._queued(proposal, memory, scope, str(error))

    # --- what is refused at sight ---

    def _fault(self, proposal: Proposal) -> str:
        memory = proposal.memory
        if memory is None or self.by.role == "user":
            return ""
        origin = memory.provenance
        if not ((origin.conversation and origin.message) or origin.file):
            return "nobody could say where it came from: it names no conversation and message, and no file"
        texts = (memory.text, memory.title, memory.body, *memory.details)
        found = next((kind for text in texts if text and (kind := personal_in(text))), None)
        if found and proposal.basis != "asked":
            return f"it holds a {found}: say that it is to be remembered, and it will be"
        return ""

    def _scope_of(self, proposal: Proposal) -> tuple[str, bool]:
        """Return the scope whose ledger takes a proposal, and whether that stands in for one that is not bound (K-70)."""
        if "" in self.scopes:
            return "", False
        wanted = proposal.scope or "user"
        if wanted in self.scopes:
            return wanted, False
        if wanted == "local" and "project" in self.scopes:
            return "project", False
        return "user", wanted != "user"

    # --- deciding ---

    def _decided(self, proposal: Proposal, memory: Keeping, scope: str, *, unbound: bool) -> Taken:
        settings = memory.configuration
        if not settings.enabled:
            return Taken(
                proposal, "discarded", scope=scope, why="memledger is switched off (enabled = false)"
            )
        standing = judge(proposal, settings.min_confidence, settings.ask_confidence)
        if standing == "discard":
            return Taken(
                proposal,
                "discarded",
                scope=scope,
                why=_too_unsure(proposal, settings.ask_confidence, settings.policy),
            )
        if standing == "active" and (unbound or (proposal.memory and proposal.memory.status == "candidate")):
            standing = "candidate"
        found = compared(memory.index, proposal)
        if (
            found == Compared()
            and not unbound
            and standing == "active"
            and (other := elsewhere(self.scopes, scope, proposal))
        ):
            proposal, scope, memory = replace(proposal, scope=other), other, self.scopes[other]
            found = compared(memory.index, proposal)
        if found.surely and proposal.basis == "stated" and proposal.memory is not None:
            proposal = replace(proposal, memory=_in_their_place(proposal.memory, found.against))
            standing = "candidate" if unbound else "active"
        if found.same is not None and (
            taken := self._again(proposal, memory, scope, found, active=standing == "active")
        ):
            return taken
        why = (
            "it belongs to a project that is not bound here: memledger init --scope project"
            if unbound
            else ""
        )
        return self._new(proposal, memory, scope, found, active=standing == "active", why=why)

    def _again(
        self, proposal: Proposal, memory: Keeping, scope: str, found: Compared, *, active: bool
    ) -> Taken | None:
        """Deal with what is said already; None where it is new all the same."""
        same, origin = found.same, (proposal.memory or Memory("")).provenance
        assert same is not None
        if same.status == "candidate":
            again = (
                origin.message != same.memory.provenance.message
                or origin.conversation != same.memory.provenance.conversation
            )
            by_person = proposal.basis not in INFERRED and self.by.role != "agent"
            if (
                not (active or (again and by_person and proposal.basis != "hedged"))
                or self.by.role == "agent"
            ):
                return Taken(proposal, "known", same.id, scope=scope, why="it waits to be confirmed")
            if not again:
                return Taken(proposal, "known", same.id, scope=scope, why="it was learned from this message")
            if active or found.against:
                return self._promoted(proposal, memory, scope, found)
            command = Confirm((same.id,), _said(proposal, "said again"), origin)
            self._write(memory, command)
            return Taken(proposal, "promoted", same.id, scope=scope)
        if found.against and active and self._may_replace(proposal, found.against):
            return None  # it takes back what was said since
        if origin.conversation and origin.conversation == same.memory.provenance.conversation:
            return Taken(proposal, "known", same.id, scope=scope, why="it was learned in this conversation")
        if proposal.basis == "hedged" or memory.clock() - parsed(same.fresh_since) < DAY:
            return Taken(proposal, "known", same.id, scope=scope, why="it stands, and is fresh")
        self._write(memory, Confirm((same.id,), _said(proposal, "said again"), origin))
        return Taken(proposal, "confirmed", same.id, scope=scope)

    def _promoted(self, proposal: Proposal, memory: Keeping, scope: str, found: Compared) -> Taken:
        """Make an active memory of a candidate that is said again, in the place of what it contradicts."""
        assert found.same is not None
        against = found.against if self._may_replace(proposal, found.against) else ()
        if found.against and not against:
            return Taken(proposal, "known", found.same.id, scope=scope, why=_named(found.against))
        targets = (found.same.id, *(entry.id for entry in against))
        id_ = self._write(memory, Supersede(targets, _active(proposal), reason=_said(proposal, "said again")))
        return Taken(proposal, "promoted", id_, targets, scope)

    def _new(
        self, proposal: Proposal, memory: Keeping, scope: str, found: Compared, *, active: bool, why: str
    ) -> Taken:
        if over := self._over(proposal, memory):
            return Taken(proposal, "refused", scope=scope, why=over)
        if active and found.against and self._may_replace(proposal, found.against):
            targets = tuple(entry.id for entry in found.against)
            id_ = self._write(
                memory, Supersede(targets, _active(proposal), reason=_said(proposal, _named(found.against)))
            )
            return Taken(proposal, "superseded", id_, targets, scope)
        if active and not found.against:
            return Taken(
                proposal,
                "created",
                self._write(memory, Create(_active(proposal), proposal.reason)),
                scope=scope,
            )
        reason = _named(found.against) if found.against else proposal.reason
        record = (proposal.memory or Memory("")).with_changes(status="candidate", source="auto")
        id_ = self._write(memory, Create(_marked(proposal, record), reason))
        return Taken(
            proposal, "candidate", id_, tuple(entry.id for entry in found.against), scope, why or reason
        )

    def _may_replace(self, proposal: Proposal, against: Sequence[Entry]) -> bool:
        """Say whether what stands gives way: a person's own only to their own plain words (K-63)."""
        if self._gives_way is not None:
            return all(self._gives_way(proposal, entry) for entry in against)
        confidence = proposal.memory.confidence if proposal.memory else 0.0
        said = proposal.basis in {"asked", "stated", "repeated"} and confidence >= SURELY_SAID
        if said and self.by.role != "agent":
            return True
        return all(entry.memory.source == "auto" for entry in against)

    def _over(self, proposal: Proposal, memory: Keeping) -> str:
        """Say which limit one more write would break, or "" (K-68)."""
        if self.by.role == "user":
            return ""
        settings, now = memory.configuration, memory.clock()
        conversation = proposal.memory.provenance.conversation if proposal.memory else ""
        indexes = [each.index for each in self.scopes.values()]
        dry = len(self._dry_writes)
        if conversation:
            count = sum(automatic_in(index, conversation) for index in indexes) + dry
            if count >= settings.limits_per_conversation:
                return f"this conversation has {count} automatic memories, as many as limits.per_conversation allows"
        count = sum(automatic_since(index, written(now - HOUR)) for index in indexes) + dry
        if count >= settings.limits_per_hour:
            return f"this hour has {count} automatic memories, as many as limits.per_hour allows"
        return ""

    # --- writing ---

    def _write(self, memory: Keeping, command: Command) -> str:
        if self._dry:
            if isinstance(command, Create | Supersede):
                memory.ledger.screened(command.memory.to_payload(), redact=False)
                self._dry_writes.append(command.memory.text)
            return ""
        return memory.write([command], self.by, timeout=PATIENCE)[0].id

    def _queued(self, proposal: Proposal, memory: Keeping, scope: str, why: str) -> Taken:
        if self._dry:
            return Taken(proposal, "refused", scope=scope, why=why)
        try:
            Outbox(memory.home.state, memory.ledger.identity.id).keep(proposal)
        except LedgerError as error:
            return Taken(
                proposal, "refused", scope=scope, why=f"{why}; the outbox could not keep it: {error}"
            )
        return Taken(proposal, "queued", scope=scope, why=f"{why}; it waits in the outbox: memledger outbox")

    def retry(self) -> Iterator[Taken]:
        """Take in what waits in the outboxes; what cannot be written yet goes on waiting."""
        for outbox in self._outboxes():
            for waiting in outbox.waiting():
                if waiting.proposal is None:
                    continue
                taken = self._timed(waiting.proposal, "outbox")
                if taken.outcome != "queued":
                    outbox.done(waiting.path)
                yield taken
                if taken.outcome == "queued":
                    break  # nor will the next one go through

    def _outboxes(self) -> Iterator[Outbox]:
        """Give the outboxes of these ledgers that exist, which few do."""
        for memory in self.scopes.values():
            if (memory.home.state / OUTBOX).is_dir():
                yield Outbox(memory.home.state, memory.ledger.identity.id)

    # --- forgetting ---

    def _would_forget(self, proposal: Proposal, scope: str) -> Taken:
        """Name what a person means who says "forget X"; nothing is deleted before they agree (K-71)."""
        found = [entry.id for memory in self.scopes.values() for entry in named(memory.index, proposal.about)]
        if not found:
            return Taken(proposal, "discarded", scope=scope, why=f"nothing is known of {proposal.about!r}")
        return Taken(proposal, "asked", targets=tuple(found), why="it waits for a yes")

    def forget(self, taken: Taken) -> list[str]:
        """Delete what a person agreed to forget; return the ids that went. Raises as `Keeping.write` does."""
        gone: list[str] = []
        for memory in self.scopes.values():
            here = [id_ for id_ in taken.targets if (entry := memory.index.entry(id_)) and entry.live]
            for at in range(0, len(here), 16):
                reason = taken.proposal.reason or f"asked to forget {taken.proposal.about}"
                memory.write([Delete(tuple(here[at : at + 16]), reason)], self.by, timeout=PATIENCE)
            gone += here
        return gone


def _active(proposal: Proposal) -> Memory:
    return _marked(proposal, (proposal.memory or Memory("")).with_changes(status="active", source="auto"))


def _in_their_place(memory: Memory, replaced: Sequence[Entry]) -> Memory:
    """Return what a person plainly says to be so instead: of the type of what it replaces, where its own says nothing (K-138)."""
    sure = max(memory.confidence, SURELY_SAID)
    kinds = {entry.memory.type for entry in replaced}
    kind = kinds.pop() if len(kinds) == 1 and memory.type == "fact" else memory.type
    return replace(memory, confidence=sure, type=kind if kind in _OF_A_PERSON else memory.type)


def _marked(proposal: Proposal, memory: Memory) -> Memory:
    return replace(memory, inferred=True) if proposal.basis in INFERRED else memory


def _said(proposal: Proposal, otherwise: str) -> str:
    return proposal.reason or otherwise


def _named(entries: Sequence[Entry]) -> str:
    texts = "; ".join(f"{entry.id[:12]} ({entry.memory.text[:120]})" for entry in entries[:3])
    return f"contradicts {texts}" + (f" and {len(entries) - 3} more" if len(entries) > 3 else "")


def _too_unsure(proposal: Proposal, least: float, policy: str) -> str:
    confidence = proposal.memory.confidence if proposal.memory else 0.0
    return f"confidence {confidence:.2f} is below ask_confidence ({least:.2f}, policy {policy})"
