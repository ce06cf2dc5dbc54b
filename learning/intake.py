"""Accepts proposals: compares them with the current memories, decides by policy, writes, and returns each outcome.

Implements specs/capture.md (K-62…K-73, K-151, K-153, K-270, K-271). Everything that learns automatically calls this: transcripts,
hooks, agents' tools. Each proposal passes `learning.detection.standing`, likeness, the limits and redaction before it is written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from documents.proposal import Proposal
from documents.scope import Scope
from learning import journal
from learning.admitting import fault, scope_of
from learning.authorship import home_of
from learning.detection.standing import INFERRED, SURELY_SAID, judge
from learning.learned_messages import learned_already
from learning.limits import HOUR, over_conversation, over_hour
from learning.outcome import WAITING, WRITTEN, Taken, against_what, not_here, too_unsure
from learning.proposal_relation import Relation, compared, elsewhere, is_surely_about
from learning.statement_times import dated, deleted_since, older, said_since
from learning.writer import LATER, Writer
from ledger.command import Command, Confirm, Create, Supersede, Written
from ledger.errors import LedgerError, NotFoundError, RecordError, SecretError, StateError
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import parsed
from ledger.memory import Memory, Provenance
from projections.origins import is_confirmed_in

__all__ = ["WRITTEN", "Taken", "Taking"]

DAY = 24 * HOUR


class Taking:
    """Decides on proposals, and writes them to the ledgers of one person.

    Args:
        scopes: the existing ledgers by scope; a single one under "" takes everything (K-70).
        by: the author.
        dry: decide, and write nothing.
        gives_way: returns whether a proposal may replace a memory; None leaves it to K-63.
    """

    def __init__(
        self,
        scopes: Mapping[str, Scope],
        by: By,
        *,
        dry: bool = False,
        gives_way: Callable[[Proposal, Entry], bool | None] | None = None,
    ) -> None:
        self.scopes = dict(scopes)
        self.by = by
        self.writer = Writer(self.scopes, by, dry=dry)
        self._gives_way = gives_way
        self.dry = dry
        self._left: set[Path] = set()
        """The waiting proposals that would be refused: a person must hear of them."""
        self._beside: frozenset[str] = frozenset()
        """The texts that one source says at one time: none of them replaces another."""

    def take(self, proposals: Sequence[Proposal], *, together: bool = False) -> list[Taken]:
        """Decide on proposals in their order, write them, and return one outcome each.

        `together` means that all of them hold at once, so that none replaces another one (K-81).
        """
        self._beside = frozenset(each.memory.text for each in proposals if together and each.memory)
        correlation = os.urandom(4).hex()
        if proposals:
            self.take_up()
        return [self._timed(proposal, correlation) for proposal in proposals]

    def take_up(self) -> list[Taken]:
        """Write the proposals in the outboxes, if that is possible now; return the outcomes.

        A proposal that would be refused keeps waiting: nobody asked for this run, so nobody might hear of the refusal.
        """
        return [] if self.dry else list(self.retry(by_itself=True))

    def _timed(self, proposal: Proposal, correlation: str, waited_for: str | None = None) -> Taken:
        start = time.perf_counter()
        taken = self._take(proposal, waited_for)
        self._log(taken, correlation, start)
        return taken

    def _log(self, taken: Taken, correlation: str, start: float) -> None:
        if not self.dry:
            journal.write(home_of(self.scopes).workspace, taken, correlation, start)

    def _take(self, proposal: Proposal, waited_for: str | None) -> Taken:
        """Decide on a proposal; `waited_for` is the scope of the outbox where it waited, None if it is new."""
        if wrong := fault(proposal, self.by):
            return Taken(proposal, "refused", why=wrong)
        if waited_for is None:
            self._found_beside(proposal)
        scope, unbound = scope_of(self.scopes, proposal, self.by, waited_for)
        memory = self.scopes.get(scope)
        if memory is None:
            wanted = proposal.scope or "user"
            why = f"there is no ledger for it: run muniment init --scope {wanted} to create one"
            return Taken(proposal, "refused", why=why)
        proposal = dated(proposal, memory.workspace.clock())
        try:
            return self._settled(proposal, memory, scope, unbound=unbound, waited=waited_for is not None)
        except (SecretError, RecordError, StateError, NotFoundError) as error:
            return Taken(proposal, "refused", scope=scope, why=str(error))
        except LATER as error:
            if proposal.action == "delete" and not proposal.targets:  # nobody can ask the person later
                return Taken(proposal, "unwritten", scope=scope, why=f"{error}; it must be said again")
            return self.writer.put_by(proposal, scope, str(error), waited=waited_for is not None)

    def _found_beside(self, proposal: Proposal) -> None:
        """Create the ledger beside a project's for the first memory that belongs there (K-70); a failure is not an error.

        That is the local one, or the user's own for a memory that a person asked for.
        """
        project = self.scopes.get("project")
        asked = proposal.basis == "asked" and self.by.role != "agent"
        scope: Literal["local", "user"] = "local" if proposal.scope == "local" else "user"
        belongs = proposal.scope == "local" or (proposal.scope in ("", "user") and asked)
        if not belongs or proposal.memory is None or project is None or scope in self.scopes:
            return
        settings = project.workspace.configuration
        sure = judge(proposal, settings.min_confidence, settings.ask_confidence) == "active"
        if self.dry or not sure or not settings.enabled:
            return
        with suppress(LedgerError, OSError):
            self.scopes[scope] = project.beside(scope)

    def _settled(
        self, proposal: Proposal, ledger: Scope, scope: str, *, unbound: bool, waited: bool
    ) -> Taken:
        if proposal.action == "delete":
            from learning import deleting

            act = deleting.deleted if waited else deleting.would_forget
            return act(self.writer, proposal, scope)
        try:
            return self._decided(proposal, ledger, scope, unbound=unbound, waited=waited)
        except (StateError, NotFoundError):  # another process was faster: decide again by the current state
            return self._decided(proposal, ledger, scope, unbound=unbound, waited=waited)

    # --- deciding ---

    def _compared(self, scope: Scope, proposal: Proposal) -> Relation:
        found = compared(scope.workspace.index, proposal)
        against = tuple(one for one in found.against if one.memory.text not in self._beside)
        return found._replace(against=against, surely=found.surely and bool(against))

    def _decided(
        self, proposal: Proposal, ledger: Scope, scope: str, *, unbound: bool, waited: bool = False
    ) -> Taken:
        settings = ledger.workspace.configuration
        if not settings.enabled:
            off = "muniment is switched off (enabled = false)"
            return Taken(proposal, "queued" if waited else "discarded", scope=scope, why=off)
        if already := learned_already(self.scopes, proposal):
            return already
        standing = judge(proposal, settings.min_confidence, settings.ask_confidence)
        if standing == "discard":
            unsure = too_unsure(proposal, settings.ask_confidence, settings.policy)
            return Taken(proposal, "discarded", scope=scope, why=unsure)
        if standing == "active" and (unbound or (proposal.memory and proposal.memory.status == "candidate")):
            standing = "candidate"
        if self.by.role == "agent" and proposal.memory and ledger.workspace.index.proposed(proposal.memory):
            standing = "candidate"
        found = self._compared(ledger, proposal)
        if (
            found == Relation()
            and not unbound
            and standing == "active"
            and (other := elsewhere(self.scopes, scope, proposal))
        ):
            proposal, scope, ledger = proposal._replace(scope=other), other, self.scopes[other]
            found = self._compared(ledger, proposal)
        if since := self._said_since(proposal, ledger, found):
            return older(proposal, since, scope)
        if (
            found.against
            and proposal.action == "supersede"
            and proposal.basis == "stated"
            and proposal.memory
        ):
            proposal = proposal._replace(memory=_in_their_place(proposal.memory, found.against))
        by_hand = any(map(_is_by_hand, found.against))
        if found.surely and not by_hand and proposal.basis == "stated" and proposal.memory is not None:
            proposal = proposal._replace(memory=_sure(proposal.memory))
            standing = "candidate" if unbound else "active"
        why = not_here(proposal, self.scopes) if unbound else ""
        if unbound and found.same is not None and found.same.status == "candidate":
            return Taken(proposal, "known", found.same.id, scope=scope, why=why)
        if found.same is not None and (
            taken := self._again(proposal, ledger, scope, found, active=standing == "active", waited=waited)
        ):
            return taken
        if over := self._over(proposal, ledger, scope, waited=waited):
            return over
        return self._new(proposal, ledger, scope, found, active=standing == "active", why=why)

    def _said_since(self, proposal: Proposal, scope: Scope, found: Relation) -> Sequence[Entry]:
        """Return the memories stated after a proposal was said, which it must not change (K-271)."""
        if found.against or found.same is not None:
            return said_since(scope.workspace, proposal, found.against)
        return deleted_since(scope.workspace, proposal)

    def _again(
        self, proposal: Proposal, ledger: Scope, scope: str, found: Relation, *, active: bool, waited: bool
    ) -> Taken | None:
        """Return the outcome of a proposal that repeats a memory; None if it still counts as new."""
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
                why = "it waits to be confirmed: muniment review"
                if self.by.role == "agent":
                    why = "an agent may not promote: it waits for a person, muniment review"
                return Taken(proposal, "known", same.id, scope=scope, why=why)
            if not again:
                return Taken(proposal, "known", same.id, scope=scope, why="it was learned from this message")
            is_newer = not said_since(ledger.workspace, proposal, [same])
            if found.against or (active and is_newer):
                over = self._over(proposal, ledger, scope, waited=waited)
                return over or self._promoted(proposal, ledger, scope, found)
            command = Confirm((same.id,), _said(proposal, "said again"), origin)
            self._write(ledger, command)
            return Taken(proposal, "promoted", same.id, scope=scope)
        if found.against and active and self._may_replace(proposal, found.against):
            return None  # it withdraws what was said since
        if origin.conversation and origin.conversation == same.memory.provenance.conversation:
            return Taken(proposal, "known", same.id, scope=scope, why="it was learned in this conversation")
        if origin.conversation and is_confirmed_in(ledger.workspace.index, same.id, origin.conversation):
            return Taken(proposal, "known", same.id, scope=scope, why="this conversation confirmed it")
        if since := said_since(ledger.workspace, proposal, [same]):
            return older(proposal, since, scope)
        if proposal.basis == "hedged" or ledger.workspace.clock() - parsed(same.fresh_since) < DAY:
            return Taken(proposal, "known", same.id, scope=scope, why="it is current and fresh")
        self._write(ledger, Confirm((same.id,), _said(proposal, "said again"), origin))
        return Taken(proposal, "confirmed", same.id, scope=scope)

    def _promoted(self, proposal: Proposal, ledger: Scope, scope: str, found: Relation) -> Taken:
        """Activate a candidate that is said again, and replace the memories that it contradicts."""
        assert found.same is not None
        against = found.against if self._may_replace(proposal, found.against) else ()
        if found.against and not against:
            return Taken(proposal, "known", found.same.id, scope=scope, why=against_what(found.against))
        targets = (found.same.id, *(entry.id for entry in against))
        command = Supersede(targets, _active(proposal), reason=_said(proposal, "said again"))
        done = self._write(ledger, command)
        return Taken(proposal, "promoted", done.id, targets, scope, replaced=_texts(against))

    def _new(
        self, proposal: Proposal, ledger: Scope, scope: str, found: Relation, *, active: bool, why: str
    ) -> Taken:
        if active and found.against and self._may_replace(proposal, found.against):
            targets = tuple(entry.id for entry in found.against)
            command = Supersede(
                targets, _active(proposal), reason=_said(proposal, against_what(found.against))
            )
            done = self._write(ledger, command)
            return Taken(proposal, "superseded", done.id, targets, scope, replaced=_texts(found.against))
        asked = proposal.basis == "asked" and self.by.role != "agent"
        if active and (asked or not found.against):
            done = self._write(ledger, Create(_active(proposal), proposal.reason))
            return _unless_known(Taken(proposal, "created", done.id, scope=scope), done)
        reason = against_what(found.against) if found.against else proposal.reason
        record = (proposal.memory or Memory("")).with_changes(status="candidate", source="auto")
        done = self._write(ledger, Create(_marked(proposal, record), reason))
        against = tuple(entry.id for entry in found.against)
        return _unless_known(Taken(proposal, "candidate", done.id, against, scope, why or reason), done)

    def _may_replace(self, proposal: Proposal, against: Sequence[Entry]) -> bool:
        """Return whether a proposal may replace these memories: a person's own ones only by their plain words about it (K-63)."""
        if self._gives_way is not None:
            answers = [self._gives_way(proposal, entry) for entry in against]
            if None not in answers:
                return all(answers)
        confidence = proposal.memory.confidence if proposal.memory else 0.0
        said = proposal.basis in {"asked", "stated"} and confidence >= SURELY_SAID
        said = said and bool(proposal.memory and proposal.memory.provenance.conversation)
        said = said and self.by.role != "agent"
        return all(not _is_by_hand(entry) or (said and is_surely_about(proposal, entry)) for entry in against)

    def _over(self, proposal: Proposal, ledger: Scope, scope: str, *, waited: bool) -> Taken | None:
        """Return the outcome if a limit forbids one more write now; else None (K-68, K-153)."""
        if self.by.role == "user" or waited:
            return None
        settings, waiting = ledger.workspace.configuration, self.writer.waiting()
        if proposal._replace(why=()) in waiting:
            return Taken(proposal, "queued", scope=scope, why="it waits in the outbox: muniment upkeep retry")
        over = over_conversation(self.scopes.values(), proposal, settings.limits_per_conversation, waiting)
        over = over or over_hour(
            self.scopes.values(), ledger.workspace.clock(), settings.limits_per_hour, waiting
        )
        return Taken(proposal, "refused", scope=scope, why=over) if over else None

    # --- writing ---

    def _write(self, scope: Scope, command: Command) -> Written:
        return self.writer.write(scope, [command])[0]

    def retry(self, *, by_itself: bool = False) -> Iterator[Taken]:
        """Process what waits in the outboxes; what cannot be written yet keeps waiting.

        If nobody asked for it (`by_itself`), a proposal that would be refused keeps waiting too.
        """
        for scope, outbox in self.writer.outboxes():
            for waiting in outbox.waiting():
                if waiting.proposal is None or (by_itself and waiting.path in self._left):
                    continue
                taken = self._in_the_name_of(waiting.by)._timed(waiting.proposal, "outbox", scope)
                if by_itself and taken.outcome in ("refused", "discarded"):
                    self._left.add(waiting.path)
                elif taken.outcome not in WAITING:
                    outbox.done(waiting.path)
                yield taken
                if taken.outcome in WAITING:
                    break  # the next one would fail too

    def _in_the_name_of(self, by: By | None) -> Taking:
        """Return a `Taking` that writes for the proposal's author, so that an agent's proposal stays the agent's (K-226)."""
        if by is None or by == self.by:
            return self
        other = Taking(self.scopes, by, dry=self.dry, gives_way=self._gives_way)
        other.writer.held = self.writer.held
        return other

    # --- forgetting ---

    def forget(self, taken: Taken, origin: Provenance | None = None) -> Taken:
        """Delete what a person agreed to forget by the message `origin` (K-151); see `learning.deleting.forget`."""
        from learning import deleting

        start = time.perf_counter()
        proposal = taken.proposal._replace(targets=taken.targets)
        done = deleting.forget(self.writer, proposal, origin or deleting.NOWHERE)
        self._log(done, os.urandom(4).hex(), start)
        return done


