"""Puts more targets than one event holds into several events of one batch.

Implements specs/cli.md (X-22).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.command import Command
from ledger.schema import MAX_TARGETS
from muniment import MemoryLedger


def in_events(
    memory: MemoryLedger, ids: Sequence[str], command: Callable[[tuple[str, ...]], Command]
) -> list[str]:
    """Carry out a command on all these full ids, all or none; return the ids of the events."""
    chunks = [tuple(ids[at : at + MAX_TARGETS]) for at in range(0, len(ids), MAX_TARGETS)]
    return [written.id for written in memory.write([command(chunk) for chunk in chunks])]
