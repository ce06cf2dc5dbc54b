"""What the first rendering in a folder removes (specs/projections.md P-84)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents.folders import folder_of
from documents.git.repository import Repository
from documents.writing.folder import DocumentFolder
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.local import LOCAL_NAME
from tests.projections.house import Clock, build, reopen, tree

DAY, ARCHIVED = "memory/2026-01-05.md", "memory/archive/2026-01-05.md"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[MemoryLedger, Clock]]:
    house, clock = build(tmp_path / "ledger")
    house.store(Memory("noted on a day", tier="daily"))
    house.store(Memory("of a topic", topic="a/topic"))
    yield house, clock
    house.close()


def lost(house: MemoryLedger, clock: Clock) -> MemoryLedger:
    """Lose local.db, and open the ledger again after a month."""
    house.close()
    for path in house.workspace.place.directory.glob(f"{LOCAL_NAME}*"):
        path.unlink()
    clock.pass_days(31)
    return reopen(house.workspace.place.directory, clock)[0]


def copied(house: MemoryLedger, folder: Path) -> DocumentFolder:
    """Copy the documents as git does into a new worktree."""
    for path, data in tree(house.workspace.place.documents).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder_of(house.workspace, Repository(folder))


def test_a_day_that_is_archived_after_local_db_was_lost_stands_once(
    made: tuple[MemoryLedger, Clock],
) -> None:
    """Else its text would stay below memory/ whatever is erased, and come back with the next adopt."""
    house = lost(*made)
    id_ = house.store(Memory("stored later")).id
    documents = house.workspace.place.documents
    assert not (documents / DAY).exists()
    assert (documents / ARCHIVED).read_bytes() == b"# 2026-01-05\n\n- noted on a day\n"
    assert house.upkeep.verify().sound
    house.erasures.erase([each.id for each in house.load_all() if each.id != id_], "not ours to keep")
    assert house.documents.adopt() == []
    assert [each.memory.text for each in house.load_all()] == ["stored later"]
    house.close()


@pytest.mark.parametrize("path", [DAY, "memory/2026-01-06.md", "memory/mine.md"])
def test_what_a_person_wrote_meanwhile_is_no_leftover(made: tuple[MemoryLedger, Clock], path: str) -> None:
    """It came (D-36): verify names it, and adopt imports it."""
    written = made[0].workspace.place.documents / path
    written.write_bytes(b"# 2026-01-05\n\n- typed by a person\n")
    house = lost(*made)
    house.store(Memory("stored later"))
    assert written.read_bytes() == b"# 2026-01-05\n\n- typed by a person\n"
    assert [each.code for each in house.upkeep.verify().projections.findings] == ["document-unread"]
    house.documents.adopt([path])
    assert "typed by a person" in [each.memory.text for each in house.load_all()]
    house.close()


def test_a_copy_of_another_document_is_no_leftover(made: tuple[MemoryLedger, Clock]) -> None:
    """D-48: a person made it."""
    documents = made[0].workspace.place.documents
    shutil.copy(documents / DAY, documents / "memory/copy.md")
    house = lost(*made)
    house.store(Memory("stored later"))
    assert (documents / "memory/copy.md").exists()
    house.close()


def test_a_worktree_shows_what_the_ledger_shows_whenever_git_made_it(
    made: tuple[MemoryLedger, Clock], tmp_path: Path
) -> None:
    """It was checked out at a commit from before a topic ended and a day was archived."""
    house, clock = made
    worktree = copied(house, tmp_path / "worktree")
    house.delete([each.id for each in house.load_all() if each.memory.topic])
    clock.pass_days(31)
    house.documents.render()
    done = worktree.render(clock())
    assert sorted(done.removed) == ["memories/a/topic.md", DAY]
    assert tree(worktree.folder) == tree(house.workspace.place.documents)


def test_a_worktrees_document_with_a_typed_line_is_no_leftover(
    made: tuple[MemoryLedger, Clock], tmp_path: Path
) -> None:
    house, clock = made
    worktree = copied(house, tmp_path / "worktree")
    typed = worktree.folder / "memories/a/topic.md"
    typed.write_bytes(typed.read_bytes() + b"\ntyped by a person\n")
    house.delete([each.id for each in house.load_all() if each.memory.topic])
    worktree.render(clock())
    assert typed.read_bytes().endswith(b"\ntyped by a person\n")
