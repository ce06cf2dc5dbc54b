"""What the tests of verify share: a small chain with everything in it, and short ways to ask."""

from __future__ import annotations

from pathlib import Path

from ledger.mark import Mark
from ledger.verify import ChainReport, Expectation, verify_chain
from specs.vectors import builder
from specs.vectors.builder import Chain
from specs.vectors.cases import started

NOTHING = Expectation()


def verified(
    path: Path, chain: Chain | bytes, expect: Expectation = NOTHING, **options: object
) -> ChainReport:
    """Write a chain and verify it."""
    path.write_bytes(chain if isinstance(chain, bytes) else chain.data)
    return verify_chain(path, expect, **options)  # type: ignore[arg-type]


def codes(report: ChainReport) -> list[tuple[str, int | None]]:
    """Return code and line of what is wrong with a chain's integrity."""
    return [(finding.code, finding.line) for finding in report.integrity.findings]


def mark_of(mark: builder.Mark) -> Mark:
    """Return a vector's mark as the ledger's."""
    return Mark(mark.seq, mark.id, mark.epoch, mark.genesis, mark.key, mark.next_key, mark.start, mark.end)


def small_chain() -> Chain:
    """Return a genesis, a memory, an erased one, its erase without a payload, and a rotate."""
    chain = started(0)
    chain.create("é: a memory.", record={"tags": ["t"]})
    chain.create("To be erased.")
    chain.add("erase", targets=[chain.ids[2]])
    chain.blank(3)
    chain.rotate()
    return chain


SMALL = small_chain()
DATA = SMALL.data


def mark_at(seq: int) -> Mark:
    """Return a mark at an event of the small chain; it knows no keys."""
    start = DATA.index(SMALL.lines[seq])
    return Mark(seq, SMALL.ids[seq], 0, SMALL.genesis_id, "", "", start, start + len(SMALL.lines[seq]) + 1)
