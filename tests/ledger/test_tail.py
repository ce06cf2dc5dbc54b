"""Tests of ledger/tail.py: from which file a writer goes on, and from which it does not (C-9…C-12, C-15)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.chain import Chain
from ledger.draft import Draft
from ledger.errors import ChainError, ForeignChainError, FormatError, RollbackError
from ledger.event import split_line
from ledger.memory import Memory, Provenance
from ledger.tail import ChainTip
from tests.ledger.world import ADA, World, flipped, lines_of, overwrite


@pytest.fixture
def world(world: World) -> World:
    """A ledger of four events: genesis and three memories."""
    world.fill("one", "two", "three")
    return world


def refused(world: World, kind: type[ChainError], *words: str) -> None:
    """Assert that an append is refused with all these words, twice, and that the file stays as it is."""
    before = world.path.read_bytes()
    for _ in range(2):
        with pytest.raises(kind) as caught:
            world.open().create(Memory("more"), ADA)
        assert type(caught.value) is kind, caught.value
        message = str(caught.value)
        assert "\n" not in message
        for word in words:
            assert word in message
    assert world.path.read_bytes() == before
    assert world.torn() == []


def test_a_tip_and_its_mark_say_the_same(world: World) -> None:
    """C-14: the mark has everything of the newest event but its time."""
    with world.open().chain.locked() as held:
        tip = held.tip
    event = split_line(lines_of(world.path)[-1].removesuffix(b"\n")).event
    assert tip.mark == world.mark.read()
    assert ChainTip.at_mark(tip.mark, event) == tip
    with pytest.raises(FormatError):
        ChainTip.at_mark(tip.mark, event.replace(b'"epoch":0', b'"epoch":-1'))


# --- the tail -----------------------------------------------------------------------------------------------


def unacknowledged_line(world: World, *, braces: bool = False) -> bytes:
    """Return a line that would be good after the newest event, without its LF."""
    ledger = world.open()
    memory = Memory("never seen", provenance=Provenance(session="s")) if braces else Memory("never seen")
    with ledger.chain.locked() as held:
        draft = Draft("create", {}, memory.to_payload())
        return ledger.build(draft, held.tip.link, ADA, ledger.signing_key())[1].raw


TORN: dict[str, Callable[[bytes], bytes]] = {
    "one byte": lambda line: line[:1],
    "half a head": lambda line: line[:200],
    "a head": lambda line: split_line(line).head,
    "half a payload": lambda line: line[:-20],
    "all but the last byte": lambda line: line[:-1],
    "half a line and a line feed": lambda line: line[:300] + b"\n",
    "zeros, as a lost page leaves them": lambda line: line[:100] + b"\0" * 4096,
    "zeros and a line feed": lambda _: b"\0" * 4096 + b"\n",
    "a flipped bit": lambda line: flipped(line, 150) + b"\n",
    "a flipped bit in the payload": lambda line: flipped(line, -15) + b"\n",
    "a blank line": lambda _: b"\n",
    "CRLF": lambda line: line + b"\r\n",
    "a byte-order mark": lambda line: b"\xef\xbb\xbf" + line + b"\n",
    "prose": lambda _: b"remember the milk\n",
    "a line too long": lambda _: b'{"event":' + b"x" * 70_000 + b"\n",
    "ten megabytes without a line feed": lambda _: b"x" * 10_000_000,
    "a bad line that good ones follow": lambda line: b"oops\n" + line + b"\n",
}


@pytest.mark.parametrize("damage", TORN.values(), ids=TORN.keys())
def test_a_torn_tail_is_kept_byte_for_byte_and_cut(world: World, damage: Callable[[bytes], bytes]) -> None:
    """Bytes after the mark were never acknowledged: they lie beside the chain, and writing goes on (C-10)."""
    good = world.path.read_bytes()
    tail = damage(unacknowledged_line(world))
    with world.path.open("ab") as file:
        file.write(tail)
    world.goes_on("one", "two", "three")
    assert world.path.read_bytes().startswith(good)
    [torn] = world.torn()
    assert torn.read_bytes() == tail
    assert torn.stat().st_mode & 0o777 == 0o600


def test_every_cut_of_an_unacknowledged_line_is_torn_or_whole(world: World) -> None:
    """Also one just after a brace inside its payload, where it ends as a line does: no half memory stays."""
    good, line = world.path.read_bytes(), unacknowledged_line(world, braces=True)
    mark = world.mark.read()
    assert mark is not None
    assert line.count(b"}", len(split_line(line).head)) >= 3
    braces = {at + 1 for at, byte in enumerate(line) if byte == ord("}")}
    for size in sorted({*range(1, len(line), 7), *braces, len(line) - 1, len(line)}):
        overwrite(world.path, good + line[:size])
        world.mark.write(mark)
        with Chain(world.directory, world.mark, world.genesis).locked():
            pass
        expected = good + line + b"\n" if size == len(line) else good
        assert world.path.read_bytes() == expected, size
        for torn in world.torn():
            assert torn.read_bytes() == line[:size]
            torn.unlink()


def test_a_last_event_that_lacks_only_its_line_feed_is_completed(world: World) -> None:
    """It is all there, so it counts, though nobody was told (C-10)."""
    line = unacknowledged_line(world)
    with world.path.open("ab") as file:
        file.write(line)
    world.goes_on("one", "two", "three", "never seen")
    assert world.torn() == []


@pytest.mark.parametrize("marked", [True, False])
def test_half_a_document_is_torn_and_a_whole_one_is_not(world: World, marked: bool) -> None:
    """Its parts are one write: where the file ends between two, nobody was told of any (C-6, C-10)."""
    good, mark = world.path.read_bytes(), world.mark.read()
    assert mark is not None
    world.open().create(Memory("long", body="a line of it\n" * 12_000), ADA)
    parts = lines_of(world.path)[4:]
    assert len(parts) == 4
    for count in range(1, 5):
        for more in (b"", parts[count][:100] if count < 4 else b"oops", b"\n"):
            tail = b"".join(parts[:count]) + more
            overwrite(world.path, good + tail)
            world.mark.write(mark) if marked else world.mark.remove()
            with Chain(world.directory, world.mark, world.genesis).locked():
                pass
            whole = count == 4
            assert world.path.read_bytes() == (good + b"".join(parts) if whole else good)
            kept = more if whole else tail
            assert [torn.read_bytes() for torn in world.torn()] == ([kept] if kept else [])
            for torn in world.torn():
                torn.unlink()
    world.goes_on("one", "two", "three", "long")


def test_an_acknowledged_half_document_is_not_torn(world: World) -> None:
    """Where the mark says that it was acknowledged, it is no writer's business to cut it (C-12)."""
    world.open().create(Memory("long", body="a line of it\n" * 12_000), ADA)
    lines = lines_of(world.path)
    overwrite(world.path, b"".join(lines[:-2]))
    refused(world, RollbackError, "was rolled back", "event @7")


