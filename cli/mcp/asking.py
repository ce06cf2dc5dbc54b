"""Asks the person before anything is forgotten; where the client cannot ask, the wish waits for them.

Implements specs/doors.md (G-42, G-47). The SDK resolves the question before the tool runs, in the way of the protocol that the
client speaks; nothing here knows which that is.
"""

from __future__ import annotations

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import AcceptedElicitation, Elicit
from pydantic import BaseModel, ConfigDict

from capture.proposal import Proposal
from cli import wishes
from cli.app import plain
from cli.mcp.answers import Deleted, said
from cli.mcp.caller import Caller
from cli.mcp.ledgers import Found, Open
from cli.mcp.saving import taking
from cli.mcp.serving import Asked, server_of
from learning.taken import Taken
from ledger.errors import LedgerError, StateError

_SHOWN = 300


class Answer(BaseModel):
    """A form without a field: to send it is the yes (G-42). One that says something else is no answer to it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra=lambda schema: schema.pop("additionalProperties", None)
    )


def can_ask(ctx: Asked) -> bool:
    """Say whether the client puts questions to its user. A bare `elicitation` means forms, as before there were modes."""
    capabilities = ctx.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def ask(id: str, ctx: Asked) -> Answer | Elicit[Answer]:
    """Return the question whether a memory is to be forgotten; none where nobody can be asked."""
    if not can_ask(ctx):
        return Answer()  # delete() does not take it for a yes
    with server_of(ctx).ledgers.opened() as now:
        found = _standing(now, id)
        entry = found.entry
        text = said(entry)
        text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
        more = len(entry.memory.details) + len(entry.memory.body.splitlines())
        rest = f" and {more} lines more" if more else ""
        where = f"{found.memory.place.scope or 'ledger'} memory {entry.id[:12]}, learned {entry.learned[:10]}"
        return Elicit(f"Forget \u201c{text}\u201d{rest}? The history keeps it. ({where})", Answer)


def delete(now: Open, caller: Caller, id_: str, answer: ElicitationResult[Answer], *, asked: bool) -> Deleted:
    """Forget a memory that the person agreed to forget; else leave it, and where nobody could be asked, file the wish.

    Raises:
        LedgerError: it does not stand, or could not be deleted.
    """
    found = _standing(now, id_)
    if not asked:
        return _wish(now, caller, found)
    if not isinstance(answer, AcceptedElicitation):
        return _answer(found, "kept", "the user did not agree: leave it, and do not ask again")
    entry = found.entry
    reason = f"the user agreed, asked by {caller.name}"
    proposal = Proposal("delete", None, (entry.id,), reason=reason, basis="asked", scope=found.scope)
    origin = caller.origin("delete_memory")
    taken = taking(now, caller).forget(Taken(proposal, "asked", targets=(entry.id,)), origin)
    if taken.outcome == "queued":
        return _answer(found, "queued", plain(taken.why))
    if taken.outcome not in ("forgotten", "known"):
        raise LedgerError(taken.why)
    wishes.settle(found.memory, entry.id)
    gone = found.memory.index.entry(entry.id)
    by = [id_[:12] for id_ in gone.deleted_by[-1:]] if gone is not None else []
    back = now.command("revert", found.memory, *by)
    return _answer(found, "forgotten", f"the history keeps it; the user brings it back with {back}")


def _wish(now: Open, caller: Caller, found: Found) -> Deleted:
    wish = wishes.file(found.memory, found.entry, caller.name, caller.session)
    review = now.command("review", found.memory)
    delete = now.command("delete", found.memory, found.entry.id[:12])
    note = (
        f"nothing is deleted: this client cannot ask its user. Tell the user what you want forgotten and why; they "
        f"decide in a terminal of their own with {review}, which lists it first, or {delete}"
    )
    return _answer(found, "waiting", note, wish.name)


def _standing(now: Open, id_: str) -> Found:
    found = now.find(id_)
    if not found.entry.live:
        raise StateError(f"{found.entry.id[:12]} is {found.entry.status}: there is nothing to forget")
    return found


def _answer(found: Found, outcome: str, note: str, pending: str = "") -> Deleted:
    return Deleted.model_validate(
        {
            "outcome": outcome,
            "id": found.entry.id,
            "scope": found.memory.place.scope,
            "text": said(found.entry),
            "pending": pending,
            "note": note,
        }
    )
