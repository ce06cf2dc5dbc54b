"""What a machine of a team had begun when it died is completed by the next command (specs/team.md TM-11, TM-15, TM-18, TM-71)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.command import Create
from ledger.errors import LedgerError, StateError
from ledger.memory import Memory
from ledger.rotation import rotate
from tests.observing import dying_at, watched
from tests.writers.machines import Machine
from transports.folder_transport import FolderTransport
from transports.protocol import Segment
from writers.invitation import invitation_of


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    """The founder of a team, and a machine that asked to join it."""
    (tmp_path / "share").mkdir()
    laptop, desk = Machine(tmp_path, "laptop"), Machine(tmp_path, "desk")
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}")
    desk.memory.team.ask(invitation_of(laptop.memory.team.members.invite("desk")))
    yield laptop, desk
    laptop.close()
    desk.close()


def rotated(machine: Machine) -> None:
    rotate(machine.memory.workspace.ledger, machine.memory.workspace.by)


def test_a_sync_sends_what_a_process_that_died_wrote(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    with dying_at("append.written"):
        laptop.memory.workspace.append([Create(Memory("Use pnpm"))])
    laptop.reopen()
    assert laptop.memory.team.sync().sent == 1
    desk.memory.team.sync()
    assert [hit.entry.memory.text for hit in desk.memory.search("pnpm")] == ["Use pnpm"]


def test_a_rotation_that_died_signs_the_next_roster_by_the_new_key(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    with dying_at("append.marked"):
        rotated(laptop)
    laptop.reopen()
    laptop.memory.team.members.accept("desk")
    desk.memory.team.sync()
    assert desk.memory.team.is_member


def test_a_roster_is_known_only_once_the_chain_names_it(pair: tuple[Machine, Machine]) -> None:
    """Else it would count no more after the next rotation."""
    laptop, desk = pair
    with dying_at("append.written"):
        laptop.memory.team.members.accept("desk")
    laptop.reopen()
    rotated(laptop)
    laptop.memory.team.sync()
    assert [each.name for each in laptop.memory.team.members.all().members] == ["laptop"]
    laptop.memory.team.members.accept("desk")
    rotated(laptop)
    desk.memory.team.sync()
    assert desk.memory.team.is_member


def test_a_machine_whose_key_was_rotated_is_told_that_nobody_would_hear_it(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    laptop, _ = pair
    late = Machine(tmp_path, "late")
    rotated(late)
    with pytest.raises(StateError, match="key of this chain was rotated"):
        late.memory.team.ask(invitation_of(laptop.memory.team.members.invite("late")))
    late.close()


def test_a_history_of_its_own_chain_that_is_another_is_named(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    laptop, desk = pair
    laptop.memory.store(Memory("Use npm"))
    laptop.memory.team.sync()
    laptop.memory.store(Memory("Use pnpm"))
    lines = laptop.chain.read_bytes().splitlines(keepends=True)
    own = len(lines)
    share = FolderTransport(tmp_path / "share", laptop.memory.team.identity.id)
    share.put(laptop.genesis, [Segment(own - 1, lines[1])])
    assert any("two events" in each for each in laptop.memory.team.sync().findings)
    found = desk.memory.team.sync().findings
    assert sum("invalid line" in each for each in found) == 1


def test_a_sync_with_nothing_new_folds_and_renders_nothing(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    laptop.memory.store(Memory("Use pnpm"))
    laptop.memory.team.members.accept("desk")
    desk.memory.team.sync()
    laptop.memory.team.sync()
    with watched() as seen:
        laptop.memory.team.sync()
    assert [step for step in seen if step.startswith(("index.", "file.", "copy."))] == []


def test_who_accepts_without_the_transport_accepts_once(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    """Through one object, which lives on: a second acceptance builds on the first, though neither was published yet."""
    laptop, desk = pair
    laptop.memory.team.sync()
    (tmp_path / "share").rename(tmp_path / "away")
    fingerprint = desk.memory.team.fingerprint
    assert laptop.memory.team.members.accept("desk", fingerprint).fault
    with pytest.raises(LedgerError):
        laptop.memory.team.members.accept("desk", fingerprint)
    (tmp_path / "away").rename(tmp_path / "share")
    laptop.memory.team.sync()
    assert len(laptop.memory.team.members.all().heads) == 1
    assert desk.memory.team.sync().findings == []


def test_what_a_dying_sync_wrote_of_a_copy_travels_on(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    """TM-71: it was folded here, so whatever is built upon it must reach all, though the transport and its writer lost it."""
    laptop, desk = pair
    laptop.memory.store(Memory("Use pnpm"))
    laptop.memory.team.members.accept("desk")
    with dying_at("copy.written"):
        desk.memory.team.sync()
    desk.reopen()
    written = desk.copies.path(laptop.genesis).read_bytes().count(b"\n")
    for segment in (tmp_path / "share").rglob(f"chains/{laptop.genesis}/*"):
        segment.unlink()
    desk.memory.team.sync()
    share = FolderTransport(tmp_path / "share", laptop.memory.team.identity.id)
    assert share.heads()[laptop.genesis] == written
