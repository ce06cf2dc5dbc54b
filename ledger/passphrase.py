"""Where the passphrase of a private key comes from: a variable, a file, or a person at a terminal.

Implements specs/keys.md (N-10, N-11). Nobody is asked unless the command line brought an `ask`: hooks, agents and the
library never are. No error carries what was given.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from ledger.durable import open_file
from ledger.errors import KeyFileError

VARIABLE, FILE_VARIABLE = "MUNIMENT_PASSPHRASE", "MUNIMENT_PASSPHRASE_FILE"
NEW_VARIABLE, NEW_FILE_VARIABLE = "MUNIMENT_NEW_PASSPHRASE", "MUNIMENT_NEW_PASSPHRASE_FILE"

_MAX_BYTES = 4096

Ask = Callable[[str], str]
"""Asks a person, who sees the text given, and returns the answer."""

_remembered: list[str] = []
"""What opened a key in this process: one person is asked once for both keys."""


def of_key(path: Path, opens: Callable[[str], bytes | None], ask: Ask | None = None) -> bytes:
    """Return what `opens` makes of the passphrase of the key at `path`; it returns None for a wrong one.

    `ask` is there only where a person sits at a terminal.

    Raises:
        KeyFileError: nothing gives a passphrase, or the one given is wrong.
    """
    for passphrase in _remembered:
        if seed := opens(passphrase):
            return seed
    passphrase, source = _found(path, ask)
    seed = opens(passphrase)
    if seed is None:
        raise KeyFileError(f"the passphrase {source} does not open {path}")
    _remembered.append(passphrase)
    return seed


def _found(path: Path, ask: Ask | None) -> tuple[str, str]:
    given = from_environment(VARIABLE, FILE_VARIABLE)
    if given:
        return given
    if ask is None:
        raise KeyFileError(
            f"{path} is under a passphrase and nobody is here to ask: set {FILE_VARIABLE} (or {VARIABLE}); "
            "reading works without it"
        )
    return ask(f"Passphrase of {path}: "), "that you gave"


def from_environment(variable: str, file_variable: str) -> tuple[str, str] | None:
    """Return the passphrase that one of these variables gives, and where it stood; None where neither is set.

    Raises:
        KeyFileError: the file cannot be read, is open to others, or is empty.
    """
    if value := os.environ.get(variable):
        return value, f"in {variable}"
    name = os.environ.get(file_variable)
    return (_from_file(Path(name), file_variable), f"in {name}") if name else None


def _from_file(path: Path, variable: str) -> str:
    """Return the first line of a file that its owner alone can read."""
    try:
        fd = open_file(path)
        try:
            mode = stat.S_IMODE(os.fstat(fd).st_mode)
            data = os.read(fd, _MAX_BYTES)
        finally:
            os.close(fd)
    except OSError as error:
        raise KeyFileError(f"{path} ({variable}) cannot be read: {error.strerror}") from None
    if mode & 0o077:
        raise KeyFileError(f"{path} ({variable}) is open to others (mode {mode:o}): run chmod 600 on it")
    line = data.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "surrogateescape")
    if not line:
        raise KeyFileError(f"the first line of {path} ({variable}) is empty: it is to be the passphrase")
    return line


def remember(passphrase: str) -> None:
    """Try this passphrase first from now on, in this process."""
    _remembered.insert(0, passphrase)


def known() -> str:
    """Return what opened a key last in this process, "" where nothing did."""
    return _remembered[-1] if _remembered else ""


def forget() -> None:
    """Forget what was given so far."""
    _remembered.clear()
