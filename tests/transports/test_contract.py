"""What every transport promises, tried on real places: a folder, git repositories and servers.

Tests specs/team.md (TM-70…TM-72, TM-74…TM-78).
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.transports.places import ADA, BEN, TEAM, Place, git, lines
from tests.transports.putting import race
from transports.choose import opened
from transports.protocol import MOST_BYTES, MOST_NOTE_BYTES, Segment, TakenError, Transport

ROOT = Path(__file__).resolve().parents[2]


ENGINES = ["postgres", "nats", "s3"]


@pytest.fixture(params=["folder", "git", pytest.param("branches", marks=pytest.mark.soak), *ENGINES])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place where nothing stands yet."""
    kind = request.param
    made = Place(kind, tmp_path, request.getfixturevalue(kind) if kind in ENGINES else None)
    yield made
    made.close()


@pytest.fixture
def two(place: Place) -> tuple[Transport, Transport]:
    """Two machines that use the place."""
    return place.at("one"), place.at("other")


Two = tuple[Transport, Transport]


def test_an_empty_place_holds_nothing_until_something_is_put(two: Two) -> None:
    one, other = two
    assert one.heads() == other.heads() == {}
    assert list(one.since(ADA, 0)) == []
    assert list(one.notes("roster")) == []
    one.put(ADA, [lines(0)])
    assert other.heads() == {ADA: 1}
    one.put(ADA, [lines(1)])
    assert other.heads() == {ADA: 2}
    assert list(other.since(ADA, 1)) == [lines(1)]


def test_what_one_machine_puts_another_reads_in_order(two: Two) -> None:
    """TM-70: in whatever order it was put."""
    one, other = two
    one.put(ADA, [lines(3), lines(0, 2)])
    one.put(BEN, [lines(0)])
    one.put(ADA, [lines(4, 3), lines(2)])
    assert other.heads() == one.heads() == {ADA: 7, BEN: 1}
    assert list(other.since(ADA, 0)) == [lines(0, 2), lines(2), lines(3), lines(4, 3)]
    assert list(other.since(ADA, 3)) == [lines(3), lines(4, 3)]
    assert list(other.since(ADA, 5)) == [lines(4, 3)]
    assert list(other.since(ADA, 7)) == []


def test_the_same_bytes_may_be_put_again_by_anyone(two: Two) -> None:
    """TM-72."""
    one, other = two
    for each in (one, other, one):
        each.put(ADA, [lines(0, 2), lines(2)])
        each.put_note("roster", "a.note", b"text")
    assert list(one.since(ADA, 0)) == [lines(0, 2), lines(2)]
    assert list(other.notes("roster")) == [("a.note", b"text")]


def test_segments_may_overlap(two: Two) -> None:
    """Holders cut a chain in different places: each segment that holds the line is given."""
    one, other = two
    one.put(ADA, [lines(0, 5), lines(997, 256)])
    other.put(ADA, [lines(3, 4), lines(1000)])
    assert one.heads() == {ADA: 7}
    assert list(one.since(ADA, 4)) == [lines(0, 5), lines(3, 4), lines(997, 256), lines(1000)]
    assert list(one.since(ADA, 6)) == [lines(3, 4), lines(997, 256), lines(1000)]
    assert list(one.since(ADA, 1252)) == [lines(997, 256)]
    assert list(one.since(ADA, 1253)) == []


def test_other_bytes_are_found_and_not_overwritten(two: Two) -> None:
    """TM-72."""
    one, other = two
    one.put(ADA, [lines(0), lines(1)])
    with pytest.raises(TakenError) as found:
        other.put(ADA, [lines(0), lines(1, word="forged"), lines(2)])
    assert (found.value.chain, found.value.first, found.value.data) == (ADA, *lines(1))
    assert next(one.since(ADA, 1)) == lines(1)


def test_of_eight_senders_one_wins(place: Place) -> None:
    """TM-72, TM-74…TM-78: the others are told what stands there."""
    ended = race(place, 8, lambda racer, number: racer.put(ADA, [lines(0, word=f"racer{number}")]))
    [winner] = [number for number, error in enumerate(ended) if error is None]
    assert {error.data for error in ended if error} == {lines(0, word=f"racer{winner}").data}
    assert list(place.at("reader").since(ADA, 0)) == [lines(0, word=f"racer{winner}")]


def test_senders_of_different_things_all_succeed(place: Place) -> None:
    """A push that another one was faster than is made again."""
    ended = race(place, 4, lambda racer, number: racer.put_note("join", f"{number}", b"hello"))
    assert ended == [None] * 4
    assert [name for name, _ in place.at("reader").notes("join")] == ["0", "1", "2", "3"]


