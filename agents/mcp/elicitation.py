"""Asks the person before anything is forgotten, or a candidate taken; where the client cannot ask, it waits for them.

Implements specs/doors.md (G-42, G-47, G-71). The SDK resolves the question before the tool runs, in the way of the protocol that the
client speaks; nothing here knows which that is.
"""

from __future__ import annotations

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import AcceptedElicitation, Elicit
from pydantic import BaseModel, ConfigDict

from agents.mcp import write_tools
from agents.mcp.call_ledgers import FoundMemory, Open
from agents.mcp.caller import Caller
from agents.mcp.schemas import Confirmed, Deleted, said
from agents.mcp.serving import CallContext, server_of
from agents.mcp.write_tools import taking
from documents import replacements
from documents.proposal import Proposal
from language.dates import day
from language.printable import plain, short
from learning.outcome import Taken
from ledger.errors import LedgerError, StateError
from ledger.fold import Entry
from projections import requests
from projections.requests import DELETE, Request

_SHOWN = 300


class Agreement(BaseModel):
    """A form without a field: sending it means yes (G-42). A form with other content is not an answer."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra=lambda schema: schema.pop("additionalProperties", None)
    )


def can_ask(ctx: CallContext) -> bool:
    """Say whether the client puts questions to its user. A bare `elicitation` means forms, as before there were modes."""
    capabilities = ctx.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def ask(id: str, ctx: CallContext) -> Agreement | Elicit[Agreement]:
    """Return the question whether a memory is to be forgotten; none where nobody can be asked."""
    if not can_ask(ctx):
        return Agreement()  # delete() does not take it for a yes
    with server_of(ctx).ledgers.opened() as now:
        found = _standing(now, id)
        return Elicit(f"Forget {_quoted(found.entry)}? The history keeps it. ({_where(found)})", Agreement)


def ask_to_confirm(id: str, ctx: CallContext) -> Agreement | Elicit[Agreement]:
    """Return the question whether a candidate is to be remembered; none where nobody need or can be asked."""
    if not can_ask(ctx):
        return Agreement()  # confirm() does not take it for a yes
    with server_of(ctx).ledgers.opened() as now:
        found = now.find(id)
        if found.entry.status != "candidate":
            return Agreement()
        (old,) = replacements.of_candidates(found.memory.workspace, [found.entry]).values()
        place = f" in place of {', '.join(map(_quoted, old))}" if old else ""
        return Elicit(f"Remember {_quoted(found.entry)}{place}? ({_where(found)})", Agreement)


def _quoted(entry: Entry) -> str:
    text = said(entry)
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
    more = len(entry.memory.details) + len(entry.memory.body.splitlines())
    return f"\u201c{text}\u201d{f' and {more} lines more' if more else ''}"


def _where(found: FoundMemory) -> str:
    scope, entry = found.memory.workspace.place.scope or "ledger", found.entry
    return f"{scope} memory {entry.id[:12]}, learned {day(entry.learned)}"


def confirm(
    now: Open, caller: Caller, id_: str, reason: str, answer: ElicitationResult[Agreement], *, asked: bool
) -> Confirmed:
    """Confirm a memory; a candidate becomes active if the person agreed when asked (G-71).

    Raises:
        WaitingError: it is a candidate, and nobody could be asked.
        StateError: the person did not agree; or it does not stand.
    """
    found = now.find(id_)
    entry = found.entry
    if entry.status != "candidate" or not asked:
        return write_tools.confirm(now, caller, id_, reason)
    if not isinstance(answer, AcceptedElicitation):
        raise StateError("the user did not agree: do not do it, and do not ask again")
    done = replacements.confirm(
        found.memory.scope, [entry], f"the user agreed, asked by {caller.name}", caller.who_heard
    )
    stands = found.memory.workspace.index.entry(entry.id)
    id_ = entry.id if stands is not None and stands.live else done[0]
    scope = found.memory.workspace.place.scope
    return Confirmed(id=id_, scope=scope, text=said(entry), promoted=True)


def delete(
    now: Open, caller: Caller, id_: str, answer: ElicitationResult[Agreement], *, asked: bool
) -> Deleted:
    """Forget a memory if the person agreed; if nobody could be asked, file the request.

    Raises:
        LedgerError: it is not current, or could not be deleted.
    """
    found = _standing(now, id_)
    if not asked:
        return _wish(now, caller, found)
    if not isinstance(answer, AcceptedElicitation):
        return _answer(found, "kept", "the user did not agree: do not do it, and do not ask again")
    entry = found.entry
    reason = f"the user agreed, asked by {caller.name}"
    proposal = Proposal("delete", None, (entry.id,), reason=reason, basis="asked", scope=found.scope)
    origin = caller.origin("delete_memory")
    taken = taking(now, caller, caller.who_heard).forget(
        Taken(proposal, "asked", targets=(entry.id,)), origin
    )
    if taken.outcome == "queued":
        return _answer(found, "queued", plain(taken.why))
    if taken.outcome not in ("forgotten", "known"):
        raise LedgerError(taken.why)
    requests.settle(found.memory.workspace, Request(DELETE, (entry.id,)))
    gone = found.memory.workspace.index.entry(entry.id)
    by = [id_[:12] for id_ in gone.deleted_by[-1:]] if gone is not None else []
    back = now.command("revert", found.memory, *by)
    return _answer(found, "forgotten", f"the history keeps it; the user brings it back with {back}")


def _wish(now: Open, caller: Caller, found: FoundMemory) -> Deleted:
    requests.file(found.memory.workspace, Request(DELETE, (found.entry.id,), {}, caller.name, caller.session))
    review = now.command("review", found.memory)
    delete = now.command("delete", found.memory, found.entry.id[:12])
    note = (
        f"nothing is deleted: this client cannot ask its user. Tell the user what you want forgotten and why; they "
        f"decide in a terminal with {review}, which lists it first, or {delete}"
    )
    return _answer(found, "waiting", note, f"forget-{short(found.entry.id)}")


def _standing(now: Open, id_: str) -> FoundMemory:
    found = now.find(id_)
    if not found.entry.live:
        raise StateError(f"{found.entry.id[:12]} is {found.entry.status}: there is nothing to forget")
    return found


def _answer(found: FoundMemory, outcome: str, note: str, pending: str = "") -> Deleted:
    return Deleted.model_validate(
        {
            "outcome": outcome,
            "id": found.entry.id,
            "scope": found.memory.workspace.place.scope,
            "text": said(found.entry),
            "pending": pending,
            "note": note,
        }
    )
