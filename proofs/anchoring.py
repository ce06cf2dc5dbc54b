"""Sends a ledger's checkpoints to others and stores their answers: the order of the steps of each anchor.

Implements specs/anchors.md (W-3, W-13, W-50). `trusting` judges the receipts. A checkpoint is signed first, then somebody outside
is asked, then their receipt is stored, then the event is appended: a crash between two steps loses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ledger import note
from ledger.command import Anchor
from ledger.errors import NotFoundError, OutsideError, UsageError
from ledger.note import NoteKey
from projections.seen import ANCHORED_UP_TO, SeenFilter, Sighting, json_lines
from projections.showing import unanchored
from projections.turns import takes_turns
from proofs import evm, ots, receipts, rfc3161, web, witness
from proofs.checkpoint import Checkpoint
from proofs.completeness import SEEN_METHOD
from proofs.evidence import Evidence, TrustedParties, judged
from proofs.evm import Fees
from proofs.proving import Proofs
from proofs.receipts import ReceiptFile, digest
from proofs.signed_checkpoints import Stored, difference
from proofs.trusting import needs

if TYPE_CHECKING:
    from documents.scope import Scope


@dataclass(frozen=True, slots=True)
class AnchorResult:
    """What came of an anchor: the checkpoint, the receipt's file, the event's id ("" for none), what it shows.

    `waiting` is what a calendar has not got yet, a sentence each.
    """

    checkpoint: Checkpoint
    path: Path
    id: str
    evidence: tuple[Evidence, ...] = ()
    waiting: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON-ready object."""
        made = self.checkpoint
        return {
            "size": made.size,
            "root": made.root.hex(),
            "digest": digest(made.text()).hex(),
            "file": str(self.path),
            "id": self.id or None,
            "evidence": [each.to_json() for each in self.evidence],
            "waiting": list(self.waiting),
        }


