"""The journal of automatic writes: one line of JSON each, without any text of memories.

Implements specs/capture.md (K-72). It helps to find why something is slow or missing; nothing depends on it, so a
line that cannot be written is dropped.
"""

from __future__ import annotations

import contextlib
import os
import time

import orjson

from learning.outcome import Taken
from ledger.durable import private_folder
from ledger.errors import LedgerError
from ledger.instant import written
from projections.workspace import Workspace

LOG_NAME = "muniment.log"
_MOST_BYTES = 1 << 20
"""A larger journal is renamed, and a new one begun."""


def write(workspace: Workspace, taken: Taken, correlation: str, start: float) -> None:
    """Append the outcome of one proposal, received at `start`, to the journal in the state directory."""
    proposal = taken.proposal
    row = {
        "at": written(workspace.clock()),
        "correlation": correlation,
        "kind": proposal.action,
        "outcome": taken.outcome,
        "scope": taken.scope,
        "basis": proposal.basis,
        "confidence": round(proposal.memory.confidence, 2) if proposal.memory else 1.0,
        "ms": round((time.perf_counter() - start) * 1000, 1),
        "id": taken.id,
    }
    path = workspace.home.state / LOG_NAME
    with contextlib.suppress(OSError, LedgerError):
        private_folder(path.parent)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            full = os.fstat(descriptor).st_size > _MOST_BYTES
        finally:
            os.close(descriptor)
        if full:
            path.replace(path.with_name(f"{LOG_NAME}.1"))
