"""Takes the next key off the machine and brings it back for a rotation.

Implements specs/keys.md (N-5, N-6). The file is copied byte for byte, so that one under a passphrase stays under it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ledger import durable
from ledger.durable import storage_error
from ledger.errors import KeyFileError, LedgerExistsError, StateError, StorageError
from ledger.event import next_key_commitment
from ledger.keys import NEXT, read_key
from ledger.ledger import Ledger
from ledger.location import git_root


@dataclass(frozen=True, slots=True)
class ExportedKey:
    """Where the next key lies now, and whether that is still the disk of the keys' folder."""

    path: Path
    same_disk: bool


def export_next(ledger: Ledger, into: Path) -> ExportedKey:
    """Copy the next key to a file, read it back, and take it out of the keys' folder.

    Args:
        ledger: whose key it is.
        into: a file that does not exist yet, or a folder.

    Raises:
        KeyFileError: the next key is not here, or is not the one that the chain committed to.
        LedgerExistsError: another file is there; it is not touched.
        StateError: the next key is there already, or git could take it there.
        StorageError: the disk refused; the key stays where it was.
    """
    keys, id_ = ledger.keys, ledger.identity.id
    with ledger.chain.locked() as held:
        link = held.tip.link
        keys.settle(id_, link.key, link.next_key)
        found = keys.stored(id_, NEXT)
        if next_key_commitment(found.public) != link.next_key:
            raise KeyFileError(f"{found.path} is not the key that the chain committed to: use the right one")
        target = into / found.path.name if into.is_dir() else into
        if root := git_root(target.parent.resolve()):
            raise StateError(
                f"{target} is in the git work tree {root}: a key is never stored where git may commit it"
            )
        if target.exists() and os.path.samefile(target, found.path):
            raise StateError(f"the next key is there already: {target}")
        try:
            data = durable.read_file(found.path)
            _copy(data, target)
            if durable.read_file(target) != data:
                raise StorageError(
                    f"{target} does not hold what was written; the next key stays in {keys.path}"
                )
            same_disk = target.stat().st_dev == keys.path.stat().st_dev
            found.path.unlink()
            durable.sync_directory(keys.path)
        except OSError as error:
            raise storage_error(
                error, "taking the next key off", target, left="it stays in the keys' folder"
            ) from None
    return ExportedKey(target, same_disk)


def _copy(data: bytes, target: Path) -> None:
    try:
        durable.write_new(target, data, 0o600)
    except FileExistsError:
        # one that died before it took the key out of its folder left these very bytes; a device may give bytes without end
        if not target.is_file() or target.stat().st_size != len(data) or target.read_bytes() != data:
            raise LedgerExistsError(f"{target} already exists: give another name") from None


def import_next(ledger: Ledger, source: Path) -> Path:
    """Bring the next key back into the keys' folder; return where it lies.

    Raises:
        KeyFileError: the file cannot be read as a key, or is not the one that the chain committed to.
        LedgerExistsError: another next key is in the folder.
        StorageError: the disk refused.
    """
    keys, id_ = ledger.keys, ledger.identity.id
    found = read_key(source, anybodys=True)
    with ledger.chain.locked() as held:
        link = held.tip.link
        keys.settle(id_, link.key, link.next_key)
        if found.value.get("ledger") != id_ or next_key_commitment(found.public) != link.next_key:
            raise KeyFileError(
                f"{source} is not the next key of this ledger: use the one that muniment key status names"
            )
        path = keys.path_of(id_, NEXT)
        data = durable.read_file(source)
        if not (path.exists() and keys.stored(id_, NEXT).public == found.public):
            keys.put_new(path, data)
    return path
