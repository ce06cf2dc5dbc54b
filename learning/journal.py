"""The journal of automatic writes: one line of JSON each, without a word of what was said.

Implements specs/capture.md (K-72). It is for whoever asks why something is slow or missing; losing it loses nothing, so a
line that cannot be written is dropped.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import orjson

from ledger.durable import private_folder
from ledger.errors import LedgerError
from ledger.instant import Clock, system_clock, written
from ledger.named_tuple import NamedTuple

LOG_NAME = "muniment.log"
_MOST_BYTES = 1 << 20


class JournalLine(NamedTuple):
    """What is logged of one proposal; `milliseconds` from when it was handed over to when it was done."""

    correlation: str
    kind: str
    outcome: str
    scope: str
    basis: str
    confidence: float
    milliseconds: float
    id: str = ""


class Journal:
    """Appends lines to a file of the state directory, and keeps the one before when it has grown to 1 MiB."""

    def __init__(self, state: Path, clock: Clock = system_clock) -> None:
        self.path = state / LOG_NAME
        self._clock = clock

    def write(self, line: JournalLine) -> None:
        """Append one line; see `JournalLine`."""
        row = {
            "at": written(self._clock()),
            "correlation": line.correlation,
            "kind": line.kind,
            "outcome": line.outcome,
            "scope": line.scope,
            "basis": line.basis,
            "confidence": round(line.confidence, 2),
            "ms": round(line.milliseconds, 1),
            "id": line.id,
        }
        data = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
        with contextlib.suppress(OSError, LedgerError):
            private_folder(self.path.parent)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, data)
                full = os.fstat(descriptor).st_size > _MOST_BYTES
            finally:
                os.close(descriptor)
            if full:
                self.path.replace(self.path.with_name(f"{LOG_NAME}.1"))


def since(start: float) -> float:
    """Return the milliseconds since `start`, which `time.perf_counter` gave."""
    return (time.perf_counter() - start) * 1000
