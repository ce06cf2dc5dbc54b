"""The high-water mark and the pin: what this machine stores about a chain outside the chain's directory.

Implements specs/chain.md (C-14, C-15) and specs/files.md (F-17). The mark is a file of two slots of 1,024
bytes: canonical JSON, a space, the BLAKE3 of that JSON in hex, padded with spaces. It is written into the
older slot, so that a write which dies half way leaves the other.
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from typing import Any

import orjson
from blake3 import blake3

from ledger.durable import keep_file, open_file, private_folder, read_file, storage_error
from ledger.named_tuple import NamedTuple

_SLOT = 1024
_DIGEST = 64
_LEFT = "until the state directory can be written, truncation cannot be checked and nothing is appended"


class Mark(NamedTuple):
    """The newest acknowledged event.

    `start` and `end` (the offset after the LF) are where its line stands; `key` and `next_key` are in force
    after it, in hex.
    """

    seq: int
    id: str
    epoch: int
    genesis: str
    key: str
    next_key: str
    start: int
    end: int


class Pin(NamedTuple):
    """Which chain belongs to a directory: ledger id and genesis id."""

    ledger: str
    genesis: str


class StateDirectory:
    """Marks and pins of all ledgers of one user on one machine, below `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def mark_of(self, ledger_id: str) -> MarkFile:
        """Return the mark of the ledger with this id; it need not exist yet."""
        return MarkFile(self.path / "marks" / ledger_id)

    def seals_of(self, ledger_id: str) -> Path:
        """Return the folder of the keys that a team seals its lines with (specs/team.md TM-61), each in a file of its name."""
        return self.path / "seals" / ledger_id

    def marks_below(self, prefix: str) -> list[str]:
        """Return what follows `prefix` in the names of the marks that begin with it, sorted."""
        return sorted(path.name.removeprefix(prefix) for path in (self.path / "marks").glob(f"{prefix}*"))

    def _pin_path(self, directory: Path) -> Path:
        place = blake3(os.fsencode(os.path.realpath(directory))).hexdigest()[:32]
        return self.path / "pins" / f"{place}.json"

    def pin_of(self, directory: Path) -> Pin | None:
        """Return the pin of a ledger's directory, or None if none is readable."""
        found = _read_pin(self._pin_path(directory))
        return found[1] if found else None

    def pins(self) -> list[tuple[Path, Pin]]:
        """Return every directory that has a readable pin, with it."""
        found = (_read_pin(path) for path in sorted((self.path / "pins").glob("*.json")))
        return [each for each in found if each]

    def pin(self, directory: Path, pin: Pin) -> None:
        """Remember durably which chain belongs to `directory`.

        Raises:
            StorageError: the state directory cannot be written.
        """
        path = self._pin_path(directory)
        # The hash in the file's name has the very bytes.
        where = os.fsencode(os.path.realpath(directory)).decode("utf-8", "replace")
        value = {"directory": where, "genesis": pin.genesis, "ledger": pin.ledger}
        keep_file(path, orjson.dumps(value) + b"\n", "pinning the ledger")


def _read_pin(path: Path) -> tuple[Path, Pin] | None:
    try:
        value = orjson.loads(read_file(path))
        return Path(str(value["directory"])), Pin(str(value["ledger"]), str(value["genesis"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


class MarkFile:
    """One ledger's mark. Only the holder of the chain's lock writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Mark | None:
        """Return the mark, or None if none is readable (missing, or both slots torn)."""
        return self._newest()[1]

    def _newest(self) -> tuple[int, Mark | None]:
        """Return the newer slot: its counter, and its mark."""
        try:
            raw = read_file(self.path)
        except OSError:
            return 0, None
        slots = [slot for slot in (_parse(raw[:_SLOT]), _parse(raw[_SLOT : 2 * _SLOT])) if slot]
        return max(slots, key=lambda slot: slot[0], default=(0, None))

    def write(self, mark: Mark) -> None:
        """Move the mark, into the older slot, unsynced (C-14). The caller holds the chain's lock.

        Raises:
            StorageError: the state directory cannot be written; the mark stays where it was.
        """
        count = self._newest()[0] + 1
        slot = _slot(count, mark)
        try:
            fd = self._open()
            try:
                if os.pwrite(fd, slot, (count % 2) * _SLOT) != len(slot):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            finally:
                os.close(fd)
        except OSError as error:
            raise storage_error(error, "writing the high-water mark", self.path, left=_LEFT) from error

    def replace(self, mark: Mark) -> None:
        """Make `mark` the only one, in both slots and durably: the one before no longer counts (C-17).

        Raises:
            StorageError: the state directory cannot be written; the mark stays where it was.
        """
        data = _slot(2, mark) + _slot(1, mark)
        keep_file(self.path, data, "writing the high-water mark", left=_LEFT)

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT
        try:
            return open_file(self.path, flags)
        except FileNotFoundError:
            private_folder(self.path.parent)
            return open_file(self.path, flags)

    def remove(self) -> None:
        """Forget the mark."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


def _slot(count: int, mark: Mark) -> bytes:
    value = {"count": count, **mark._asdict()}
    body = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return (body + b" " + blake3(body).hexdigest().encode()).ljust(_SLOT - 1) + b"\n"


def _parse(slot: bytes) -> tuple[int, Mark] | None:
    body, _, digest = slot.rstrip().rpartition(b" ")
    if len(digest) != _DIGEST or blake3(body).hexdigest().encode() != digest:
        return None
    try:
        value: dict[str, Any] = orjson.loads(body)
        count = value.pop("count")
        return int(count), Mark(**value)
    except (ValueError, TypeError, KeyError):
        return None
