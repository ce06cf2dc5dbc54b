"""The next key takes over: who may do it, and what it leaves behind.

Tests specs/keys.md (N-5, N-6, N-13…N-21, N-23, N-28) and specs/security.md (A-13).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger import passphrase, reader
from ledger.canonical import unb64
from ledger.chain_identity import check_standing
from ledger.check import LineChecker
from ledger.errors import KeyFileError, LedgerExistsError, RollbackError, StateError
from ledger.event import next_key_commitment
from ledger.keys import COMING, KEY, NEXT, KeyDirectory
from ledger.memory import Memory
from ledger.next_key import export_next, import_next
from ledger.protection import change, opened
from ledger.recovery import recover
from ledger.rotation import rotate
from ledger.signing import SigningKey
from ledger.verify import Expectation, verify_chain
from tests.ledger.world import ADA, IDENTITY, World, flipped, overwrite, run_child

ID = IDENTITY.id


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.fill("one", "two")
    return world


@pytest.fixture(autouse=True)
def nothing_remembered(light_sealing: None) -> Iterator[None]:
    """No passphrase of another test opens a key here."""
    passphrase.forget()
    yield
    passphrase.forget()


def public(world: World, name: str = KEY) -> bytes:
    return world.keys.stored(ID, name).public


def test_the_next_key_signs_from_the_rotation_on(world: World) -> None:
    """N-13, N-16: the old one proves it, and a new next key is committed to and stored."""
    old, following = public(world), public(world, NEXT)
    done = rotate(world.open(), ADA)
    event = world.events()[-1]
    assert (event.kind, event.id, event.seq) == ("rotate", done.id, 3)
    assert event.head["key"] == following.hex() == done.key
    assert unb64(event.head["proof"], 64) is not None
    assert done.proved
    assert "since" not in event.head
    assert public(world) == following
    assert event.head["next"] == next_key_commitment(public(world, NEXT))
    assert old not in (public(world), public(world, NEXT))
    assert not world.keys.rotating(ID)
    mark = world.mark.read()
    assert mark is not None
    assert (mark.key, mark.next_key) == (following.hex(), event.head["next"])
    world.goes_on("one", "two")


def test_it_rotates_as_often_as_one_likes(world: World) -> None:
    """Each time from the key that the time before committed to; one open ledger follows."""
    ledger = world.open()
    for number in range(3):
        rotate(ledger, ADA)
        ledger.create(Memory(f"after {number}"), ADA)
    assert [event.kind for event in world.events()].count("rotate") == 3
    world.goes_on("one", "two", "after 0", "after 1", "after 2")


def test_another_process_signs_with_the_new_key(world: World) -> None:
    """An open ledger that knew the old key takes the new one from the disk."""
    other = world.open()
    other.create(Memory("before"), ADA)
    rotate(world.open(), ADA)
    other.create(Memory("after"), ADA)
    assert world.codes() == []


def test_without_its_next_key_nobody_rotates(world: World) -> None:
    """N-13: a missing one, and one that the chain did not commit to."""
    before = world.path.read_bytes()
    path = world.keys.path_of(ID, "next")
    path.rename(path.with_suffix(".away"))
    with pytest.raises(KeyFileError, match=r"the next key is not here .*import-next"):
        rotate(world.open(), ADA)
    world.keys.store(ID, SigningKey(bytes(range(32))), "next")
    with pytest.raises(KeyFileError, match="not the key that the chain committed to"):
        rotate(world.open(), ADA)
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match=r"open to others \(mode 644\)"):
        rotate(world.open(), ADA)
    assert world.path.read_bytes() == before


def test_the_thief_of_the_key_in_use_cannot_rotate(world: World) -> None:
    """E-21: a verifier refuses a key that was not committed to, whoever signs."""
    thief = SigningKey(bytes(range(32)))
    ledger = world.open()
    link = ledger.settle_keys()
    from ledger.draft import Draft

    members = {"key": thief.public.hex(), "next": next_key_commitment(thief.public)}
    _, line = ledger.build(Draft("rotate", members, None), link, ADA, thief, old=ledger.signing_key(link))
    with world.path.open("ab") as file:
        file.write(line.raw + b"\n")
    assert world.codes() == ["key"]


def test_a_lost_key_proves_nothing(world: World) -> None:
    """N-14: the commitment alone carries the rotation; without the word for it nothing happens."""
    world.keys.path_of(ID).unlink()
    with pytest.raises(KeyFileError, match=r"private key of this ledger is missing.*rotate --lost"):
        rotate(world.open(), ADA)
    done = rotate(world.open(), ADA, lost=True)
    assert not done.proved
    assert "proof" not in world.events()[-1].head
    world.goes_on("one", "two")


def test_a_damaged_key_is_lost(world: World) -> None:
    """What cannot be read cannot prove."""
    path = world.keys.path_of(ID)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(KeyFileError, match="cannot be read as a key"):
        rotate(world.open(), ADA)
    rotate(world.open(), ADA, lost=True)
    world.goes_on("one", "two")


def test_a_stolen_key_is_disowned_from_an_event_on(world: World) -> None:
    """N-15, V-20: the event says since when; verify says it and finds the chain sound."""
    done = rotate(world.open(), ADA, since=2)
    head = world.events()[-1].head
    assert head["since"] == 2
    assert "proof" not in head
    assert (done.disowned, done.proved) == (1, False)
    report = world.verify()
    assert report.disowned == ((2, 3),)
    assert "@2 to @2 by a compromised key" in report.integrity.sentence
    assert report.sound


@pytest.mark.parametrize("since", [0, -1, 3, 99])
def test_what_is_disowned_must_be_there(world: World, since: int) -> None:
    """N-15: neither the genesis nor what is still to come."""
    with pytest.raises(StateError, match=r"give one from @1 to @2"):
        rotate(world.open(), ADA, since=since)
    assert len(world.events()) == 3


def test_verify_says_the_same_from_the_mark(world: World) -> None:
    """V-20: ranges are listed by their rotate."""
    mark = world.mark.read()
    rotate(world.open(), ADA, since=2)
    rotate(world.open(), ADA, since=1)
    assert verify_chain(world.path, Expectation()).disowned == ((2, 3), (1, 4))
    assert verify_chain(world.path, Expectation(), since=mark).disowned == ((2, 3), (1, 4))


# --- the next key elsewhere (N-5, N-6) ---


def test_the_next_key_goes_to_a_stick_and_comes_back(world: World, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    data = world.keys.path_of(ID, "next").read_bytes()
    done = export_next(world.open(), stick)
    assert done.path == stick / f"{ID}.next"
    assert done.path.read_bytes() == data
    assert done.path.stat().st_mode & 0o777 == 0o600
    assert not world.keys.path_of(ID, "next").exists()
    done.path.chmod(0o777)  # FAT knows no modes
    with pytest.raises(KeyFileError, match="the next key is not here"):
        rotate(world.open(), ADA)
    import_next(world.open(), done.path)
    assert world.keys.path_of(ID, "next").read_bytes() == data
    import_next(world.open(), done.path)  # once more changes nothing
    rotate(world.open(), ADA)
    world.goes_on("one", "two")


def test_no_file_is_overwritten_by_the_next_key(world: World, tmp_path: Path) -> None:
    """N-5: neither the export's target nor a next key that lies here; an export that died goes on."""
    target = tmp_path / "file"
    target.write_text("mine")
    with pytest.raises(LedgerExistsError, match="already exists"):
        export_next(world.open(), target)
    assert target.read_text() == "mine"
    with pytest.raises(StateError, match="is there already"):
        export_next(world.open(), world.keys.path_of(ID, "next"))
    with pytest.raises(StateError, match="is there already"):
        export_next(world.open(), world.keys.path)
    target.write_bytes(world.keys.path_of(ID, "next").read_bytes())
    assert export_next(world.open(), target).path == target
    world.keys.store(ID, SigningKey(bytes(range(32))), "next")
    with pytest.raises(LedgerExistsError, match="a key is there already"):
        import_next(world.open(), target)


