"""Deletes memories that a person agreed to forget, in every ledger; the outbox keeps what cannot be deleted now.

Implements specs/capture.md (K-71, K-151, K-221, K-271).
"""

from __future__ import annotations

from documents.proposal import Proposal
from learning.forget_targets import named
from learning.learned_messages import forgotten_already
from learning.outcome import ProposalOutcome, Taken, names
from learning.statement_times import older, origin_at, said_since
from learning.writer import LATER, Writer
from ledger.command import Delete
from ledger.errors import LedgerError
from ledger.memory import Provenance
from ledger.schema import MAX_TARGETS

_WORST_FIRST: tuple[ProposalOutcome, ...] = ("unwritten", "queued", "refused", "forgotten", "older", "known")


NOWHERE = Provenance()


def would_forget(writer: Writer, proposal: Proposal, scope: str) -> Taken:
    """Name the memories that "forget X" means; nothing is deleted before the person agrees (K-71)."""
    found = [
        (each, one) for each in writer.scopes.values() for one in named(each.workspace.index, proposal.about)
    ]
    if not found:
        return Taken(proposal, "discarded", scope=scope, why=f"nothing is known of {proposal.about!r}")
    since = [one for each, entry in found for one in said_since(each.workspace, proposal, [entry])]
    if len(since) == len(found):
        return older(proposal, since, scope)
    meant = [entry for _, entry in found if entry not in since]
    why = f"it waits for a yes, and means {names(meant)}"
    return Taken(proposal, "asked", targets=tuple(entry.id for entry in meant), why=why)


def forget(writer: Writer, proposal: Proposal, origin: Provenance = NOWHERE) -> Taken:
    """Delete the targets of a proposal in all ledgers; if one cannot be written now, its outbox keeps the request.

    `origin` is the message that agreed. If it is read again, it deletes nothing that was learned since. With several
    ledgers the worst outcome is returned, with its targets; `unwritten` means that nothing keeps the request.
    """
    done = [_forgotten(writer, proposal, scope, origin) for scope in writer.scopes]
    worst = min(done, key=lambda each: _WORST_FIRST.index(each.outcome))
    ids = (id_ for each in done if each.outcome == worst.outcome for id_ in each.targets)
    return worst._replace(targets=tuple(dict.fromkeys(ids)))


def _forgotten(writer: Writer, proposal: Proposal, scope: str, origin: Provenance) -> Taken:
    try:
        if forgotten_already(writer.scopes[scope].workspace, origin):
            return Taken(proposal, "known", scope=scope, why="it was forgotten then, by this message")
        return deleted(writer, proposal, scope, origin)
    except LATER as error:
        return writer.put_by(proposal, scope, str(error))._replace(targets=proposal.targets)
    except LedgerError as error:
        return Taken(proposal, "refused", scope=scope, why=str(error))


def deleted(writer: Writer, proposal: Proposal, scope: str, origin: Provenance = NOWHERE) -> Taken:
    """Delete the current targets in the ledger of one scope. Raises as `Writer.write` does."""
    memory = writer.scopes[scope]
    found = [memory.workspace.index.entry(id_) for id_ in proposal.targets]
    entries = [entry for entry in found if entry is not None and entry.live]
    if not entries:
        return Taken(proposal, "known", scope=scope, why="it is no longer current")
    since = said_since(memory.workspace, proposal, entries)
    here = [entry.id for entry in entries if entry not in since]
    if not here:
        return older(proposal, since, scope)
    reason = proposal.reason or f"asked to forget {proposal.about}"
    some = [tuple(here[at : at + MAX_TARGETS]) for at in range(0, len(here), MAX_TARGETS)]
    origin = origin_at(origin, proposal, memory.workspace.clock())
    writer.write(memory, [Delete(targets, reason, origin) for targets in some])
    return Taken(proposal, "forgotten", targets=tuple(here), scope=scope)