@pytest.mark.parametrize("mark", ["at it", "before it", "missing"])
@pytest.mark.parametrize("fresh", [True, False])
def test_an_acknowledged_events_lost_line_feed_comes_back(world: World, mark: str, fresh: bool) -> None:
    """Whether the process knew the event, the mark did, or neither."""
    ledger = world.open()
    ledger.create(Memory("four"), ADA)
    whole = world.path.read_bytes()
    if mark == "before it":
        older = World(world.directory.parent / "twin")
        older.fill("one", "two", "three")
        at = older.mark.read()
        assert at is not None
        world.mark.write(at)
    if mark == "missing":
        world.mark.remove()
    overwrite(world.path, whole[:-1])
    (world.open() if fresh else ledger).create(Memory("five"), ADA)
    assert world.path.read_bytes().startswith(whole)
    world.goes_on("one", "two", "three", "four", "five")


def test_without_a_mark_only_a_bad_last_line_is_torn(world: World) -> None:
    """Nothing says what was acknowledged, so bad bytes that lines follow stop the writer (C-11)."""
    good, line = world.path.read_bytes(), unacknowledged_line(world)
    world.mark.remove()
    overwrite(world.path, good + b"oops\n" + line + b"\n")
    refused(world, ChainError, "line 5 (seq 4) is damaged", "muniment verify, then muniment recover")
    overwrite(world.path, good + b"oops\n")
    world.goes_on("one", "two", "three")
    assert [torn.read_bytes() for torn in world.torn()] == [b"oops\n"]


def test_without_a_mark_an_altered_payload_of_the_last_event_is_not_torn(world: World) -> None:
    """Its head is good and its line is whole, so it may well have been acknowledged: verify reports it."""
    good = world.path.read_bytes()
    overwrite(world.path, flipped(good, -15))
    world.mark.remove()
    world.open().create(Memory("more"), ADA)
    assert world.torn() == []
    assert world.codes() == ["payload-altered"]


