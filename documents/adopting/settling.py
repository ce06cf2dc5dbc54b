"""Turns an edit into a command for the current log: what was erased, deleted or replaced since stays so.

Implements specs/editing.md (D-7, D-11, D-12, D-17, D-24, D-25). A second look at the same edit changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter

from documents.adopting.edit_author import Hand
from documents.reading.edits import Edit, come_back, said
from documents.reading.matching import alike
from ledger.command import Command, Confirm, Create, Delete, Supersede
from ledger.fold import Entry
from ledger.memory import Memory
from projections.index import Index

_STANDS = ("active", "candidate")
_LONGEST_NAME = 500
_besides = attrgetter("place", "title", "topic", "when_to_use", "tags", "importance", "extra")
"""The members of a memory that documents show or follow, besides those of `said`."""


def settled(index: Index, edit: Edit, hand: Hand, *, accept: bool) -> tuple[Command | None, bool]:
    """Return the command of an edit, None if the log has it already or has something newer; and whether it waits (D-12).

    A candidate from git waits: its place in the document confirms it only with `accept`.
    For a candidate that an agent filed see `promoted`.
    """
    proposal, target = edit.proposal, _target(index, edit)
    if proposal.memory is None:
        if target is None or target.status not in _STANDS:
            return None, False
        delete = proposal.action == "delete"
        return Delete(proposal.targets) if delete else Confirm(proposal.targets), False
    memory = by_hand(proposal.memory, hand)._replace(status="active")  # also of what was a candidate once
    if target is None or target.status == "erased":
        return _learned(index, memory, accept=accept)
    if _is_said(index, target, memory):
        return None, False
    waiting = _candidate(index, index.same_wherever(memory))
    same = (waiting.id,) if waiting is not None and waiting.id != target.id else ()
    targets = (target.id, *_standing(index, proposal.targets[1:]), *same)
    return Supersede(targets, memory, restore=True), False


def proposed(index: Index, edit: Edit, hand: Hand) -> tuple[Command | None, bool]:
    """Return the command for an untrusted author's edit, and whether the edit waits for a person (D-25).

    It removes nothing: an addition or change becomes a candidate beside the current memory. Confirming that candidate
    carries out the change, and deleting it refuses the change.
    """
    proposal, target = edit.proposal, _target(index, edit)
    stands = target is not None and target.status in _STANDS
    if proposal.memory is None:
        return None, stands and proposal.action == "delete"
    if _is_said(index, target, proposal.memory):
        return None, False
    memory = by_hand(proposal.memory, hand)._replace(status="candidate")
    known = index.same_wherever(memory)
    if known is None:
        deleted = index.deleted_same(memory) is not None
        return (None, False) if deleted else (Create(memory), True)
    if _candidate(index, known) is not None:
        return None, True
    if target is None or not stands:
        return None, False
    taken = memory._replace(status="active")
    entry = index.entry(known)
    if known != target.id:
        ours = entry is None or entry.by.via != "git"  # it is not a candidate of theirs that was confirmed
        return (None, True) if ours else (Supersede((*proposal.targets, known), taken), False)
    if _besides(memory._replace(place=None)) == _besides(target.memory._replace(place=None)):
        return Supersede(proposal.targets, taken), False  # only moved
    return None, True


def asked_for(index: Index, edit: Edit, hand: Hand) -> tuple[Command | None, tuple[str, ...]]:
    """Return the candidate of an agent's edit, and the memories that the edit asks to replace or delete (D-84).

    If it only moves or confirms a memory or changes importance or tags, nothing comes of it.
    """
    proposal = edit.proposal
    standing = _standing(index, proposal.targets)
    if proposal.memory is None:
        return None, standing if proposal.action == "delete" else ()
    if _is_said(index, _target(index, edit), proposal.memory):
        return None, ()
    memory = by_hand(proposal.memory, hand)._replace(status="candidate", place=None)
    known = index.same(memory)
    if known is None:
        return Create(memory), standing
    waits = _candidate(index, known) is not None
    return None, tuple(id_ for id_ in standing if id_ != known) if waits else ()


def promoted(index: Index, command: Command | None) -> str:
    """Return the agent's candidate that a command would confirm or replace, or "" (D-85)."""
    for id_ in command.targets if isinstance(command, Confirm | Supersede) else ():
        entry = _candidate(index, id_)
        if entry is not None and entry.by.role == "agent":
            return id_ if entry.by.via != "git" else ""
    return ""


