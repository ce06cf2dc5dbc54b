"""Deletes what a person agreed to forget, in every ledger that has it; what cannot be deleted now is not forgotten about.

Implements specs/capture.md (K-71, K-151).
"""

from __future__ import annotations

from dataclasses import replace

from capture.proposal import Proposal
from learning.taken import Outcome, Taken
from learning.writer import LATER, Writer
from ledger.command import Delete
from ledger.errors import LedgerError
from ledger.schema import MAX_TARGETS

_WORST_FIRST: tuple[Outcome, ...] = ("unwritten", "queued", "refused", "forgotten", "known")


def forget(writer: Writer, proposal: Proposal) -> Taken:
    """Delete the targets of a proposal in all ledgers; where one cannot be written now, its outbox keeps the wish.

    Of several ledgers the worst outcome is returned, with its targets: `unwritten` says that nothing keeps the wish.
    """
    done = [_forgotten(writer, proposal, scope) for scope in writer.scopes]
    worst = min(done, key=lambda each: _WORST_FIRST.index(each.outcome))
    ids = (id_ for each in done if each.outcome == worst.outcome for id_ in each.targets)
    return replace(worst, targets=tuple(dict.fromkeys(ids)))


def _forgotten(writer: Writer, proposal: Proposal, scope: str) -> Taken:
    try:
        return deleted(writer, proposal, scope)
    except LATER as error:
        return replace(writer.put_by(proposal, scope, str(error)), targets=proposal.targets)
    except LedgerError as error:
        return Taken(proposal, "refused", scope=scope, why=str(error))


def deleted(writer: Writer, proposal: Proposal, scope: str) -> Taken:
    """Delete the targets that stand in the ledger of one scope. Raises as `Writer.write` does."""
    index = writer.scopes[scope].index
    here = [id_ for id_ in proposal.targets if (entry := index.entry(id_)) and entry.live]
    if not here:
        return Taken(proposal, "known", scope=scope, why="it stands no longer")
    reason = proposal.reason or f"asked to forget {proposal.about}"
    some = [tuple(here[at : at + MAX_TARGETS]) for at in range(0, len(here), MAX_TARGETS)]
    writer.write(writer.scopes[scope], [Delete(targets, reason) for targets in some])
    return Taken(proposal, "forgotten", targets=tuple(here), scope=scope)