def test_no_key_is_put_where_git_may_take_it(world: World, tmp_path: Path) -> None:
    """N-5: the next key never lies in a work tree."""
    (tmp_path / "tree/.git").mkdir(parents=True)
    (tmp_path / "tree/docs").mkdir()
    with pytest.raises(StateError, match="is in the git work tree"):
        export_next(world.open(), tmp_path / "tree/docs")
    assert world.keys.path_of(ID, "next").exists()


@pytest.mark.parametrize(
    "data", [b"", b"{}", b'{"ledger":"x","public":"y","seed":"z"}'], ids=["empty", "none", "nonsense"]
)
def test_a_foreign_next_key_is_refused(world: World, tmp_path: Path, data: bytes) -> None:
    """N-6: what is no key, the key in use, another ledger's next key."""
    source = tmp_path / "source"
    source.write_bytes(data)
    with pytest.raises(KeyFileError, match="cannot be read as a key"):
        import_next(world.open(), source)
    with pytest.raises(KeyFileError, match="is not the next key of this ledger"):
        import_next(world.open(), world.keys.path_of(ID))
    other = World(tmp_path / "other", "other", IDENTITY._replace(id="f" * 32))
    with pytest.raises(KeyFileError, match="is not the next key of this ledger"):
        import_next(world.open(), other.keys.path_of("f" * 32, "next"))


