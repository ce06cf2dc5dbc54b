"""Whether a stretch of the chain may be folded: its signatures and links first.

Implements specs/projections.md (P-55).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.mark import Mark

_OF_PAYLOADS = ("payload-", "erase-", "missing-lf")


def cores() -> int:
    """Return how many processor cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def verify_heads(chain: Path, since: Mark | None, end: int) -> bool:
    """Say whether every head of the chain after `since` is good, at least up to the byte `end`.

    Uses all cores.
    """
    from ledger.verify import Expectation, verify_chain

    report = verify_chain(chain, Expectation(), jobs=cores(), since=since)
    heads = [finding for finding in report.integrity.findings if not finding.code.startswith(_OF_PAYLOADS)]
    return not heads and not report.integrity.omitted and report.size >= end


def trusted(_chain: Path, _since: Mark | None, _end: int) -> bool:
    """Skip signatures in a chain that was verified a moment ago.

    Links and payloads are hashed again all the same.
    """
    return True
