"""Reads a small TOML file that others may have written: one that came with a clone or a pull, too.

Implements specs/files.md (F-4, F-9). Such a file must never hold a hook up: a link may lead to a device, brackets may nest
without end, and of a key with very many dots tomllib takes a time that grows with their square.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

MOST_BYTES = 16 << 10
"""A larger file is not read: one that a person wrote has a tenth of it."""


def read_text(path: Path) -> str:
    """Return what a file says; nothing is waited for.

    Raises:
        OSError: it is not there, or cannot be read.
        ValueError: it is no regular file, too large, or not UTF-8.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as stream:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise ValueError("it is no regular file")
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
