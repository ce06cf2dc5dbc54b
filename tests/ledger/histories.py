"""Histories of one ledger: what a person and some agents do, drawn at random, carried out for real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from hypothesis import strategies as st

from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede
from ledger.errors import NotFoundError, StateError
from ledger.ledger import Ledger
from ledger.memory import Memory, Place, Provenance
from tests.ledger.world import ADA

TEXTS = ("use tabs", "use spaces", "the port is 5433", "deploys run on Fridays", "Ada owns billing")
LONG = 'a line of a long document, with "quotes" and \\ in it\n' * 1300


MARK = "(a long document)"
"""Stands for LONG in what is drawn, so that a history can be printed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command before its targets are known: they are the memories or events at these indexes."""

    verb: str
    at: tuple[int, ...] = ()
    memory: Memory | None = None
    reason: str = ""


def memories(*, long: bool) -> st.SearchStrategy[Memory]:
    """Draw a memory of few texts, so that the same comes again. With `long` some take several events."""
    return st.builds(
        partial(Memory),
        st.sampled_from(TEXTS),
        details=st.sampled_from([(), ("first", "second")]),
        body=st.sampled_from(["", "", "", "a body\nof two lines\n", MARK if long else ""]),
        title=st.sampled_from(["", "", "Title"]),
        topic=st.sampled_from(["", "", "code/auth"]),
        tags=st.sampled_from([(), ("x", "y")]),
        type=st.sampled_from(["fact", "preference", "decision"]),
        status=st.sampled_from(["active", "active", "candidate"]),
        confidence=st.sampled_from([1.0, 0.5]),
        place=st.sampled_from([None, None, Place("MEMORY.md")]),
        provenance=st.sampled_from([Provenance(), Provenance(session="s1", conversation="c1")]),
    )


def steps(*, long: bool = True) -> st.SearchStrategy[Step]:
    """Draw one step; creates are the most likely, so that there is something to act on."""
    index = st.integers(0, 40)
    some = st.lists(index, min_size=1, max_size=3, unique=True).map(tuple)
    reason = st.sampled_from(["", "it changed"])
    create = st.builds(Step, st.just("create"), memory=memories(long=long))
    return st.one_of(
        create,
        create,
        st.builds(Step, st.sampled_from(["supersede", "restore"]), at=some, memory=memories(long=long)),
        st.builds(Step, st.sampled_from(["delete", "confirm"]), at=some, reason=reason),
        st.builds(Step, st.sampled_from(["erase", "erase one"]), at=some, reason=reason),
    )


def command_of(step: Step, ids: Sequence[str]) -> Command | None:
    """Return the command that a step means where these ids are there to be named; None where none are."""
    if step.verb == "create":
        return Create(_spelt_out(step.memory))
    if not ids:
        return None
    targets = tuple(dict.fromkeys(ids[at % len(ids)] for at in step.at))
    if step.verb in ("supersede", "restore"):
        return Supersede(targets, _spelt_out(step.memory), restore=step.verb == "restore")
    if step.verb == "delete":
        return Delete(targets, step.reason)
    if step.verb == "confirm":
        return Confirm(targets, step.reason)
    return Erase(targets, step.reason, family=step.verb == "erase")


def _spelt_out(memory: Memory | None) -> Memory:
    assert memory is not None
    return memory.with_changes(body=LONG) if memory.body == MARK else memory


def carry_out(ledger: Ledger, history: Sequence[Step]) -> list[str]:
    """Carry a history out, a step an append, passing over what is refused; return the ids of all memories."""
    ids: list[str] = []
    for step in history:
        command = command_of(step, ids)
        if command is None:
            continue
        try:
            [written] = ledger.write([command], ADA)
        except (StateError, NotFoundError):
            continue
        if isinstance(command, Create | Supersede) and written.id not in ids:
            ids.append(written.id)
    return ids
