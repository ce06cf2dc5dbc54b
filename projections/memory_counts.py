"""How many memories and events there are, by status, section, month and the like.

Implements specs/cli.md (X-63). Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from ledger.named_tuple import NamedTuple
from projections.index import Index


class Month(NamedTuple):
    """The growth of one month (`YYYY-MM`, UTC): events, the memories that they made, bytes of the chains."""

    month: str
    events: int
    memories: int
    bytes: int


def listed(index: Index, hidden: Iterable[str]) -> int:
    """Return how many memories are current, without the `hidden` ids."""
    query = (
        "SELECT count(*) FROM events e JOIN memories m USING (n) WHERE e.id IN (SELECT value FROM json_each(?)) "
        "AND m.status IN ('active', 'candidate')"
    )
    found = by_status(index)
    away = index.connection().execute(query, (orjson.dumps(sorted(hidden)).decode(),)).fetchone()[0]
    return found.get("active", 0) + found.get("candidate", 0) - int(away)


def by_status(index: Index) -> dict[str, int]:
    """Return how many memories there are by status, from the indexes alone; zero counts are left out."""
    queries = (
        "SELECT 'active', count(*) FROM memories WHERE status = 'active'",
        "SELECT 'candidate', count(*) FROM memories WHERE status = 'candidate'",
        "SELECT status, count(*) FROM memories WHERE status NOT IN ('active', 'candidate') GROUP BY 1",
    )
    db = index.connection()
    found = {status: n for query in queries for status, n in db.execute(query) if n}
    return {status: found[status] for status in sorted(found)}


def counts(index: Index) -> dict[str, dict[str, int]]:
    """Return how many memories there are by status; of the current ones, by section, type, tier and source.

    Under `kind`: how many events there are of each.
    """
    db = index.connection()
    standing = "WHERE status IN ('active', 'candidate')"
    queries = {}
    for name in ("section", "type", "tier", "source"):
        queries[name] = f"SELECT {name}, count(*) FROM memories {standing} GROUP BY 1 ORDER BY 1"
    queries["kind"] = "SELECT kind, count(*) FROM events GROUP BY 1 ORDER BY 1"
    found = {name: dict(db.execute(query).fetchall()) for name, query in queries.items()}
    return {"status": by_status(index), **found}


def week_of(index: Index, since: str) -> dict[str, int]:
    """Return how many events of each kind were written at or after the written instant `since`."""
    query = "SELECT kind, count(*) FROM events WHERE at >= ? GROUP BY 1"
    return dict(index.connection().execute(query, (since,)).fetchall())


def stale(index: Index, before: str) -> int:
    """Return how many active memories were neither learned nor confirmed since `before`, as written.

    Memories that only a disowned key signed count as `compromised`.
    """
    query = "SELECT count(*) FROM memories WHERE status = 'active' AND fresh_since < ? AND fresh_since != ''"
    return int(index.connection().execute(query, (before,)).fetchone()[0])


def compromised(index: Index) -> int:
    """Return how many current memories only a disowned key signed (N-24)."""
    query = "SELECT count(*) FROM memories WHERE status IN ('active', 'candidate') AND fresh_since = ''"
    return int(index.connection().execute(query).fetchone()[0])


def growth(index: Index) -> list[Month]:
    """Return the growth of each month with events, oldest first."""
    query = (
        "SELECT substr(e.at, 1, 7), count(*), count(m.n), sum(e.size + 1) FROM events e "
        "LEFT JOIN memories m ON m.n = e.n GROUP BY 1 ORDER BY 1"
    )
    return [Month(*row) for row in index.connection().execute(query)]
