"""The third verdict names every projection that is not what the log replays to, and changes none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from documents.verdict import judge
from ledger.verify import Verdict
from muniment import MemoryLedger
from projections.local import LOCAL_NAME
from proofs.verify_report import VerifyReport
from tests.forking import run_python
from tests.ledger.world import ROOT
from tests.observing import observed
from tests.projections.house import build, bullet, reopen


@pytest.fixture
def memory(tmp_path: Path) -> MemoryLedger:
    """A ledger of two memories, in two documents."""
    memory, _ = build(tmp_path / "ledger")
    memory.store(bullet("one"))
    memory.store(bullet("two", topic="a/b"))
    memory.close()
    return memory


def _judged(memory: MemoryLedger) -> Verdict:
    return judge(
        memory.workspace.place,
        memory.workspace.chain,
        memory.workspace.configuration.render_settings(),
    )


def test_what_equals_the_replay_is_sound_and_counted(memory: MemoryLedger) -> None:
    """V-15: the sentence says what was compared."""
    verdict = _judged(memory)
    assert (verdict.state, verdict.findings) == ("sound", ())
    assert verdict.sentence == "Index of 3 events and 2 documents equal what the log replays to."


def test_of_an_index_that_lags_the_sentence_says_so(memory: MemoryLedger) -> None:
    """V-15: the next command catches up; until then the newest events are not compared."""
    index = memory.workspace.place.directory / "memory.db"
    before = index.read_bytes()
    opened, _ = reopen(index.parent)
    opened.store(bullet("three"))
    opened.close()
    for path in index.parent.glob("memory.db*"):
        path.unlink()
    index.write_bytes(before)
    assert _judged(memory).sentence == "Index of 3 events and 2 documents equal what the log replays to."


def test_every_difference_is_a_finding(memory: MemoryLedger) -> None:
    """V-15: two documents and the index, each by its name."""
    (memory.workspace.place.documents / "MEMORY.md").write_text("mine")
    (memory.workspace.place.documents / "memories/a/b.md").unlink()
    for path in memory.workspace.place.directory.glob("memory.db*"):
        path.unlink()
    verdict = _judged(memory)
    assert sorted(finding.code for finding in verdict.findings) == [
        "document-drift",
        "document-missing",
        "index-missing",
    ]
    assert verdict.sentence.startswith("3 findings")


def test_local_state_that_cannot_be_read_is_a_finding_and_stays(memory: MemoryLedger) -> None:
    """P-64, P-92: the next command sets it aside, verify does not."""
    path = memory.workspace.place.directory / LOCAL_NAME
    for old in memory.workspace.place.directory.glob(f"{LOCAL_NAME}*"):
        old.unlink()
    path.write_bytes(b"no database" * 500)
    verdict = _judged(memory)
    assert [finding.code for finding in verdict.findings] == ["local-damaged"]
    assert path.read_bytes() == b"no database" * 500


def test_a_ledger_that_rendered_nothing_yet_has_no_documents_to_judge(memory: MemoryLedger) -> None:
    """V-15: without local state nothing is known of documents, and none is called drifted."""
    for path in memory.workspace.place.directory.glob(f"{LOCAL_NAME}*"):
        path.unlink()
    (memory.workspace.place.documents / "MEMORY.md").write_text("mine")
    verdict = _judged(memory)
    assert verdict.sentence == "Index of 3 events and 0 documents equal what the log replays to."
    assert not (memory.workspace.place.directory / LOCAL_NAME).exists()


def test_documents_without_a_folder_are_a_finding(memory: MemoryLedger, tmp_path: Path) -> None:
    """V-15, G-62: none was compared, and where they lay before they are compared still."""
    config = memory.workspace.place.directory / "config.toml"
    config.write_text(f"[render]\nmemory = '{tmp_path / 'gone'}'\n")
    own = memory.workspace.place.documents / "MEMORY.md"
    before = own.read_bytes()
    for said, codes in ((before, []), (b"mine", ["document-drift"])):
        own.write_bytes(said)
        opened, _ = reopen(memory.workspace.place.directory)
        verdict = opened.upkeep.verify().projections
        opened.close()
        assert [finding.code for finding in verdict.findings] == ["documents-homeless", *codes]
        assert "is not a folder: create it" in verdict.findings[0].message


def test_documents_that_did_not_move_yet_are_compared_where_they_lie(
    memory: MemoryLedger, tmp_path: Path
) -> None:
    """V-15, G-61: until then both stand, and the new folder has none."""
    (tmp_path / "new").mkdir()
    (memory.workspace.place.directory / "config.toml").write_text(
        f"[render]\nmemory = '{tmp_path / 'new'}'\n"
    )
    opened, _ = reopen(memory.workspace.place.directory)
    verdict = opened.upkeep.verify().projections
    opened.close()
    assert (verdict.state, verdict.sentence[:33]) == ("sound", "Index of 3 events and 2 documents")


def _others(directory: Path, *args: str) -> None:
    """Run a command as a process of its own on the ledger in a directory."""
    done = run_python(["-m", "cli", *args, "--ledger", directory])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("moment", "args"),
    [("index.begun", ("erase", "@1", "--yes", "-m", "wrong")), ("index.committed", ("add", "meanwhile"))],
    ids=["erase", "add"],
)
def test_what_others_write_while_it_is_compared_is_no_difference(
    memory: MemoryLedger, args: tuple[str, ...], moment: str
) -> None:
    """V-21: while the index is made anew to compare it, and before documents are rendered to compare them."""
    seen: list[str] = []

    def write(step: str) -> None:
        seen.append(step)
        if step == moment and seen.count(step) == 1:
            _others(memory.workspace.place.directory, *args)

    with observed(write):
        verdict = _judged(memory)
    assert moment in seen
    assert (verdict.state, verdict.findings) == ("sound", ())
    report = memory.upkeep.verify()
    assert report.sound


@pytest.mark.parametrize(
    "step",
    [
        "index.committed",
        "file.exchanged",
        *(
            pytest.param(step, marks=pytest.mark.soak)
            for step in ("file.noted", "file.written", "file.renamed")
        ),
    ],
)
def test_a_writer_between_append_and_rendering_edits_nothing_by_hand(memory: MemoryLedger, step: str) -> None:
    """V-21: it is held at a step, and verify looks at the ledger meanwhile, from another process."""
    directory = memory.workspace.place.directory
    said: list[str] = []
    hurried = "import sys; from projections import render_lock; render_lock.PATIENCE = 0.1; "
    hurried += "from cli.main import run; sys.exit(run(sys.argv[1:]))"

    def look(reached: str) -> None:
        if reached == step and not said:
            done = run_python(["-c", hurried, "verify", "--json", "--ledger", directory])
            said.extend((str(done.returncode), json.loads(done.stdout)["projections"]["state"]))

    opened, _ = reopen(directory)
    with observed(look):
        opened.store(bullet("three", topic="c/d"))
    opened.close()
    assert said == ["0", "sound" if step == "index.committed" else "not checked"]
    assert memory.upkeep.verify().projections.state == "sound"


def test_an_edit_is_found_behind_a_rendering_that_died(memory: MemoryLedger) -> None:
    """V-21: what is not ours is a person's, whatever was cut off."""
    (memory.workspace.place.directory / "render.lock").write_bytes(
        os.fsencode(memory.workspace.place.documents)
    )
    verdict = _judged(memory)
    assert (verdict.state, verdict.findings) == ("sound", ())
    assert verdict.sentence.endswith("Writing documents did not finish: the next write does it.")
    (memory.workspace.place.documents / "MEMORY.md").write_text("mine")
    assert [finding.code for finding in _judged(memory).findings] == ["document-drift"]


