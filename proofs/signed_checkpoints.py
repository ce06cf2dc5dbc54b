"""What a ledger has signed: its checkpoints under `anchors/`, the newest one also in the state directory.

Implements specs/proofs.md (T-22, T-23, T-33, T-36). A ledger signs nothing that is inconsistent with what it signed
before, and no root that was not made of the very heads that the newest event's id binds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from ledger.durable import folder_within, private_folder, replace_file, storage_error
from ledger.errors import ChainError, FormatError, NotFoundError
from ledger.event import split_line
from ledger.progress import Progress
from ledger.signing import SigningKey
from proofs import checkpoint, heads, leaves, merkle
from proofs.checkpoint import Checkpoint, Opened, Origin
from proofs.heads import EventPlace, LineFinder
from proofs.note import NoteKey
from proofs.tree import TreeCache

FOLDER = "anchors"
SUFFIX = ".checkpoint"
_STATE = "signed"
_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored checkpoint, of which nothing is verified; `where` its newest event lay, where that is known."""

    path: Path | None
    data: bytes
    checkpoint: Checkpoint
    where: EventPlace | None = None

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
        if newest := self._remembered():
            known = found.get(newest.data)
            found[newest.data] = Stored(
                known.path if known else None, newest.data, newest.checkpoint, newest.where
            )
        return sorted(found.values(), key=lambda each: (each.checkpoint.size, self._is_ours(each)))

    def _is_ours(self, each: Stored) -> bool:
        """Say whether it does not lie under another name than its own."""
        return each.path is None or each.path == self.path_of(each.checkpoint)

    def _remembered(self) -> Stored | None:
        try:
            value = orjson.loads(_read(self._newest))
            data = value["checkpoint"].encode()
            made = checkpoint.parse(data)[0]
            where = EventPlace(made.size - 1, str(value["id"]), int(value["start"]), int(value["end"]))
            return Stored(None, data, made, where)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, FormatError):
            return None

    def put(self, data: bytes, made: Checkpoint, tip: EventPlace) -> Path:
        """Store a checkpoint that was just signed; it is remembered before anybody can have it.

        Raises:
            StorageError: the disk refused; the checkpoint must not be given away.
        """
        path = self.path_of(made)
        self.make_folder()
        value = {"checkpoint": data.decode(), "end": tip.end, "id": tip.id, "start": tip.start}
        try:
            private_folder(self._newest.parent)
            replace_file(self._newest, orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + b"\n", 0o600)
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


def keys_of(lines: LineFinder) -> list[tuple[int, bytes]]:
    """Return the keys of a chain as its heads say them."""
    events = ((seq, orjson.loads(split_line(lines.line(seq)).event)) for seq in lines.key_events())
    return [(seq, bytes.fromhex(event["key"])) for seq, event in events]


def epoch_at(lines: LineFinder, seq: int) -> int:
    """Return the epoch of an event, as its head says it."""
    return int(orjson.loads(split_line(lines.line(seq)).event)["epoch"])


def is_given_up(each: Stored, lines: LineFinder, tip: EventPlace) -> bool:
    """Say whether a checkpoint is of an epoch that a recover ended before the checkpoint's end (T-20)."""
    size, origin = each.checkpoint.size, each.origin
    return origin is None or not 0 < size <= tip.seq + 1 or epoch_at(lines, size - 1) != origin.epoch


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


@dataclass(frozen=True, slots=True)
class StandingChain:
    """The chain that a checkpoint is made of: its descriptor (locked), newest event, genesis id and epoch there."""

    fd: int
    tip: EventPlace
    genesis: str
    epoch: int


def sign(
    store: SignedStore,
    tree: TreeCache,
    standing: StandingChain,
    *,
    lines: LineFinder,
    key: SigningKey,
    progress: Progress | None = None,
) -> Signed:
    """Return the signed checkpoint of the chain as it is; where one stands already, that one.

    The caller holds the chain's lock. `lines` finds what lies before.

    Raises:
        ChainError: the chain is not what was signed before in this epoch (T-23), or not linked.
        StorageError: the disk refused.
    """
    origin = str(Origin(standing.genesis, standing.epoch))
    size = standing.tip.seq + 1
    keys = keys_of(lines)
    before = [each for each in store.stored() if each.checkpoint.origin == origin and _is_signed(each, keys)]
    beyond = next((each for each in before if each.checkpoint.size > size), None)
    if beyond is not None:
        raise _refused(beyond, f"the chain has {size}")
    tree.follow(standing.fd, standing.tip, progress=progress)
    in_force = [each for each in before if opened(each, keys)]
    frontier = _checked_frontier(tree, standing, in_force, progress)
    if tree.read(merkle.frontier_places(size)) != frontier:
        tree.follow(standing.fd, standing.tip, anew=True, progress=progress)
    root = merkle.fold(frontier)
    other = _differing(tree, before, size, root)
    if other is not None:  # either the cache is wrong inside, or the chain is another one
        tree.follow(standing.fd, standing.tip, anew=True, progress=progress)
        other = _differing(tree, before, size, root)
    if other is not None:
        raise _refused(other, "these are others")
    same = max(
        (each for each in in_force if each.checkpoint.size == size),
        key=lambda each: each.path is not None,
        default=None,
    )
    if same is not None:
        path = store.path_of(same.checkpoint)
        if same.path is None:
            store.keep(path, same.data)
        return Signed(same.data, same.checkpoint, same.path or path, new=False)
    made = Checkpoint(origin, size, root)
    data = checkpoint.sign(made, key)
    return Signed(data, made, store.put(data, made, standing.tip), new=True)


