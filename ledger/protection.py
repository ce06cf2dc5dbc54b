"""Puts the private keys of a ledger under a passphrase, changes it, or takes it off.

Implements specs/keys.md (N-9, N-23). Each file is replaced in one rename, so that a crash between the two leaves both
able to sign, each under its own passphrase.
"""

from __future__ import annotations

from ledger import passphrase
from ledger.errors import KeyFileError
from ledger.keys import KEY, NEXT, StoredKey, file_of
from ledger.ledger import Ledger
from ledger.signing import SigningKey
from ledger.steps import reached

SHORTEST = 8
"""Code points of the shortest passphrase that is taken."""


def opened(ledger: Ledger) -> list[tuple[StoredKey, SigningKey]]:
    """Open the private keys here: the current one, and the next if it is here.

    Raises:
        KeyFileError: the key in use is not a file here; or a passphrase is missing or wrong.
    """
    keys, id_ = ledger.keys, ledger.identity.id
    ledger.settle_keys()
    found = [keys.stored(id_, KEY)]
    if keys.path_of(id_, NEXT).exists():
        found.append(keys.stored(id_, NEXT))
    return [(each, each.open()) for each in found]


def change(ledger: Ledger, found: list[tuple[StoredKey, SigningKey]], new: str) -> None:
    """Write the keys again, sealed under `new`, or unprotected if it is "".

    Raises:
        KeyFileError: the passphrase is too short; or another process changed the keys meanwhile.
        StorageError: the disk refused; what was not yet written stays as it was.
    """
    if new and len(new) < SHORTEST:
        raise KeyFileError(f"the passphrase has {len(new)} characters; give at least {SHORTEST}")
    keys, id_ = ledger.keys, ledger.identity.id
    files = [(stored, file_of(id_, key, new)) for stored, key in found]
    with ledger.chain.locked() as held:
        keys.settle(id_, held.tip.link.key, held.tip.link.next_key)
        for stored, data in files:
            name = stored.path.suffix[1:]
            if keys.stored(id_, name).public != stored.public:
                raise KeyFileError(f"{stored.path} was replaced meanwhile; it was not changed: try again")
            keys.put(stored.path, data)
            reached("passphrase.put")
    if new:
        passphrase.remember(new)
