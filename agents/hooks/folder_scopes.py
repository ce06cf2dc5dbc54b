"""The scopes of a folder as a hook reads them: by the index that is there, without waiting for anybody.

Implements specs/doors.md (G-5). What `projections.injection` asks of a ledger is answered here without what signs and writes; only
an index that is a little behind is caught up, by the ledger itself.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from language.token_estimate import Estimate, estimate_tokens
from ledger import location
from ledger.errors import BusyError, LedgerError
from ledger.instant import system_clock
from ledger.location import Home, Location
from projections.configuration import CONFIG_NAME, Configuration, load_to_read
from projections.index_schema import INDEX_NAME
from projections.read_only import opened_to_read

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from contextlib import ExitStack
    from typing import Any

    from muniment import MemoryLedger
    from projections.index import Index
    from projections.source import Source

BEHIND = 1_000
"""So many events an index may lack and is caught up by the hook itself; what lacks more tells what it has."""
ANY = 1 << 62
_SMALL = 1 << 20
"""A chain of at most this many bytes is read by the hook itself if its index is missing."""


class Told:
    """One scope that is told: what `projections.injection.inject` asks of it.

    `used` are the ids that it showed, `late` says that its index lacks what the hook did not wait for.
    """

    def __init__(self, place: Location, folders: Home) -> None:
        self.place = place
        self.home = folders
        self.used: list[str] = []
        self.late = False
        self.configuration_faults: tuple[str, ...] = ()
        self._memory: MemoryLedger | None = None

    @property
    def sync_is_due(self) -> bool:
        """Whether its team was not synced for as long as the settings say."""
        from team.last_sync import is_due

        return is_due(self.place.directory, self.readable_configuration.team_interval, time.time())

    @property
    def chain(self) -> Path:
        """The chain file."""
        return self.place.chain

    @property
    def local(self) -> Told:
        """Stands in for the local state: archive marks are read, uses are noted here."""
        return self

    clock = staticmethod(system_clock)

    @cached_property
    def readable_configuration(self) -> Configuration:
        """The settings of user and project, as far as they can be read (F-21)."""
        committed = self.place.root / ".muniment" / CONFIG_NAME if self.place.root else None
        found, self.configuration_faults = load_to_read(self.home.path / CONFIG_NAME, committed)
        return found

    @property
    def budget(self) -> int:
        """How many tokens a section may have."""
        return self.readable_configuration.injection_token_budget

    def archived(self) -> Collection[str]:
        """Return the ids of archived memories."""
        return {id_ for (id_,) in self.rows(location.LOCAL_NAME, "SELECT id FROM archived") or ()}

    def has_topics(self) -> bool:
        """Return whether any topic could match; where nobody knows, it could."""
        query = "SELECT 1 FROM memories WHERE status = 'active' AND topic != '' LIMIT 1"
        return self.rows(INDEX_NAME, query) != []

    def has_facts(self, *names: str) -> bool:
        """Return whether the local state notes one of these facts."""
        marks = ",".join("?" * len(names))
        query = f"SELECT 1 FROM facts WHERE name IN ({marks}) LIMIT 1"  # noqa: S608 - marks alone
        return bool(self.rows(location.LOCAL_NAME, query, *names))

    def has_unfinished(self) -> bool:
        """Return whether a process may have died that erased something."""
        return self.has_facts("cleaning")

    def rows(self, name: str, query: str, *values: str) -> list[Any] | None:
        """Return what a database says; None if it cannot be asked at once."""
        path = self.place.directory / name
        try:
            db = opened_to_read(path, 0.1)
        except sqlite3.Error:
            return None
        try:
            return db.execute(query, values).fetchall()
        except sqlite3.Error:
            return None
        finally:
            db.close()

    def count(self, ids: Iterable[str], *, injected: bool) -> None:
        """Note what was shown; the worker counts it, since the local state may be locked."""
        assert injected
        self.used += ids

    @property
    def index(self) -> Index:
        """The index, where a hook has the time to catch it up.

        Raises:
            LedgerError: it has not, or the chain cannot be read.
        """
        if self.late:
            raise BusyError("the index is behind, and a hook does not wait for it")
        return self._opened().workspace.index

    def _opened(self) -> MemoryLedger:
        import muniment

        if self._memory is None:
            self._memory = muniment.MemoryLedger(self.place, self.home)
        return self._memory

    def close(self) -> None:
        """Close the ledger, if it had to be opened: an index that was made for this hook alone goes with it."""
        if self._memory is not None:
            self._memory.close()

    def catch_up(self) -> None:
        """Catch the index up where that is soon done; where it is not, be late."""
        if self._lacks_at_most(0) and not self.has_unfinished():
            return
        try:
            soon = self._lacks_at_most(BEHIND) or (
                not self._lacks_at_most(ANY) and self.chain.stat().st_size <= _SMALL
            )
            if soon:
                import muniment

                with muniment.MemoryLedger(self.place, self.home) as memory:
                    memory.workspace.wait_at_most(0)  # somebody may be writing it
                    memory.workspace.index  # noqa: B018 - catches up
            else:
                self.late = True
        except (LedgerError, OSError, sqlite3.Error):
            self.late = True

    def _lacks_at_most(self, events: int) -> bool:
        from projections.prompt_source import caught_up  # what a prompt without topics need not load

        db = caught_up(self.place.directory, self.chain, events)
        if db is not None:
            db.close()
        return db is not None


def told(home: Home, start: str) -> list[Told]:
    """Return the scopes that exist for a folder, the most local first."""
    return [Told(place, home) for place in places(home, start) if place.chain.exists()]


def places(home: Home, start: str) -> list[Location]:
    """Return where the ledgers of a folder lie, the most local first; of a folder that is gone the user's alone."""
    if start and Path(start).is_absolute() and Path(start).is_dir():
        with suppress(LedgerError):  # `status` reports the fault of the project's file
            return location.scopes_at(home, Path(start))
    return [location.user(home)]


def opened(cwd: str, stack: ExitStack) -> dict[str, MemoryLedger]:
    """Open the ledgers of a folder by scope, as far as there are any, in the hook's name."""
    from learning import authorship
    from muniment import MemoryLedger

    by, found = authorship.writer("hook", under_agent=False), {}
    for place in places(home(), cwd):
        memory = MemoryLedger(place, home(), by=by)
        if memory.workspace.is_founded:
            found[place.scope] = stack.enter_context(memory)
    return found


def home() -> Home:
    """Return the user's folders."""
    return Home.from_environment(os.environ)


def within(budget: int, units: int) -> Estimate:
    """Return what estimates tokens so that a budget of them never has more than so many units of UTF-16 (G-4)."""

    def estimate(text: str) -> int:
        size = len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
        return max(estimate_tokens(text), -(-size * budget // units))

    return estimate


def readings(scopes: Sequence[Told]) -> Sequence[Source]:
    """Return the scopes as what `inject` takes."""
    return scopes  # type: ignore[return-value]
