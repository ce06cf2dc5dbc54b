"""Proving: the tree's cache, proofs made and judged, and what an append pays for the tree."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from benchmarks.ledgers import BY, fill, found, memory
from benchmarks.measure import Row, alternating, median_time
from ledger import reader
from ledger.command import Create
from ledger.redaction import Redactor
from muniment import MemoryLedger
from proofs import heads, merkle, proof, proof_judgement
from proofs.heads import EventPlace, ScannedLines
from proofs.note import NoteKey
from proofs.proof_judgement import VerifierTrust
from proofs.tree import TREE_NAME, TreeCache

REACH_PROVE, REACH_JUDGE = 10.0, 5.0
"""Milliseconds."""


def proving(folder: Path, scale: float) -> list[Row]:
    """Every row, on ledgers of 200,000 events."""
    events = max(200, int(200_000 * scale))
    ledger = found(folder / "large")
    fill(ledger, events - 1)
    rows = _rebuild(ledger)
    ledger.workspace.index.seq()
    rows += _proofs(ledger, events)
    ledger.close()
    return [*rows, *_appends(folder, scale)]


def _rebuild(ledger: MemoryLedger) -> list[Row]:
    """The cache made anew, against one SHA-256 call a node over the same bytes."""
    with reader.opened(ledger.workspace.chain) as fd:
        size = os.fstat(fd).st_size
        tip = ScannedLines(fd, size, ()).tip()
        lines = [b"\0" + heads.head_of(raw) for _, some in heads.blocks(fd, 0, size) for raw in some]
        inner = merkle.stored_count(len(lines)) - len(lines)
        node = b"\1" + bytes(2 * merkle.HASH_BYTES)

        def floor() -> None:
            for line in lines:
                sha256(line).digest()
            for _ in range(inner):
                sha256(node).digest()

        ours, least = alternating(lambda: _made_anew(ledger, fd, tip), floor, 3)
    name = f"tree cache rebuilt, {len(lines):,} events"
    return [
        Row(name, ours * 1e3, least * 1e3, "ms", 2.0, "floor: one SHA-256 call a node over the same bytes")
    ]


def _made_anew(ledger: MemoryLedger, fd: int, tip: EventPlace) -> None:
    (ledger.workspace.place.directory / TREE_NAME).unlink(missing_ok=True)
    tree = TreeCache(ledger.workspace.place.directory)
    tree.follow(fd, tip)
    tree.close()


def _proofs(ledger: MemoryLedger, events: int) -> list[Row]:
    """A proof made and judged, after imports, with index and cache current."""
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


def _appends(folder: Path, scale: float) -> list[Row]:
    """One durable append with the tree kept, against one without."""
    times = max(40, int(2000 * scale))
    kept, bare = (_appending(folder / name, tree=name == "kept") for name in ("kept", "bare"))
    mine, theirs = alternating(kept, bare, times)
    name = "durable append with the tree kept"
    return [Row(name, mine * 1e6, theirs * 1e6, "µs", 1.1, "floor: the same append without the tree")]


def _appending(folder: Path, *, tree: bool) -> Callable[[], object]:
    ledger = found(folder)
    ledger.workspace.ledger._redactor = Redactor()
    fill(ledger, 1000, start=1)
    ledger.workspace.index.seq()
    if not tree:
        ledger.workspace.ledger.chain.on_append = None
    numbers = iter(range(10_000_000, 11_000_000))
    ledger.workspace.append([Create(memory(next(numbers)))], BY)
    return lambda: ledger.workspace.ledger.write([Create(memory(next(numbers)))], BY)
