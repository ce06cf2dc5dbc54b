"""Fetches the first event of a chain, whose id names the chain.

Implements specs/team.md (TM-16, TM-18).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.check import LineChecker
from transports.protocol import Segment, Transport


def first_event(transport: Transport, genesis: str) -> Mapping[str, Any] | None:
    """Return the members of a chain's first event, verified; None if no good event with the id `genesis` stands there."""
    segment = next(transport.since(genesis, 0), Segment(0, b""))
    raw = segment.data.partition(b"\n")[0]
    checked = LineChecker().take(raw)
    return checked.head if checked is not None and checked.id == genesis else None
