"""How many lines the segments of a bucket have, which nothing but their bytes says; whatever is lost of it is counted again.

Implements specs/team.md (TM-76).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_FILE = "lines.json"


class Counted(NamedTuple):
    """How many lines an object had when it had this tag."""

    tag: str
    lines: int


def remembered(cache: Path) -> dict[str, Counted]:
    """Return what was counted, by the paths of the objects."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        stored = json.loads((cache / _FILE).read_bytes())
        return {str(path): Counted(str(tag), int(lines)) for path, (tag, lines) in stored.items()}
    return {}


def remember(cache: Path, counts: Mapping[str, Counted]) -> None:
    """Store what was counted in the cache of an address."""
    with contextlib.suppress(OSError):  # then it is counted again
        cache.mkdir(parents=True, exist_ok=True)
        made = cache / f"{_FILE}.tmp"
        made.write_text(json.dumps(counts))
        made.replace(cache / _FILE)
