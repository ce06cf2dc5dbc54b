"""Reads a small TOML file that others may have written: one that came with a clone or a pull, too.

Implements specs/files.md (F-4, F-9). Such a file must never hold a hook up: a link may lead to a device, brackets may nest
without end, and of a key with very many dots tomllib takes a time that grows with their square.
"""

from __future__ import annotations

import os
from pathlib import Path

from ledger.durable import open_file

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 16 << 10
"""A larger file is not read: one that a person wrote has a tenth of it."""


def read_text(path: Path) -> str:
    """Return what a file says; nothing is waited for.

    Raises:
        OSError: it does not exist, is not a regular file, or cannot be read.
        ValueError: it is too large, or not UTF-8.
    """
    with os.fdopen(open_file(path), "rb") as stream:
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES >> 10} KiB")
    return data.decode().replace("\r\n", "\n")


def parsed(text: str) -> dict[str, Any]:
    """Return what a text of TOML says.

    Raises:
        ValueError: it is none.
    """
    import tomllib  # hooks wait for every import

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("too many brackets in each other") from None