# --- damage at or below the mark ----------------------------------------------------------------------------


def test_a_damaged_acknowledged_event_stops_the_writer(world: World) -> None:
    """A bad line at the mark is never repaired by itself: the error names line, seq and reason (C-12)."""
    good = world.path.read_bytes()
    last = lines_of(world.path)[-1]
    start = len(good) - len(last)
    head = len(split_line(last[:-1]).head)
    for at in (0, 8, 20, head - 100, head - 30, head - 1, head + 3, len(last) - 2, len(last) - 1):
        overwrite(world.path, flipped(good, start + at))
        refused(world, ChainError, "line 4 (seq 3), which was acknowledged, is damaged", "muniment recover")
    overwrite(world.path, good)
    world.goes_on("one", "two", "three")


def test_every_byte_of_the_marked_line_is_looked_at(world: World) -> None:
    """Whatever bit of its head or frame changes, no append goes on from it."""
    good = world.path.read_bytes()
    last = lines_of(world.path)[-1]
    start = len(good) - len(last)
    chain = Chain(world.directory, world.mark, world.genesis)
    with chain.locked():
        pass
    head = len(split_line(last[:-1]).head)
    frame = [*range(head + len(b',"payload":')), len(last) - 2, len(last) - 1]
    for at in frame:
        overwrite(world.path, flipped(good, start + at))
        for each in (chain, Chain(world.directory, world.mark, world.genesis)):
            with pytest.raises(ChainError):
                each.locked().__enter__()
    overwrite(world.path, good)
    with chain.locked() as held:
        assert held.tip.link.seq == 3


def test_a_bad_line_between_what_is_known_and_the_mark_stops_the_writer(world: World) -> None:
    """A process that knows an older event reads all that others acknowledged since, and finds it."""
    chain = Chain(world.directory, world.mark, world.genesis)
    with chain.locked():
        pass
    world.fill("four", "five")
    lines = lines_of(world.path)
    lines[4] = flipped(lines[4], 60)
    overwrite(world.path, b"".join(lines))
    with pytest.raises(ChainError, match=r"line 5 \(seq 4\) is damaged"):
        chain.locked().__enter__()
    assert world.torn() == []


def test_a_zeroed_page_in_the_middle_stops_what_reads_it(world: World) -> None:
    """verify names the line; a writer that folds the chain stops there too; nothing is written (C-12)."""
    good = world.path.read_bytes()
    at = len(b"".join(lines_of(world.path)[:2])) + 100
    overwrite(world.path, good[:at] + b"\0" * 64 + good[at + 64 :])
    refused(world, ChainError, "line 3", "zero byte")
    assert world.codes()[0] == "raw-control"


def test_a_damaged_first_line_asks_for_a_backup(world: World) -> None:
    """There is no key to judge anything by, so recover cannot help."""
    overwrite(world.path, flipped(world.path.read_bytes(), 3))
    world.mark.remove()
    chain = Chain(world.directory, world.mark, world.genesis)
    with pytest.raises(ChainError, match=r"line 1 \(seq 0\) is damaged.*muniment restore"):
        chain.locked().__enter__()


# --- rolled back --------------------------------------------------------------------------------------------


def test_every_cut_tail_is_refused(world: World) -> None:
    """Whatever number of bytes is gone, an acknowledged event is not lost in silence (C-9)."""
    good = world.path.read_bytes()
    for size in range(len(good) - 1):
        overwrite(world.path, good[:size])
        with pytest.raises(RollbackError, match=r"was rolled back: event @3 .*muniment recover"):
            Chain(world.directory, world.mark, world.genesis).locked().__enter__()
        assert world.path.stat().st_size == size
    assert world.torn() == []


def test_an_older_copy_is_refused(world: World) -> None:
    """A restored snapshot, or a checkout of an older state, by a new process and by one that knew better."""
    ledger, older = world.open(), world.path.read_bytes()
    ledger.create(Memory("four"), ADA)
    overwrite(world.path, older)
    with pytest.raises(RollbackError):
        ledger.create(Memory("five"), ADA)
    refused(world, RollbackError, "was rolled back", "event @4", "muniment recover")
    assert world.codes() == ["rollback"]


