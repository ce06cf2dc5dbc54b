"""What a backup may hold beside its manifest: the names, how large each may be, and which files of a ledger have them.

Implements specs/files.md (F-12, F-13).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ledger import location
from ledger.chain import CHAIN_NAME
from ledger.lazy_pattern import lazy_pattern
from ledger.location import SHOWN_OUTSIDE

LOCAL, CONFIG = location.LOCAL_NAME, location.CONFIG_NAME
_MIB = 1 << 20
_LIMITS: dict[str, int | None] = {CHAIN_NAME: None, LOCAL: None, CONFIG: _MIB}
"""The largest size of each; None: limited only by the disk."""
_KEY_LIMIT = 4096
_KEY = lazy_pattern(r"keys/[0-9a-f]{32}\.(key|next)")
_SEAL = lazy_pattern(r"team/seals/[0-9a-f]{64}")
_SIGNED = lazy_pattern(
    r"anchors/[0-9A-Za-z][0-9A-Za-z._-]{0,63}\.(checkpoint|ots|tsr|evm\.json)|erasures/[0-9a-f]{16}\.receipt"
    r"|team/transport\.json|team/rosters/[0-9a-f]{64}\.note"
)


def limit_of(name: str) -> int | None:
    """Return how many bytes a member of this name may have, None for what the disk takes.

    Raises:
        ValueError: a backup holds no such file.
    """
    if _KEY.fullmatch(name) or _SEAL.fullmatch(name):
        return _KEY_LIMIT
    if is_shown_outside(name):
        return _MIB
    if name not in _LIMITS:
        raise ValueError(name)
    return _LIMITS[name]


def seal_name(key: str) -> str:
    """Return the name that a key which a team seals with has in a backup; `key` is its SHA-256 in hex."""
    return f"team/seals/{key}"


def is_shown_outside(name: str) -> bool:
    """Return whether this is the name of a checkpoint, of a receipt for one or for an erasure, or of a team's settings or roster."""
    return _SIGNED.fullmatch(name) is not None


def shown_outside(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield the checkpoints and receipts of a ledger by member's name; links and files that are too large are skipped."""
    for folder in SHOWN_OUTSIDE:
        for path in sorted((directory / folder).glob("*")):
            name = f"{folder}/{path.name}"
            is_plain = path.is_file() and not path.is_symlink()
            if is_plain and is_shown_outside(name) and path.stat().st_size <= _MIB:
                yield name, path
