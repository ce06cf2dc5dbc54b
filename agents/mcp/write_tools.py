"""Saves what an agent says, replaces and confirms it: all by capture's policy, limits and refusals.

Implements specs/doors.md (G-40, G-46). An agent says itself on what a memory rests, and is believed no further than capture would
believe that basis (capture.md K-60).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agents.mcp.call_ledgers import Open
from agents.mcp.caller import Caller
from agents.mcp.schemas import Confirmed, Saved, said
from documents.proposal import Basis, Proposal
from language.printable import redacted
from learning.detection.standing import CONFIDENCE
from learning.intake import Taking
from learning.outcome import Taken
from ledger.command import Confirm
from ledger.errors import LedgerError, StateError, UsageError
from ledger.event import By
from ledger.memory import FROM, Memory
from ledger.verbs import base_of
from projections import requests
from projections.requests import REPLACE, Request

_NOTHING_STORED = frozenset(("refused", "discarded", "unwritten"))
_TOPIC_ONLY = ("title", "body", "when_to_use")


@dataclass(frozen=True, slots=True)
class Wish:
    """What an agent wants remembered: the text, on what it rests, and the other members of the record by name.

    `made_from` names the memories from which the agent made it.
    """

    text: str
    basis: Basis
    scope: str = ""
    confidence: float | None = None
    reason: str = ""
    members: dict[str, Any] = field(default_factory=dict)
    made_from: list[str] = field(default_factory=list)

    def confidence_in(self) -> float:
        """Return how sure it is: as its basis allows, or less."""
        most = CONFIDENCE[self.basis]
        return most if self.confidence is None else min(most, self.confidence)


def save(now: Open, caller: Caller, wish: Wish) -> Saved:
    """Take in what an agent says.

    Raises:
        LedgerError: nothing was stored; it says why.
    """
    members = {name: value for name, value in wish.members.items() if value}
    if any(name in members for name in _TOPIC_ONLY) and not members.get("topic"):
        raise UsageError(
            "title, body and when_to_use belong to a topic: give topic as well, or put it into text and details"
        )
    origins = list(dict.fromkeys(now.find(id_).entry.id for id_ in wish.made_from))
    memory = Memory(
        _one_line(wish.text),
        confidence=wish.confidence_in(),
        source="auto",
        provenance=caller.origin("save_memory"),
        unknown={FROM: origins} if origins else {},
    ).with_changes(**members)
    scope = wish.scope or now.default_scope
    return _taken(
        now,
        caller,
        Proposal("create", memory, reason=_one_line(wish.reason, "reason"), scope=scope, basis=wish.basis),
    )


def supersede(now: Open, caller: Caller, ids: list[str], wish: Wish) -> Saved:
    """Put what an agent says in the place of memories.

    Raises:
        LedgerError: nothing was stored; it says why.
    """
    found = [now.find(id_) for id_ in dict.fromkeys(ids)]
    first = found[0]
    if any(each.scope != first.scope for each in found):
        raise UsageError("these memories are in several scopes: replace those of one scope at a time")
    for each in found:
        if each.entry.status == "deleted":
            raise StateError(
                f"{each.entry.id[:12]} was deleted and stays deleted; use save_memory to store it again"
            )
    base = base_of(first.entry)
    changes = {name: value for name, value in wish.members.items() if value is not None}
    wanted = base.with_changes(text=_one_line(wish.text), **changes)
    if len(found) == 1 and wanted == base and first.entry.live:
        return _answer(now, Taken(Proposal("supersede", wanted), "known", first.entry.id, scope=first.scope))
    origin = caller.origin("supersede_memory")
    record = wanted.with_changes(
        confidence=wish.confidence_in(), source="auto", status="active", provenance=origin
    )
    proposal = Proposal(
        "supersede",
        record,
        tuple(each.entry.id for each in found),
        reason=_one_line(wish.reason, "reason") or f"{caller.name} says that it is so now",
        scope=first.scope,
        basis=wish.basis,
    )
    saved = _taken(now, caller, proposal)
    persons = [each.entry.id for each in found if each.entry.live and each.entry.id != saved.id]
    if saved.outcome == "candidate" and persons:
        requests.file(
            first.memory.workspace, Request(REPLACE, (saved.id, *persons), {}, caller.name, caller.session)
        )
    return saved


def confirm(now: Open, caller: Caller, id_: str, reason: str) -> Confirmed:
    """Confirm that a memory is still true.

    Raises:
        StateError: it is a candidate, so a person must agree (S-10); or it is not current.
    """
    found = now.find(id_)
    entry = found.entry
    command = Confirm((entry.id,), _one_line(reason, "reason"), caller.origin("confirm_memory"))
    found.memory.write([command], caller.by)
    scope = found.memory.workspace.place.scope
    return Confirmed(id=entry.id, scope=scope, text=said(entry), promoted=entry.status == "candidate")


def taking(now: Open, caller: Caller, by: By | None = None) -> Taking:
    """Return what takes an agent's proposals in, in its own name or in that of `by`."""
    return Taking({name: each.scope for name, each in now.scopes.items()}, by or caller.by)


def _taken(now: Open, caller: Caller, proposal: Proposal) -> Saved:
    (taken,) = taking(now, caller).take([proposal])
    if taken.outcome in _NOTHING_STORED:
        raise LedgerError(_refusal(taken))
    return _answer(now, taken)


def _refusal(taken: Taken) -> str:
    """Return why nothing was stored, and what an agent can do."""
    why = taken.why
    if "limits.per_conversation" in why:
        return f"{why}: nothing more is stored in this session; tell the user what matters, so that they can run muniment add"
    if "limits.per_hour" in why:
        return f"{why}: try again in an hour, or tell the user, who adds it with muniment add"
    if taken.outcome == "discarded" and "confidence" in why:
        return f"{why}: save what the user said (basis stated or asked), or nothing"
    return why


def _answer(now: Open, taken: Taken) -> Saved:
    memory = now.scopes.get(taken.scope)
    entry = memory.workspace.index.entry(taken.id) if memory is not None and taken.id else None
    took_place = taken.outcome in ("superseded", "promoted")
    note = redacted(taken.why)
    if taken.outcome == "candidate" and memory is not None:
        how = now.command("review", memory)
        note = f"{note}; " if note else ""
        note += f"no agent is shown it until a person accepts it: {how}"
    scope = taken.scope or (memory.workspace.place.scope if memory is not None else "")
    return Saved.model_validate(
        {
            "outcome": taken.outcome,
            "id": taken.id,
            "scope": scope,
            "active": entry is not None and entry.status == "active",
            "replaced": list(taken.targets) if took_place else [],
            "against": [] if took_place else list(taken.targets),
            "note": note,
        }
    )


def _one_line(text: str, name: str = "text") -> str:
    lines = text.strip().splitlines()
    if len(lines) > 1:
        raise UsageError(
            f"{name} has {len(lines)} lines and can have one: put the rest into details, a line each"
        )
    if not lines and name == "text":
        raise UsageError("text is empty: give one line to remember")
    return lines[0] if lines else ""
