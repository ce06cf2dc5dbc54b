"""Says things about memories in one call each: learn, replace, delete, confirm.

Implements specs/state.md (S-8, S-9) for whoever writes through the library; `projections.reading` is its counterpart.
Each call is one command and one append; `muniment.MemoryLedger` brings what carries commands out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ledger.errors import StateError
from ledger.event import By
from ledger.instant import Clock, written
from ledger.memory import Memory

if TYPE_CHECKING:
    from ledger.command import Command, Written
    from ledger.fold import Entry


class Writing(ABC):
    """The verbs; who inherits carries commands out."""

    clock: Clock

    @abstractmethod
    def write(
        self, commands: Sequence[Command], by: By | None = None, *, redact: bool = False, render: bool = True
    ) -> list[Written]:
        """Carry out commands in one batch."""

    @abstractmethod
    def resolve(self, text: str) -> str:
        """Return the full id that a person typed."""

    @abstractmethod
    def entry(self, id_: str) -> Entry:
        """Return one memory (id, prefix or @N)."""

    def store(
        self, memory: Memory | str, by: By | None = None, *, reason: str = "", redact: bool = False
    ) -> Written:
        """Learn a memory, or what a text alone says; `known` says that it stood already.

        A daily one without a date is given today's (UTC).

        Raises as `Ledger.write` does.
        """
        from ledger.command import Create

        return self.write([Create(self._dated(_memory(memory)), reason)], by, redact=redact)[0]

    def _dated(self, memory: Memory) -> Memory:
        if memory.tier != "daily" or memory.provenance.date:
            return memory
        today = written(self.clock())[:10]
        return memory.with_changes(provenance=replace(memory.provenance, date=today))

    def supersede(
        self,
        ids: Iterable[str],
        memory: Memory | str,
        by: By | None = None,
        *,
        reason: str = "",
        redact: bool = False,
    ) -> Written:
        """Replace memories (ids, prefixes or @N) by a new one, or by a text alone; `reason` says why.

        Raises:
            StateError: the new one is a candidate and one of them is active, which would leave every view at
                once, before anyone agreed: store the candidate beside it.
        """
        from ledger.command import Supersede

        ids, memory = _each(ids), _memory(memory)
        if memory.status == "candidate":
            self._refuse_to_hide(map(self.entry, ids))
        command = Supersede(self.resolved(ids), self._dated(memory), reason=reason)
        return self.write([command], by, redact=redact)[0]

    @staticmethod
    def _refuse_to_hide(replaced: Iterable[Entry]) -> None:
        for entry in replaced:
            if entry.status == "active":
                raise StateError(
                    f"{entry.id[:12]} is active, and would leave every view before anyone confirmed the candidate: "
                    'propose it beside: muniment add "TEXT" --candidate'
                )

    def delete(
        self, ids: Iterable[str], reason: str = "", by: By | None = None, *, redact: bool = False
    ) -> Written:
        """Take memories (ids, prefixes or @N) out of every view; history keeps them."""
        from ledger.command import Delete

        return self.write([Delete(self.resolved(ids), reason)], by, redact=redact)[0]

    def confirm(self, ids: Iterable[str], reason: str = "", by: By | None = None) -> Written:
        """Say that memories (ids, prefixes or @N) are still true."""
        from ledger.command import Confirm

        return self.write([Confirm(self.resolved(ids), reason)], by)[0]

    def resolved(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the full ids that a person typed; a text alone is one id."""
        return tuple(self.resolve(id_) for id_ in _each(ids))


def _each(ids: Iterable[str]) -> tuple[str, ...]:
    return (ids,) if isinstance(ids, str) else tuple(ids)


def _memory(given: Memory | str) -> Memory:
    return Memory(given) if isinstance(given, str) else given