@pytest.mark.parametrize("lines", [4, 5, 6])
def test_a_process_that_knows_less_than_the_mark_refuses_too(world: World, lines: int) -> None:
    """What it knows still stands, but others acknowledged more since (C-9)."""
    ledger = world.open()
    ledger.create(Memory("three"), ADA)
    world.fill("four", "five", "six")
    overwrite(world.path, b"".join(lines_of(world.path)[:lines]))
    with pytest.raises(RollbackError, match="event @6"):
        ledger.create(Memory("seven"), ADA)
    assert len(lines_of(world.path)) == lines


def test_an_older_copy_that_was_continued_is_refused(world: World) -> None:
    """Another event at the mark's place, or none that begins there, is a rollback too."""
    older = world.path.read_bytes()
    twin = World(world.directory.parent / "twin")
    twin.fill("one", "two", "three")
    assert twin.path.read_bytes() == older
    world.fill("four, as acknowledged")
    for text in ("four, but another", "four of another length"):
        twin.fill(text, "five")
        overwrite(world.path, twin.path.read_bytes())
        with pytest.raises(RollbackError, match=r"another event is|other lines are|ends before"):
            world.open().create(Memory("six"), ADA)
        overwrite(twin.path, older)
        twin.mark.remove()


def test_an_emptied_chain_is_refused(world: World) -> None:
    """With a mark as a rollback; without one it is empty, and no ledger is made of it."""
    ledger = world.open()
    overwrite(world.path, b"")
    with pytest.raises(RollbackError, match="the file has 0 bytes"):
        ledger.create(Memory("four"), ADA)
    world.mark.remove()
    with pytest.raises(ChainError, match="is empty: restore a backup"):
        ledger.create(Memory("four"), ADA)
    assert world.path.stat().st_size == 0


def test_a_chain_that_is_gone_is_not_made_anew(world: World) -> None:
    """With a mark the event is named; without one, that there was a ledger."""
    ledger = world.open()
    world.path.unlink()
    with pytest.raises(RollbackError, match=r"is gone, but event @3 was acknowledged here"):
        ledger.create(Memory("four"), ADA)
    world.mark.remove()
    with pytest.raises(RollbackError, match="is gone, but a ledger was founded here"):
        ledger.create(Memory("four"), ADA)
    assert not world.path.exists()


def test_a_mark_that_is_ahead_refuses(world: World) -> None:
    """As after a power loss that took the chain's end but not the mark, or a mark copied from elsewhere."""
    mark = world.mark.read()
    assert mark is not None
    far = mark._replace(seq=20, id="d" * 64, start=mark.end + 9000, end=mark.end + 9700)
    world.mark.write(far)
    refused(world, RollbackError, "event @20")


@pytest.mark.parametrize("slots", [(0,), (1,), (0, 1)])
def test_a_torn_mark_does_not_stop_the_writer(world: World, slots: tuple[int, ...]) -> None:
    """With one slot left an older mark counts; with none the whole chain is read once (C-11, C-14)."""
    data = bytearray(world.mark.path.read_bytes())
    for slot in slots:
        data[slot * 1024 + 5 : slot * 1024 + 50] = b"\0" * 45
    world.mark.path.write_bytes(data)
    world.goes_on("one", "two", "three")


def test_a_missing_mark_is_made_anew(world: World) -> None:
    """Until then verify says that truncation is not checked."""
    world.mark.remove()
    assert world.verify().completeness.state == "not checked"
    world.goes_on("one", "two", "three")


def test_a_mark_that_vanishes_while_a_process_runs_is_made_anew(world: World) -> None:
    """What the process knows is enough."""
    ledger = world.open()
    ledger.create(Memory("four"), ADA)
    world.mark.remove()
    ledger.create(Memory("five"), ADA)
    mark = world.mark.read()
    assert mark is not None
    assert mark.seq == 5


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("longer", [True, False])
def test_another_ledgers_chain_is_refused(world: World, tmp_path: Path, marked: bool, longer: bool) -> None:
    """Whether it is the longer one or not, whether there is a mark or only the pin (C-15)."""
    stranger = World(tmp_path / "stranger", "two")
    stranger.fill(*[f"theirs {n}" for n in range(9 if longer else 1)])
    ledger = world.open()
    overwrite(world.path, stranger.path.read_bytes())
    if not marked:
        world.mark.remove()
    with pytest.raises(ForeignChainError, match="not the chain that was made here"):
        ledger.create(Memory("four"), ADA)
    assert world.path.read_bytes() == stranger.path.read_bytes()
