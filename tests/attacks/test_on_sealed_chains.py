"""Attacks on what a team seals, by who holds its transport and by former members (specs/attacks.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.ledger import Identity
from ledger.memory import Memory
from tests.attacks.rows import row
from tests.writers.machines import Machine, joined
from writers.invitation import invitation_of
from writers.seal import LineSeal, invited_name

TEXT, NEW = "Postgres listens on 5433", "Use pnpm"


class Sealed:
    """A laptop and a desk machine in its sealed team, and the folder through which they exchange."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.laptop = Machine(root, "laptop")
        self.laptop.memory.store(Memory(TEXT))
        self.laptop.memory.team.init(f"folder:{root / 'share'}")
        self.desk = joined(self.laptop.memory, Machine(root, "desk"))
        self.laptop.memory.team.sync()

    def newest(self, machine: Machine) -> Path:
        """Return the file of the newest lines of a machine's chain."""
        (team,) = (self.root / "share").iterdir()
        return max((team / "chains" / machine.genesis).iterdir())


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Sealed]:
    made = Sealed(tmp_path)
    yield made
    for machine in (made.laptop, made.desk):
        machine.close()


def texts(machine: Machine) -> list[str]:
    return sorted(each.memory.text for each in machine.memory.load_all())


@row("AT-110")
def test_read_what_travels(pair: Sealed) -> None:
    pair.desk.memory.store(Memory(NEW))
    pair.desk.memory.team.sync()
    every = b"".join(path.read_bytes() for path in (pair.root / "share").rglob("*") if path.is_file())
    assert pair.desk.genesis.encode() in every
    assert not [each for each in (TEXT, NEW) if each.encode() in every]


@row("AT-111")
@pytest.mark.parametrize("into", ["its own chain", "another chain"])
def test_put_a_sealed_line_in_another_place(pair: Sealed, into: str) -> None:
    pair.laptop.memory.store(Memory(NEW))
    pair.laptop.memory.team.sync()
    line = pair.newest(pair.laptop).read_bytes().splitlines(keepends=True)[-1]
    machine = pair.laptop if into == "its own chain" else pair.desk
    at = pair.newest(machine)
    next_ = int(at.stem) + at.read_bytes().count(b"\n")
    at.with_name(f"{next_:010d}.jsonl").write_bytes(line)
    other = pair.desk if machine is pair.laptop else pair.laptop
    done = other.memory.team.sync()
    assert any(
        f"the chain {machine.genesis[:8]} continues with an invalid line" in each for each in done.findings
    )
    assert texts(other) == sorted((TEXT, NEW))


@row("AT-112")
def test_write_with_the_key_of_a_team_after_ones_removal(pair: Sealed) -> None:
    team, thief = pair.laptop.memory.team, pair.desk
    old = thief.memory.team.keys.current()
    team.members.remove("desk")
    pair.laptop.memory.store(Memory(NEW))
    team.sync()
    assert old is not None
    assert team.keys.current() not in (None, old)
    last = pair.newest(pair.laptop)
    seal = LineSeal(team.identity.id, pair.laptop.genesis)
    for seq, line in enumerate(last.read_bytes().splitlines(), int(last.stem)):
        assert seal.opened(lambda _: [old], seq, line) == line, "what is new has another key"
    forged = pair.laptop.chain.read_bytes().splitlines()[-1].replace(NEW.encode(), b"Use evil")
    seq = len(pair.laptop.chain.read_bytes().splitlines())
    line = seal.sealed(old, old.id, seq, forged) + b"\n"
    last.with_name(f"{seq:010d}.jsonl").write_bytes(line)
    thief.memory.store(Memory("Trust everybody"))
    thief.memory.team.sync()
    tablet = joined(pair.laptop.memory, Machine(pair.root, "tablet"))
    for machine in (pair.laptop, tablet):
        machine.memory.team.sync()
        assert texts(machine) == sorted((TEXT, NEW))
    tablet.close()


@row("AT-113")
def test_bring_the_key_of_an_invitation_to_another_team(pair: Sealed) -> None:
    other = Machine(pair.root, "other", identity=Identity("cd" * 16, "other", "project"))
    other.memory.team.init(f"folder:{pair.root / 'other-share'}")
    invitation = invitation_of(other.memory.team.members.invite("eve"))
    key = other.memory.team.keys.current()
    (note,) = (pair.root / "other-share").rglob(f"notes/key/{invited_name(invitation.secret)}")
    pair.laptop.memory.team.keys.take_invited([(note.name, note.read_bytes())], "ab" * 16, invitation.secret)
    assert key is not None
    assert pair.laptop.memory.team.keys.named(key.name) is None
    other.close()
