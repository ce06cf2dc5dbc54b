"""Rotation: the next key takes over, and a new next key is committed to.

Implements specs/keys.md (N-13…N-21). Order of one rotation, which a crash at any step leaves able to sign:

    the key after the next one is stored durably as `.coming`; the rotate event is appended and synced;
    `.next` is renamed to `.key`; `.coming` is renamed to `.next`

Until the event is written nothing has happened; from then on, the next signer puts the files in order
(`KeyDirectory.settle`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger import passphrase
from ledger.check import Link
from ledger.draft import Draft
from ledger.errors import KeyFileError, StateError
from ledger.event import By, next_key_commitment
from ledger.keys import COMING, KEY, NEXT, StoredKey, environment_key, file_of, read_key
from ledger.ledger import Ledger
from ledger.signing import SigningKey
from ledger.steps import reached


@dataclass(frozen=True, slots=True)
class Rotated:
    """What a rotation did.

    `key` is the new public key in hex, `proved` whether the old key agreed, `disowned` how many events the rotation
    disowns, `sealed` whether both new keys lie under a passphrase.
    """

    id: str
    seq: int
    key: str
    proved: bool
    disowned: int
    sealed: bool


@dataclass(frozen=True, slots=True)
class _Turn:
    """The keys of a rotation, opened: the new one, the old where it proves, the commitment to the one after.

    `files` are the key files to store before the event, `committed` is the one that the new key was read of.
    """

    key: SigningKey
    old: SigningKey | None
    commitment: str
    sealed: bool
    committed: StoredKey
    files: tuple[tuple[Path, bytes], ...]


def rotate(ledger: Ledger, by: By, *, lost: bool = False, since: int | None = None) -> Rotated:
    """Let the next key take over.

    Args:
        ledger: whose key it is.
        by: who decides it.
        lost: the key in use is gone: nothing proves the rotation but the commitment to the new key.
        since: the key in use was stolen; the first seq whose signature the owner disowns.

    Raises:
        KeyFileError: the next key is not here, or is not the one that the chain committed to; or the old key is not
            here and was not said to be lost or stolen; or a passphrase is missing or wrong.
        StateError: `since` is not an event of the chain; or another process
            rotated meanwhile.
        ChainError, StorageError, BusyError: as `Ledger.write`.
    """
    before = ledger.settle_keys()  # the lock is let go of while a person is asked for passphrases
    if since is not None and not 1 <= since <= before.seq:
        raise StateError(
            f"--since names no event that could be disowned: give one from @1 to @{before.seq}, the newest"
        )
    turn = _opened(ledger, before, lost=lost, stolen=since is not None)
    with ledger.chain.locked() as held:
        link = held.tip.link
        if (link.key, link.next_key) != (before.key, before.next_key):
            raise StateError(
                "another process rotated the key meanwhile; nothing was done: run muniment key status"
            )
        if read_key(turn.committed.path).value != turn.committed.value:
            raise StateError(f"{turn.committed.path} was replaced meanwhile; nothing was done: try again")
        for path, data in turn.files:
            ledger.keys.put(path, data)
        reached("rotate.stored")
        members: dict[str, Any] = {"key": turn.key.public.hex(), "next": turn.commitment}
        if since is not None:
            members["since"] = since
        after, line = ledger.build(Draft("rotate", members, None), link, by, turn.key, old=turn.old)
        held.append([line], [after])
        ledger.keys.settle(ledger.identity.id, after.key, after.next_key)
    disowned = 0 if since is None else after.seq - since
    return Rotated(line.id, after.seq, members["key"], turn.old is not None, disowned, turn.sealed)


def _opened(ledger: Ledger, link: Link, *, lost: bool, stolen: bool) -> _Turn:
    """Open the keys of a rotation and make the one after the next; nothing is stored before the lock is held."""
    keys, id_ = ledger.keys, ledger.identity.id
    committed = _committed(ledger, link)
    old = None if lost or stolen else _old_key(ledger, link)
    key = committed.open()
    sealed = committed.sealed or (old is not None and _is_sealed(ledger, link.key))
    phrase = passphrase.known() if sealed else ""
    files = []
    if phrase and not committed.sealed:
        files.append((committed.path, file_of(id_, key, phrase)))
    following = keys.path_of(id_, NEXT)
    if committed.path != following and following.exists():  # the chain went back behind a rotation
        public = keys.stored(id_, NEXT).public
    else:
        coming = SigningKey(ledger.random(32))
        files.append((keys.path_of(id_, COMING), file_of(id_, coming, phrase)))
        public = coming.public
    return _Turn(key, old, next_key_commitment(public), bool(phrase), committed, tuple(files))


def _committed(ledger: Ledger, link: Link) -> StoredKey:
    """Return the key that the chain committed to: the next one, or, where the chain went back, the one in use."""
    keys, id_ = ledger.keys, ledger.identity.id
    faults = []
    for name in (NEXT, KEY):
        try:
            found = keys.stored(id_, name)
        except KeyFileError as error:
            faults.append(str(error))
            continue
        if next_key_commitment(found.public) == link.next_key:
            return found
    path = keys.path_of(id_, NEXT)
    if not path.exists():
        raise KeyFileError(
            f"the next key is not here ({path}): run muniment key import-next FILE to restore it from where you keep it"
        )
    if faults and str(path) in faults[0]:
        raise KeyFileError(faults[0])
    raise KeyFileError(f"{path} is not the key that the chain committed to: use the right one")


def _old_key(ledger: Ledger, link: Link) -> SigningKey:
    try:
        return ledger.keys.load(ledger.identity.id, link.key)
    except KeyFileError as error:
        raise KeyFileError(f"{error}; if it is gone for good: muniment key rotate --lost") from None


def _is_sealed(ledger: Ledger, public: bytes) -> bool:
    if (ours := environment_key()) is not None and ours.public == public:
        return False
    return ledger.keys.stored(ledger.identity.id).sealed


def key_at(ledger: Ledger, link: Link) -> tuple[SigningKey, list[Draft]]:
    """Return the key with which recovery continues after `link`, and the rotate that must come first, if any.

    A chain that was rolled back past a rotation is signed by a key that is no longer here. The current one is the one that
    it committed to there, so the rotation can be repeated (N-19).

    Raises:
        KeyFileError: the key in force is not here, nor is the one that it committed to in use.
    """
    try:
        return ledger.signing_key(link), []
    except KeyFileError as error:
        keys, id_ = ledger.keys, ledger.identity.id
        try:
            ours, following = keys.stored(id_), keys.stored(id_, NEXT)
        except KeyFileError:
            raise error from None
        if next_key_commitment(ours.public) != link.next_key:
            raise
        members = {"key": ours.public.hex(), "next": next_key_commitment(following.public)}
        return ours.open(), [Draft("rotate", members, None)]
