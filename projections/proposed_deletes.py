"""Deletions that need a person's consent: the memory stays until a person decides.

Implements specs/team.md (TM-21).
"""

from __future__ import annotations

from projections.index import Index
from projections.requests import DELETE, Request
from writers.counted import label_of

_OPEN = """SELECT x.target, coalesce(w.name, ''), coalesce(w.id, ''), e.name, x.at FROM edges x
    JOIN events e ON e.id = x.id LEFT JOIN writers w ON w.number = e.writer AND w.number > 0
    JOIN events t ON t.id = x.target JOIN memories m ON m.n = t.n
    WHERE NOT x.counts AND x.kind = 'delete' AND m.status IN ('active', 'candidate') AND NOT EXISTS
    (SELECT 1 FROM edges c WHERE c.target = x.target AND c.kind = 'confirm' AND c.counts AND c.ts > x.ts)
    ORDER BY x.ts, x.id"""


def proposed_deletes(index: Index) -> list[Request]:
    """Return one request for each memory that a proposal deletes, the oldest first."""
    found: dict[str, Request] = {}
    for target, name, id_, author, at in index.connection().execute(_OPEN):
        by = label_of(name, id_) if id_ else author
        found.setdefault(target, Request(DELETE, (target,), {}, by, "", at))
    return list(found.values())
