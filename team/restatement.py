"""What a new chain says again of one that forked: what its own branch says from there on, and what the other one says, to be judged.

Implements specs/team.md (TM-41). A memory that still stands is said again with what it replaced, and so are a delete, an
erase (as a delete) and a confirm of what stood before the fork. Of the other branch each memory comes as a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ledger import reader
from ledger.check import judged
from ledger.command import Command, Confirm, Create, Delete, Supersede
from ledger.errors import LedgerError
from ledger.event import By, Event
from ledger.memory import Memory
from ledger.named_tuple import NamedTuple
from ledger.reader import RawLine
from ledger.salvage import salvage
from projections.workspace import Workspace

_MOST = 16
"""Targets of one event."""
REASON = "said again after a fork"


class Said(NamedTuple):
    """One thing to write again: its author, its targets, and the memory, None for a delete or a confirm."""

    by: By
    kind: str
    targets: tuple[str, ...]
    memory: Mapping[str, Any] | None = None


def said_of(value: Sequence[Any]) -> Said:
    """Return it from the array that JSON makes of it."""
    by, kind, targets, memory = value
    return Said(By(*by), kind, tuple(targets), memory)


def own_branch(chain: Path, first: int) -> list[Said]:
    """Return what a chain file says from the seq `first` on."""
    every = list(reader.events(chain))
    events = [each for each in every if each.seq >= first]
    ids = {each.id for each in events}
    heirs = _heirs(events, ids)
    found = {each.id: each.memory for each in salvage(_lines(chain, first), _keys(every)).found}
    said = []
    for each in events:
        outside = tuple(id_ for id_ in each.targets if id_ not in ids)
        if each.id in found:
            replaced = heirs.get(each.id, ())
            said.append(Said(each.by, "create", tuple(replaced), found[each.id].to_payload()))
        elif each.id in heirs:
            said.append(Said(each.by, "delete", tuple(heirs[each.id])))
        elif outside and each.kind in ("delete", "erase", "confirm"):
            said.append(Said(each.by, "confirm" if each.kind == "confirm" else "delete", outside))
    return said


def other_branch(lines: Iterable[bytes], keys: Collection[bytes]) -> list[Said]:
    """Return the memories that lines of the other branch say, which one of these keys signed, as candidates.

    What it erased is deleted: its text is gone on some machines.
    """
    raw = [RawLine(0, line, 0, ended=True) for line in lines]
    read, said = salvage(raw, keys), []
    for found in read.found:
        memory = found.memory._replace(status="candidate")
        said.append(Said(_by(raw[found.line - 1]), "create", (), memory.to_payload()))
    erased = [each for each in read.pointing if each.kind == "erase"]
    return said + [Said(_by(raw[each.line - 1]), "delete", each.targets) for each in erased]


def _by(line: RawLine) -> By:
    return judged(line.raw).event("", 0, 0).by


def say(workspace: Workspace, said: Said) -> bool:
    """Append one thing to the chain of a workspace, unless it stands there; return whether it stands now."""
    command = _command(workspace, said)
    if command is None:
        return True
    try:
        workspace.append([command], said.by, redact=True)
    except LedgerError:
        return False
    return True


def _command(workspace: Workspace, said: Said) -> Command | None:
    index = workspace.index
    live = tuple(id_ for id_ in said.targets if (entry := index.entry(id_)) is not None and entry.live)[
        :_MOST
    ]
    if said.memory is not None:
        memory = Memory.from_payload(said.memory)
        same = index.entry(index.same(memory) or "")
        if not live and same is not None and (same.status, memory.status) == ("candidate", "active"):
            return Confirm((same.id,), REASON)
        return Supersede(live, memory, reason=REASON) if live else Create(memory, REASON)
    if not live:
        return None
    return Delete(live, REASON) if said.kind == "delete" else Confirm(live, REASON)


def _heirs(events: Sequence[Event], ids: Collection[str]) -> dict[str, list[str]]:
    """Return for each event the memories outside these events that it replaced in the end."""
    after = {id_: each.id for each in events if each.kind == "supersede" for id_ in each.targets}
    found: dict[str, list[str]] = {}
    for outside in (id_ for id_ in after if id_ not in ids):
        heir = after[outside]
        while heir in after:
            heir = after[heir]
        found.setdefault(heir, []).append(outside)
    return found


def _keys(events: Iterable[Event]) -> list[bytes]:
    return [bytes.fromhex(each.head["key"]) for each in events if each.kind in ("genesis", "rotate")]


def _lines(chain: Path, first: int) -> list[RawLine]:
    with reader.opened(chain) as fd:
        return [line for seq, line in enumerate(reader.lines(fd)) if seq >= first and line.ended]