def _refused(each: Stored, what: str) -> ChainError:
    size = each.checkpoint.size
    return ChainError(
        f"a checkpoint of {size} events was signed in this epoch ({each.path or 'remembered on this machine'}), "
        f"but {what}: nothing is signed; bring the newer chain back, or run muniment recover"
    )


def _is_signed(each: Stored, keys: Keys) -> bool:
    """Say whether any key of the chain signed it: after a rollback another one may be in force at its end."""
    if each.checkpoint.size == 0:  # every tree goes on from it
        return False
    try:
        checkpoint.open_signed(each.data, [NoteKey(each.checkpoint.origin, key) for _, key in keys])
    except FormatError:
        return False
    return True


def _differing(tree: TreeCache, before: Iterable[Stored], size: int, root: bytes) -> Stored | None:
    """Return a checkpoint from which the tree of `size` events under `root` does not go on, None where there is none.

    The cache is only asked for the proof: what it holds inside may be of both.
    """
    for each in before:
        made = each.checkpoint
        proof = merkle.consistency_proof(made.size, size, tree.read)
        if not merkle.verify_consistency(made.size, size, proof, made.root, root):
            return each
    return None


def _checked_frontier(
    tree: TreeCache, standing: StandingChain, before: Sequence[Stored], progress: Progress | None
) -> list[bytes]:
    """Return the frontier of the whole chain, made of heads that the tip's id binds (T-33).

    From the newest signed checkpoint on, whose root vouches for what the cache holds of it; else from the
    beginning.
    """
    frontier: list[bytes] = []
    size, id_, at = 0, "", 0
    for each in reversed(before):
        if each.where is not None and (known := _vouched(tree, standing.fd, each)):
            frontier, size, id_, at = known, each.checkpoint.size, each.where.id, each.where.end
            break
    with closing(leaves.read(standing.fd, at, standing.tip.end, before=id_)) as some:
        for new in some:
            merkle.dense(new.hashes, frontier, size)
            size, id_ = size + len(new.hashes), new.id
            if progress:
                progress(new.end, standing.tip.end)
    if (size - 1, id_) != (standing.tip.seq, standing.tip.id):
        raise ChainError("the chain is not linked: run muniment verify")
    return frontier


def _vouched(tree: TreeCache, fd: int, each: Stored) -> list[bytes] | None:
    """Return the frontier at a signed checkpoint, where its root and the line at its end agree with it."""
    made, where = each.checkpoint, each.where
    if where is None or not heads.stands(fd, where):
        return None
    frontier = tree.read(merkle.frontier_places(made.size))
    leaf = merkle.leaf_hash(heads.head_of(heads.line_of(fd, where)))
    proof = merkle.inclusion_proof(made.size - 1, made.size, tree.read)
    held = merkle.fold(frontier) == made.root
    return (
        frontier
        if held and merkle.verify_inclusion(leaf, made.size - 1, made.size, proof, made.root)
        else None
    )


def difference(made: Checkpoint, lines: LineFinder, tree: TreeCache, fd: int, tip: EventPlace) -> str:
    """Return "" where a verified chain up to `tip` begins with the tree of a checkpoint, else what it has instead.

    The head of event size - 1 must be the last leaf under the checkpoint's root. The links, which the caller
    has verified, bind all that stand before it (T-36). The tree is only asked for a proof.
    """
    if made.size > tip.seq + 1:
        return f"the chain ends at @{tip.seq}"
    if made.size == 0:
        return "" if made.root == merkle.EMPTY_ROOT else "no chain begins with its root"
    try:
        leaf = merkle.leaf_hash(heads.head_of(lines.line(made.size - 1)))
    except NotFoundError:
        return f"the chain ends before @{made.size - 1}"
    for anew in (False, True):
        tree.follow(fd, tip, anew=anew)
        proof = merkle.inclusion_proof(made.size - 1, made.size, tree.read)
        if merkle.verify_inclusion(leaf, made.size - 1, made.size, proof, made.root):
            return ""
    return "other events stand in the chain: it was rewritten, or this is another branch of it"


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_BYTES + 1)
