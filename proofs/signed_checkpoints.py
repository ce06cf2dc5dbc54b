"""What a ledger has signed: its checkpoints under `anchors/`, the newest one also in the state directory.

Implements specs/proofs.md (T-22, T-23, T-33, T-36). A ledger signs nothing that is inconsistent with what it signed
before, and no root that was not made of the very heads that the newest event's id binds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from ledger.durable import folder_within, private_folder, replace_file, storage_error
from ledger.errors import ChainError, FormatError, StorageError
from ledger.event import split_line
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint, receipts
from proofs.checkpoint import Checkpoint, Origin
from proofs.heads import ReadChain
from proofs.receipts import FOLDER

SUFFIX = ".checkpoint"
_STATE = "signed"


@dataclass(frozen=True, slots=True)
class Stored:
    """A checkpoint, unverified, and its file, which is gone if only the state directory has it.

    `new` means that it was just signed.
    """

    path: Path
    data: bytes
    checkpoint: Checkpoint
    new: bool = False

    @property
    def origin(self) -> Origin | None:
        """Which chain and epoch it says it is of."""
        return Origin.of(self.checkpoint.origin)


class SignedStore:
    """The checkpoints of one ledger.

    Args:
        directory: the ledger's.
        state: the user's state directory, which remembers the newest one (T-22).
        ledger_id: 32 hex digits.
    """

    def __init__(self, directory: Path, state: Path, ledger_id: str) -> None:
        self.folder = directory / FOLDER
        self._newest = state / _STATE / ledger_id
        self.outline = state / _STATE / f"{ledger_id}.outline"

    def path_of(self, made: Checkpoint) -> Path:
        """Return where a checkpoint of ours is stored: `anchors/<epoch>-<size>.checkpoint`."""
        origin = Origin.of(made.origin)
        return self.folder / f"{origin.epoch if origin else 'x'}-{made.size}{SUFFIX}"

    def stored(self) -> list[Stored]:
        """Return every checkpoint that lies under its own name or is remembered, the one of the most events last."""
        found = [
            each for path in self.folder.glob(f"*{SUFFIX}") if (each := self._at(path)) and each.path == path
        ]
        newest = self._at(self._newest)
        if newest and not any(
            each.data.startswith(newest.data) for each in found
        ):  # cosignatures stand below it
            found.append(newest)
        return sorted(found, key=lambda each: each.checkpoint.size)

    def _at(self, path: Path) -> Stored | None:
        """Return the checkpoint in a file, with the path that it is stored at; None if there is none."""
        try:
            data = receipts.read(path) or b""
            made = checkpoint.parse(data)[0]
        except (StorageError, FormatError):
            return None
        return Stored(self.path_of(made), data, made)

    def put(self, data: bytes, made: Checkpoint) -> Path:
        """Store a checkpoint that was just signed; it is remembered before anybody can have it.

        Raises:
            StorageError: the disk refused; the checkpoint must not be given away.
        """
        path = self.path_of(made)
        self.make_folder()
        try:
            private_folder(self._newest.parent)
            replace_file(self._newest, data, 0o600)
        except OSError as error:
            raise storage_error(
                error, "remembering the checkpoint", self._newest, left="none was made"
            ) from error
        receipts.replace(path, data)
        return path

    def make_folder(self) -> None:
        """Make the folder that they lie in, before anybody is asked for what is to lie there; raises StorageError."""
        try:
            folder_within(self.folder)
        except OSError as error:
            raise storage_error(
                error, "storing checkpoints", self.folder, left="nothing was signed, nobody was asked"
            ) from error


Keys = Sequence[tuple[int, bytes]]
"""The public keys of a chain, each with the seq of the genesis or rotate that brought it."""


def keys_of(chain: ReadChain) -> list[tuple[int, bytes]]:
    """Return the keys of a chain as its heads say them."""
    events = ((seq, orjson.loads(split_line(chain.line(seq)).event)) for seq in chain.keys)
    return [(seq, bytes.fromhex(event["key"])) for seq, event in events]


def epoch_at(chain: ReadChain, seq: int) -> int:
    """Return the epoch of an event, as its head says it."""
    return int(orjson.loads(split_line(chain.line(seq)).event)["epoch"])


def is_given_up(each: Stored, chain: ReadChain) -> bool:
    """Return whether a checkpoint is of an epoch that a recover ended before the checkpoint's end (T-20)."""
    size, origin = each.checkpoint.size, each.origin
    return origin is None or not 0 < size <= len(chain) or epoch_at(chain, size - 1) != origin.epoch


def is_opened(data: bytes, made: Checkpoint, keys: Keys) -> bool:
    """Return whether the key in force at a checkpoint's newest event signed its note (T-21).

    One of more events than the chain has is judged by the chain's newest key.
    """
    key = next((key for seq, key in reversed(keys) if seq < made.size), None)
    return key is not None and _is_signed(data, made, [key])


def sign(store: SignedStore, chain: ReadChain, origin: Origin, key: SigningKey) -> Stored:
    """Return the signed checkpoint of the chain as it is; if it has one already, that one.

    The caller holds the chain's lock.

    Args:
        store: what was signed before.
        chain: the whole chain.
        origin: its genesis id, and the epoch at its end.
        key: the key in force.

    Raises:
        ChainError: the chain is not what was signed before in this epoch (T-23).
        StorageError: the disk refused.
    """
    size, root = len(chain), chain.tree.root(len(chain))
    keys = keys_of(chain)
    public = [key for _, key in keys]
    before = [
        each
        for each in store.stored()
        if each.origin == origin and _is_signed(each.data, each.checkpoint, public)
    ]
    for each in before:
        if fault := difference(each.checkpoint, chain):
            raise ChainError(
                f"a checkpoint of {each.checkpoint.size} events was signed in this epoch ({each.path}), but {fault}: nothing "
                "is signed; bring the newer chain back, or run muniment recover"
            )
    for each in before:
        if each.checkpoint.size == size and is_opened(each.data, each.checkpoint, keys):
            if not each.path.exists():
                receipts.replace(each.path, each.data)
            return each
    made = Checkpoint(str(origin), size, root)
    data = checkpoint.sign(made, key)
    return Stored(store.put(data, made), data, made, new=True)


def _is_signed(data: bytes, made: Checkpoint, keys: Iterable[bytes]) -> bool:
    """Return whether any of these keys signed it: after a rollback another one may be in force at its end."""
    try:
        checkpoint.signatures(data, [NoteKey(made.origin, key) for key in keys])
    except FormatError:
        return False
    return True


def difference(made: Checkpoint, chain: ReadChain) -> str:
    """Return "" if a chain begins with the tree of a checkpoint (T-36), else what it has instead."""
    if made.size > len(chain):
        return f"the chain ends at @{len(chain) - 1}"
    if chain.tree.root(made.size) != made.root:
        return "the chain has other events: it was rewritten, or this is another branch of it"
    return ""
