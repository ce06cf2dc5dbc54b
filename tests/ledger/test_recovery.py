"""Tests of ledger/recovery.py: a person goes on after damage, and nothing is dropped (C-17, C-18)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from blake3 import blake3

from ledger import steps
from ledger.chain import Chain
from ledger.command import Create
from ledger.errors import (
    ChainError,
    ForeignChainError,
    KeyFileError,
    NoLedgerError,
    RecordError,
    RollbackError,
    SecretError,
    StateError,
    StorageError,
)
from ledger.memory import Memory
from ledger.recovery import Recovered, examine, recover, recover_from
from tests.ledger.world import ADA, SECRET, World, flipped, lines_of, overwrite, texts_of


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A ledger of six events: genesis and five memories."""
    world = World(tmp_path)
    world.fill("one", "two", "three", "four", "five")
    return world


def cut_to(world: World, lines: int) -> bytes:
    """Roll the chain back to so many lines; return the bytes that went."""
    whole = world.path.read_bytes()
    kept = b"".join(lines_of(world.path)[:lines])
    overwrite(world.path, kept)
    return whole[len(kept) :]


def damage(world: World, line: int, at: int = 60) -> bytes:
    """Change a byte of a line (from 0); return all bytes from that line on."""
    lines = lines_of(world.path)
    lines[line] = flipped(lines[line], at)
    overwrite(world.path, b"".join(lines))
    return b"".join(lines[line:])


def goes_on_after(world: World, done: Recovered, *texts: str) -> None:
    """Assert that the recover event stands in a new epoch, the chain is sound, and appends work again."""
    event = world.events()[-1]
    assert (event.id, event.kind, event.epoch) == (done.id, "recover", 1)
    assert world.codes() == []
    assert world.verify().completeness.state == "sound"
    world.goes_on(*texts)
    assert world.events()[-1].epoch == 1


# --- looking ------------------------------------------------------------------------------------------------


def test_a_whole_chain_needs_no_recovery(world: World) -> None:
    """Recovering one is refused, and says so."""
    before = world.path.read_bytes()
    standing = examine(world.open())
    assert standing.whole
    assert standing.events == 6
    assert standing.sentences() == ["6 good events stand, the newest is @5", "nothing needs recovery"]
    with pytest.raises(StateError, match="nothing to recover"):
        recover(world.open(), ADA, "just in case")
    assert world.path.read_bytes() == before


def test_looking_changes_nothing(world: World) -> None:
    """What was found is said in sentences: how much stands, the fault, what was lost."""
    rest = damage(world, 3)
    before = world.path.read_bytes()
    said = " | ".join(examine(world.open()).sentences())
    assert "3 good events stand, the newest is @2" in said
    assert "then line 4: " in said
    assert f"{len(rest)} bytes from there on would be set aside" in said
    assert "event @5" in said
    assert "was acknowledged here and is not among them" in said
    assert world.path.read_bytes() == before


def test_looking_at_nothing(world: World) -> None:
    """Without a file there is nothing to examine."""
    ledger = world.open()
    world.path.unlink()
    with pytest.raises(NoLedgerError):
        examine(ledger)


# --- recover ------------------------------------------------------------------------------------------------


def test_after_a_rollback(world: World) -> None:
    """Appends are refused until then; the recover event names what is lost (C-17)."""
    ledger, lost = world.open(), world.events()[-1].id
    cut_to(world, 3)
    for _ in range(2):
        with pytest.raises(RollbackError):
            ledger.create(Memory("six"), ADA)
    done = recover(ledger, ADA, "the disk went back")
    event = world.events()[-1]
    assert done == Recovered(event.id, None, (5, lost))
    assert event.head["lost"] == {"id": lost, "seq": 5}
    assert event.head["cut"] is None
    assert event.payload is not None
    assert event.payload["reason"] == "the disk went back"
    goes_on_after(world, done, "one", "two")
    assert world.torn() == []


def test_after_a_bad_line(world: World) -> None:
    """From the bad line on all bytes lie beside the chain, their hash stands in the event (C-17)."""
    lost = world.events()[-1].id
    rest = damage(world, 4)
    done = recover(world.open(), ADA, "a bad sector")
    [torn] = world.torn()
    assert done.kept == torn
    assert torn.read_bytes() == rest
    event = world.events()[-1]
    assert event.head["cut"] == blake3(rest).hexdigest()
    assert event.head["lost"] == {"id": lost, "seq": 5}
    goes_on_after(world, done, "one", "two", "three")


