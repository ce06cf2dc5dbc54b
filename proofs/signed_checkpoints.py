"""What a ledger has signed: its checkpoints under `anchors/`, the newest one also in the state directory.

Implements specs/proofs.md (T-22, T-23, T-33, T-36). A ledger signs nothing that is inconsistent with what it signed
before, and no root that was not made of the very heads that the newest event's id binds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from ledger.durable import folder_within, private_folder, replace_file, storage_error
from ledger.errors import ChainError, FormatError
from ledger.event import split_line
from ledger.signing import SigningKey
from proofs import checkpoint
from proofs.checkpoint import Checkpoint, Opened, Origin
from proofs.heads import ReadChain
from proofs.note import NoteKey

FOLDER = "anchors"
SUFFIX = ".checkpoint"
_STATE = "signed"
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored checkpoint, of which nothing is verified; `path` is None if only the state directory has it."""

    path: Path | None
    data: bytes
    checkpoint: Checkpoint

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
        self.unreadable: list[Path] = []
        """The files that `stored` could not take for checkpoints."""

    def path_of(self, made: Checkpoint) -> Path:
        """Return where a checkpoint of ours is stored: `anchors/<epoch>-<size>.checkpoint`."""
        origin = Origin.of(made.origin)
        return self.folder / f"{origin.epoch if origin else 'x'}-{made.size}{SUFFIX}"

    def stored(self) -> list[Stored]:
        """Return every stored checkpoint, the one of the most events last; what is none stands in `unreadable`.

        Of copies under other names the one under its own name is meant: its receipts lie beside that (W-3).
        """
        found = {}
        self.unreadable = []
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            try:
                if path.is_symlink() or not path.is_file():  # a pipe would never be read to its end
                    raise OSError
                data = _read(path)
                made = checkpoint.parse(data)[0]
                if data not in found or path == self.path_of(made):
                    found[data] = Stored(path, data, made)
            except (OSError, FormatError):
                self.unreadable.append(path)
        if (newest := self._remembered()) and newest.data not in found:
            found[newest.data] = newest
        return sorted(found.values(), key=lambda each: (each.checkpoint.size, self._is_ours(each)))

    def _is_ours(self, each: Stored) -> bool:
        """Say whether it does not lie under another name than its own."""
        return each.path is None or each.path == self.path_of(each.checkpoint)

    def _remembered(self) -> Stored | None:
        try:
            data = _read(self._newest)
            return Stored(None, data, checkpoint.parse(data)[0])
        except (OSError, FormatError):
            return None

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
        self.keep(path, data)
        return path

    def keep(self, path: Path, data: bytes) -> None:
        """Write a file under `anchors/`, in the place of one of that name; raises StorageError."""
        try:
            folder_within(self.folder)
            replace_file(path, data, 0o600)
        except OSError as error:
            raise storage_error(error, "storing", path, left="it is not stored") from error

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
    """Say whether a checkpoint is of an epoch that a recover ended before the checkpoint's end (T-20)."""
    size, origin = each.checkpoint.size, each.origin
    return origin is None or not 0 < size <= len(chain) or epoch_at(chain, size - 1) != origin.epoch


def opened(each: Stored, keys: Keys) -> Opened | None:
    """Return a stored checkpoint where the key in force at its newest event signed it (T-21), else None.

    One of more events than the chain has is judged by the chain's newest key.
    """
    made = each.checkpoint
    key = next((key for seq, key in reversed(keys) if seq < made.size), None)
    try:
        return checkpoint.open_signed(each.data, [NoteKey(made.origin, key)]) if key else None
    except FormatError:
        return None


@dataclass(frozen=True, slots=True)
class Signed:
    """A checkpoint of the chain as it is: its note, where it is stored, and whether it was signed just now."""

    data: bytes
    checkpoint: Checkpoint
    path: Path
    new: bool


def sign(store: SignedStore, chain: ReadChain, origin: Origin, key: SigningKey) -> Signed:
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
    before = [each for each in store.stored() if each.origin == origin and _is_signed(each, keys)]
    for each in before:
        if each.checkpoint.size > size:
            raise _refused(each, f"the chain has {size}")
    for each in before:
        if chain.tree.root(each.checkpoint.size) != each.checkpoint.root:
            raise _refused(each, "these are others")
    same = max(
        (each for each in before if each.checkpoint.size == size and opened(each, keys)),
        key=lambda each: each.path is not None,
        default=None,
    )
    if same is not None:
        path = store.path_of(same.checkpoint)
        if same.path is None:
            store.keep(path, same.data)
        return Signed(same.data, same.checkpoint, same.path or path, new=False)
    made = Checkpoint(str(origin), size, root)
    data = checkpoint.sign(made, key)
    return Signed(data, made, store.put(data, made), new=True)


def _refused(each: Stored, what: str) -> ChainError:
    size = each.checkpoint.size
    return ChainError(
        f"a checkpoint of {size} events was signed in this epoch ({each.path or 'remembered on this machine'}), "
        f"but {what}: nothing is signed; bring the newer chain back, or run muniment recover"
    )


def _is_signed(each: Stored, keys: Keys) -> bool:
    """Say whether any key of the chain signed it: after a rollback another one may be in force at its end."""
    try:
        checkpoint.open_signed(each.data, [NoteKey(each.checkpoint.origin, key) for _, key in keys])
    except FormatError:
        return False
    return True


def difference(made: Checkpoint, chain: ReadChain) -> str:
    """Return "" where a chain begins with the tree of a checkpoint (T-36), else what it has instead."""
    if made.size > len(chain):
        return f"the chain ends at @{len(chain) - 1}"
    if chain.tree.root(made.size) != made.root:
        return "other events stand in the chain: it was rewritten, or this is another branch of it"
    return ""


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_BYTES + 1)