def test_a_lost_segment_is_seen_and_put_again(place: Place, two: Two) -> None:
    """TM-71: by any holder; a chain without its first line is not there yet."""
    one, other = two
    one.put(ADA, [lines(0, 2), lines(2, 2), lines(4)])
    assert other.heads() == {ADA: 5}
    place.lose(ADA, 2)
    assert other.heads() == {ADA: 2}
    assert list(other.since(ADA, 1)) == [lines(0, 2), lines(4)]
    other.put(ADA, [lines(2, 2)])
    assert one.heads() == other.heads() == {ADA: 5}
    place.lose(ADA, 0)
    assert other.heads() == {}
    assert list(other.since(ADA, 0)) == [lines(2, 2), lines(4)]
    one.heads()
    one.put(ADA, [lines(0, 2)])
    assert other.heads() == {ADA: 5}


def test_notes_of_two_senders_both_stand_and_none_is_overwritten(two: Two) -> None:
    one, other = two
    one.put_note("roster", "b-1.note", b"of one\n")
    other.put_note("roster", "a-2.note", bytes(range(256)))
    other.put_note("join", "b-1.note", b"of other")
    one.heads()
    for each in two:
        assert list(each.notes("roster")) == [("a-2.note", bytes(range(256))), ("b-1.note", b"of one\n")]
        assert list(each.notes("join")) == [("b-1.note", b"of other")]
        assert list(each.notes("anchor")) == []
    with pytest.raises(TakenError) as found:
        one.put_note("join", "b-1.note", b"second")
    assert (found.value.chain, found.value.first, found.value.data) == ("join/b-1.note", 0, b"of other")
    assert list(one.notes("join")) == [("b-1.note", b"of other")]


def test_a_blanked_segment_takes_the_place_of_the_other(two: Two) -> None:
    """And is put there where the other was lost."""
    one, other = two
    one.put(ADA, [lines(0, 2), lines(2)])
    assert other.heads() == {ADA: 3}
    other.blank(ADA, lines(0, 2, word="blank"))
    assert one.heads() == other.heads() == {ADA: 3}
    for each in two:
        assert list(each.since(ADA, 0)) == [lines(0, 2, word="blank"), lines(2)]
    one.blank(ADA, lines(0, 2, word="blank"))
    one.put(ADA, [lines(3)])
    one.blank(BEN, lines(0, word="blank"))
    assert other.heads() == {ADA: 4, BEN: 1}


def test_short_segments_give_way_to_one_with_the_same_lines(place: Place, two: Two) -> None:
    """TM-79: not those with other bytes, such as a blank; and nothing changes where that brings nothing."""
    if place.kind == "s3":
        pytest.skip("this server deletes nothing: test_versioned_bucket.py asks another")
    one, other = two
    apart = [lines(0, 2), lines(2), lines(3), lines(4, 2), lines(6)]
    one.put(ADA, apart)
    other.blank(ADA, lines(3, word="blank"))
    assert other.heads() == {ADA: 7}
    one.compact(ADA, lines(0, 6))
    one.compact(BEN, lines(0, 6))
    assert one.heads() == other.heads() == {ADA: 7}
    apart[2] = lines(3, word="blank")
    joined = [lines(0, 6), lines(3, word="blank"), lines(6)]
    for each in two:
        assert list(each.since(ADA, 0)) == (joined if place.kind == "folder" else apart)
        assert list(each.since(ADA, 6)) == [lines(6)]


def test_a_segment_whose_first_lines_are_others_changes_nothing(two: Two) -> None:
    """TM-79."""
    one, other = two
    one.put(ADA, [lines(0, 2), lines(2)])
    other.heads()
    other.compact(ADA, lines(0, 3, word="other"))
    assert list(one.since(ADA, 0)) == list(other.since(ADA, 0)) == [lines(0, 2), lines(2)]


def test_a_hundred_segments_are_put_at_once(place: Place, two: Two) -> None:
    """In git by one push, so that a newcomer's long chain costs one round trip."""
    one, other = two
    wanted = [lines(first, 7) for first in range(0, 700, 7)]
    one.put(ADA, wanted)
    assert other.heads() == {ADA: 700}
    assert list(other.since(ADA, 0)) == wanted
    if place.kind in ("git", "branches"):
        assert git(place.path, "rev-list", "--count", place.ref(ADA)) == "1"


