"""Fork proofs: what proves that a writer signed two histories, and what proves nothing (specs/team.md TM-40)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest

from ledger.errors import FormatError
from ledger.ledger import Identity
from ledger.memory import Memory
from ledger.rotation import rotate
from tests.writers.machines import TEAM, Machine
from writers.forks import checked, proof, with_keys


class Twins(NamedTuple):
    """Two machines with one key, which part at @3: the lines of each, and of the genesis and rotates before."""

    ada: list[bytes]
    twin: list[bytes]
    keys: list[bytes]


def lines(machine: Machine) -> list[bytes]:
    return machine.chain.read_bytes().splitlines()


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    root = tmp_path_factory.mktemp("twins")
    ada = Machine(root, "ada")
    ada.memory.store(Memory("Use npm"))
    rotate(ada.memory.workspace.ledger, ada.memory.workspace.by)
    shutil.copytree(root / "ada", root / "twin")
    twin = Machine(root, "twin")
    ada.memory.store(Memory("Use pnpm"))
    rotate(ada.memory.workspace.ledger, ada.memory.workspace.by)
    twin.memory.store(Memory("Answer in French"))
    twin.memory.store(Memory("Answer in German"))
    yield Twins(lines(ada), lines(twin), [lines(ada)[0], lines(ada)[2]])
    ada.close()
    twin.close()


def test_two_signed_events_with_one_seq_prove_a_fork(twins: Twins) -> None:
    data = proof(twins.keys, twins.ada[3], twins.twin[3])
    fork = checked(data, TEAM.id)
    before = orjson.loads(twins.ada[3])["event"]["prev"]
    assert (fork.seq, fork.before, len(fork.keys)) == (3, before, 2)
    assert proof(twins.keys, twins.twin[3], twins.ada[3]) == data, "whoever found it says the same"


def test_an_event_that_follows_another_one_proves_a_fork(twins: Twins) -> None:
    """A transport may have only what comes after the event where the two part."""
    fork = checked(proof(twins.keys, twins.ada[3], twins.twin[4]), TEAM.id)
    assert (fork.seq, fork.before) == (3, orjson.loads(twins.ada[3])["event"]["prev"])
    with pytest.raises(FormatError):
        checked(proof(twins.keys, twins.twin[3], twins.twin[4]), TEAM.id)


def test_a_proof_holds_no_text(twins: Twins) -> None:
    data = proof(twins.keys, twins.ada[3], twins.twin[3])
    assert b"pnpm" in twins.ada[3]
    assert b"pnpm" not in data
    assert b"French" not in data


@pytest.mark.parametrize(
    ("keys", "one", "other"),
    [
        ((0, 2), 1, 4),  # of places that are not beside each other
        ((0, 2), 3, None),  # one event twice
        ((0,), 3, 3),  # by a key of which the proof does not tell
        ((2,), 3, 3),  # without a beginning
        ((0, 2, 2), 3, 3),  # a rotate twice
        ((0, 1), 3, 3),  # no rotate
    ],
)
def test_other_events_prove_nothing(twins: Twins, keys: tuple[int, ...], one: int, other: int | None) -> None:
    second = twins.ada[one] if other is None else twins.twin[other]
    with pytest.raises(FormatError):
        checked(proof([twins.ada[at] for at in keys], twins.ada[one], second), TEAM.id)


def test_a_chain_of_another_team_proves_nothing(twins: Twins, tmp_path: Path) -> None:
    data = proof(twins.keys, twins.ada[3], twins.twin[3])
    with pytest.raises(FormatError):
        checked(data, "cd" * 16)
    eve = Machine(tmp_path, "eve", identity=Identity(TEAM.id, "team", "project"))
    eve.memory.store(Memory("Use yarn"))
    with pytest.raises(FormatError):
        checked(proof(twins.keys, twins.ada[3], lines(eve)[1]), TEAM.id)
    eve.close()


def test_a_line_that_was_damaged_proves_nothing(twins: Twins) -> None:
    damaged = twins.twin[3].replace(b'"sig":"', b'"sig":"\xff')
    damaged = damaged[: damaged.index(b"\xff") + 86] + damaged[damaged.index(b"\xff") + 87 :]
    with pytest.raises(FormatError):
        checked(proof(twins.keys, twins.ada[3], damaged), TEAM.id)


def test_no_byte_of_a_proof_may_change(twins: Twins) -> None:
    data = proof(twins.keys, twins.ada[3], twins.twin[3])
    for at in range(0, len(data) - 1, 7):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(FormatError):
            checked(changed, TEAM.id)


def test_the_lower_fork_and_then_the_longer_history_of_keys_counts(twins: Twins) -> None:
    fork = checked(proof(twins.keys, twins.ada[3], twins.twin[3]), TEAM.id)
    later = with_keys(fork, [*twins.keys, twins.ada[4]], TEAM.id)
    assert later.key.hex() == orjson.loads(twins.ada[4])["event"]["key"]
    assert later.outdoes(fork)
    assert not fork.outdoes(later)
    assert fork._replace(seq=2).outdoes(later)
    assert with_keys(fork, [twins.ada[0]], TEAM.id) is fork
