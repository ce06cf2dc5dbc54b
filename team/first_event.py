"""Fetches the first event of a chain, whose id names the chain.

Implements specs/team.md (TM-16, TM-18).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ledger.canonical import decode
from ledger.check import LineChecker
from ledger.errors import LedgerError
from ledger.event import event_id, split_line
from transports.protocol import Transport


def first_event(transport: Transport, genesis: str) -> Mapping[str, Any] | None:
    """Return the members of a chain's first event, verified; None if no good event with the id `genesis` stands there."""
    for segment in transport.since(genesis, 0):
        raw = segment.data.partition(b"\n")[0]
        with suppress(LedgerError):
            line = split_line(raw)
            if event_id(line.head) == genesis and LineChecker().take(raw) is not None:
                found: Mapping[str, Any] = decode(line.event, "the event")
                return found
        return None
    return None
