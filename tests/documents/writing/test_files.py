"""Documents are rendered where people edit them, and what a person wrote there is never overwritten."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents.folders import folder_of
from documents.git.repository import Repository
from documents.writing.every_document import render_all
from documents.writing.files import EDITED
from documents.writing.folder import group_of_path
from ledger.command import Create
from ledger.errors import RollbackError, SecretError
from ledger.event import By
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.configuration import CONFIG_NAME
from projections.index_source import IndexSource
from projections.local import LOCAL_NAME
from tests.projections.house import BY, Clock, build, bullet, reopen, tree


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[MemoryLedger, Clock]]:
    house, clock = build(tmp_path / "ledger")
    yield house, clock
    house.close()


def test_documents_come_back_byte_for_byte_after_they_were_deleted(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.store(Memory("Use pnpm, not npm", type="preference"))
    house.store(Memory("Tokens live an hour", topic="code/auth", body="They are *opaque*.\n"))
    house.store(Memory("Fixed the flaky test", tier="daily"))
    before = tree(house.workspace.place.documents)
    assert sorted(before) == ["MEMORY.md", "memories/code/auth.md", "memory/2026-01-05.md"]
    (house.workspace.place.documents / "MEMORY.md").unlink()
    shutil.rmtree(house.workspace.place.documents / "memories")
    shutil.rmtree(house.workspace.place.documents / "memory")
    house.documents.replay()
    assert tree(house.workspace.place.documents) == before


def test_an_edited_document_is_taken_into_the_log_before_it_is_written(
    made: tuple[MemoryLedger, Clock],
) -> None:
    house, _ = made
    house.store(Memory("first", section="Workflow"))
    path = house.workspace.place.documents / "MEMORY.md"
    path.write_bytes(path.read_bytes() + b"\nA thought of mine.\n")
    house.store(Memory("second", section="Workflow"))
    assert house.documents.outcome is not None
    assert house.documents.outcome.paused == {}
    assert path.read_bytes().endswith(b"- first\n\nA thought of mine.\n\n- second\n")
    assert house.documents.folder.edited() == {}
    assert [row.via for row in house.log()] == ["library", "library", "edit", "library"]


def test_what_cannot_be_taken_in_is_left_alone_and_named(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.store(Memory("first"))
    path = house.workspace.place.documents / "MEMORY.md"
    path.write_bytes(b"caf\xe9\n")
    house.store(Memory("second"))
    assert house.documents.outcome is not None
    assert "not UTF-8" in house.documents.outcome.paused["MEMORY.md"]
    assert path.read_bytes() == b"caf\xe9\n"
    assert house.documents.folder.edited() == {"MEMORY.md": EDITED}


def test_replay_can_take_ours_and_keeps_the_persons_copy_beside_it(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.store(Memory("first"))
    path = house.workspace.place.documents / "MEMORY.md"
    path.write_bytes(b"mine\n")
    house.documents.render(everything=True, overwrite=True)
    assert b"- first\n" in path.read_bytes()
    assert path.with_name("MEMORY.md.edited-1").read_bytes() == b"mine\n"
    path.write_bytes(b"mine again\n")
    house.documents.render(everything=True, overwrite=True)
    assert path.with_name("MEMORY.md.edited-2").read_bytes() == b"mine again\n"


def test_a_document_that_stood_there_before_the_ledger_is_not_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    folder.mkdir()
    (folder / "MEMORY.md").write_bytes(b"# Mine from long ago\r\n")
    house, _ = build(folder)
    house.store(Memory("new"))
    assert (folder / "MEMORY.md").read_bytes() == b"# Mine from long ago\r\n"
    house.close()


def test_a_topic_file_goes_with_its_last_memory_unless_it_was_edited(
    made: tuple[MemoryLedger, Clock],
) -> None:
    house, _ = made
    one = house.store(Memory("one", topic="a/one"))
    two = house.store(Memory("two", topic="a/two"))
    edited = house.workspace.place.documents / "memories/a/two.md"
    edited.write_bytes(edited.read_bytes() + b"mine, which cannot be taken in: \xff\n")
    house.delete([one.id, two.id])
    assert not (house.workspace.place.documents / "memories/a/one.md").exists()
    assert edited.read_bytes().endswith(b"\xff\n")
    assert house.documents.outcome is not None
    assert list(house.documents.outcome.paused) == ["memories/a/two.md"]


def test_time_alone_marks_entries_stale_and_moves_days_to_the_archive(
    made: tuple[MemoryLedger, Clock],
) -> None:
    house, clock = made
    house.store(Memory("old habit"))
    house.store(Memory("a day's note", tier="daily"))
    clock.pass_days(31)
    house.documents.render()
    assert not (house.workspace.place.documents / "memory/2026-01-05.md").exists()
    assert (house.workspace.place.documents / "memory/archive/2026-01-05.md").exists()
    clock.pass_days(60)
    house.documents.render()
    assert "- [?] old habit\n" in (house.workspace.place.documents / "MEMORY.md").read_text()
    assert house.upkeep.verify().sound


def test_overflow_keeps_everything_and_follows_each_change(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.write([Create(Memory(f"fact {i:03}", section="Workflow")) for i in range(300)])
    for extra in ("one more", "and another"):
        house.store(Memory(extra, section="Error Patterns"))
        incremental = tree(house.workspace.place.documents)
        assert incremental["MEMORY.md"].count(b"\n") <= 200
        everything = b"".join(incremental.values())
        assert all(f"- fact {i:03}\n".encode() in everything for i in range(300))
        rendered = house.workspace.local.rendering(house.workspace.place.documents)
        assert rendered is not None
        assert incremental == render_all(
            IndexSource(house.workspace.index),
            house.workspace.configuration.render_settings(),
            rendered.as_of,
        )


def test_changed_settings_render_everything_anew(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.write([Create(Memory(f"fact {i:03}", section="Workflow")) for i in range(50)])
    (house.workspace.place.directory / CONFIG_NAME).write_text("max_lines_per_file = 20\n")
    again, _ = reopen(house.workspace.place.directory)
    again.documents.render()
    assert (house.workspace.place.documents / "MEMORY.md").read_bytes().count(b"\n") <= 20
    assert (house.workspace.place.documents / "memory/workflow.md").exists()
    again.close()


def test_a_link_that_leads_out_of_the_folder_is_not_followed(
    made: tuple[MemoryLedger, Clock], tmp_path: Path
) -> None:
    house, _ = made
    outside = tmp_path / "outside"
    outside.mkdir()
    (house.workspace.place.documents / "memories").symlink_to(outside)
    house.store(Memory("text", topic="a"))
    assert list(outside.iterdir()) == []
    assert house.documents.outcome is not None
    assert list(house.documents.outcome.paused) == ["memories/a.md"]


def with_local_lost(house: MemoryLedger, clock: Clock) -> MemoryLedger:
    """Learn "kept", lose the local database, and open the ledger again."""
    house.store(Memory("kept"))
    house.close()
    for path in house.workspace.place.directory.glob(f"{LOCAL_NAME}*"):
        path.unlink()
    return reopen(house.workspace.place.directory, clock)[0]


def test_a_lost_local_database_costs_no_document(made: tuple[MemoryLedger, Clock]) -> None:
    house, clock = made
    again = with_local_lost(house, clock)
    again.documents.render()
    assert again.documents.outcome is not None
    assert again.documents.outcome.paused == {}
    again.store(Memory("and more"))
    assert "- and more" in (house.workspace.place.documents / "MEMORY.md").read_text()
    again.close()


def test_nothing_changed_writes_nothing(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.store(Memory("text"))
    assert house.documents.render().written == []


def test_two_folders_of_one_ledger_are_each_brought_up_to_date(
    made: tuple[MemoryLedger, Clock], tmp_path: Path
) -> None:
    house, clock = made
    house.store(Memory("one"))
    other = folder_of(house.workspace, Repository(tmp_path / "clone"))
    other.render(clock())
    house.store(Memory("two"))
    assert b"two" not in (tmp_path / "clone/MEMORY.md").read_bytes()
    other.render(clock())
    assert tree(tmp_path / "clone") == tree(house.workspace.place.documents)


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("memory/workflow.md", "workflow"),
        ("memory/2026-01-05.md", ""),
        ("MEMORY.md", ""),
        ("memories/workflow.md", ""),
    ],
)
def test_overflow_files_are_told_from_daily_notes(path: str, group: str) -> None:
    assert group_of_path(path) == group


def test_verify_names_each_document_that_drifted(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.store(Memory("text", topic="a"))
    house.store(Memory("more"))
    (house.workspace.place.documents / "MEMORY.md").write_bytes(b"changed\n")
    (house.workspace.place.documents / "memories/a.md").unlink()
    report = house.upkeep.verify()
    assert report.chain.sound
    assert {(f.code, f.message.split()[0]) for f in report.projections.findings} == {
        ("document-drift", "MEMORY.md"),
        ("document-missing", "memories/a.md"),
    }


def test_a_lost_local_database_does_not_make_the_next_write_see_an_edit(
    made: tuple[MemoryLedger, Clock],
) -> None:
    house, clock = made
    again = with_local_lost(house, clock)
    again.store(Memory("and more"))
    assert again.documents.outcome is not None
    assert again.documents.outcome.paused == {}
    again.close()


@pytest.mark.parametrize("keep", [0, 2])
def test_a_cut_chain_is_neither_answered_from_nor_rendered(
    made: tuple[MemoryLedger, Clock], keep: int
) -> None:
    house, _ = made
    for text in ("one", "two", "three"):
        house.store(Memory(text))
    house.close()
    before = tree(house.workspace.place.documents)
    lines = house.workspace.chain.read_bytes().splitlines(keepends=True)
    house.workspace.chain.write_bytes(b"".join(lines[:keep]))
    again, _ = reopen(house.workspace.place.directory)
    for ask in (again.load_all, again.documents.replay, again.documents.render, again.format_for_prompt):
        with pytest.raises(RollbackError):
            ask()
    assert tree(house.workspace.place.documents) == before
    again.close()


def test_recovery_keeps_index_and_documents_as_they_were_before_it(
    made: tuple[MemoryLedger, Clock],
) -> None:
    house, _ = made
    for text in ("one", "two", "the last copy"):
        house.store(Memory(text))
    house.close()
    lines = house.workspace.chain.read_bytes().splitlines(keepends=True)
    house.workspace.chain.write_bytes(b"".join(lines[:-1]))
    again, _ = reopen(house.workspace.place.directory)
    again.upkeep.recover("a disk was restored")
    assert "the last copy" not in (house.workspace.place.documents / "MEMORY.md").read_text()
    (kept,) = house.workspace.place.directory.glob("before-recover-*")
    assert "the last copy" in (kept / "MEMORY.md").read_text()
    assert (kept / "memory.db").exists()
    again.close()


def test_a_locked_index_fails_no_question(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    house.store(Memory("known before"))
    holder = sqlite3.connect(house.workspace.place.directory / "memory.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    house.workspace.wait_at_most(0.02)
    house.workspace.ledger.write([Create(Memory("while locked"))], BY)
    assert [e.memory.text for e in house.load_all()] == ["known before", "while locked"]
    holder.execute("ROLLBACK")
    holder.close()


def test_a_secret_as_the_writers_name_is_refused(made: tuple[MemoryLedger, Clock]) -> None:
    house, _ = made
    token = "glpat-" + "x7k2m9q4w8e3r6t1y5u0"
    with pytest.raises(SecretError) as caught:
        house.store(Memory("fine"), By(token))
    assert token not in str(caught.value)


def test_a_pipe_in_the_place_of_a_document_is_not_waited_for(tmp_path: Path) -> None:
    """P-86: the log goes on, and the others are written; in a process of its own, which a pipe would hold for ever."""
    memory, _ = build(tmp_path / "ledger")
    memory.store(bullet("one"))
    memory.store(bullet("two", topic="a/b"))
    memory.close()
    document = memory.workspace.place.documents / "MEMORY.md"
    document.unlink()
    os.mkfifo(document)
    code = f"""
from pathlib import Path
from tests.projections.house import bullet, reopen
memory, _ = reopen(Path({str(tmp_path / "ledger")!r}))
memory.store(bullet("three", topic="a/b"))
print(memory.documents.outcome.paused)
print([finding.code for finding in memory.upkeep.verify().projections.findings])
print(memory.documents.adopt())
"""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    paused, findings, adopted = done.stdout.splitlines() or [done.stderr]
    assert paused == "{'MEMORY.md': 'cannot be read: it is a pipe, not a regular file'}"
    assert (findings, adopted) == ("['document-missing']", "[]")
    assert "three" in (memory.workspace.place.documents / "memories/a/b.md").read_text()
