"""Tests of ledger/recovery.py: a copy brings back what is lost here (C-18, C-23)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.chain import Chain
from ledger.command import Erase
from ledger.errors import ChainError, ForeignChainError, KeyFileError, StateError
from ledger.memory import Memory
from ledger.recovery import examine, recover, recover_from
from tests.ledger.broken import cut_to, damage, goes_on_after
from tests.ledger.world import ADA, World, flipped, lines_of, overwrite, texts_of
from tests.observing import dying_at, observed


@pytest.fixture
def world(world: World) -> World:
    """A ledger of six events: genesis and five memories."""
    world.fill("one", "two", "three", "four", "five")
    return world


@pytest.fixture
def backup(world: World, tmp_path: Path) -> Path:
    """A copy of the chain as it is now, in a file of another name."""
    path = tmp_path / "backup.jsonl"
    shutil.copy(world.path, path)
    return path


BROKEN: dict[str, Callable[[World], object]] = {
    "rolled back": lambda world: cut_to(world, 3),
    "a bad line": lambda world: damage(world, 3),
    "cut inside a line": lambda world: overwrite(world.path, world.path.read_bytes()[:-200]),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("known", [True, False])
def test_a_longer_backup_is_taken(
    world: World, backup: Path, broken: Callable[[World], object], known: bool
) -> None:
    """The old file is kept, no acknowledged event is lost, and appends work again (C-18)."""
    ledger = world.open()
    if known:
        texts_of(ledger)
    broken(world)
    before = world.path.read_bytes()
    done = recover_from(ledger, backup, ADA, "from the backup")
    assert done.lost is None
    assert (done.kept.read_bytes() if done.kept else b"") == before
    assert world.path.read_bytes().startswith(backup.read_bytes())
    assert world.path.stat().st_mode & 0o777 == 0o600
    goes_on_after(world, done, "one", "two", "three", "four", "five")
    ledger.create(Memory("and on"), ADA)
    assert texts_of(ledger)[-1] == "and on"


def test_a_backup_that_lacks_the_newest_events_says_so(world: World, backup: Path) -> None:
    """It is longer than what stands, but shorter than what was acknowledged."""
    world.fill("six")
    lost = world.events()[-1].id
    cut_to(world, 2)
    done = recover_from(world.open(), backup, ADA, "")
    assert done.lost == (6, lost)
    assert world.events()[-1].head["lost"] == {"id": lost, "seq": 6}
    goes_on_after(world, done, "one", "two", "three", "four", "five")


def refused(world: World, backup: Path, kind: type[Exception], words: str) -> None:
    """Assert that the backup is not taken and that nothing changed."""
    before, theirs = world.path.read_bytes(), backup.read_bytes()
    with pytest.raises(kind, match=words):
        recover_from(world.open(), backup, ADA, "")
    assert (world.path.read_bytes(), backup.read_bytes()) == (before, theirs)
    assert world.torn() == []


def test_a_shorter_backup_is_refused(world: World, backup: Path) -> None:
    """Nothing that stands is given up for a backup; one of the same length brings nothing either (C-18)."""
    refused(world, backup, StateError, "ours is not the shorter one")
    world.fill("six")
    cut_to(world, 6)
    refused(world, backup, StateError, "the backup ends at @5, ours at @5")


def test_a_forked_backup_is_refused(world: World, backup: Path, tmp_path: Path) -> None:
    """Two chains that part from each other are never merged by taking the longer one."""
    cut_to(world, 3)
    recover(world.open(), ADA, "")
    refused(world, backup, StateError, "they differ before @3; keep both")
    twin = World(tmp_path / "twin")
    twin.fill("one", "two", "3", "4", "5", "6", "7", "8")
    refused(world, twin.path, StateError, "they differ before @3; keep both")


def test_a_damaged_backup_is_refused(world: World, backup: Path) -> None:
    """What it holds could not be vouched for."""
    cut_to(world, 2)
    whole = backup.read_bytes()
    for data in (flipped(whole, len(whole) - 500), whole[:-40], whole + b"x"):
        backup.write_bytes(data)
        refused(world, backup, ChainError, "the backup's chain is damaged")
    for data in (b"", flipped(whole, 2)):
        backup.write_bytes(data)
        refused(world, backup, ChainError, "holds no good event at all")


@pytest.mark.parametrize("pinned", [True, False])
def test_a_backup_of_another_ledger_is_refused(world: World, tmp_path: Path, pinned: bool) -> None:
    """C-15."""
    stranger = World(tmp_path / "stranger", "two")
    stranger.fill(*"abcdefgh")
    ledger = world.open()
    if not pinned:
        ledger.chain.genesis = None
    overwrite(world.path, world.path.read_bytes()[:-1])
    before = world.path.read_bytes()
    with pytest.raises(ForeignChainError, match="another ledger"):
        recover_from(ledger, stranger.path, ADA, "")
    assert world.path.read_bytes() == before


def test_a_backup_without_its_last_line_feed_is_completed(world: World, backup: Path) -> None:
    """All its events are there."""
    cut_to(world, 2)
    backup.write_bytes(backup.read_bytes()[:-1])
    done = recover_from(world.open(), backup, ADA, "")
    goes_on_after(world, done, "one", "two", "three", "four", "five")


def test_what_was_erased_since_the_backup_is_blanked_again(
    world: World, backup: Path, tmp_path: Path
) -> None:
    """The backup holds the text; the erase event that stands in it as well does its work once more (C-20)."""
    ledger = world.open()
    target = world.events()[2]
    ledger.erase([target.id], ADA)
    shutil.copy(world.path, tmp_path / "blank")
    data = backup.read_bytes() + lines_of(world.path)[-1]
    backup.write_bytes(data)
    assert b'"two"' in data
    cut_to(world, 3)
    recover_from(ledger, backup, ADA, "")
    ledger.create(Memory("more"), ADA)
    assert b'"two"' not in world.path.read_bytes()
    assert world.codes() == []


def test_the_new_file_is_locked_before_it_has_its_name(world: World, backup: Path) -> None:
    """Nobody can append between the rename and the recover event: seq and prev would be given twice."""
    cut_to(world, 3)
    ledger, other = world.open(), Chain(world.directory, world.mark, world.genesis)
    seen: list[str] = []

    def look(step: str) -> None:
        if step in ("torn.copied", "append.written"):
            with pytest.raises(Exception, match="holds"), other.locked(0):
                pass
            seen.append(step)

    with observed(look):
        recover_from(ledger, backup, ADA, "")
    assert seen == ["torn.copied", "append.written"]
    assert world.codes() == []


def test_taking_a_backup_that_dies_leaves_the_old_file_or_the_new(world: World, backup: Path) -> None:
    """There is no moment at which the chain is neither."""
    cut_to(world, 3)
    before = world.path.read_bytes()
    for step, expected in (("torn.copied", before), ("append.written", None)):
        dies(world, backup, step)
        if expected is not None:
            assert world.path.read_bytes() == expected
    assert world.path.read_bytes().startswith(backup.read_bytes())
    world.goes_on("one", "two", "three", "four", "five")


def dies(world: World, backup: Path, step: str) -> None:
    """Recover from a copy with a process that ends at a step."""
    with dying_at(step):
        recover_from(world.open(), backup, ADA, "")


def test_a_payload_comes_back_from_a_copy(world: World, backup: Path) -> None:
    """C-23: of another length than what was damaged; heads, ids and all that came later stay."""
    world.open().create(Memory("six"), ADA)
    ids = [event.id for event in world.events()]
    damaged = world.path.read_bytes().replace(b'"text":"two"', b'"text":"t"')
    overwrite(world.path, damaged)
    done = recover_from(world.open(), backup, ADA, "")
    assert (done.mended, done.damaged, done.lost) == ((2,), (), None)
    assert [event.id for event in world.events()][:-1] == ids
    goes_on_after(world, done, "one", "two", "three", "four", "five", "six")
    assert [path.read_bytes() for path in world.torn()] == [damaged]


def test_what_the_copy_does_not_hold_stays_damaged_and_is_named(world: World, backup: Path) -> None:
    """C-23: the rest is not made up; with nothing to take nothing is changed."""
    world.open().create(Memory("six"), ADA)
    both = world.path.read_bytes().replace(b'"text":"six"', b'"text":"xis"')
    overwrite(world.path, both)
    refused(world, backup, StateError, "does not contain what is damaged here either")
    overwrite(world.path, both.replace(b'"text":"two"', b'"text":"owt"'))
    done = recover_from(world.open(), backup, ADA, "")
    assert (done.mended, done.damaged) == ((2,), (6,))
    assert world.codes() == ["payload-altered"]


@pytest.mark.parametrize("step", ["torn.copied", "append.written", "append.synced"])
@pytest.mark.parametrize("text", [b"owt", b"t"])
def test_mending_a_payload_may_die_anywhere(world: World, backup: Path, step: str, text: bytes) -> None:
    """C-23: the old file stands or the mended one, and the next recovery, or none, goes on."""
    overwrite(world.path, world.path.read_bytes().replace(b'"text":"two"', b'"text":"' + text + b'"'))
    dies(world, backup, step)
    standing = examine(world.open())
    if standing.mendable:
        recover_from(world.open(), backup, ADA, "")
    elif not standing.whole:
        recover(world.open(), ADA, "")
    world.goes_on("one", "two", "three", "four", "five")


def test_a_key_that_is_missing_mends_nothing(world: World, backup: Path) -> None:
    """C-23: a byte is touched only by who can sign for it."""
    overwrite(world.path, world.path.read_bytes().replace(b'"text":"two"', b'"text":"owt"'))
    before = world.path.read_bytes()
    ledger = world.open()
    world.keys.path_of(world.identity.id).unlink()
    with pytest.raises(KeyFileError):
        recover_from(ledger, backup, ADA, "")
    assert world.path.read_bytes() == before
    assert world.torn() == []


def test_an_altered_text_that_was_erased_is_not_taken(world: World, backup: Path) -> None:
    """C-23: an erase stands against every copy."""
    ledger = world.open()
    ledger.write([Erase((world.events()[1].id,), "a secret")], ADA)
    overwrite(world.path, world.path.read_bytes().replace(b'"text":"two"', b'"text":"owt"'))
    recover_from(world.open(), backup, ADA, "")
    assert b'"text":"one"' not in world.path.read_bytes()
    assert world.codes() == []


def test_an_erased_text_that_was_not_blanked_yet_is_not_taken(world: World, backup: Path) -> None:
    """C-23, C-20: what an erase names is not damage, whatever stands in its place."""
    before = world.path.read_bytes()
    world.open().write([Erase((world.events()[1].id,), "a secret")], ADA)
    line = before.splitlines()[1].replace(b'"text":"one"', b'"text":"eno"')
    lines = world.path.read_bytes().replace(b'"text":"two"', b'"text":"owt"').splitlines()
    overwrite(world.path, b"".join(each + b"\n" for each in [lines[0], line, *lines[2:]]))
    assert examine(world.open()).damaged.keys() == {world.events()[2].id}
    done = recover_from(world.open(), backup, ADA, "")
    assert done.mended == (2,)
    assert b'"text":"one"' not in world.path.read_bytes()


def test_a_payload_that_is_damaged_in_the_copy_too_is_not_taken(world: World, backup: Path) -> None:
    """C-23."""
    for path, text in ((world.path, b"owt"), (backup, b"wto")):
        overwrite(path, path.read_bytes().replace(b'"text":"two"', b'"text":"' + text + b'"'))
    refused(world, backup, StateError, "does not contain what is damaged here either")