def test_after_a_bad_line_without_a_mark(world: World) -> None:
    """Nothing says what was lost, so nothing is named; the bytes are kept all the same."""
    rest = damage(world, 4)
    world.mark.remove()
    with pytest.raises(ChainError, match="memledger recover"):
        world.open().create(Memory("six"), ADA)
    done = recover(world.open(), ADA, "")
    assert world.torn()[0].read_bytes() == rest
    assert (done.lost, world.events()[-1].head["lost"]) == (None, None)
    goes_on_after(world, done, "one", "two", "three")


def test_after_damage_to_every_line(world: World) -> None:
    """Whichever line is bad: what stands before it stays, and one recovery is enough."""
    whole, mark = world.path.read_bytes(), world.mark.read()
    assert mark is not None
    texts = ["one", "two", "three", "four", "five"]
    for line in range(1, 6):
        overwrite(world.path, whole)
        world.mark.write(mark)
        rest = damage(world, line)
        done = recover(world.open(), ADA, "")
        assert done.kept is not None
        assert done.kept.read_bytes() == rest
        goes_on_after(world, done, *texts[: line - 1])


def test_a_chain_without_a_good_genesis_is_not_recovered(world: World) -> None:
    """Only a backup helps, whether it was emptied or its first line is bad (C-17)."""
    ledger, whole = world.open(), world.path.read_bytes()
    for data in (b"", flipped(whole, 3)):
        for marked in (True, False):
            overwrite(world.path, data)
            mark = world.mark.read()
            if not marked:
                world.mark.remove()
            with pytest.raises(ChainError, match=r"holds no good event at all .*memledger restore"):
                recover(ledger, ADA, "")
            assert world.path.read_bytes() == data
            if mark:
                world.mark.write(mark)
    assert world.torn() == []


def test_another_ledgers_chain_is_not_recovered(world: World, tmp_path: Path) -> None:
    """However good it is in itself; with and without a mark."""
    stranger = World(tmp_path / "stranger", "two")
    overwrite(world.path, stranger.path.read_bytes())
    for _ in range(2):
        with pytest.raises(ForeignChainError, match="another ledger's chain"):
            recover(world.open(), ADA, "")
        world.mark.remove()
    assert world.path.read_bytes() == stranger.path.read_bytes()


@pytest.mark.parametrize("marked", [True, False])
def test_a_lost_line_feed_loses_no_event(world: World, marked: bool) -> None:
    """The event is all there: recover has nothing to do, and the next append mends it."""
    overwrite(world.path, world.path.read_bytes()[:-1])
    if not marked:
        world.mark.remove()
    assert examine(world.open()).whole
    with pytest.raises(StateError, match="nothing to recover"):
        recover(world.open(), ADA, "")
    world.goes_on("one", "two", "three", "four", "five")


def test_a_lost_line_feed_before_a_rollback_is_mended_on_the_way(world: World) -> None:
    """Rolled back into the middle of nowhere: the last whole event counts."""
    cut_to(world, 4)
    overwrite(world.path, world.path.read_bytes()[:-1])
    done = recover(world.open(), ADA, "")
    assert done.kept is None
    goes_on_after(world, done, "one", "two", "three")


def test_a_half_line_after_a_rollback_is_set_aside(world: World) -> None:
    """Also one that was cut just after a brace of its payload."""
    ledger = world.open()
    payload = Memory("six", details=("a", "b"), place=None, when_to_use=("c",)).with_changes(title="t")
    ledger.create(payload, ADA)
    lines = lines_of(world.path)
    for size in (100, len(lines[5]) - 10):
        overwrite(world.path, b"".join(lines[:5]) + lines[5][:size])
        standing = examine(ledger)
        assert standing.fault is not None
        assert standing.events == 5
    done = recover(ledger, ADA, "")
    assert world.torn()[0].read_bytes() == lines[5][:-10]
    goes_on_after(world, done, "one", "two", "three", "four")


@pytest.mark.parametrize("marked", [True, False])
def test_half_a_document_after_a_rollback_is_set_aside(world: World, marked: bool) -> None:
    """A file that ends inside a long body must not show a part of it as the whole (C-10, C-17)."""
    ledger = world.open()
    ledger.create(Memory("long", body="a line of it\n" * 12_000), ADA)
    rest = b"".join(lines_of(world.path)[6:-1])
    cut_to(world, len(lines_of(world.path)) - 1)
    standing = examine(ledger)
    assert (standing.events, standing.rest) == (6, len(rest))
    assert any("half a document" in sentence for sentence in standing.sentences())
    if not marked:
        world.mark.remove()
        world.goes_on("one", "two", "three", "four", "five")
    else:
        done = recover(ledger, ADA, "")
        assert world.events()[-1].head["cut"] == blake3(rest).hexdigest()
        goes_on_after(world, done, "one", "two", "three", "four", "five")
    assert [torn.read_bytes() for torn in world.torn()] == [rest]


