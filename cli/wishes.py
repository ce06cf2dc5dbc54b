"""What agents wish to have forgotten and no person has agreed to yet.

Implements specs/doors.md (G-42, G-47). A wish is an observation of this machine (local.db), no event: it names the memory and who
wishes, and holds no word of either.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from dataclasses import dataclass

from cli.app import short
from ledger.errors import StateError, StorageError
from ledger.fold import Entry
from ledger.instant import written
from muniment import MemoryLedger

MOST = 25
"""So many wishes wait at most in a ledger; a person who goes through more answers none."""

_NAME = "wish to forget "


@dataclass(frozen=True, slots=True)
class Wish:
    """An agent's wish to have a memory forgotten: of whom, in which session, and when."""

    entry: Entry
    by: str
    session: str
    at: str

    @property
    def name(self) -> str:
        """What it is called while it waits."""
        return f"forget-{short(self.entry.id)}"


def file(memory: MemoryLedger, entry: Entry, by: str, session: str) -> Wish:
    """Note a wish; that of an earlier time stands.

    Raises:
        StateError: too many wait already.
        StorageError: it cannot be noted.
    """
    standing = waiting(memory)
    for each in standing:
        if each.entry.id == entry.id:
            return each
    if len(standing) >= MOST:
        raise StateError(
            f"{MOST} wishes to forget wait already: ask the user to go through them with muniment review"
        )
    wish = Wish(entry, by, session, written(memory.clock()))
    value = json.dumps({"by": by, "session": session, "at": wish.at})
    try:
        memory.local.note(_NAME + entry.id, value)
    except (sqlite3.Error, OSError) as error:
        raise StorageError(
            f"the wish cannot be noted ({error}): the user can run muniment delete {short(entry.id)}"
        ) from None
    return wish


def waiting(memory: MemoryLedger) -> list[Wish]:
    """Return the wishes whose memories stand, the oldest first."""
    found = []
    for name, value in memory.local.facts(_NAME):
        entry = memory.index.entry(name.removeprefix(_NAME))
        if entry is not None and entry.live:
            with suppress(ValueError, TypeError, KeyError):  # what nobody can read is nobody's wish
                said = json.loads(value)
                found.append(Wish(entry, str(said["by"]), str(said["session"]), str(said["at"])))
    return sorted(found, key=lambda wish: (wish.at, wish.entry.id))


def settle(memory: MemoryLedger, id_: str) -> None:
    """Note that a person decided on a memory, so that nobody's wish about it waits any more."""
    if memory.local.fact(_NAME + id_):
        memory.local.note(_NAME + id_, "")
