"""Tests of ledger/mark.py: the mark survives a torn write, and never says what was not (C-14, C-15)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from blake3 import blake3

from ledger.errors import StorageError
from ledger.mark import Mark, MarkFile, Pin, StateDirectory
from tests.ledger.world import flipped, mounted, overwrite

SLOT = 1024
FIRST = Mark(0, "a" * 64, 0, "a" * 64, "b" * 64, "c" * 64, 0, 700)
PIN = Pin("0" * 32, "a" * 64)


def numbered(seq: int) -> Mark:
    return FIRST._replace(seq=seq, id=f"{seq:064x}", start=700 * seq, end=700 * (seq + 1))


def written(path: Path, count: int) -> MarkFile:
    """Return a mark file that `count` events were acknowledged in."""
    file = MarkFile(path)
    for seq in range(count):
        file.write(numbered(seq))
    return file


def test_a_mark_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """What one process wrote, another one reads; folders are made where they are missing."""
    path = tmp_path / "state" / "marks" / "x"
    for count in range(1, 6):
        written(path, count)
        assert MarkFile(path).read() == numbered(count - 1)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_without_a_file_there_is_no_mark(tmp_path: Path) -> None:
    """Missing, or taken away: none."""
    file = written(tmp_path / "x", 3)
    file.remove()
    assert file.read() is None
    assert MarkFile(tmp_path / "x").read() is None


def test_marks_take_turns_in_two_slots(tmp_path: Path) -> None:
    """Each write goes into the slot that does not hold the newest mark (C-14)."""
    path = tmp_path / "x"
    written(path, 2)
    before = path.read_bytes()
    assert len(before) == 2 * SLOT
    MarkFile(path).write(numbered(2))
    after = path.read_bytes()
    changed = [slot for slot in (0, 1) if before[slot * SLOT :][:SLOT] != after[slot * SLOT :][:SLOT]]
    assert len(changed) == 1
    kept = 1 - changed[0]
    path.write_bytes(after[:SLOT] if kept == 0 else bytes(SLOT) + after[SLOT:])
    assert MarkFile(path).read() == numbered(1)


def test_a_write_torn_at_any_byte_leaves_the_old_mark_or_the_new(tmp_path: Path) -> None:
    """Whatever part of a slot reached the disk, one of the two marks is there whole."""
    path = tmp_path / "x"
    written(path, 4)
    old = path.read_bytes()
    MarkFile(path).write(numbered(4))
    new = path.read_bytes()
    at = next(i for i in range(2 * SLOT) if old[i] != new[i]) // SLOT * SLOT
    seen = set()
    for size in range(SLOT + 1):
        path.write_bytes(old[:at] + new[at : at + size] + old[at + size :])
        mark = MarkFile(path).read()
        assert mark in (numbered(3), numbered(4)), size
        seen.add(mark)
    assert seen == {numbered(3), numbered(4)}


def test_a_flipped_byte_never_makes_another_mark(tmp_path: Path) -> None:
    """A damaged slot counts as none; the other one is taken."""
    path = tmp_path / "x"
    written(path, 5)
    good = path.read_bytes()
    for at in range(0, 2 * SLOT, 3):
        path.write_bytes(flipped(good, at))
        assert MarkFile(path).read() in (numbered(3), numbered(4)), at


@pytest.mark.parametrize(
    "damage", [b"", b"\0" * 2 * SLOT, b"x" * 2 * SLOT, b"{}\n", b'{"count":1} ' + b"0" * 64]
)
def test_with_both_slots_torn_there_is_no_mark(tmp_path: Path, damage: bytes) -> None:
    """Nothing valid means none, and the next write makes a good one again."""
    file = written(tmp_path / "x", 3)
    overwrite(tmp_path / "x", damage)
    assert file.read() is None
    file.write(numbered(7))
    assert MarkFile(tmp_path / "x").read() == numbered(7)


def test_a_replaced_mark_is_the_only_one(tmp_path: Path) -> None:
    """Whichever slot is torn later: what was marked before a recovery never comes back (C-17)."""
    path = tmp_path / "marks" / "x"
    for before in range(4):
        file = written(path, before)
        file.replace(numbered(90))
        assert file.read() == MarkFile(path).read() == numbered(90)
        whole = path.read_bytes()
        for slot in (0, 1):
            path.write_bytes(whole[: slot * SLOT] + bytes(SLOT) + whole[(slot + 1) * SLOT :])
            assert MarkFile(path).read() == numbered(90)
        path.write_bytes(whole)
        MarkFile(path).write(numbered(91))
        assert MarkFile(path).read() == numbered(91)
        path.unlink()


def test_two_writers_that_take_turns_never_go_back(tmp_path: Path) -> None:
    """Each reads what the other wrote before it writes, as holders of the lock do."""
    files = MarkFile(tmp_path / "x"), MarkFile(tmp_path / "x")
    for seq in range(12):
        file = files[seq * seq % 3 % 2]
        file.read()
        file.write(numbered(seq))
        assert [each.read() for each in files] == [numbered(seq)] * 2


def test_an_unwritable_state_directory_is_an_error(tmp_path: Path) -> None:
    """The message names the mark and the place, and what follows from it."""
    (tmp_path / "marks").write_text("a file where a folder must be")
    with pytest.raises(StorageError, match=r"high-water mark failed: .*marks/x.*nothing is appended"):
        MarkFile(tmp_path / "marks" / "x").write(FIRST)


def test_a_full_disk_keeps_the_mark_that_stands(tmp_path: Path) -> None:
    """A write that falls short is an error, and the old mark still counts."""
    with mounted(tmp_path / "disk", "size=8k") as disk:
        (disk / "ballast").write_bytes(b"x" * 8192)
        file = MarkFile(disk / "x")
        with pytest.raises(StorageError, match="disk is full"):
            file.write(FIRST)
        assert file.read() is None
        (disk / "ballast").unlink()
        file.write(FIRST)
        assert MarkFile(disk / "x").read() == FIRST


# --- pins ---------------------------------------------------------------------------------------------------


def test_a_pin_belongs_to_one_directory(tmp_path: Path) -> None:
    """By its real path: a link to it leads to the same pin, a neighbour has none."""
    state = StateDirectory(tmp_path / "state")
    (tmp_path / "ledger").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "ledger")
    state.pin(tmp_path / "link", PIN)
    assert state.pin_of(tmp_path / "ledger") == PIN
    assert StateDirectory(tmp_path / "state").pin_of(tmp_path / "link") == PIN
    assert state.pin_of(tmp_path / "other") is None


@pytest.mark.parametrize("damage", [b"", b"[]", b"{}", b'{"ledger":', b"\xff"])
def test_a_damaged_pin_is_none(tmp_path: Path, damage: bytes) -> None:
    """It is then made anew only where the key vouches for the chain (see test_founding)."""
    state = StateDirectory(tmp_path)
    state.pin(tmp_path / "ledger", PIN)
    [file] = (tmp_path / "pins").iterdir()
    file.write_bytes(damage)
    assert state.pin_of(tmp_path / "ledger") is None


def test_an_unwritable_pin_is_an_error(tmp_path: Path) -> None:
    """The message names what failed and where."""
    (tmp_path / "pins").write_text("a file where a folder must be")
    with pytest.raises(StorageError, match="pinning the ledger failed"):
        StateDirectory(tmp_path).pin(tmp_path / "ledger", PIN)


def test_the_bytes_of_a_pin_are_those_of_the_spec(tmp_path: Path) -> None:
    """F-17: what a stranger writes is read, and ours is what a stranger expects."""
    directory = tmp_path / "ledger"
    directory.mkdir()
    (tmp_path / "link").symlink_to(directory)
    state = StateDirectory(tmp_path / "state")
    state.pin(tmp_path / "link", Pin("ab" * 16, "cd" * 32))
    real = os.fsencode(os.path.realpath(directory))
    path = tmp_path / "state" / "pins" / f"{blake3(real).hexdigest()[:32]}.json"
    expected = f'{{"directory":"{real.decode()}","genesis":"{"cd" * 32}","ledger":"{"ab" * 16}"}}\n'
    assert path.read_bytes() == expected.encode()
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text(f'{{ "ledger": "{"01" * 16}", "genesis": "{"23" * 32}", "directory": "", "more": 1 }}')
    assert state.pin_of(directory) == Pin("01" * 16, "23" * 32)


def test_a_directory_whose_path_is_no_text_is_pinned(tmp_path: Path) -> None:
    """F-17: the name has the very bytes, the text what can be written."""
    directory = tmp_path / os.fsdecode(b"caf\xe9")
    state = StateDirectory(tmp_path / "state")
    state.pin(directory, Pin("ab" * 16, "cd" * 32))
    assert state.pin_of(directory) == Pin("ab" * 16, "cd" * 32)
    assert [str(found) for found, _ in state.pins()] == [f"{os.path.realpath(tmp_path)}/caf\ufffd"]


def test_the_bytes_of_a_mark_are_those_of_the_spec(tmp_path: Path) -> None:
    """C-14: two slots of 1,024 bytes, each with its counter and its BLAKE3."""
    mark = Mark(3, "ab" * 32, 0, "cd" * 32, "ef" * 32, "01" * 32, 100, 200)
    file = MarkFile(tmp_path / "mark")
    file.write(mark)
    said = (
        f'{{"count":1,"end":200,"epoch":0,"genesis":"{mark.genesis}","id":"{mark.id}","key":"{mark.key}",'
        f'"next_key":"{mark.next_key}","seq":3,"start":100}}'
    ).encode()
    slot = (said + b" " + blake3(said).hexdigest().encode()).ljust(1023) + b"\n"
    assert file.path.read_bytes() == bytes(1024) + slot