def test_what_lost_events_had_erased_stays_erased(world: World) -> None:
    """The file was cut, so the blanks are there and the erase is not: a new one says so (C-17)."""
    ledger = world.open()
    gone = [written.id for written in ledger.write([Create(Memory(f"private {n}")) for n in range(20)], ADA)]
    ledger.erase([world.events()[1].id], ADA)
    ledger.erase(gone, ADA)
    cut_to(world, 6 + 20 + 1)
    done = recover(ledger, ADA, "")
    recovered, *erases = world.events()[-3:]
    assert (recovered.id, recovered.kind) == (done.id, "recover")
    assert [target for erase in erases for target in erase.targets] == gone
    assert world.codes() == []
    world.goes_on("two", "three", "four", "five")


def test_a_torn_tail_can_be_recovered_by_hand_too(world: World) -> None:
    """The next append would set it aside by itself; recover does the same and says so in the log."""
    with world.path.open("ab") as file:
        file.write(b"half a li")
    done = recover(world.open(), ADA, "")
    assert world.torn()[0].read_bytes() == b"half a li"
    assert done.lost is None
    goes_on_after(world, done, "one", "two", "three", "four", "five")


def test_recovering_twice_needs_a_second_damage(world: World) -> None:
    """Each recovery opens an epoch of its own."""
    cut_to(world, 4)
    recover(world.open(), ADA, "first")
    world.fill("six")
    cut_to(world, 5)
    recover(world.open(), ADA, "second")
    assert [event.epoch for event in world.events()] == [0, 0, 0, 0, 1, 2]
    assert world.codes() == []


def test_other_open_processes_go_on_after_a_recovery(world: World) -> None:
    """What they knew of the lost events is forgotten, not written down again as known."""
    other = world.open()
    assert texts_of(other) == ["one", "two", "three", "four", "five"]
    cut_to(world, 3)
    recover(world.open(), ADA, "")
    assert texts_of(other) == ["one", "two"]
    assert not other.create(Memory("five"), ADA).known
    assert texts_of(other) == ["one", "two", "five"]
    assert world.codes() == []


def test_the_process_that_recovered_goes_on(world: World) -> None:
    """Its own view had the lost events as well."""
    ledger = world.open()
    assert len(texts_of(ledger)) == 5
    damage(world, 3)
    recover(ledger, ADA, "")
    ledger.create(Memory("three"), ADA)
    assert texts_of(ledger) == ["one", "two", "three"]
    assert world.codes() == []


def test_without_the_key_nothing_is_cut(world: World) -> None:
    """The recover event could not be signed, so the damaged chain stays as it is."""
    rest = damage(world, 3)
    before = world.path.read_bytes()
    ledger, key = world.open(), world.keys.path_of(world.identity.id)
    key.rename(key.with_suffix(".away"))
    with pytest.raises(KeyFileError, match="missing"):
        recover(ledger, ADA, "")
    shutil.copy(World(world.directory.parent / "other", "two").keys.path_of(world.identity.id), key)
    with pytest.raises(KeyFileError, match="not the key that the chain is signed with"):
        recover(ledger, ADA, "")
    assert world.path.read_bytes() == before
    assert rest
    assert world.torn() == []


@pytest.mark.parametrize("reason", [f"the key was {SECRET}", "x" * 4001, "a\0b"])
def test_a_reason_that_cannot_be_signed_changes_nothing(world: World, reason: str) -> None:
    """A secret in the reason is refused as everywhere; so is one that is too long."""
    damage(world, 3)
    before = world.path.read_bytes()
    with pytest.raises((SecretError, RecordError)) as caught:
        recover(world.open(), ADA, reason)
    assert SECRET not in str(caught.value)
    assert world.path.read_bytes() == before


def test_a_mark_of_another_chain_is_replaced_by_recovery(world: World, tmp_path: Path) -> None:
    """A state directory that was mixed up stops appends; a person's recover settles it."""
    stranger = World(tmp_path / "stranger", "two")
    mark = stranger.mark.read()
    assert mark is not None
    world.mark.write(mark)
    done = recover(world.open(), ADA, "state of another machine")
    assert done.lost == (0, stranger.genesis)
    goes_on_after(world, done, "one", "two", "three", "four", "five")


