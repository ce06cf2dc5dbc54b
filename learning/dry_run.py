"""What a dry run would have written so far: it stands beside the log, so that what is said again is known here too.

Implements specs/capture.md (K-78). Nothing of it outlives the run; its ids name no event and are never shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from documents.proposal import Proposal
from learning.outcome import Taken
from ledger.command import Command, Confirm, Create, Delete, Supersede, Written
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import written
from ledger.memory import Memory
from projections.index import Index
from projections.similar_memories import near, shares
from projections.workspace import Workspace

Near = Callable[[Index, str], list[Entry]]
"""Finds what stands and may say what a text says; see `projections.similar_memories.near`."""

_MARK = "supposed-"


class Supposed:
    """The writes that a dry run leaves out; of a run that writes it is empty."""

    def __init__(self) -> None:
        self.made: list[tuple[Workspace, Entry]] = []
        self.gone: set[str] = set()
        self.confirmed: set[str] = set()

    def write(self, workspace: Workspace, commands: Sequence[Command], by: By) -> list[Written]:
        """Suppose that commands were carried out. Raises as far as redaction would refuse them."""
        return [self._write(workspace, command, by) for command in commands]

    def _write(self, workspace: Workspace, command: Command, by: By) -> Written:
        if isinstance(command, Create | Supersede):
            workspace.ledger.screened(command.memory.to_payload(), redact=False)
            id_ = f"{_MARK}{len(self.made)}"
            self.made.append((workspace, _entry(id_, command.memory, by, written(workspace.clock()))))
            self.gone.update(getattr(command, "targets", ()))
            return Written(id_)
        if isinstance(command, Delete):
            self.gone.update(command.targets)
        if isinstance(command, Confirm):
            self.confirmed.update(command.targets)
        return Written("")

    def near(self, workspace: Workspace) -> Near:
        """Return what finds memories of one ledger as `near` does, by what the run would have written as well."""
        mine = [entry for ledger, entry in self.made if ledger is workspace]
        if not (mine or self.gone or self.confirmed):
            return near

        def found(index: Index, text: str) -> list[Entry]:
            also = [entry for entry in mine if shares(text, entry.memory.text)]
            standing = [entry for entry in (*near(index, text), *also) if entry.id not in self.gone]
            return [one._replace(status="active") if one.id in self.confirmed else one for one in standing]

        return found

    def stands(self, workspace: Workspace, id_: str) -> bool:
        """Say whether a memory would stand in a ledger."""
        if is_supposed(id_):
            return id_ not in self.gone and any(
                entry.id == id_ for ledger, entry in self.made if ledger is workspace
            )
        entry = workspace.index.entry(id_)
        return entry is not None and entry.live and id_ not in self.gone

    def learned_from(self, proposal: Proposal) -> bool:
        """Say whether the run would have learned this from this very message (K-220)."""
        memory = proposal.memory
        return memory is not None and any(
            (entry.memory.text, entry.memory.provenance) == (memory.text, memory.provenance)
            for _, entry in self.made
        )

    def conversations(self) -> list[str]:
        """Return the conversation of each memory that it would have written."""
        return [entry.memory.provenance.conversation for _, entry in self.made]

    def unnamed(self, taken: Taken) -> Taken:
        """Return what became of a proposal without ids that no event has; a question keeps what it is about."""
        if not self.made or taken.outcome == "asked":
            return taken
        targets = tuple(id_ for id_ in taken.targets if not is_supposed(id_))
        return taken._replace(id="" if is_supposed(taken.id) else taken.id, targets=targets)


def is_supposed(id_: str) -> bool:
    """Say whether an id names nothing but what a dry run would have written."""
    return id_.startswith(_MARK)


def _entry(id_: str, memory: Memory, by: By, now: str) -> Entry:
    return Entry(id_, 1 << 40, memory, memory.status, now, now, by, now, (now, id_))