def first_said(edit: Edit, hand: Hand) -> tuple[Command | None, bool]:
    """Return the entry of a joined project as a create, and whether it waits (D-62).

    The log has nothing yet, except from a run that died: for that a create makes no event (S-9, D-80).
    """
    if edit.proposal.memory is None:
        return None, False
    status = "active" if hand.trusted else "candidate"
    return Create(by_hand(edit.proposal.memory, hand)._replace(status=status)), not hand.trusted


def said_by(index: Index, edit: Edit) -> str:
    """Return the id of the candidate in the log that says the same as a waiting line, or ""."""
    memory = edit.proposal.memory
    entry = _candidate(index, index.same_wherever(memory)) if memory is not None else None
    return entry.id if entry is not None else ""


def brings_back(index: Index, command: Supersede) -> bool:
    """Return whether a command makes a memory current again that had no current version (S-4)."""
    old = index.entry(command.targets[0])
    return (
        old is not None
        and old.status not in _STANDS
        and not any(entry.status in _STANDS for entry in _successors(index, old))
    )


def by_hand(memory: Memory, hand: Hand) -> Memory:
    """Return a memory with its author's name if it came from git (D-24), or with the agent's name (D-84)."""
    if hand.agent:
        where = memory.provenance._replace(
            conversation=hand.session, session=hand.session, agent=hand.agent, author=""
        )
        return memory._replace(source="auto", provenance=where)
    if hand.via != "git":
        return memory
    author = "".join(sign for sign in hand.author if sign.isprintable())[:_LONGEST_NAME]
    return memory._replace(source="auto", provenance=memory.provenance._replace(author=author))


def given_up(index: Index, edit: Edit) -> tuple[str, ...]:
    """Return the memory that a held-back text replaces, unless both texts are alike (D-17)."""
    old, new = _target(index, edit), edit.proposal.memory
    if old is None or new is None or old.status not in _STANDS or alike(old.memory, new):
        return ()
    return (old.id,)


def _learned(index: Index, memory: Memory, *, accept: bool) -> tuple[Command | None, bool]:
    """Return the create of a memory, or the supersede that brings back the one that said the same (D-11)."""
    if (same := index.same_wherever(memory)) is not None:
        entry = _candidate(index, same)
        if entry is None:
            return None, False
        if entry.by.via == "git" and not accept:
            return None, True
        return Confirm((same,)), False
    deleted = index.deleted_same(memory)
    old = index.entry(deleted) if deleted else None
    if old is None:
        return Create(memory), False
    return Supersede((old.id,), come_back(old.memory, memory), restore=True), False


def _target(index: Index, edit: Edit) -> Entry | None:
    """Return the memory that an edit changes or removes."""
    targets = edit.proposal.targets
    return index.entry(targets[0]) if targets else None


def _candidate(index: Index, id_: str | None) -> Entry | None:
    """Return the memory with this id if it is a candidate."""
    entry = index.entry(id_) if id_ else None
    return entry if entry is not None and entry.status == "candidate" else None


def _standing(index: Index, ids: Iterable[str]) -> tuple[str, ...]:
    """Return the ids of those memories that are active or candidates."""
    return tuple(id_ for id_ in ids if (entry := index.entry(id_)) is not None and entry.status in _STANDS)


def _is_said(index: Index, target: Entry | None, memory: Memory) -> bool:
    """Return whether a memory that replaced the target already says this."""
    return target is not None and any(_says(entry, memory) for entry in _successors(index, target))


def _says(entry: Entry, memory: Memory) -> bool:
    return (
        entry.status == "active"
        and said(entry.memory) == said(memory)
        and _besides(entry.memory) == _besides(memory)
    )


def _successors(index: Index, entry: Entry) -> Iterator[Entry]:
    """Yield the memories that replaced one, step by step."""
    todo, seen = list(entry.superseded_by), set[str]()
    while todo:
        id_ = todo.pop()
        if id_ not in seen and (newer := index.entry(id_)) is not None:
            seen.add(id_)
            yield newer
            todo += newer.superseded_by