def test_the_largest_segment_and_note_travel(two: Two) -> None:
    one, other = two
    segment = Segment(0, b"x" * (MOST_BYTES - 256) + b"\n" * 256)
    one.put(ADA, [segment])
    one.put_note("roster", "-" * 80, b"x" * MOST_NOTE_BYTES)
    assert other.heads() == {ADA: 256}
    assert list(other.since(ADA, 255)) == [segment]
    assert list(other.notes("roster")) == [("-" * 80, b"x" * MOST_NOTE_BYTES)]


def test_a_wait_ends_though_nothing_is_new(two: Two) -> None:
    """X-345."""
    one, _ = two
    one.wait(0)  # from here on it listens
    assert not one.wait(0.01)


_ADA = [lines(0)]


@pytest.mark.parametrize(
    "put",
    [
        lambda at: at.put(ADA, [Segment(0, b"")]),
        lambda at: at.put(ADA, [Segment(0, b"no end")]),
        lambda at: at.put(ADA, [Segment(0, b"\n" * 257)]),
        lambda at: at.put(ADA, [Segment(0, b"x" * MOST_BYTES + b"\n")]),
        lambda at: at.put(ADA, [Segment(-1, b"\n")]),
        lambda at: at.put(ADA, [Segment(10**10, b"\n")]),
        lambda at: at.blank(ADA, Segment(0, b"no end")),
        lambda at: at.put(ADA[:40], _ADA),
        lambda at: at.put(ADA.upper(), _ADA),
        lambda at: at.put("../" + ADA[3:], _ADA),
        lambda at: at.since("--all", 0),
        lambda at: at.put_note("roster", "..", b"x"),
        lambda at: at.put_note("roster", "a/b", b"x"),
        lambda at: at.put_note("roster", "a" * 81, b"x"),
        lambda at: at.put_note("roster", "A", b"x"),
        lambda at: at.put_note("roster", "a.tmp", b"x"),
        lambda at: at.put_note("roster", "a.sync-conflict-1", b"x"),
        lambda at: at.put_note("../x", "a", b"x"),
        lambda at: at.notes("--all"),
        lambda at: at.put_note("roster", "a", b""),
        lambda at: at.put_note("roster", "a", b"x" * (MOST_NOTE_BYTES + 1)),
    ],
)
def test_what_no_place_may_hold_is_refused(put: Callable[[Transport], object], tmp_path: Path) -> None:
    """TM-70; no place is asked before."""
    for kind in ("folder", "git"):
        with pytest.raises(ValueError, match=r"^(a|the) (segment|id|note|kind)"):
            put(opened(f"{kind}:{tmp_path / 'none'}", TEAM, tmp_path / "cache"))


_PUSHER = """
import sys
from pathlib import Path
from tests.transports.putting import race
from transports.choose import opened
from transports.protocol import Segment
address, team, cache, chain = sys.argv[1:]
with_lines = opened(address, team, Path(cache))
seq = with_lines.heads().get(chain, 0)
print(seq, flush=True)
while True:
    with_lines.put(chain, [Segment(seq, b"line %d\\n" % seq)])
    seq += 1
    print(seq, flush=True)
"""


def _life(place: Place, seed: random.Random, kill: Callable[[int], None]) -> int:
    """Push in a loop until the process is killed at some moment; return how many lines were acknowledged."""
    command = [sys.executable, "-c", _PUSHER, place.address, TEAM, str(place.root / "pusher"), ADA]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as pusher:
        assert pusher.stdout is not None
        acknowledged = [int(pusher.stdout.readline()) for _ in range(seed.randint(1, 2))]
        if seed.random() < 0.8:
            signal.sigtimedwait([], seed.uniform(0, 0.06 if place.kind != "folder" else 0.002))
        kill(pusher.pid)
        pusher.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in pusher.stdout.read().splitlines()]
    return acknowledged[-1]


def _kill_git_too(pid: int) -> None:
    """Kill the git that a process waits for: it leaves its locks."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        subprocess.run(["kill", "-9", child], stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("lives", [5, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "place",
    ["folder", "git", *(pytest.param(each, marks=pytest.mark.soak) for each in ENGINES)],
    indirect=True,
)
def test_what_was_acknowledged_survives_a_kill(place: Place, lives: int) -> None:
    """TM-71: the next life goes on from there, with the same cache, whatever the killed one left in it."""
    seed = random.Random(lives)
    kill = [lambda _: None]
    if sys.platform == "linux":
        kill.append(_kill_git_too)
    acknowledged = [_life(place, seed, seed.choice(kill)) for _ in range(lives)]
    assert acknowledged == sorted(acknowledged)
    reader = place.at("reader")
    head = reader.heads()[ADA]
    assert head >= acknowledged[-1] > lives // 2
    assert [segment.first for segment in reader.since(ADA, 0)][:head] == list(range(head))
