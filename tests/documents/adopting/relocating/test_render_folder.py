"""Which ledger may keep its documents in a folder, and how the folder is marked as its own (specs/doors.md G-25, G-62, G-70)."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from documents.targets import MARK_NAME, claim, owner_of
from ledger.event import By
from ledger.founding import identity_of
from muniment import Memory, MemoryLedger, StorageError, UsageError
from tests.documents.adopting.relocating.relocated import (
    OWN,
    again,
    lines_of,
    point,
)
from tests.projections.house import build, reopen, tree


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[render]\nmemory = 'relative'", "memory = a folder"),
        ("[render]\nmemory = '/x'\nopenclaw = true", "memory = a folder"),
        ("[render]\nclaude = true", "memory = a folder"),
        ("[render]\nopenclaw = '/x'", "memory = a folder"),
    ],
)
def test_what_names_no_folder_is_refused(ledger: Path, text: str, says: str) -> None:
    """G-25, F-11: nothing is rendered anywhere, and the log goes on."""
    (ledger / "config.toml").write_text(text + "\n")
    before = tree(ledger)
    memory, _ = reopen(ledger)
    with pytest.raises(UsageError, match=says):
        memory.documents.render()
    memory.write([], By("tester", "user", "library"))
    assert tree(ledger) == before
    memory.close()


@pytest.mark.parametrize("name", ["ledger/inside", "ledger/..", "other"])
def test_a_folder_that_is_another_ledgers_is_refused(ledger: Path, tmp_path: Path, name: str) -> None:
    """G-62: nor one that has the ledger's own in it."""
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    if name == "other":
        build(folder)[0].close()
    before = tree(folder)
    point(ledger, folder)
    memory, _ = reopen(ledger)
    memory.store(Memory("Learned all the same"))
    assert "use another" in str(memory.documents.outcome.paused if memory.documents.outcome else "")
    assert tree(folder) == before
    memory.close()


def test_a_folder_has_the_documents_of_one_ledger(
    opened: MemoryLedger, ledger: Path, workspace: Path, tmp_path: Path
) -> None:
    """G-70: another one is refused in one line that says how to take over; the log goes on; leaving lets it go."""
    opened.documents.render()
    build(tmp_path / "second")[0].close()
    point(tmp_path / "second", workspace)
    before = tree(workspace)
    second, _ = reopen(tmp_path / "second")
    second.store(Memory("Of the second"))
    said = str(second.documents.outcome.paused if second.documents.outcome else "")
    assert f"rm {workspace / MARK_NAME}" in said
    assert "\n" not in said
    with pytest.raises(StorageError, match="belongs to the ledger"):
        second.documents.adopt()
    assert tree(workspace) == before
    opened.store(Memory("Of the first"))
    assert "- Of the first" in (workspace / "MEMORY.md").read_text()
    point(ledger, None)
    memory = again(opened, ledger)
    memory.documents.render()
    memory.close()
    assert not (workspace / MARK_NAME).exists()
    second = again(second, tmp_path / "second")
    second.documents.render()
    assert "- Of the second" in (workspace / "MEMORY.md").read_text()
    second.close()


def test_a_folder_is_taken_over_by_removing_its_mark(opened: MemoryLedger, workspace: Path) -> None:
    """G-70: as where the other ledger is gone; a mark that says nothing keeps nobody out."""
    for text in ("0" * 32, "0" * 32 + "\n"):
        (workspace / MARK_NAME).write_text(text)
        with pytest.raises(
            StorageError, match="the ledger 00000000…: use another one, or use it here after rm"
        ):
            opened.documents.render()
    (workspace / MARK_NAME).unlink()
    (workspace / MARK_NAME).touch()
    opened.documents.render()
    assert len((workspace / MARK_NAME).read_text().strip()) == 32


def test_a_mark_that_says_nothing_is_written_anew(opened: MemoryLedger, workspace: Path) -> None:
    """G-70: however long it is; a rest of it would leave the folder everybody's."""
    (workspace / MARK_NAME).write_text("no id, and longer than one\n" * 9)
    opened.documents.render()
    assert owner_of(workspace) == identity_of(opened.workspace.place.chain)[0].id


def test_a_mark_that_cannot_be_written_is_named_and_the_log_goes_on(
    opened: MemoryLedger, workspace: Path
) -> None:
    """G-70, G-62: what was learned is acknowledged all the same, and the line does not say otherwise."""
    (workspace / MARK_NAME).mkdir()
    opened.store(Memory("Learned all the same"))
    said = str(opened.documents.outcome.paused if opened.documents.outcome else "")
    assert "marking failed" in said
    assert "the log has everything" in said


def test_of_two_ledgers_that_claim_a_folder_at_once_one_has_it(tmp_path: Path) -> None:
    """G-70: whoever looks after their claim sees the same owner; so one of them is refused."""
    rounds = [tmp_path / str(number) for number in range(200)]
    for folder in rounds:
        folder.mkdir()
    names = ["a" * 32, "b" * 32]
    together = Barrier(len(names))

    def claims(name: str) -> list[str]:
        found = []
        for folder in rounds:
            together.wait()
            claim(folder, name)
            found.append(owner_of(folder))
        return found

    with ThreadPoolExecutor(len(names)) as pool:
        first, second = pool.map(claims, names)
    assert first == second
    assert set(first) <= {*names}


def test_a_ledger_that_was_moved_is_not_locked_out(
    opened: MemoryLedger, ledger: Path, workspace: Path, tmp_path: Path
) -> None:
    """G-70."""
    opened.documents.render()
    opened.close()
    memory, _ = reopen(Path(shutil.move(ledger, tmp_path / "elsewhere")))
    memory.store(Memory("From elsewhere"))
    assert "- From elsewhere" in (workspace / "MEMORY.md").read_text()
    memory.close()


def test_openclaw_is_its_workspace_whatever_the_environment_says(
    ledger: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G-25: a job without that environment would render elsewhere."""
    workspace = isolated / ".openclaw" / "workspace"
    workspace.mkdir(parents=True)
    monkeypatch.setenv("OPENCLAW_WORKSPACE_DIR", "/elsewhere")
    (ledger / "config.toml").write_text("[render]\nopenclaw = true\n")
    memory, _ = reopen(ledger)
    memory.documents.render()
    assert {f"- {text}" for text in OWN} <= lines_of((workspace / "MEMORY.md").read_text())
    memory.close()