def test_three_writers_beside_many_looks_are_no_damage(memory: MemoryLedger) -> None:
    """V-21, V-14: real processes, which add, replace and erase as fast as they can."""
    directory = memory.workspace.place.directory
    code = """
import sys
from pathlib import Path
import muniment
from muniment import Memory
name = sys.argv[2]
with muniment.open(directory=Path(sys.argv[1])) as memory:
    print("ready", flush=True)
    for number in range(1000):
        one = memory.store(Memory(f"{name} learns {number}", topic=f"t/{name}{number % 5}"))
        two = memory.supersede([one.id], Memory(f"{name} corrects {number}"))
        if number % 10 == 9:
            memory.erasures.erase([two.id], "a test")
"""
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(directory), name], cwd=ROOT, stdout=subprocess.PIPE)
        for name in ("ada", "bob", "cyd")
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
        reports: list[VerifyReport] = []
        while len(reports) < 5 or len({each.chain.events for each in reports}) == 1:
            opened, _ = reopen(directory)
            reports.append(opened.upkeep.verify())
            opened.close()
            assert len(reports) < 200, "nobody writes"
        assert all(writer.poll() is None for writer in writers)
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    found = [
        (each.chain.integrity.findings, each.chain.completeness.findings, each.projections)
        for each in reports
        if not each.sound
    ]
    assert found == []
    opened, _ = reopen(directory)
    left = opened.upkeep.verify()
    opened.close()
    assert left.chain.integrity.findings == () or {each.code for each in left.chain.integrity.findings} == {
        "erase-incomplete"
    }
    assert {each.code for each in left.projections.findings} <= {"erasure-unfinished", "index-drift"}
