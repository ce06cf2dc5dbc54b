"""Whether a stretch of the chain may be folded: its signatures and links first.

Implements specs/projections.md (P-55).
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.mark import Mark


def verify_heads(chain: Path, since: Mark | None, end: int) -> Generator[tuple[int, str]]:
    """Give how far the heads of the chain after `since` are good, up to the byte `end`; see `good_heads`."""
    from ledger.verify import good_heads

    return good_heads(chain, end, since=since)


def trusted(_chain: Path, _since: Mark | None, end: int) -> Generator[tuple[int, str]]:
    """Skip signatures in a chain that was verified a moment ago.

    Links and payloads are hashed again all the same.
    """
    yield end, ""
