"""The crash table of the projections: a process is killed at every step; the next command makes all of it good.

Index, full text, documents of two roots, their removal, and what an erase has to clean. Tests
specs/projections.md (P-50, P-56, P-81, P-82, P-88) and specs/erasure.md (Z-7, Z-15, Z-16).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from ledger import reader
from muniment import Memory
from tests.conftest import PLACES
from tests.forking import run_python
from tests.ledger.reference import fold
from tests.ledger.world import overwrite
from tests.observing import STEPS, watched
from tests.projections.life import ACTS, PROJECT, SECRETS, TYPED, Life, texts_after

APPEND = {"index.begun": 1, "index.applied": 1, "index.committed": 1}
ONE_FILE = dict.fromkeys(("file.noted", "file.written", "file.renamed", "file.settled", "file.recorded"), 1)
ONE_AGAIN = {**ONE_FILE, "file.exchanged": 1}
REMOVED = {"file.removed": 1, "file.forgotten": 1}


def files(many: int, folders: int = 1) -> dict[str, int]:
    """Return what so many documents reach that are put in place: those of a folder are noted together (P-81)."""
    together = dict.fromkeys(("file.noted", "file.settled"), folders)
    return together | dict.fromkeys(("file.written", "file.renamed"), many)


TABLE: dict[str, dict[str, int]] = {
    "memory": {**APPEND, **ONE_AGAIN},
    "topic": {**APPEND, **ONE_AGAIN, **files(2)},
    "daily": {**APPEND, **ONE_FILE},
    "overflow": {**APPEND, **ONE_AGAIN, **files(2)},
    "forgotten": {"file.known": 4, "file.recorded": 1},
    "search": {},
    "elsewhere": {**ONE_FILE, **files(4)},
    "archive": {**APPEND, **ONE_AGAIN, **REMOVED, **files(3)},
    "shrink": {**APPEND, **ONE_AGAIN, **REMOVED},
    "gone": {**APPEND, **ONE_AGAIN, **REMOVED},
    "edited": {**APPEND, **ONE_AGAIN, "index.cleared": 1, "file.kept": 1},
    "damaged": {**APPEND, "index.discarded": 4},
    "leftover": {**APPEND, **ONE_AGAIN, "file.swept": 1},
    "refresh": {
        **ONE_AGAIN,
        **files(2),
        **dict.fromkeys(("file.removed", "file.forgotten"), 2),
    },
    "erase": {
        **APPEND,
        **dict.fromkeys(("erase.appended", "erase.blanked", "erase.synced"), 1),
        **dict.fromkeys(("index.blanked", "index.overwritten", "index.finished"), 1),
        **files(4, folders=2),
        "file.exchanged": 4,
        **dict.fromkeys(("file.removed", "file.forgotten", "file.recorded"), 2),
        "folder.rendered": 2,
        "copies.cleaned": 2,
        **dict.fromkeys(("erasure.noted", "receipt.written"), 1),
    },
}
"""How often each act reaches each step; of the ledger's own only those that leave an erase to finish."""

OURS = ("index", "texts", "file", "folder", "copies", "erasure", "receipt")
EVERY = [
    (act, step, time)
    for act, times in TABLE.items()
    for step, most in times.items()
    for time in range(1, most + 1)
]
SOME = [
    (act, step, time)
    for act, step, time in EVERY
    if time == TABLE[act][step] and (act in {"memory", "erase"} or step not in {**TABLE["memory"], **REMOVED})
]
SOME += [(act, "file.removed", 1) for act in ("archive", "shrink")]
SOME += [("topic", "file.renamed", 1), ("elsewhere", "file.renamed", 2), ("erase", "file.renamed", 1)]


CLEAN = ("index.finished", "file", "folder", "copies", "erasure", "receipt")
"""Where a death in an erase leaves no page to clear (others do, whether or not this SQLite overwrites them)."""


LEFT = {"edited": {"document-drift"}, "damaged": {"index-missing", "index-damaged"}}
"""What verify may find right behind a death: what a person typed, and the index that was damaged before."""


