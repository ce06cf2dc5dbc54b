"""The record of memories shown to agents on this machine: ids, time, session, door and reason.

Implements specs/report.md (H-40, H-41, H-43…H-45). Observations in `local.db`: no texts, bounded, never signed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from ledger.instant import DAY, written
from ledger.named_tuple import NamedTuple
from projections.local_database import LocalDatabase

MOST = 10_000
"""The most records that are kept."""
DAYS = 90
"""The number of days that they are kept."""
ANCHORED_UP_TO = "seen anchored up to"
"""The fact that names the last day whose digest is in the chain (H-46)."""

_ID = 32
"""Bytes of an id."""
_COLUMNS = "agent, session, door, why, tokens, ids, at, day"
_NEWEST = f"SELECT {_COLUMNS} FROM seen WHERE"
_ORDER = "ORDER BY n DESC LIMIT ?"
_INSERT = f"INSERT INTO seen ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class Sighting(NamedTuple):
    """Memories that an agent was shown at once.

    `at` is the written instant; `day` is the day of the record. `tokens` are those of the whole answer.
    """

    agent: str
    session: str
    door: str
    why: str
    tokens: int = 0
    ids: tuple[str, ...] = ()
    at: str = ""
    day: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON-ready object; the order of its members is part of a day's digest."""
        return {
            "day": self.day,
            "at": self.at,
            "agent": self.agent,
            "session": self.session,
            "door": self.door,
            "why": self.why,
            "tokens": self.tokens,
            "ids": list(self.ids),
        }


class SeenFilter(NamedTuple):
    """A filter for records; empty members do not restrict.

    `since` and `until` (exclusive) as a person types them, `memory` an id, prefix or @N, `day` a UTC day as YYYY-MM-DD (H-45).
    """

    since: str = ""
    until: str = ""
    session: str = ""
    memory: str = ""
    day: str = ""
    limit: int | None = None


class SeenOften(NamedTuple):
    """How often one memory was shown, in how many sessions, and when last."""

    times: int
    sessions: int
    last: Sighting

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON-ready object, without the ids of other memories."""
        last = {name: value for name, value in self.last.to_json().items() if name != "ids"}
        return {"times": self.times, "sessions": self.sessions, "last": last}


class Sightings:
    """The records of one ledger."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

    def note(self, sighting: Sighting, now: int) -> None:
        """Add a record, and drop records that are too old or too many; `now` is the time in µs."""
        day, oldest = day_of(now), day_of(now - DAYS * DAY)
        ids = b"".join(map(bytes.fromhex, sighting.ids))
        row = (*sighting[:5], ids, sighting.at or written(now), day)

        def write(db: sqlite3.Connection) -> None:
            last = db.execute(_INSERT, row).lastrowid
            db.execute("DELETE FROM seen WHERE n <= ? - ?", (last, MOST))
            db.execute("DELETE FROM seen WHERE day < ?", (oldest,))

        self._database.observe(write)

    def clear(self) -> None:
        """Remove all records."""
        self._database.observe(lambda db: db.execute("DELETE FROM seen"))

    def newest(self, wanted: SeenFilter) -> list[Sighting]:
        """Return the records that `wanted` describes, newest first; it has written instants and a full id."""
        conditions = {
            "at >= ?": wanted.since,
            "at < ?": wanted.until,
            "session = ?": wanted.session,
            "day = ?": wanted.day,
            "instr(ids, ?)": bytes.fromhex(wanted.memory),
        }
        given = {condition: value for condition, value in conditions.items() if value}
        query = f"{_NEWEST} {' AND '.join(given) or '1'} {_ORDER}"
        limit = -1 if wanted.limit is None else wanted.limit
        rows = self._database.reading().execute(query, (*given.values(), limit))
        return [_sighting(row) for row in rows]

    def often(self, id_: str) -> SeenOften | None:
        """Return how often the memory with this full id was shown; None without a record."""
        query = "SELECT count(*), count(DISTINCT agent || ' ' || session) FROM seen WHERE instr(ids, ?)"
        times, sessions = self._database.reading().execute(query, (bytes.fromhex(id_),)).fetchone()
        last = self.newest(SeenFilter(memory=id_, limit=1))
        return SeenOften(times, sessions, last[0]) if last else None

    def days(self, after: str, before: str) -> list[str]:
        """Return the days between two that have records, oldest first."""
        query = "SELECT DISTINCT day FROM seen WHERE day > ? AND day < ? ORDER BY day"
        return [day for (day,) in self._database.reading().execute(query, (after, before))]


def json_lines(sightings: Iterable[Sighting]) -> bytes:
    """Return records as `log --seen --json` prints them; a UTC day's digest is over these bytes (H-45)."""
    return b"".join(orjson.dumps(each.to_json(), option=orjson.OPT_APPEND_NEWLINE) for each in sightings)


def _sighting(row: tuple[Any, ...]) -> Sighting:
    agent, session, door, why, tokens, ids, at, day = row
    return Sighting(agent, session, door, why, tokens, tuple(_ids(ids)), at, day)


def day_of(now: int) -> str:
    """Return the UTC day of a time in µs since 1970."""
    return written(now)[:10]


def _ids(data: bytes) -> Iterator[str]:
    return (data[at : at + _ID].hex() for at in range(0, len(data), _ID))
