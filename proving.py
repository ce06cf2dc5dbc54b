"""Shows what a ledger holds to others: keeps the tree, signs checkpoints, makes proofs, compares with checkpoints.

Implements specs/proofs.md (T-30…T-36, T-41) above the parts in `proofs`: here chain, index and tree come together. A part
of the composition root beside memledger.py (specs/adr/0001).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import LedgerError, NotFoundError
from upkeep import Report, Upkeep

if TYPE_CHECKING:
    from ledger.check import Link
    from ledger.verify import Progress, Verdict
    from projections.index import Index
    from proofs.completeness import Compared
    from proofs.heads import Tip
    from proofs.proof import Proof
    from proofs.signed import Signed, SignedStore, Stored
    from proofs.tree import TreeCache


class IndexedLines:
    """The lines of a chain by the index's table of events: O(log n) each; nothing that it gives is believed."""

    def __init__(self, index: Index, fd: int, link: Link) -> None:
        self._db = index.connection()
        self._fd, self._link = fd, link

    def tip_at(self, seq: int) -> Tip:
        """Return event `seq` by its place.

        Raises:
            NotFoundError: the index has none.
        """
        from proofs.heads import Tip

        row = self._db.execute("SELECT id, offset, size FROM events WHERE seq = ?", (seq,)).fetchone()
        if row is None:
            raise NotFoundError(f"the chain has no event @{seq}")
        return Tip(seq, row[0], row[1], row[1] + row[2] + 1)

    def line(self, seq: int) -> bytes:
        """Return the line with this number; see `proofs.heads.Lines`."""
        from proofs.heads import line_of

        return line_of(self._fd, self.tip_at(seq))

    def of_kind(self, kind: str, since: int = 0) -> list[int]:
        """Return the seqs of the events of one kind, from `since` on."""
        sql = "SELECT seq FROM events WHERE kind = ? AND seq >= ? ORDER BY seq"
        return [seq for (seq,) in self._db.execute(sql, (kind, since))]

    def key_events(self) -> Sequence[int]:
        """Return the seqs of genesis and rotates; the table is only searched where the key is no longer the first."""
        if b'"key":"%s"' % self._link.key.hex().encode() in self.line(0):
            return [0]
        rows = self._db.execute("SELECT seq FROM events WHERE kind IN ('genesis', 'rotate') ORDER BY seq")
        return [seq for (seq,) in rows]


@dataclass(frozen=True, slots=True)
class Made:
    """A proof file's content, the event's id, and the checkpoint that it is under."""

    proof: Proof
    id: str
    under: Stored