def test_a_rotated_away_next_key_is_no_longer_the_next(world: World, tmp_path: Path) -> None:
    """N-6: the copy of an old stick."""
    shutil.copy(world.keys.path_of(ID, "next"), tmp_path / "old")
    rotate(world.open(), ADA)
    with pytest.raises(KeyFileError, match="is not the next key"):
        import_next(world.open(), tmp_path / "old")


# --- a chain that went back behind a rotation (N-19) ---


def test_a_chain_that_went_back_is_recovered_with_the_rotation_made_again(world: World) -> None:
    """The old key is gone; the one in use is the one that the chain committed to there."""
    before = world.path.read_bytes()
    rotate(world.open(), ADA)
    world.fill("three")
    overwrite(world.path, before)
    with pytest.raises(RollbackError):
        world.fill("four")
    done = recover(world.open(), ADA, "an old copy came back")
    kinds = [event.kind for event in world.events()]
    assert kinds[-2:] == ["rotate", "recover"]
    assert done.id == world.events()[-1].id
    assert done.lost is not None
    world.goes_on("one", "two")
    rotate(world.open(), ADA)
    assert world.codes() == []


def test_where_the_mark_is_gone_too_a_rotation_is_made_again(world: World) -> None:
    """Without a mark nothing says that the chain went back; the key in use is the committed one."""
    before = world.path.read_bytes()
    rotate(world.open(), ADA)
    overwrite(world.path, before)
    world.mark.remove()
    with pytest.raises(KeyFileError, match="not the key that the chain is signed with now"):
        world.fill("three")
    keys = public(world), public(world, NEXT)
    rotate(world.open(), ADA, lost=True)
    assert (public(world), public(world, NEXT)) == keys  # the newer chain may come back, too
    world.goes_on("one", "two")


def test_two_rotations_back_takes_the_keys_of_then(world: World) -> None:
    """Nothing here signs there: a clear refusal, and no byte is touched."""
    before = world.path.read_bytes()
    rotate(world.open(), ADA)
    rotate(world.open(), ADA)
    overwrite(world.path, before)
    with pytest.raises(KeyFileError, match="not the key that the chain is signed with now"):
        recover(world.open(), ADA, "an old copy came back")
    assert world.path.read_bytes() == before


def test_the_thief_of_an_old_key_cannot_pass_off_another_history(world: World, tmp_path: Path) -> None:
    """C-15: a chain that begins as ours and goes on with the old key is refused by readers and writers."""
    fork = World(tmp_path / "fork")
    shutil.rmtree(fork.keys.path)
    shutil.copytree(world.keys.path, fork.keys.path)
    overwrite(fork.path, world.path.read_bytes())
    fork.mark.remove()
    rotate(world.open(), ADA)
    world.fill("three")
    fork.fill(*(f"forged {number}" for number in range(8)))
    assert fork.codes() == []
    overwrite(world.path, fork.path.read_bytes())
    with pytest.raises(RollbackError, match="another event is in its place"):
        check_standing(world.path, world.state)
    assert "rollback" in world.codes()
    with pytest.raises((RollbackError, Exception), match="acknowledged"):
        world.fill("more")