@pytest.mark.parametrize("slot", [0, 1])
def test_a_mark_torn_after_a_recovery_does_not_bring_the_lost_one_back(world: World, slot: int) -> None:
    """Appends would be refused again, for an event that a person has given up."""
    cut_to(world, 4)
    recover(world.open(), ADA, "")
    data = world.mark.path.read_bytes()
    world.mark.path.write_bytes(data[: slot * 1024] + bytes(1024) + data[(slot + 1) * 1024 :])
    world.goes_on("one", "two", "three")


def test_a_mark_that_cannot_be_settled_is_an_error(world: World, tmp_path: Path) -> None:
    """Appends would still be refused; recovering once more, when it can be written, settles it."""
    cut_to(world, 4)
    ledger, marks = world.open(), tmp_path / "state" / "marks"

    def break_it(step: str) -> None:
        if step == "append.written":
            marks.rename(tmp_path / "hidden")
            marks.write_text("a file where the folder was")

    steps.observer = break_it
    try:
        with pytest.raises(StorageError, match="high-water mark"):
            recover(ledger, ADA, "")
    finally:
        steps.observer = None
    marks.unlink()
    (tmp_path / "hidden").rename(marks)
    recover(world.open(), ADA, "")
    world.goes_on("one", "two", "three")


@pytest.mark.parametrize("step", ["torn.copied", "torn.cut", "append.written", "append.synced"])
def test_a_recovery_that_dies_is_repeated(world: World, step: str) -> None:
    """At whichever step: nothing good is lost, and a second recovery, or none, is needed."""

    class Stop(Exception):  # noqa: N818 - it stands for the end of the process
        pass

    def stop(reached: str) -> None:
        if reached == step:
            raise Stop

    rest = damage(world, 3)
    ledger = world.open()
    steps.observer = stop
    try:
        with pytest.raises(Stop):
            recover(ledger, ADA, "")
    finally:
        steps.observer = None
    if not examine(world.open()).whole:
        recover(world.open(), ADA, "")
    world.goes_on("one", "two")
    assert rest in [torn.read_bytes() for torn in world.torn()]


# --- recover from a backup ----------------------------------------------------------------------------------


@pytest.fixture
def backup(world: World, tmp_path: Path) -> Path:
    """A copy of the chain as it is now, in a file of another name."""
    path = tmp_path / "backup.jsonl"
    shutil.copy(world.path, path)
    return path


BROKEN: dict[str, Callable[[World], object]] = {
    "rolled back": lambda world: cut_to(world, 3),
    "a bad line": lambda world: damage(world, 3),
    "emptied": lambda world: overwrite(world.path, b""),
    "a bad first line": lambda world: damage(world, 0),
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
    assert done.kept is not None
    assert done.kept.read_bytes() == before
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
    refused(world, backup, StateError, "they part before @3; keep both")
    twin = World(tmp_path / "twin")
    twin.fill("one", "two", "3", "4", "5", "6", "7", "8")
    refused(world, twin.path, StateError, "they part before @3; keep both")


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


@pytest.mark.parametrize("emptied", [True, False])
@pytest.mark.parametrize("pinned", [True, False])
def test_a_backup_of_another_ledger_is_refused(
    world: World, tmp_path: Path, emptied: bool, pinned: bool
) -> None:
    """Also where nothing of ours stands any more: pin and mark still say whose chain this is (C-15)."""
    stranger = World(tmp_path / "stranger", "two")
    stranger.fill(*"abcdefgh")
    ledger = world.open()
    if not pinned:
        ledger.chain.genesis = None
    overwrite(world.path, b"" if emptied else world.path.read_bytes()[:-1])
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

    steps.observer = look
    try:
        recover_from(ledger, backup, ADA, "")
    finally:
        steps.observer = None
    assert seen == ["torn.copied", "append.written"]
    assert world.codes() == []


def test_taking_a_backup_that_dies_leaves_the_old_file_or_the_new(world: World, backup: Path) -> None:
    """There is no moment at which the chain is neither."""
    cut_to(world, 3)
    before = world.path.read_bytes()

    class Stop(Exception):  # noqa: N818 - it stands for the end of the process
        pass

    for step, expected in (("torn.copied", before), ("append.written", None)):

        def stop(reached: str, step: str = step) -> None:
            if reached == step:
                raise Stop

        steps.observer = stop
        try:
            with pytest.raises(Stop):
                recover_from(world.open(), backup, ADA, "")
        finally:
            steps.observer = None
        if expected is not None:
            assert world.path.read_bytes() == expected
    assert world.path.read_bytes().startswith(backup.read_bytes())
    world.goes_on("one", "two", "three", "four", "five")
