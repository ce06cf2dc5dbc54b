"""Shows what a ledger holds to others: signs checkpoints, makes proofs, compares with checkpoints.

Implements specs/proofs.md (T-20…T-33, T-34, T-44): here chain, stored checkpoints and proofs come together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from ledger import note, reader
from ledger.errors import ChainError, NotFoundError, UsageError
from ledger.event import split_line
from ledger.founding import identity_of
from ledger.named_tuple import NamedTuple
from ledger.progress import Progress
from projections import event_names
from projections.recall import Recall
from projections.turns import takes_turns
from proofs import completeness, outline
from proofs import proof as proofs
from proofs.checkpoint import Checkpoint, Origin, parse
from proofs.completeness import Completeness
from proofs.heads import ReadChain
from proofs.proof import Proof
from proofs.signed_checkpoints import SignedStore, Stored, difference, is_given_up, is_opened, keys_of, sign

if TYPE_CHECKING:
    from projections.workspace import Workspace


class Made(NamedTuple):
    """A proof file's content, the event's id, and the checkpoint that it is under.

    `disowned` is the seq of the rotate that disowns the key which signed the event, None if none does.
    """

    proof: Proof
    id: str
    under: Stored
    disowned: int | None = None


@takes_turns
class Proofs:
    """The checkpoints and proofs of one ledger.

    Args:
        workspace: the ledger.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.turn = workspace.turn

    @property
    def signed(self) -> SignedStore:
        """The checkpoints that this ledger has signed."""
        return SignedStore(self._workspace.place.directory, self._workspace.home.state, self.ledger_id())

    def ledger_id(self) -> str:
        """Return the ledger's id, by the pin of its directory, else by its chain."""
        pin = self._workspace.state.pin_of(self._workspace.place.directory)
        return pin.ledger if pin else identity_of(self._workspace.chain)[0].id

    # --- checkpoints ---

    def checkpoint(self, progress: Progress | None = None) -> Stored:
        """Return the signed checkpoint of the chain as it is; the existing one if nothing was appended since.

        Raises:
            ChainError: the chain cannot be continued, or is not what was signed before (T-23).
            KeyFileError: the key in force is not here.
            StorageError: the disk refused.
        """
        self._workspace.index.newest()  # verifies what is new, before the lock is held
        ledger = self._workspace.ledger
        ledger.signing_key()  # a passphrase is asked for before the lock is held
        with ledger.chain.locked() as held:
            known = held.tip
            ledger.view.follow(self._workspace.chain, known)
            link = known.link
            store, key = self.signed, ledger.signing_key(link)
            kept = outline.load(store.outline, link.key)
            known_tiles = len(kept.hashes) if kept else 0
            chain = ReadChain(held.fd, known.end, progress, kept)
            if (len(chain) - 1, chain.tip) != (link.seq, link.id):
                raise ChainError("the chain is not linked: run muniment verify")
            signed = sign(store, chain, Origin(link.chain, link.epoch), key)
            if len(chain.outline.hashes) != known_tiles:
                outline.save(store.outline, chain.outline, key)
            return signed

    @contextmanager
    def reading(self, progress: Progress | None = None) -> Iterator[ReadChain]:
        """Yield the chain for reading; what is new in it is verified first."""
        with self.turn:
            index = self._workspace.index
            index.newest()
            kept = outline.load(self.signed.outline, index.link.key) if index.link else None
        with reader.opened(self._workspace.chain) as fd:
            yield ReadChain(fd, progress=progress, outline=kept)

    def checkpoints(self, *, given_up: bool = True) -> list[Stored]:
        """Return the stored checkpoints that a key of this chain signed, the one of the most events last.

        Those that a recover gave up, since their end is no longer in the chain, only with `given_up`.
        """
        with self.reading() as chain:
            return self._own(chain, given_up=given_up)

    def _own(self, chain: ReadChain, *, given_up: bool) -> list[Stored]:
        keys = keys_of(chain)
        found = [each for each in self.signed.stored() if is_opened(each.data, each.checkpoint, keys)]
        return [each for each in found if given_up or not is_given_up(each, chain)]

    def consistency(self, old: int, made: Checkpoint) -> list[bytes]:
        """Return the proof that a checkpoint of this chain continues its first `old` events.

        Raises:
            ChainError: the chain is not what the checkpoint was signed of (T-34).
        """
        with self.reading() as chain:
            _check(made, chain)
            return chain.tree.consistency_proof(old, made.size)

    # --- proofs ---

    def prove(
        self, id_: str, under: bytes | None = None, *, text: bool = True, progress: Progress | None = None
    ) -> Made:
        """Return the proof of one event (an id, a prefix or @N) under a checkpoint that reaches it.

        Args:
            id_: the event.
            under: the checkpoint's note. By default the newest one that others cosigned or gave receipts for, else
                the newest; where none reaches the event, and the rotate that disowns it, one is signed.
            text: whether what the event says goes in.
            progress: told of the bytes read.

        Raises:
            NotFoundError: there is no such event.
            StateError: another writer's chain holds it: only that machine's checkpoints cover it.
            UsageError: the checkpoint does not reach the rotate that disowns the event, so that no proof under it would say so.
            ChainError: the checkpoint is not of this chain.
            KeyFileError: a checkpoint has to be signed, and the key is not here.
        """
        event = Recall(self._workspace).event(id_)
        event_names.refuse_others(self._workspace.index, event, "muniment prove")
        full, seq = event.id, event.seq
        with self.reading(progress) as chain:
            disowned = _disowned_at(chain, seq)
            found = self._brought(chain, under) if under else self._reaching(chain, max(seq, disowned or 0))
            if found is None:
                return self.prove(full, self.checkpoint(progress).data, text=text, progress=progress)
            size = found.checkpoint.size
            if size <= seq:
                raise NotFoundError(f"that checkpoint has {size} events, and the event is @{seq}")
            if disowned is not None and size <= disowned:
                raise UsageError(
                    f"@{disowned} disowns that event, and a checkpoint of {size} events does not say so: "
                    "leave --checkpoint out"
                )
            _check(found.checkpoint, chain)
            made = proofs.make(seq, chain, found.checkpoint, found.data, proofs.receipts_beside(found.path))
        return Made(made if text else replace(made, payload=None), full, found, disowned)

    def _brought(self, chain: ReadChain, data: bytes) -> Stored:
        """Return a checkpoint that somebody brings, with the file that is stored of it here, if there is one.

        Raises:
            ChainError: no key of this chain signed it.
        """
        made, _ = parse(data)
        if not is_opened(data, made, keys_of(chain)):
            raise ChainError("no key of this chain signed that checkpoint")
        return Stored(self.signed.path_of(made), data, made)

    def _reaching(self, chain: ReadChain, seq: int) -> Stored | None:
        """Return the newest checkpoint that reaches an event and that others gave something for, else the newest (T-44)."""
        reaching = [each for each in self._own(chain, given_up=False) if each.checkpoint.size > seq]
        shown = [each for each in reaching if _is_confirmed(each)]
        return next(reversed(shown or reaching), None)

    # --- completeness ---

    def compared(self) -> Completeness:
        """Compare the chain, which was verified, with the checkpoints that were signed here (V-30)."""
        with reader.opened(self._workspace.chain) as fd:
            return completeness.compared(self.signed.stored(), ReadChain(fd))

    def behind(self) -> list[str]:
        """Return which checkpoints of this epoch a chain that is whole does not go on from, a sentence each."""
        return [finding.message for finding in self.compared().findings]


def compared_with(chain: Path, brought: Stored) -> Completeness:
    """Compare a chain file, which was verified, with a checkpoint that somebody brings (V-31)."""
    with reader.opened(chain) as fd:
        return completeness.compared_with(brought, ReadChain(fd))


def _check(made: Checkpoint, chain: ReadChain) -> None:
    """Raise ChainError unless the chain begins with the tree of a checkpoint (T-34)."""
    if fault := difference(made, chain):
        raise ChainError(f"that checkpoint has {made.size} events, and {fault}: run muniment verify")


def _disowned_at(chain: ReadChain, seq: int) -> int | None:
    """Return the seq of the newest rotate that disowns event `seq`, None if none does."""
    for at in reversed(chain.keys):
        since = orjson.loads(split_line(chain.line(at)).event).get("since")
        if since is not None and since <= seq < at:
            return at
    return None


def _is_confirmed(each: Stored) -> bool:
    return bool(proofs.receipts_beside(each.path)) or len(note.parse(each.data).signatures) > 1