def _unless_known(taken: Taken, done: Written) -> Taken:
    """Return the outcome of a create; another process may have done it at the same moment."""
    if not done.known:
        return taken
    return taken._replace(outcome="known", why="it was learned at the same moment")


def _active(proposal: Proposal) -> Memory:
    return _marked(proposal, (proposal.memory or Memory("")).with_changes(status="active", source="auto"))


def _is_by_hand(entry: Entry) -> bool:
    """Return whether a person wrote a memory themselves (K-63)."""
    return entry.memory.source != "auto" or entry.by.role == "user"


def _texts(entries: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(entry.memory.text for entry in entries)


def _in_their_place(memory: Memory, replaced: Sequence[Entry]) -> Memory:
    """Return a correction with the type of the memories that it replaces (K-138)."""
    kinds = {entry.memory.type for entry in replaced}
    return memory._replace(type=kinds.pop() if len(kinds) == 1 else memory.type)


def _sure(memory: Memory) -> Memory:
    return memory._replace(confidence=max(memory.confidence, SURELY_SAID))


def _marked(proposal: Proposal, memory: Memory) -> Memory:
    return memory._replace(inferred=True) if proposal.basis in INFERRED else memory


def _said(proposal: Proposal, otherwise: str) -> str:
    return proposal.reason or otherwise
