"""Shows what a ledger holds to others: keeps the tree, signs checkpoints, makes proofs, compares with checkpoints.

Implements specs/proofs.md (T-30…T-36, T-41): here chain, index and tree come together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import ChainError, LedgerError, NotFoundError, UsageError
from ledger.named_tuple import NamedTuple
from projections.recall import Recall

if TYPE_CHECKING:
    from ledger.check import Link
    from ledger.event import Built
    from ledger.progress import Progress
    from ledger.verify import ChainReport
    from projections.index import Index
    from projections.workspace import Workspace
    from proofs.checkpoint import Checkpoint
    from proofs.completeness import Completeness
    from proofs.heads import EventPlace, ScannedLines
    from proofs.proof import Proof
    from proofs.signed_checkpoints import Signed, SignedStore, Stored
    from proofs.tree import TreeCache


class IndexedLines:
    """The lines of a chain by the index's table of events: O(log n) each; nothing that it gives is believed."""

    def __init__(self, index: Index, fd: int, link: Link) -> None:
        self._db = index.connection()
        self._fd, self._link = fd, link

    def tip_at(self, seq: int) -> EventPlace:
        """Return event `seq` by its place.

        Raises:
            NotFoundError: the index has none.
        """
        from proofs.heads import EventPlace

        row = self._db.execute("SELECT id, offset, size FROM events WHERE seq = ?", (seq,)).fetchone()
        if row is None:
            raise NotFoundError(f"the chain has no event @{seq}")
        return EventPlace(seq, row[0], row[1], row[1] + row[2] + 1)

    def line(self, seq: int) -> bytes:
        """Return the line with this number; see `proofs.heads.Lines`."""
        from proofs.heads import line_of

        return line_of(self._fd, self.tip_at(seq))

    def of_kind(self, kind: str, since: int = 0) -> list[int]:
        """Return the seqs of the events of one kind, from `since` on."""
        sql = "SELECT seq FROM events WHERE kind = ? AND seq >= ? ORDER BY seq"
        return [seq for (seq,) in self._db.execute(sql, (kind, since))]

    def disowned_at(self, seq: int) -> int | None:
        """Return the seq of the newest rotate that disowns event `seq`, None where none does."""
        sql = "SELECT MAX(rotate) FROM disowned WHERE since <= ? AND ? < rotate"
        found: int | None = self._db.execute(sql, (seq, seq)).fetchone()[0]
        return found

    def key_events(self) -> Sequence[int]:
        """Return the seqs of genesis and rotates; the table is only searched where the key is no longer the first."""
        if b'"key":"%s"' % self._link.key.hex().encode() in self.line(0):
            return [0]
        rows = self._db.execute("SELECT seq FROM events WHERE kind IN ('genesis', 'rotate') ORDER BY seq")
        return [seq for (seq,) in rows]


class Made(NamedTuple):
    """A proof file's content, the event's id, and the checkpoint that it is under.

    `disowned` is the seq of the rotate that disowns the key which signed the event, None where none does.
    """

    proof: Proof
    id: str
    under: Stored
    disowned: int | None = None


class Consistency(NamedTuple):
    """Whether one tree begins with another: the proof, or why not."""

    old: Checkpoint
    new: Checkpoint
    proof: tuple[bytes, ...]
    fault: str = ""


