"""Proving: the tree, and proofs made and judged."""

from __future__ import annotations

import time
from hashlib import sha256
from pathlib import Path

from benchmarks.ledgers import fill, found
from benchmarks.measure import Row, alternating, median_time
from ledger import reader
from ledger.note import NoteKey
from muniment import MemoryLedger
from proofs import merkle, proof, proof_judgement
from proofs.heads import ReadChain
from proofs.proof_judgement import VerifierTrust

REACH_PROVE, REACH_JUDGE = 10.0, 5.0
"""Milliseconds."""


def proving(folder: Path, scale: float) -> list[Row]:
    """Every row, on ledgers of 200,000 events."""
    events = max(200, int(200_000 * scale))
    ledger = found(folder / "large")
    fill(ledger, events - 1)
    rows = _trees(ledger)
    ledger.workspace.index.newest()
    rows += _proofs(ledger, events)
    ledger.close()
    return rows


def _trees(ledger: MemoryLedger) -> list[Row]:
    """The chain read and its tree made, against one SHA-256 call a node over the same bytes."""
    with reader.opened(ledger.workspace.chain) as fd:
        chain = ReadChain(fd)
        heads = [chain.head(seq) for seq in range(len(chain))]
        node = b"\1" + bytes(2 * merkle.HASH_BYTES)

        def floor() -> None:
            for head in heads:
                sha256(head).digest()
            for _ in heads:
                sha256(node).digest()

        ours, least = alternating(lambda: ReadChain(fd).tree, floor, 3)
    name = f"the chain's tree, {len(heads):,} events"
    return [
        Row(name, ours * 1e3, least * 1e3, "ms", 2.0, "floor: one SHA-256 call a node over the same bytes")
    ]


def _proofs(ledger: MemoryLedger, events: int) -> list[Row]:
    """A proof made and judged, after imports, with the index current."""
    begun = time.perf_counter()
    signed = ledger.proofs.checkpoint()
    first = time.perf_counter() - begun
    numbers = iter(range(events // 7, events, max(1, events // 200)))
    ledger.proofs.prove("@1")
    made = median_time(lambda: ledger.proofs.prove(f"@{next(numbers)}"), 50)
    key = NoteKey(signed.checkpoint.origin, ledger.workspace.ledger.signing_key().public)
    data = ledger.proofs.prove(f"@{events // 3}").proof.encode()
    judged = median_time(lambda: proof_judgement.judge(proof.parse(data), VerifierTrust((key,))), 50)
    again = median_time(ledger.proofs.checkpoint, 5)
    note = f"floor: the {{}} ms that the issue allows; the first checkpoint took {first:.1f} s, the same again {again * 1e3:.1f} ms"
    return [
        Row(f"a proof made, {events:,} events", made * 1e3, REACH_PROVE, "ms", 1.0, note.format(10)),
        Row(
            f"a proof judged, {events:,} events",
            judged * 1e3,
            REACH_JUDGE,
            "ms",
            1.0,
            "floor: the 5 ms allowed",
        ),
    ]