@takes_turns
class Anchors:
    """The anchors of one ledger.

    Args:
        scope: the ledger.
        proofs: its checkpoints.
    """

    def __init__(self, scope: Scope, proofs: Proofs) -> None:
        self._scope = scope
        self._workspace = scope.workspace
        self.turn = scope.workspace.turn
        self._proofs = proofs

    def anchor_witness(self, address: str, keys: Sequence[NoteKey]) -> AnchorResult:
        """Have a checkpoint cosigned by the witness at `address`, whose keys are given.

        Raises:
            UsageError, SecretError: no key, no address, or one with a secret in it.
            OutsideError: it did not answer, refused, or answered what does not hold.
            ChainError, KeyFileError, StorageError: as `checkpoint`.
        """
        self._check(address)
        if not keys:
            raise UsageError(
                "which witness is to cosign? give the witness's key with --vkey, or a file with --policy"
            )
        signed = self._to_anchor()
        made, parsed = signed.checkpoint, note.parse(signed.data)
        own = tuple(each for each in parsed.signatures if each.name == made.origin)
        alone = note.Note(parsed.text, own).encode()
        ours = (each for each in self._proofs.checkpoints() if each.checkpoint.origin == made.origin)
        cosigned = (each.checkpoint.size for each in ours if _is_cosigned(each, keys))
        lines = witness.cosign(
            address,
            alone,
            made.size,
            old=max((size for size in cosigned if size <= made.size), default=0),
            prove=lambda known: self._proofs.consistency(known, made),
            keys=keys,
            now=self._workspace.clock() // 1_000_000,
        )
        stored = receipts.read(signed.path)  # as it is now: another process may have added a line
        whole = witness.added(stored or signed.data, lines)
        receipts.replace(signed.path, whole)
        return self._noted(
            signed, ReceiptFile("witness", signed.path.name, whole), address, TrustedParties(tuple(keys))
        )

    def anchor_ots(self, addresses: Sequence[str]) -> AnchorResult:
        """Have a checkpoint timestamped by OpenTimestamps calendars, every one of which must answer.

        Raises:
            UsageError: no address, or the extra is missing.
            OutsideError: one did not answer, or not with a timestamp.
            FormatError: the existing file is not a timestamp of this checkpoint.
            ChainError, KeyFileError, StorageError: as `checkpoint`.
        """
        self._check(*addresses)
        needs("opentimestamps")
        signed = self._to_anchor()
        path = receipts.path_of(signed.path, "ots")
        stamped = digest(signed.checkpoint.text())
        data = ots.stamp(stamped, tuple(addresses), os.urandom(16), receipts.read(path))
        receipts.replace(path, data)
        return self._noted(signed, ReceiptFile("ots", path.name, data), " ".join(addresses))

    def upgrade_ots(self, addresses: Sequence[str]) -> list[tuple[AnchorResult, int]]:
        """Ask calendars about what is pending there in every timestamp file; return each that was asked about.

        With each stands how many blocks are new in it.

        Raises:
            NotFoundError: nothing is pending at any of them.
            UsageError, OutsideError, FormatError, StorageError: as `anchor_ots`.
        """
        self._check(*addresses)
        needs("opentimestamps")
        self._proofs.signed.make_folder()
        done = []
        for each in self._proofs.checkpoints():
            data = receipts.read(path := receipts.path_of(each.path, "ots"))
            asked = tuple(at for at in addresses if data and ots.is_pending_at(data, at))
            if not data or not asked:
                continue
            came = ots.upgrade(data, digest(each.checkpoint.text()), asked)
            if came.data != data:
                receipts.replace(path, came.data)
            done.append((AnchorResult(each.checkpoint, path, "", (), came.waiting), came.new))
        if not done:
            raise NotFoundError(f"no timestamp is pending at {' or '.join(addresses)}: see muniment verify")
        return done

    def anchor_rfc3161(self, address: str, trust: TrustedParties | None = None) -> AnchorResult:
        """Have a checkpoint timestamped by the authority at `address`; `evidence` is judged by `trust`.

        Raises:
            UsageError: no address, or the extra is missing.
            OutsideError: it did not answer, refused, or answered a token that does not hold.
            ChainError, KeyFileError, StorageError: as `checkpoint`.
        """
        self._check(address, prefix=False)
        needs("rfc3161_client")
        signed = self._to_anchor()
        data = rfc3161.request(signed.checkpoint.text(), address)
        found = judged(ReceiptFile("rfc3161", "", data), signed.checkpoint, trust or TrustedParties())
        if wrong := next((each for each in found if each.state == "wrong"), None):
            raise OutsideError(f"{address} gave no token: {wrong.message}; nothing was stored")
        path = receipts.put(signed.path, "rfc3161", data)
        return self._noted(signed, ReceiptFile("rfc3161", path.name, data), address, trust)

    def export_evm(self, chain: str, to: str, fees: Fees) -> tuple[AnchorResult, bytes]:
        """Write the unsigned transaction that carries the digest of a checkpoint; return it with the calldata.

        Nothing is sent, and no event is written: nobody was given anything yet.

        Raises:
            UsageError: the chain is unknown, or a number does not fit.
            ChainError, KeyFileError, StorageError: as `checkpoint`.
        """
        evm.transaction(
            bytes(32), chain, to=to, fees=fees
        )  # what is wrong with it is said before anything is signed
        signed = self._to_anchor()
        path, anchored = receipts.path_of(signed.path, "evm"), digest(signed.checkpoint.text())
        sent = evm.sent_of(receipts.read(path))
        receipts.replace(path, evm.document(evm.transaction(anchored, chain, to=to, fees=fees), sent))
        return AnchorResult(signed.checkpoint, path, ""), evm.calldata(anchored)

    def record_evm(self, chain: str, transaction: str) -> AnchorResult:
        """Note the hash of the transaction that carried the newest exported digest; `id` is "" if it was noted before.

        Raises:
            UsageError: it is not a hash, or the chain is unknown.
            NotFoundError: no transaction was exported.
            StorageError: the disk refused.
        """
        where = evm.receipt(transaction, chain)
        for each in reversed(self._proofs.checkpoints()):
            before = receipts.read(path := receipts.path_of(each.path, "evm"))
            if before is None:
                continue
            if where in evm.sent_of(before):
                return AnchorResult(each.checkpoint, path, "")
            data = evm.with_sent(before, where)
            receipts.replace(path, data)
            return replace(self._noted(each, ReceiptFile("evm", path.name, data), where), evidence=())
        raise NotFoundError(f"no transaction was exported: muniment anchor evm --chain {chain} writes one")

    def anchor_seen(self) -> list[str]:
        """Write the digest of what agents were shown on each day that is over into the chain; return these days (H-46).

        Nothing is written unless `seen` is "anchored". Raises as `Ledger.write`.
        """
        days, local = unanchored(self._workspace), self._workspace.local
        if days:
            commands = [Anchor(_seen_payload(day, local.seen.newest(SeenFilter(day=day)))) for day in days]
            self._workspace.ledger.write(commands, self._workspace.by)
            local.note(ANCHORED_UP_TO, days[-1])
            self._scope.documents.bring_up_to_date()
        return days

    def _check(self, *addresses: str, prefix: bool = True) -> None:
        """Refuse addresses that are none, or that no event could record, before anybody is asked.

        A `prefix` is one that a path is put behind.

        Raises:
            UsageError: one is not an address, or they are too long together.
            SecretError: one contains a secret.
        """
        together = " ".join(map(web.checked, addresses))
        if prefix and "?" in together:
            raise UsageError("an address to which a path is added must not contain a ?")
        if len(together) > web.MAX_ADDRESS:
            raise UsageError(
                f"these addresses have more than {web.MAX_ADDRESS} characters together: give fewer"
            )
        self._workspace.ledger.screened({"where": together}, redact=False)

    def is_anchored_up_to_now(self, method: str) -> bool:
        """Return whether nothing but anchors came after the newest checkpoint, and a receipt of `method` stands beside it.

        The method `checkpoint` asks for no receipt.
        """
        current = self._current()
        if current is None or method in ("checkpoint", "witness"):
            wanted = 1 if method == "checkpoint" else 2
            return current is not None and len(note.parse(current.data).signatures) >= wanted
        return any(each.method == method for each in receipts.beside(current.path))

    def _to_anchor(self) -> Stored:
        """Return the checkpoint to anchor: of the chain as it is, or the newest where only anchors came after it.

        So what several give is for one checkpoint. Raises as `checkpoint`.
        """
        self._proofs.signed.make_folder()
        return self._current() or self._proofs.checkpoint()

    def _current(self) -> Stored | None:
        here = [each for each in self._proofs.checkpoints(given_up=False) if each.path.exists()]
        if not here:
            return None
        newest = here[-1]
        with self._proofs.reading() as chain:
            size = newest.checkpoint.size
            after = sum(seq >= size for seq in chain.anchors)
            return None if difference(newest.checkpoint, chain) or after != len(chain) - size else newest

    def _noted(
        self, signed: Stored, receipt: ReceiptFile, where: str, trust: TrustedParties | None = None
    ) -> AnchorResult:
        """Append the event of a receipt that was stored, and judge it."""
        said = receipts.anchor_payload(signed.checkpoint, receipt.method, receipt.name, where)
        id_ = self._workspace.ledger.write([Anchor(said)], self._workspace.by)[0].id
        self._scope.documents.bring_up_to_date()  # what is known to be rendered reaches this event, too
        found = judged(receipt, signed.checkpoint, trust or TrustedParties())
        return AnchorResult(signed.checkpoint, signed.path.with_name(receipt.name), id_, tuple(found))


def _seen_payload(day: str, shown: Sequence[Sighting]) -> dict[str, Any]:
    found = sha256(json_lines(shown)).hexdigest()
    return {"method": SEEN_METHOD, "size": len(shown), "digest": found, "where": day}


def _is_cosigned(each: Stored, keys: Sequence[NoteKey]) -> bool:
    parsed = note.parse(each.data)
    return any(note.check(parsed.text, line, key) for line in parsed.signatures for key in keys)