class Proofs:
    """The checkpoints and proofs of one ledger.

    Args:
        workspace: the ledger.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._tree: TreeCache | None = None

    def close(self) -> None:
        """Close the tree cache."""
        if self._tree is not None:
            self._tree.close()

    @property
    def tree(self) -> TreeCache:
        """The tree cache, as it is."""
        if self._tree is None:
            from proofs.tree import TreeCache

            self._tree = TreeCache(self._workspace.place.directory)
        return self._tree

    def keep_tree(self, fd: int, built: Sequence[Built], end: int) -> None:
        """Take in what was just appended (T-31)."""
        self.tree.appended(fd, built, end)

    @property
    def signed(self) -> SignedStore:
        """The checkpoints that this ledger has signed."""
        from proofs.signed_checkpoints import SignedStore

        return SignedStore(self._workspace.place.directory, self._workspace.home.state, self.ledger_id())

    def ledger_id(self) -> str:
        """Return the ledger's id, by the pin of its directory, else by its chain."""
        from ledger.founding import identity_of

        pin = self._workspace.state.pin_of(self._workspace.place.directory)
        return pin.ledger if pin else identity_of(self._workspace.chain)[0].id

    # --- checkpoints ---

    def checkpoint(self, progress: Progress | None = None) -> Signed:
        """Return the signed checkpoint of the chain as it is; the one that stands where nothing was appended since.

        Raises:
            ChainError: the chain cannot be continued, or is not what was signed before (T-23).
            KeyFileError: the key in force is not here.
            StorageError: the disk refused.
        """
        from proofs.heads import EventPlace
        from proofs.signed_checkpoints import StandingChain, sign

        self._workspace.index.seq()  # verifies what is new, before the lock is held
        ledger = self._workspace.ledger
        ledger.signing_key()  # a passphrase is asked for before the lock is held
        with ledger.chain.locked() as held:
            known = held.tip
            ledger.view.follow(self._workspace.chain, known)
            link = known.link
            standing = StandingChain(
                held.fd, EventPlace(link.seq, link.id, known.start, known.end), link.chain, link.epoch
            )
            lines = IndexedLines(self._workspace.current.own, held.fd, link)
            key = ledger.signing_key(link)
            return sign(self.signed, self.tree, standing, lines=lines, key=key, progress=progress)

    @contextmanager
    def standing(self) -> Iterator[tuple[int, EventPlace, IndexedLines]]:
        """Give the chain for reading: its descriptor, its newest verified event, and its lines."""
        from ledger import reader

        index = self._workspace.index
        with reader.opened(self._workspace.chain) as fd:
            link = index.link
            if link is None:
                raise NotFoundError(f"the chain {self._workspace.chain} has no event")
            lines = IndexedLines(index, fd, link)
            yield fd, lines.tip_at(link.seq), lines

    def checkpoints(self, *, given_up: bool = True) -> list[Stored]:
        """Return the stored checkpoints that a key of this chain signed, the one of the most events last.

        Those that a recover gave up, since their end is no longer in the chain, only with `given_up`.
        """
        from proofs.signed_checkpoints import is_given_up, keys_of, opened

        with self.standing() as (_, tip, lines):
            keys = keys_of(lines)
            found = [each for each in self.signed.stored() if opened(each, keys)]
            return [each for each in found if given_up or not is_given_up(each, lines, tip)]

    def consistency(
        self, old: int | bytes, new: int | bytes, progress: Progress | None = None
    ) -> Consistency:
        """Say whether `new` goes on from `old`; each is a number of events of this chain, or a checkpoint's note.

        Raises:
            UsageError: a number is not one of this chain's, or the first is larger than the second.
            FormatError: a note is malformed.
        """
        from proofs import merkle
        from proofs.checkpoint import Checkpoint, parse
        from proofs.signed_checkpoints import Stored, keys_of, opened

        signed = {each.checkpoint.size: each.checkpoint for each in self.checkpoints(given_up=False)}
        with self.standing() as (fd, tip, lines):
            unsigned = [each for each in (old, new) if isinstance(each, int) and each not in signed]
            for given in unsigned:
                if not 0 < given <= tip.seq + 1:
                    raise UsageError(f"{given} is no number of events of this chain, which has {tip.seq + 1}")
            # a root that nobody signed is made of the chain's own bytes, not of what a cache holds
            self.tree.follow(fd, tip, anew=bool(unsigned), progress=progress)

            def side(given: int | bytes) -> Checkpoint:
                if isinstance(given, bytes):
                    return parse(given)[0]
                return signed.get(given) or Checkpoint("", given, self.tree.root(given))

            def unsigned_by_us() -> str:
                for given, made in ((old, first), (new, second)):
                    if isinstance(given, bytes) and not opened(Stored(None, given, made), keys_of(lines)):
                        return f"the roots are, but no key of this chain signed the one of {made.size} events"
                return ""

            first, second = side(old), side(new)
            if not 0 < first.size <= second.size:
                raise UsageError(
                    f"the first has {first.size} events, the second {second.size}: give the smaller one first"
                )
            if first.origin and second.origin and first.origin != second.origin:
                return Consistency(first, second, (), "they are of different ledgers or epochs")
            if second.size > tip.seq + 1:
                return Consistency(
                    first, second, (), f"the chain has {tip.seq + 1} events: no proof can be made"
                )
            for anew in (False, True):
                self.tree.follow(fd, tip, anew=anew, progress=progress)
                proof = merkle.consistency_proof(first.size, second.size, self.tree.read)
                if merkle.verify_consistency(first.size, second.size, proof, first.root, second.root):
                    fault = unsigned_by_us()
                    return Consistency(first, second, () if fault else tuple(proof), fault)
            for made in (first, second):
                if self.tree.root(made.size) != made.root:
                    fault = f"the one of {made.size} events is of another history than this chain"
                    return Consistency(first, second, (), fault)
        return Consistency(first, second, (), "they are different histories")

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
            progress: told of the bytes read, where the tree has to be made.

        Raises:
            NotFoundError: there is no such event.
            UsageError: the checkpoint does not reach the rotate that disowns the event, so that no proof under it would say so.
            ChainError: the checkpoint is not of this chain.
            KeyFileError: a checkpoint has to be signed, and the key is not here.
        """
        from proofs import proof as proofs
        from proofs.signed_checkpoints import Stored

        recall = Recall(self._workspace)
        full = recall.resolve(id_)
        seq = recall.event(full).seq
        with self.standing() as (_, _, lines):
            disowned = lines.disowned_at(seq)
        stored = self._brought(under) if under is not None else self._reaching(max(seq, disowned or 0))
        if stored is None:
            signed = self.checkpoint(progress)
            stored = Stored(signed.path, signed.data, signed.checkpoint)
        if stored.checkpoint.size <= seq:
            raise NotFoundError(
                f"that checkpoint has {stored.checkpoint.size} events, and the event is @{seq}"
            )
        if disowned is not None and stored.checkpoint.size <= disowned:
            raise UsageError(
                f"@{disowned} disowns that event, and a checkpoint of {stored.checkpoint.size} events does not say so: "
                "leave --checkpoint out"
            )
        with self.standing() as (fd, tip, lines):
            for anew in (False, True):
                self.tree.follow(fd, tip, anew=anew, progress=progress)
                made_proof = proofs.make(
                    seq,
                    lines,
                    self.tree.read,
                    made=stored.checkpoint,
                    data=stored.data,
                    receipts=proofs.receipts_beside(stored.path),
                )
                if proofs.holds(made_proof, stored.checkpoint):
                    made_proof = made_proof if text else replace(made_proof, payload=None)
                    return Made(made_proof, full, stored, disowned)
        raise ChainError("the chain is not what this checkpoint was signed of: run muniment verify")

    def _brought(self, data: bytes) -> Stored:
        """Return a checkpoint that somebody brings, with the file that is stored of it here, if there is one.

        Raises:
            ChainError: no key of this chain signed it, or the chain has fewer events.
        """
        from proofs import checkpoint
        from proofs.signed_checkpoints import Stored, keys_of, opened

        made, _ = checkpoint.parse(data)
        own = next((each for each in self.checkpoints() if each.checkpoint == made), None)
        with self.standing() as (_, tip, lines):
            if not opened(Stored(None, data, made), keys_of(lines)):
                raise ChainError("no key of this chain signed that checkpoint")
            if made.size > tip.seq + 1:
                raise ChainError(f"that checkpoint has {made.size} events, and the chain {tip.seq + 1}")
        return Stored(own.path if own else None, data, made)

    def _reaching(self, seq: int) -> Stored | None:
        """Return the newest checkpoint that reaches an event and that others gave something for, else the newest (T-44)."""
        from proofs.checkpoint import parse
        from proofs.proof import receipts_beside

        reaching = [each for each in self.checkpoints(given_up=False) if each.checkpoint.size > seq]
        shown = [
            each for each in reaching if receipts_beside(each.path) or len(parse(each.data)[1].signatures) > 1
        ]
        return next(reversed(shown or reaching), None)

    # --- completeness ---

    def with_checkpoints(self, chain: ChainReport) -> ChainReport:
        """Compare a chain that was verified with the checkpoints that were signed here (V-30)."""
        from proofs.completeness import with_checkpoints

        if chain.link is None or chain.integrity.findings:
            return chain
        said = chain.completeness
        try:
            found = self._compared()
            verdict = with_checkpoints(said, found) if found else said
        except LedgerError as error:
            verdict = replace(said, sentence=f"{said.sentence} Checkpoints were not compared: {error}.")
        return replace(chain, completeness=verdict)

    def behind(self) -> list[str]:
        """Say which checkpoints of this epoch a chain that is whole does not go on from, a sentence each."""
        found = self._compared()
        return [finding.message for finding in found.findings] if found else []

    def _compared(self) -> Completeness | None:
        """Compare the chain, whose heads are good, with the checkpoints that were signed here; None where there is none."""
        from proofs.completeness import compared

        stored = self.signed.stored()
        if not stored:
            return None
        with reading(self._workspace.chain, stored, self._workspace.place.directory) as (
            fd,
            tip,
            lines,
            tree,
        ):
            return compared(stored, lines, tree, fd, tip)

    def compared_with(self, brought: Stored) -> Completeness:
        """Compare the chain, which was verified, with a checkpoint that somebody brings (V-31)."""
        return chain_compared_with(self._workspace.chain, brought, self._workspace.place.directory)


def chain_compared_with(chain: Path, brought: Stored, directory: Path | None = None) -> Completeness:
    """Compare a chain file, which was verified, with a checkpoint that somebody brings (V-31).

    Args:
        chain: the file.
        brought: the checkpoint.
        directory: where a tree cache of the chain may lie.
    """
    from proofs.completeness import compared_with

    with reading(chain, [brought], directory) as (fd, tip, lines, tree):
        return compared_with(brought, lines, tree, fd, tip)


@contextmanager
def reading(
    chain: Path, stored: Sequence[Stored], directory: Path | None
) -> Iterator[tuple[int, EventPlace, ScannedLines, TreeCache]]:
    """Give a verified chain as it is compared with checkpoints: nothing is written, not even a cache."""
    from ledger import reader
    from proofs.heads import ScannedLines
    from proofs.tree import TreeCache

    tree = TreeCache(directory, reading=True)
    try:
        with reader.opened(chain) as fd:
            stop = reader.end_of_lines(fd, 0, chain.stat().st_size)
            lines = ScannedLines(fd, stop, {each.checkpoint.size - 1 for each in stored})
            yield fd, lines.tip(), lines, tree
    finally:
        tree.close()
