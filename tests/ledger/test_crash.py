"""The crash table: a process is killed at every step; nothing acknowledged is lost, nothing is half there.

Each step × {all that was written is there, what was not synced is gone, or only a part of it is}. Tests
specs/chain.md (C-5…C-20).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import reader
from ledger.ledger import Ledger
from ledger.mark import StateDirectory
from ledger.memory import Memory
from ledger.recovery import examine
from ledger.verify import Expectation, verify_chain
from tests.forking import run_python
from tests.ledger import life
from tests.ledger.reference import MemoryView
from tests.ledger.world import Spoken, overwrite
from tests.observing import STEPS, watched

TIMES = {
    "genesis.written": 1,
    "genesis.synced": 1,
    "genesis.renamed": 1,
    "append.locked": 11,
    "append.read": 11,
    "append.written": 10,
    "append.synced": 10,
    "append.marked": 10,
    "erase.appended": 3,
    "erase.blanked": 3,
    "erase.synced": 3,
    "torn.copied": 1,
    "torn.cut": 1,
}
"""How often the life reaches each step ("locked" and "read" once more, when the ledger is founded)."""

LEDGERS = ("genesis", "append", "erase", "torn")
"""Whose steps are in this table; tests/projections/test_crash.py has the others."""

BATCH, DOCUMENT = 3, 6  # the appends of the life that hold several events
SOME = list(TIMES.items())
SOME += [("append.written", 1), ("append.synced", 1), ("append.written", BATCH), ("append.written", DOCUMENT)]
EVERY = [(step, time) for step, times in TIMES.items() for time in range(1, times + 1)]
TORN = b'{"event":{"at":"2026-'


def killed(base: Path, step: str, time: int) -> None:
    """Let a process live until it dies at this step."""
    if step.startswith("torn."):
        life.opened(base)
        with (base / "ledger" / "chain.jsonl").open("ab") as file:
            file.write(TORN)
    done = run_python(["-m", "tests.ledger.life", base, step, time])
    assert done.returncode == -9, (step, time, done.stderr)


class Scene:
    """What a killed process left below `base`; each test of it begins from the same files."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.chain = base / "ledger" / "chain.jsonl"
        self.files = {path: path.read_bytes() for path in base.rglob("*") if path.is_file()}
        self.told = list(life.acknowledged(base))
        genesis = self.files.get(self.chain, b"").find(b"\n") + 1  # synced before it had its name
        self.synced = int(self.files.get(base / "synced", b"%d" % genesis))

    def restored(self) -> Scene:
        """Put all files back as the process left them."""
        for path in [path for path in self.base.rglob("*") if path.is_file()]:
            if path not in self.files:
                path.unlink()
        for path, data in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if path == self.chain and path.exists():
                overwrite(path, data)
            else:
                path.write_bytes(data)
                path.chmod(0o600)
        return self

    def variants(self) -> Iterator[str]:
        """Bring about, one by one, what the disk may hold after the same death and a loss of power."""
        yield "all of it is there"
        data = self.files.get(self.chain, b"")
        if self.chain not in self.files:
            return
        if len(data) > max(self.synced, 1):
            lost = len(data) - self.synced
            for kept in sorted({0, 1, lost // 3, lost // 2, lost - 1}):
                overwrite(self.restored().chain, data[: self.synced + kept])
                yield f"{kept} of {lost} unsynced bytes reached the disk"
            zeros = data[: self.synced + lost // 2] + bytes(lost - lost // 2)
            overwrite(self.restored().chain, zeros)
            yield "the second half of the unsynced bytes are zeros"
        marks = self.restored().base / "state" / "marks"
        shutil.rmtree(marks, ignore_errors=True)
        yield "the mark, which is never synced, is gone"
        if len(data) > max(self.synced, 1):
            shutil.rmtree(self.restored().base / "state" / "marks", ignore_errors=True)
            overwrite(self.chain, data[: self.synced])
            yield "neither mark nor unsynced bytes reached the disk"

    def check(self, what: str) -> None:
        """Open the ledger as the next process does, and compare it with what was acknowledged."""
        mark = StateDirectory(self.base / "state").mark_of(life.IDENTITY.id)
        if self.chain.exists() and mark.read() is not None:
            codes = self.codes()
            assert codes <= {"missing-lf", "erase-incomplete", "payload-altered", *TAIL}, (what, codes)
        ledger = Spoken.of(life.opened(self.base))
        texts = live_texts(ledger)
        done = len(self.told)
        assert texts in allowed(done), (what, done, texts)
        assert isinstance(ledger.view, MemoryView)
        for number, ids in self.told:
            for id_ in ids:
                assert id_ in ledger.view.state.events, (what, number)
        ledger.create(Memory("after the crash"), life.ADA)
        assert live_texts(life.opened(self.base)) == sorted([*texts, "after the crash"]), what
        assert self.codes() == set(), what
        report = verify_chain(self.chain, Expectation(mark=mark.read()))
        assert report.completeness.state == "sound", what
        assert examine(ledger).whole, what
        gone = {
            text
            for number, _ in self.told
            for text in life.ACTS[number].over
            if "erase" in life.ACTS[number].verb
        }
        data = self.chain.read_bytes()
        for text in gone:
            assert f'"text":"{text}"'.encode() not in data, (what, text)

    def codes(self) -> set[str]:
        """Return the codes of what verify finds."""
        mark = StateDirectory(self.base / "state").mark_of(life.IDENTITY.id)
        report = verify_chain(self.chain, Expectation(mark=mark.read()))
        return {finding.code for finding in (*report.integrity.findings, *report.completeness.findings)}


TAIL = {"framing", "raw-control", "blank-line", "line-too-long"}
"""What verify may say of a write that was cut off, until the next append sets it aside."""


def live_texts(ledger: Ledger) -> list[str]:
    """Return the texts of all live memories as the next writer sees them; each document must be whole."""
    with ledger.chain.locked() as held:
        ledger.view.follow(ledger.path, held.tip)
    assert isinstance(ledger.view, MemoryView)
    entries = [entry for entry in ledger.view.state.entries() if entry.live]
    assert all(entry.memory.body == life.LONG for entry in entries if entry.memory.text == "seven")
    return sorted(entry.memory.text for entry in entries)


def allowed(done: int) -> list[list[str]]:
    """Return the sets of live texts that may stand after so many acknowledged acts.

    The act at work when the process died may have been done, or not; of a batch, a prefix (C-6).
    """
    before = life.live_after(done)
    states = [before]
    if done < len(life.ACTS):
        act = life.ACTS[done]
        states += [[*before, *act.texts[:count]] for count in range(1, len(act.texts) + 1)]
        states.append(life.live_after(done + 1))
    return [sorted(state) for state in states]


def test_the_life_by_itself(tmp_path: Path) -> None:
    """Without a death: each step comes as often as the table says, and all acts are acknowledged."""
    with watched() as reached:
        life.live(tmp_path)
    assert set(TIMES) == {step for step in STEPS if step.split(".")[0] in LEDGERS}
    assert set(reached) <= set(STEPS)
    counts = {step: reached.count(step) for step in TIMES if not step.startswith("torn.")}
    assert counts == {step: times for step, times in TIMES.items() if not step.startswith("torn.")}
    assert [number for number, _ in life.acknowledged(tmp_path)] == list(range(len(life.ACTS)))
    assert live_texts(life.opened(tmp_path)) == sorted(life.live_after(len(life.ACTS)))
    Scene(tmp_path).check("alive")


@pytest.mark.parametrize(("step", "time"), SOME)
def test_a_process_that_dies_at_a_step(tmp_path: Path, step: str, time: int) -> None:
    """The last time that the life reaches it, the first append, and inside of larger writes."""
    death(tmp_path, step, time)


@pytest.mark.soak
@pytest.mark.parametrize(("step", "time"), [each for each in EVERY if each not in SOME])
def test_a_process_that_dies_at_any_time(tmp_path: Path, step: str, time: int) -> None:
    """Every other time."""
    death(tmp_path, step, time)


def death(base: Path, step: str, time: int) -> None:
    killed(base, step, time)
    scene = Scene(base)
    if step.startswith("torn."):
        kept = [path.read_bytes() for path in (base / "ledger").glob("chain.jsonl.torn-*")]
        assert kept == [TORN]
    for what in scene.variants():
        scene.check(what)
        scene.restored()


def test_an_erase_whose_blanks_did_not_reach_the_disk(tmp_path: Path) -> None:
    """Killed before the fsync: any part of the payload may be back; the next writer takes it away (C-20)."""
    killed(tmp_path, "erase.appended", 1)
    before = Scene(tmp_path)
    second = tmp_path / "second"
    for step in ("erase.blanked", "erase.synced"):
        shutil.rmtree(second, ignore_errors=True)
        second.mkdir()
        killed(second, step, 1)
        scene = Scene(second)
        data = scene.files[scene.chain]
        assert b'"text":"two"' not in data
        at = data.index(b'"payload":null') + len(b'"payload":')
        size = len(data[at : data.index(b"}", at)])
        for kept in (1, 4, 5, size // 2, size - 1, size):
            half = data[at : at + kept] + b'{"salt":"not blank yet","text":"two"}'.ljust(size, b"x")[kept:]
            overwrite(scene.restored().chain, data[:at] + half + data[at + size :])
            ledger = Spoken.of(life.opened(second))
            ledger.create(Memory("after the crash"), life.ADA)
            assert b"two" not in scene.chain.read_bytes()[at : at + size]
            assert scene.codes() == set()
    assert b'"text":"two"' in before.files[before.chain]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("append.written", "torn.copied"),
        ("append.written", "append.written"),
        ("erase.appended", "torn.cut"),
        ("erase.appended", "append.read"),
    ],
)
def test_two_deaths_in_a_row(tmp_path: Path, first: str, second: str) -> None:
    """A process that mends what another left may die of it as well."""
    killed(tmp_path, first, 1)
    told = list(life.acknowledged(tmp_path))
    chain = tmp_path / "ledger" / "chain.jsonl"
    with chain.open("ab") as file:
        file.write(TORN)
    assert run_python(["-m", "tests.ledger.life", tmp_path, second, 1]).returncode == -9
    ledger = Spoken.of(life.opened(tmp_path))
    ledger.create(Memory("after the crash"), life.ADA)
    assert Scene(tmp_path).codes() == set()
    assert {id_ for _, ids in told for id_ in ids} <= {event.id for event in reader.events(chain)}
    assert TORN in [path.read_bytes() for path in chain.parent.glob("chain.jsonl.torn-*")]


@pytest.mark.parametrize("name", [".chain.jsonl.4711-0.tmp", ".chain.jsonl.torn-20260105T090000Z.4711-0.tmp"])
def test_an_erase_takes_away_copies_whose_maker_died(tmp_path: Path, name: str) -> None:
    """Killed between the writing of a torn tail, or of a whole chain, and its rename (C-10, C-18)."""
    ledger = Spoken.of(life.opened(tmp_path))
    id_ = ledger.create(Memory("private"), life.ADA).id
    (tmp_path / "ledger" / name).write_bytes((tmp_path / "ledger" / "chain.jsonl").read_bytes())
    ledger.erase([id_], life.ADA)
    assert [
        path.name for path in tmp_path.rglob("*") if path.is_file() and b"private" in path.read_bytes()
    ] == []
