"""The ledgers of one call: opened when it begins, closed when it ends.

Implements specs/doors.md (G-44). A server runs for hours: ledgers are created, restored and replayed meanwhile, and
a call must see the current state. Calls are served one after the other, so that limits count earlier calls.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from learning.authorship import home_of
from ledger.errors import AmbiguousIdError, NotFoundError, UsageError
from ledger.event import By
from ledger.fold import Entry
from muniment import MemoryLedger
from projections.recall import MIN_PREFIX

_HEX = frozenset("0123456789abcdef")
_WHOLE = 64
"""So many hex digits a whole id has."""


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory, and the ledger that holds it under the name of its scope ("" for one that was named)."""

    entry: Entry
    scope: str
    memory: MemoryLedger


class Open:
    """The ledgers that take part, the most local first, by scope; a single one that was named under ""."""

    def __init__(self, scopes: dict[str, MemoryLedger], directory: Path | None = None) -> None:
        self.scopes = scopes
        self._directory = directory

    @property
    def home(self) -> MemoryLedger:
        """The ledger whose local state remembers: the user's own, where there is one."""
        return home_of(self.scopes)

    @property
    def default_scope(self) -> str:
        """The default scope of a memory: the project's ledger inside a project, else the user's."""
        return "project" if "project" in self.scopes else "user"

    def reading(self) -> Iterator[tuple[str, MemoryLedger]]:
        """Yield the ledgers that may be told of, each with its scope's name: not those that are switched off."""
        configuration = self.home.workspace.readable_configuration
        for key, memory in self.scopes.items():
            scope = memory.workspace.place.scope
            if key == "" or f"scopes.{scope}" not in configuration.switched_off([scope]):
                yield scope, memory

    def find(self, id_: str) -> FoundMemory:
        """Return the memory that an id means, in whichever ledger it stands.

        Raises:
            UsageError: it is not an id.
            NotFoundError: no ledger has it, or it is an event of another kind.
            AmbiguousIdError: it is the beginning of several.
        """
        found: list[FoundMemory] = []
        for scope, memory in self.scopes.items():
            try:
                found.append(FoundMemory(memory.entry(_typed(id_)), scope, memory))
            except AmbiguousIdError:
                raise
            except NotFoundError:
                continue
        if not found:
            raise NotFoundError(f"no memory has an id that begins with {id_}: memory_search gives ids")
        if len(found) > 1:
            ids = tuple(each.entry.id for each in found)
            raise AmbiguousIdError(
                f"{id_} is the beginning of several ids: {', '.join(ids)}: give more digits", ids
            )
        return found[0]

    def command(self, name: str, memory: MemoryLedger, *words: str) -> str:
        """Return the command line by which a person does something in one of these ledgers."""
        said = ["muniment", name, *words]
        if self._directory is not None:
            said += ["--ledger", str(self._directory.absolute())]
        elif len(self.scopes) > 1 or "" in self.scopes:
            said += ["--scope", memory.workspace.place.scope]
        return shlex.join(said)


def _typed(id_: str) -> str:
    """Return an id as it was typed; `@N` counts the events of one ledger, and an agent sees several."""
    if not MIN_PREFIX <= len(id_) <= _WHOLE or set(id_.lower()) - _HEX:
        raise UsageError(
            f"{id_[:80]!r} is not an id: give {MIN_PREFIX} to {_WHOLE} of its hex digits, as memory_search gives them"
        )
    return id_


class Ledgers:
    """What a server serves.

    Args:
        open_all: opens the ledgers that take part, by scope, and closes them; raises NoLedgerError where there is none.
        directory: the ledger's directory that was named; None for those of the scopes.
    """

    def __init__(
        self,
        open_all: Callable[[], AbstractContextManager[dict[str, MemoryLedger]]],
        directory: Path | None = None,
    ) -> None:
        self._open_all = open_all
        self._directory = directory
        self._one_at_a_time = threading.Lock()

    @contextmanager
    def opened(self) -> Iterator[Open]:
        """Open the ledgers for one call.

        Raises:
            NoLedgerError: there is none.
            UsageError: memory is switched off, or the scope is not possible here.
        """
        with self._one_at_a_time, self._open_all() as scopes:
            now = Open(scopes, self._directory)
            for memory in scopes.values():  # whoever started the server, the calls come from an agent
                memory.workspace.by = By(memory.workspace.by.name, "agent", "mcp")
            if not now.home.workspace.readable_configuration.enabled:
                raise UsageError(
                    "muniment is switched off here: enabled = false in config.toml; continue without memory"
                )
            yield now