class Proving(Upkeep):
    """What shows a ledger to others; who inherits closes `_tree`."""

    _tree: TreeCache | None

    @property
    def tree(self) -> TreeCache:
        """The tree cache, as it is."""
        if self._tree is None:
            from proofs.tree import TreeCache

            self._tree = TreeCache(self.place.directory)
        return self._tree

    def _keep_tree(self, fd: int, lines: Sequence[bytes], end: int) -> None:
        """Take in what was just appended (T-31)."""
        self.tree.appended(fd, lines, end)

    @property
    def signed(self) -> SignedStore:
        """The checkpoints that this ledger has signed."""
        from proofs.signed import SignedStore

        return SignedStore(self.place.directory, self.home.state, self.ledger_id())

    def ledger_id(self) -> str:
        """Return the ledger's id, by the pin of its directory, else by its chain."""
        from ledger.founding import identity_of

        pin = self.state.pin_of(self.place.directory)
        return pin.ledger if pin else identity_of(self.chain)[0].id

    # --- checkpoints ---

    def checkpoint(self, progress: Progress | None = None) -> Signed:
        """Return the signed checkpoint of the chain as it is; the one that stands where nothing was appended since.

        Raises:
            ChainError: the chain cannot be continued, or is not what was signed before (T-23).
            KeyFileError: the key in force is not here.
            StorageError: the disk refused.
        """
        from proofs.heads import Tip
        from proofs.signed import Standing, sign

        self.index.seq()  # verifies what is new, before the lock is held
        ledger = self.ledger
        ledger.signing_key()  # a passphrase is asked for before the lock is held
        with ledger.chain.locked() as held:
            known = held.tip
            ledger.view.follow(self.chain, known)
            link = known.link
            standing = Standing(
                held.fd, Tip(link.seq, link.id, known.start, known.end), link.chain, link.epoch
            )
            lines = IndexedLines(self._index.own, held.fd, link)
            key = ledger.signing_key(link)
            return sign(self.signed, self.tree, standing, lines=lines, key=key, progress=progress)

    @contextmanager
    def standing(self) -> Iterator[tuple[int, Tip, IndexedLines]]:
        """Give the chain for reading: its descriptor, its newest verified event, and its lines."""
        from ledger import reader

        index = self.index
        with reader.opened(self.chain) as fd:
            link = index.link
            if link is None:
                raise NotFoundError(f"the chain {self.chain} has no event")
            lines = IndexedLines(index, fd, link)
            yield fd, lines.tip_at(link.seq), lines

    def checkpoints(self) -> list[Stored]:
        """Return the stored checkpoints that a key of this chain signed, the one of the most events last."""
        from proofs.signed import keys_of, opened

        with self.standing() as (_, _, lines):
            keys = keys_of(lines)
            return [each for each in self.signed.stored() if opened(each, keys)]

    # --- proofs ---

    def prove(self, id_: str, under: Stored | None = None, progress: Progress | None = None) -> Made:
        """Return the proof of one event (an id, a prefix or @N) under a checkpoint that reaches it.

        By default that is the newest one with something of others beside it, else the newest; where none
        reaches the event, one is signed.

        Raises:
            NotFoundError: there is no such event.
            ChainError: the checkpoint is not of this chain.
            KeyFileError: a checkpoint has to be signed, and the key is not here.
        """
        from ledger.errors import ChainError
        from proofs import proof as proofs

        full = self.resolve(id_)
        seq = self.event(full).seq
        stored = under or self._reaching(seq)
        if stored is None:
            made = self.checkpoint(progress)
            from proofs.signed import Stored

            stored = Stored(made.path, made.data, made.checkpoint)
        if stored.checkpoint.size <= seq:
            raise NotFoundError(
                f"that checkpoint has {stored.checkpoint.size} events, and the event is @{seq}"
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
                    return Made(made_proof, full, stored)
        raise ChainError("the chain is not what this checkpoint was signed of: run memledger verify")

    def _reaching(self, seq: int) -> Stored | None:
        from proofs.proof import receipts_beside

        reaching = [each for each in self.checkpoints() if each.checkpoint.size > seq]
        shown = [
            each for each in reaching if receipts_beside(each.path) or each.data.count(b"\n\xe2\x80\x94 ") > 1
        ]
        return next(reversed(shown or reaching), None)

    # --- completeness ---

    def verify(
        self,
        *,
        jobs: int = 1,
        since_mark: bool = False,
        ledger_id: str | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """As `Upkeep.verify`, and compare the chain with the checkpoints that were signed here (V-30)."""
        report = super().verify(jobs=jobs, since_mark=since_mark, ledger_id=ledger_id, progress=progress)
        if report.chain.link is None or report.chain.integrity.findings:
            return report
        try:
            verdict = self._with_checkpoints(report)
        except LedgerError as error:
            said = report.chain.completeness
            verdict = replace(said, sentence=f"{said.sentence} Checkpoints were not compared: {error}.")
        return replace(report, chain=replace(report.chain, completeness=verdict))

    def _with_checkpoints(self, report: Report) -> Verdict:
        from proofs.completeness import compared, with_checkpoints

        stored = self.signed.stored()
        if not stored:
            return report.chain.completeness
        with self.standing() as (fd, tip, lines):
            found = compared(stored, lines, self.tree, fd, tip)
        return with_checkpoints(report.chain.completeness, found)

    def compared_with(self, brought: Stored) -> Compared:
        """Compare the chain, which was verified, with a checkpoint that somebody brings (V-31)."""
        from proofs.completeness import compared_with

        with self.standing() as (fd, tip, lines):
            return compared_with(brought, lines, self.tree, fd, tip)


def chain_file_compared_with(path: Path, brought: Stored) -> Compared:
    """Compare a chain file alone, which was verified, with a checkpoint that somebody brings (V-31)."""
    from ledger import reader
    from proofs.completeness import compared_with
    from proofs.heads import ScannedLines
    from proofs.tree import TreeCache

    tree = TreeCache(None)
    try:
        with reader.opened(path) as fd:
            lines = ScannedLines(fd, reader.end_of_lines(fd, 0, path.stat().st_size))
            return compared_with(brought, lines, tree, fd, lines.tip())
    finally:
        tree.close()
