"""What is kept of a chain changes how long a proof takes and nothing of what it says, whatever becomes of the file.

Tests specs/proofs.md (T-33, T-34, T-35).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ledger.command import Create
from ledger.errors import ChainError
from ledger.memory import Memory
from muniment import MemoryLedger
from proofs.merkle import TILE
from tests.projections.house import BY, build, learn

EVENTS = 2 * TILE + 40


@pytest.fixture
def house(tmp_path: Path) -> Iterator[MemoryLedger]:
    made, _ = build(tmp_path / "ledger")
    learn(made, *(f"memory {number}" for number in range(EVENTS)))
    yield made
    made.close()


SEQS = (0, 1, TILE - 1, TILE, 2 * TILE - 1, 2 * TILE, EVENTS)


def proofs_of(house: MemoryLedger) -> list[bytes]:
    return [house.proofs.prove(f"@{seq}").proof.encode() for seq in SEQS]


def test_proofs_are_the_same_with_an_outline_and_without_one(house: MemoryLedger) -> None:
    house.proofs.checkpoint()
    kept = house.proofs.signed.outline
    assert kept.exists()
    made = proofs_of(house)
    kept.unlink()
    assert proofs_of(house) == made
    learn(house, *(f"later {number}" for number in range(TILE)))
    old = house.proofs.checkpoints()[-1].data
    house.proofs.checkpoint()
    assert [house.proofs.prove(f"@{seq}", old).proof.encode() for seq in SEQS] == made


def test_an_outline_that_was_damaged_is_not_believed(house: MemoryLedger) -> None:
    house.proofs.checkpoint()
    kept, made = house.proofs.signed.outline, proofs_of(house)
    data = kept.read_bytes()
    flipped = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(0, len(data), 29)]
    for bad in [b"", data[:63], data[:64], data[:-1], data + b" ", *flipped]:
        kept.write_bytes(bad)
        assert house.proofs.prove(f"@{TILE}").proof.encode() == made[SEQS.index(TILE)]
    assert house.proofs.checkpoint().checkpoint == house.proofs.checkpoints()[-1].checkpoint


def test_the_outline_of_another_chain_is_not_believed(house: MemoryLedger, tmp_path: Path) -> None:
    house.proofs.checkpoint()
    made = proofs_of(house)
    other, _ = build(tmp_path / "other")
    learn(other, *(f"another {number}" for number in range(EVENTS)))
    other.proofs.checkpoint()
    house.proofs.signed.outline.write_bytes(other.proofs.signed.outline.read_bytes())
    other.close()
    assert proofs_of(house) == made


def test_a_head_that_changed_is_in_no_proof(house: MemoryLedger) -> None:
    """T-34: the outline says what stood there."""
    house.proofs.checkpoint()
    chain = house.workspace.chain
    lines = chain.read_bytes().splitlines(keepends=True)
    lines[5] = lines[5].replace(b'"via":"library"', b'"via":"hookhoo"')
    chain.write_bytes(b"".join(lines))
    with pytest.raises(ChainError, match="muniment verify"):
        house.proofs.prove("@7")


def test_no_consistency_proof_leads_to_a_checkpoint_of_another_chain(house: MemoryLedger) -> None:
    """T-34, as a proof of an event."""
    made = house.proofs.checkpoint().checkpoint
    assert house.proofs.consistency(EVENTS, made)
    with pytest.raises(ChainError, match="the chain has other events"):
        house.proofs.consistency(EVENTS, replace(made, root=bytes(32)))


def test_an_older_outline_serves_after_more_was_learned(house: MemoryLedger) -> None:
    """T-33: what follows it is read, and must be linked to it."""
    house.proofs.checkpoint()
    old = house.proofs.signed.outline.read_bytes()
    house.workspace.append([Create(Memory(f"more {number}")) for number in range(TILE)], BY)
    house.proofs.checkpoint()
    made = proofs_of(house)
    house.proofs.signed.outline.write_bytes(old)
    assert proofs_of(house) == made


def test_after_a_rotation_proofs_are_the_same_with_the_outline_and_without(house: MemoryLedger) -> None:
    """The key before signed what is kept, which is ignored until the next checkpoint."""
    house.proofs.checkpoint()
    old = house.proofs.signed.outline.read_bytes()
    house.upkeep.rotate_key()
    learn(house, *(f"later {number}" for number in range(TILE)))
    house.proofs.checkpoint()
    made = proofs_of(house)
    assert house.proofs.signed.outline.read_bytes() != old
    house.proofs.signed.outline.write_bytes(old)
    assert proofs_of(house) == made
    house.proofs.signed.outline.unlink()
    assert proofs_of(house) == made
