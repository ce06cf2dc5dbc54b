"""A transport that is a PostgreSQL database: one table, in which each segment and each note is a row.

Implements specs/team.md (TM-72, TM-77). The primary key lets one of two senders win. Every change notifies the channel of its
team, so that who watches need not ask.

```
muniment (team, place, first) → data, lines        place: a genesis, or <kind>/<name> with first = lines = 0
```
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, LiteralString

import psycopg
from psycopg import errors

from transports.places import (
    check_chain,
    check_kind,
    check_note,
    check_team,
    checked_segments,
    is_chain,
    is_note,
)
from transports.protocol import MOST_BYTES, MOST_LINES, MOST_NOTE_BYTES, Segment, TakenError, UnreachableError
from transports.server_address import checked_address, one_line

PATIENCE = 30.0
"""Seconds that the server may take for one answer."""
SETTINGS = ("sslmode", "sslrootcert", "channel_binding", "require_auth", "target_session_attrs")
"""What an address may set; everything else comes from the environment, as libpq reads it."""
_AT_ONCE = 4 * MOST_BYTES
"""Bytes that are put with one statement."""
_PAGE = 64
"""Rows that are read with one statement."""

# The database counts the lines, so that a row that somebody altered is seen in the heads, as a damaged file would be.
_TABLE: LiteralString = r"""
CREATE TABLE IF NOT EXISTS muniment (
    team text COLLATE "C" NOT NULL,
    place text COLLATE "C" NOT NULL,
    first bigint NOT NULL,
    data bytea NOT NULL,
    lines integer NOT NULL GENERATED ALWAYS AS (
        CASE WHEN strpos(place, '/') > 0 OR octet_length(data) = 0 OR get_byte(data, octet_length(data) - 1) <> 10 THEN 0
        ELSE octet_length(encode(data, 'escape')) - octet_length(replace(encode(data, 'escape'), E'\n', '')) END
    ) STORED,
    PRIMARY KEY (team, place, first) INCLUDE (lines)
)"""
# A line is missing before the first row that begins behind all rows before it; `before` only grows.
_HEADS: LiteralString = """
SELECT place, coalesce(min(before) FILTER (WHERE first > before), max(stop))
FROM (
    SELECT place, first, first + lines AS stop, coalesce(max(first + lines) OVER earlier, 0) AS before
    FROM muniment WHERE team = %s AND lines BETWEEN 1 AND %s
    WINDOW earlier AS (PARTITION BY place ORDER BY first ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
) AS spans
GROUP BY place"""
_SINCE: LiteralString = """
SELECT first, data FROM muniment
WHERE team = %s AND place = %s AND octet_length(data) <= %s AND first > %s ORDER BY first LIMIT %s"""
_NOTES: LiteralString = """
SELECT place, data FROM muniment
WHERE team = %s AND place < %s AND octet_length(data) <= %s AND place > %s ORDER BY place LIMIT %s"""
_PUT: LiteralString = """
INSERT INTO muniment (team, place, first, data) SELECT %s, %s, * FROM unnest(%s::bigint[], %s::bytea[])
ON CONFLICT DO NOTHING RETURNING first"""
_STANDING: LiteralString = """
SELECT first, CASE WHEN octet_length(data) <= %s THEN data ELSE '' END FROM muniment
WHERE team = %s AND place = %s AND first = ANY(%s)"""
_BLANK: LiteralString = """
INSERT INTO muniment AS old (team, place, first, data) VALUES (%s, %s, %s, %s)
ON CONFLICT (team, place, first) DO UPDATE SET data = excluded.data
WHERE old.data <> excluded.data RETURNING first"""

_ELSEWHERE = (
    "The old bytes stay in {} until it is vacuumed, in its write-ahead log, its replicas and its backups."
)


class PostgresTransport:
    """The segments and notes of one team in a PostgreSQL database.

    Args:
        address: a URL as libpq takes it, without a password.
        team: the team id.
        create: make the table if it does not exist.
        patience: seconds that the server may take for one answer.
    """

    remark = ""

    def __init__(self, address: str, team: str, *, create: bool = False, patience: float = PATIENCE) -> None:
        check_team(team)
        self.address = checked_address(address, SETTINGS)
        self._team = team
        self._channel = f"muniment_{team}"
        self._create = create
        self._patience = patience
        self._open: psycopg.Connection | None = None
        self._listens = False

    def heads(self) -> dict[str, int]:
        """Ask for the rows' spans, which the database adds up from its index."""
        with self._asking() as connection:
            found = connection.execute(_HEADS, [self._team, MOST_LINES]).fetchall()
        return {chain: head for chain, head in found if head and is_chain(chain)}

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Read the rows of a chain, some at a time."""
        check_chain(chain)
        rows = self._rows(_SINCE, [self._team, chain, MOST_BYTES], seq - MOST_LINES)
        return (segment for row in rows if (segment := Segment(*row)).end > seq)

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Insert the rows, some megabytes in one transaction."""
        sizes = 0

        def batch(segment: Segment) -> int:
            nonlocal sizes
            sizes += len(segment.data)
            return sizes // _AT_ONCE

        for _, some in groupby(checked_segments(chain, segments), batch):
            self._put(chain, list(some), of=chain)

    def blank(self, chain: str, segment: Segment) -> str:
        """Update the row, or insert it."""
        [segment] = checked_segments(chain, [segment])
        row = [self._team, chain, segment.first, segment.data]
        with self._asking() as connection, connection.transaction():
            if connection.execute(_BLANK, row).fetchall():
                self._notify(connection)
        return _ELSEWHERE.format(self.address)

    def compact(self, chain: str, segment: Segment) -> None:
        """Do nothing: the database adds the spans up from its index."""

    def put_note(self, kind: str, name: str, data: bytes) -> None:
        """Insert a row as for a segment."""
        check_note(kind, name, data)
        self._put(f"{kind}/{name}", [Segment(0, data)], of=f"{kind}/{name}")

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Read the rows of a kind, some at a time."""
        check_kind(kind)
        rows = self._rows(
            _NOTES, [self._team, f"{kind}0", MOST_NOTE_BYTES], f"{kind}/"
        )  # 0 follows / in ASCII
        named = ((place.removeprefix(f"{kind}/"), data) for place, data in rows)
        return ((name, data) for name, data in named if data and is_note(name))

    def wait(self, seconds: float) -> bool:
        """Wait for a notification."""
        end = time.monotonic() + seconds
        try:
            if not self._listens or self._open is None or self._open.closed:
                with self._asking() as connection:
                    connection.execute(f"LISTEN {self._channel}")
                self._listens = True
                return True
            return any(True for _ in self._open.notifies(timeout=seconds, stop_after=1))
        except (psycopg.Error, UnreachableError):
            time.sleep(max(0.0, end - time.monotonic()))
            return False

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open.close()

    def _rows(self, query: LiteralString, values: list[Any], after: int | str) -> Iterator[tuple[Any, bytes]]:
        """Yield the rows behind a key, the first column, in its order."""
        while True:
            with self._asking() as connection:
                rows = connection.execute(query, [*values, after, _PAGE], binary=True).fetchall()
            yield from rows
            if len(rows) < _PAGE:
                return
            after = rows[-1][0]

    def _put(self, place: str, segments: list[Segment], *, of: str) -> None:
        """Insert rows, all or none, except existing ones; `of` names their place in a TakenError."""
        firsts = [each.first for each in segments]
        row = [self._team, place, firsts, [each.data for each in segments]]
        with self._asking() as connection, connection.transaction():
            put = {first for (first,) in connection.execute(_PUT, row)}
            asked = [MOST_NOTE_BYTES, self._team, place, [first for first in firsts if first not in put]]
            standing = dict(connection.execute(_STANDING, asked, binary=True).fetchall()) if asked[-1] else {}
            for first, data in segments:
                if first not in put and standing.get(first) != data:
                    raise TakenError(of, first, standing.get(first, b""))
            if put:
                self._notify(connection)

    def _notify(self, connection: psycopg.Connection) -> None:
        connection.execute("SELECT pg_notify(%s, '')", [self._channel])

    @contextlib.contextmanager
    def _asking(self) -> Iterator[psycopg.Connection]:
        """Yield a connection for a few statements; raise what goes wrong as an UnreachableError."""
        try:
            with self._answering(self._connected()) as connection:
                yield connection
        except errors.UndefinedTable as error:
            raise UnreachableError(
                f"{self.address} holds no team: run muniment team init, or team move, with this address first."
            ) from error
        except psycopg.Error as error:
            raise UnreachableError(
                f"{self.address} cannot be used: {one_line(error)}; check that it runs, that PGPASSWORD or ~/.pgpass has the "
                "password, and that the role may select, insert and update in the table muniment."
            ) from error

    def _connected(self) -> psycopg.Connection:
        if self._open is None or self._open.closed:
            self._listens = False
            self._open = psycopg.connect(
                self.address,
                autocommit=True,
                prepare_threshold=None,  # a pooler may stand between
                connect_timeout=max(2, int(min(self._patience, 10))),  # libpq takes less for none
                application_name="muniment",
                keepalives_idle=30,
            )
            self._open.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            if self._create:
                self._make_table(self._open)
        return self._open

    def _make_table(self, connection: psycopg.Connection) -> None:
        # Of two who make it at once, one is told so by the database's own catalogue, in one of these words.
        other_made_it = errors.UniqueViolation, errors.DuplicateObject, errors.DuplicateTable
        with contextlib.suppress(*other_made_it), self._answering(connection):
            connection.execute(_TABLE)

    @contextlib.contextmanager
    def _answering(self, connection: psycopg.Connection) -> Iterator[psycopg.Connection]:
        """Shut the connection down if the server takes too long: one that is stopped closes nothing by itself."""
        late = threading.Event()
        with socket.socket(fileno=os.dup(connection.fileno())) as line:
            timer = threading.Timer(self._patience, _shut_down, [line, late])
            timer.start()
            try:
                yield connection
            except psycopg.Error as error:
                if late.is_set():
                    connection.close()
                    raise psycopg.OperationalError(f"no answer within {self._patience:g} seconds") from error
                raise
            finally:
                timer.cancel()


def _shut_down(line: socket.socket, late: threading.Event) -> None:
    late.set()
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