class Stage:
    """The life's folders, and what stood in them before each act; every test of them begins from that.

    Files keep their inodes, so that the chain stays the file that the index has read (P-50).
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self.life = Life(base)
        self.before: dict[str, dict[Path, tuple[bytes, os.stat_result]]] = {}
        self.counts: dict[str, dict[str, int]] = {}

    def lead(self) -> None:
        """Lead the life without a death."""
        self.life.found()
        for act, do in ACTS.items():
            self.before[act] = {path: (path.read_bytes(), path.stat()) for path in self.files()}
            with watched() as seen:
                do(self.life)
            assert set(seen) <= set(STEPS)
            self.counts[act] = {step: seen.count(step) for step in sorted(set(seen))}
            assert sorted(self.texts()) == texts_after(act)

    def files(self) -> Iterator[Path]:
        """Give every file of ledger, state and documents."""
        return (path for path in self.base.rglob("*") if path.is_file())

    def killed(self, act: str, step: str, time: int) -> None:
        """Bring back what stood before an act, and let a process die in it."""
        stood = self.before[act]
        for path in [path for path in self.files() if path not in stood]:
            path.unlink()
        for path, (data, status) in stood.items():
            if path.exists():
                overwrite(path, data)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            path.chmod(status.st_mode & 0o777)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # nobody saved it (D-13)
        done = run_python(["-m", "tests.projections.life", self.base, act, step, time])
        assert done.returncode == -9, (act, step, time, done.stderr)

    def texts(self) -> list[str]:
        """Return the texts of the active memories as the fold of the chain alone says it."""
        state = fold(reader.events(muniment.home().project(PROJECT) / "chain.jsonl"))
        return [entry.memory.text for entry in state.entries() if entry.status == "active"]

    def holding(self, *texts: str) -> list[str]:
        """Return the files that hold one of these texts anywhere, free pages and all."""
        each = [text.encode() for text in texts]
        return [path.name for path in self.files() if any(text in path.read_bytes() for text in each)]

    def check_sound(self, *roots: str) -> None:
        """Assert the three verdicts in these roots, and that no half-made file is left."""
        for name in roots:
            with self.life.opened(name, day=40) as memory:
                report = memory.upkeep.verify()
                assert report.chain.integrity.state == "sound", report
                assert report.chain.completeness.state == "sound", report
                assert report.projections.state == "sound", (name, report.projections)
        assert [path for path in self.files() if path.name.endswith(".tmp")] == []


@pytest.fixture(scope="module")
def led(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The stage of this module's tests, in a home of its own."""
    base = tmp_path_factory.mktemp("stage")
    stage = Stage(base)
    with pytest.MonkeyPatch.context() as patch:
        _at_home(patch, base)
        stage.lead()
    return stage


def _at_home(patch: pytest.MonkeyPatch, base: Path) -> None:
    for name, place in PLACES.items():
        patch.setenv(name, str(base / place))
    (base / PLACES["HOME"] / ".muniment").mkdir(parents=True, exist_ok=True)


@pytest.fixture
def stage(led: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    _at_home(monkeypatch, led.base)
    return led


def test_every_step_is_reached_as_often_as_the_table_says(led: Stage) -> None:
    """A step that no act reaches would be a hole in the table."""
    counted = {
        act: {step: times for step, times in seen.items() if step in TABLE[act] or step.split(".")[0] in OURS}
        for act, seen in led.counts.items()
    }
    assert counted == {act: dict(sorted(times.items())) for act, times in TABLE.items()}
    named = {step for times in TABLE.values() for step in times}
    assert {step for step in STEPS if step.split(".")[0] in OURS} <= named
    assert {step for _, step, _ in SOME} == named


def death(stage: Stage, act: str, step: str, time: int) -> None:
    stage.killed(act, step, time)
    before = list(ACTS)[: list(ACTS).index(act)]
    stands = sorted(stage.texts())
    assert stands in (texts_after(before[-1] if before else ""), texts_after(act))
    if act != "erase":  # what it leaves is unfinished in the person's eyes, too (C-20)
        with stage.life.opened(day=40) as memory:
            report = memory.upkeep.verify()
            assert report.chain.sound, report
            codes = {finding.code for finding in report.projections.findings}
            assert codes <= LEFT.get(act, set()), report.projections
    if act in ("elsewhere", "refresh"):
        with stage.life.opened("b") as memory:
            memory.documents.render()
    if act == "edited":
        with stage.life.opened(day=40) as memory:
            memory.documents.render(everything=True, overwrite=True)
        assert stage.holding(TYPED.decode())
    with stage.life.opened(day=40) as memory:
        with watched() as seen:
            memory.store(Memory("after the crash"))
        assert ("index.overwritten" in seen) == (act == "erase" and not step.startswith(CLEAN))
        assert memory.documents.outcome is not None
        assert memory.documents.outcome.paused == {}
        assert sorted(entry.memory.text for entry in memory.load_all()) == sorted(
            [*stands, "after the crash"]
        )
        assert [hit.memory.text for hit in memory.search("crash")] == ["after the crash"]
    stage.check_sound("a", *("b" for _ in range(act in ("elsewhere", "refresh", "erase"))))
    if stands == texts_after("erase"):
        assert stage.holding(*SECRETS) == []
        with stage.life.opened(day=40) as memory:
            assert len(list((memory.workspace.place.directory / "erasures").iterdir())) == 1  # Z-16
            assert memory.workspace.local.fact("erasing") == ""


@pytest.mark.parametrize(("act", "step", "time"), SOME)
def test_a_process_that_dies_at_a_step(stage: Stage, act: str, step: str, time: int) -> None:
    """What was acknowledged stands, all projections match, and what was erased is in no file."""
    death(stage, act, step, time)


@pytest.mark.soak
@pytest.mark.parametrize(("act", "step", "time"), [each for each in EVERY if each not in SOME])
def test_a_process_that_dies_at_any_time(stage: Stage, act: str, step: str, time: int) -> None:
    """Every other time."""
    death(stage, act, step, time)


@pytest.mark.parametrize("step", ["erase.appended", "index.blanked"])
def test_a_replay_after_an_erase_that_died_leaves_nothing_of_it(stage: Stage, step: str) -> None:
    """It appends nothing, and yet finishes the erase before it makes the index anew (Z-28)."""
    stage.killed("erase", step, 1)
    assert sorted(stage.texts()) == texts_after("erase")
    with stage.life.opened(day=40) as memory, watched() as seen:
        memory.documents.replay()
    assert "index.overwritten" in seen
    assert stage.holding(*SECRETS) == []
    stage.check_sound("a", "b")