def test_a_damaged_marked_line_after_a_rotation_is_damage(world: World) -> None:
    """Readers go on to the fold, which names it; nobody replaced it."""
    rotate(world.open(), ADA)
    world.fill("three")
    data = world.path.read_bytes()
    overwrite(world.path, flipped(data, data.rfind(b'"sig":"') + 20))
    check_standing(world.path, world.state)


EXPORT = """
import resource, sys
from pathlib import Path
from ledger.next_key import export_next
from tests.ledger.life import opened
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
export_next(opened(Path(sys.argv[1])), Path(sys.argv[2]))
"""


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_no_place_for_a_key(world: World, tmp_path: Path, device: str) -> None:
    """N-5: a file that stands there is never replaced; what gives bytes without end is not read."""
    done = run_child(EXPORT, str(tmp_path), device, check=False)
    assert "LedgerExistsError" in done.stderr
    assert public(world, NEXT)


# --- passphrases (N-16, N-23) ---


@pytest.fixture
def sealed(world: World) -> World:
    ledger = world.open()
    change(ledger, opened(ledger), "correct horse")
    passphrase.forget()
    return world


def asked(*answers: str) -> Callable[[str], str]:
    given = iter(answers)
    return lambda _: next(given)


def test_a_person_is_asked_once_for_both_keys(sealed: World) -> None:
    """N-10: the passphrase that opened one is tried on the other; the new next key is under it too."""
    sealed.keys = KeyDirectory(sealed.keys.path, asked("correct horse"))
    rotate(sealed.open(), ADA)
    assert sealed.keys.stored(ID, NEXT).sealed
    sealed.goes_on("one", "two")


def test_a_next_key_in_the_open_comes_under_the_passphrase_of_the_old(world: World, tmp_path: Path) -> None:
    """N-16: a rotation does not take protection away."""
    export_next(world.open(), tmp_path / "next")
    ledger = world.open()
    change(ledger, opened(ledger), "correct horse")
    import_next(world.open(), tmp_path / "next")
    assert rotate(world.open(), ADA).sealed
    assert world.keys.stored(ID, KEY).sealed
    assert world.keys.stored(ID, NEXT).sealed
    world.goes_on("one", "two")


def test_a_forgotten_passphrase_is_a_lost_key(
    sealed: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """N-14: the next key in the open, from a stick, takes the ledger over."""
    monkeypatch.setenv(passphrase.VARIABLE, "wrong")
    with pytest.raises(KeyFileError, match="does not open"):
        rotate(sealed.open(), ADA)
    monkeypatch.setenv(passphrase.VARIABLE, "correct horse")
    ledger = sealed.open()
    change(ledger, opened(ledger), "")
    export_next(sealed.open(), tmp_path / "next")
    ledger = sealed.open()
    change(ledger, opened(ledger), "forgotten since")
    passphrase.forget()
    monkeypatch.delenv(passphrase.VARIABLE)
    import_next(sealed.open(), tmp_path / "next")
    done = rotate(sealed.open(), ADA, lost=True)
    assert (done.proved, done.sealed) == (False, False)
    sealed.goes_on("one", "two")


def test_a_short_passphrase_is_refused(world: World) -> None:
    """N-23: and the keys stay as they are."""
    ledger = world.open()
    with pytest.raises(KeyFileError, match="has 7 characters; give at least 8"):
        change(ledger, opened(ledger), "1234567")
    assert not world.keys.stored(ID).sealed


def test_the_state_after_a_rotation_is_what_a_verifier_makes_of_it(world: World) -> None:
    """The mark goes on where a reader from the beginning stands."""
    rotate(world.open(), ADA, since=1)
    checker = LineChecker()
    with reader.opened(world.path) as fd:
        for line in reader.lines(fd):
            assert checker.take(line.raw)
    mark, link = world.mark.read(), checker.link
    assert mark is not None
    assert link is not None
    assert (mark.key, mark.next_key, mark.id) == (link.key.hex(), link.next_key, link.id)
    assert json.loads(world.keys.path_of(ID).read_bytes())["public"] == mark.key
    assert COMING not in {path.suffix[1:] for path in world.keys.path.iterdir()}
