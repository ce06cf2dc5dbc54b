"""local.db keeps observations: losing or damaging it never costs a memory."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from ledger.memory import Memory
from projections.local import LOCAL_NAME, Local, Rendering
from tests.projections.house import build, reopen


def test_uses_are_counted_by_reading_and_by_injecting(tmp_path: Path) -> None:
    local = Local(tmp_path)
    local.count(["a", "b"])
    local.count(["a"], injected=True)
    assert local.uses() == {"a": 2, "b": 1}
    local.close()


def test_facts_are_found_by_how_their_names_begin(tmp_path: Path) -> None:
    local = Local(tmp_path)
    for name in ("wish b", "wish a", "wi%h", "other", "wish"):
        local.note(name, name.upper())
    assert local.facts("wish ") == [("wish a", "WISH A"), ("wish b", "WISH B")]
    assert local.facts("wi%") == [("wi%h", "WI%H")]
    local.note("wish a", "")
    assert local.facts("wish ") == [("wish b", "WISH B")]
    local.close()


def test_what_was_busy_when_it_was_first_read_is_read_once_it_can_be_written(tmp_path: Path) -> None:
    """P-61: several processes make it at once, and each knows its secret."""
    local = Local(tmp_path)
    local.database.patience = 0.01
    with contextlib.closing(sqlite3.connect(tmp_path / LOCAL_NAME, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert local.fact("known") == ""
        assert "locked" in local.database.trouble
        other.execute("ROLLBACK")
    secret = local.secret()
    assert len(secret) == 32
    local.note("known", "here")
    assert (local.fact("known"), local.secret(), local.database.trouble) == ("here", secret, "")
    local.close()


def test_archive_marks_say_when_and_why_and_can_be_taken_back(tmp_path: Path) -> None:
    local = Local(tmp_path)
    local.archive({"a": "score 0.10"}, at=0)
    assert local.archived() == {"a": ("1970-01-01T00:00:00.000000Z", "score 0.10")}
    assert local.unarchive("a")
    assert not local.unarchive("a")
    assert local.archived() == {}
    local.close()


def test_each_folder_has_a_rendering_of_its_own(tmp_path: Path) -> None:
    local = Local(tmp_path)
    one, two = tmp_path / "one", tmp_path / "two"
    local.save_rendering(one, Rendering(3, 5, "s", ("x",)), {"MEMORY.md": "edited"})
    assert local.rendering(one) == Rendering(3, 5, "s", ("x",))
    assert local.rendering(two) is None
    assert local.paused(one) == {"MEMORY.md": "edited"}
    local.note_files(one, [("a.md", "d1")], 1)
    local.note_files(one, [("a.md", "d2")], 1)
    assert local.rendered(one) == {"a.md": "d2"}
    assert local.is_ours(one, "a.md", "d1"), "an earlier rendering is known as ours"
    assert not local.is_ours(two, "a.md", "d1")
    local.forget_file(one, "a.md")
    assert local.rendered(one) == {}
    local.close()


def test_a_damaged_file_is_kept_beside_and_begun_anew(tmp_path: Path) -> None:
    (tmp_path / LOCAL_NAME).write_bytes(b"no database at all, but long enough to look like one" * 40)
    local = Local(tmp_path)
    local.note("verified", "yes")
    assert local.fact("verified") == "yes"
    (aside,) = tmp_path.glob(f"{LOCAL_NAME}.damaged-*")
    assert aside.read_bytes().startswith(b"no database")
    local.close()


def test_archived_memories_are_hidden_from_list_and_search_but_not_from_documents(tmp_path: Path) -> None:
    house, clock = build(tmp_path / "ledger")
    id_ = house.store(Memory("a stale detail", source="auto", importance="low")).id
    clock.pass_days(40)
    done = house.upkeep.gc()
    assert ([v.entry.id for v in done.archived], done.kept) == ([id_], 0)
    assert house.load_all() == []
    assert house.search("stale detail") == []
    assert "a stale detail" in (house.workspace.place.documents / "MEMORY.md").read_text()
    assert house.upkeep.unarchive(id_[:8]) == [id_]
    assert [e.id for e in house.load_all()] == [id_]
    house.close()


def test_archiving_never_opens_the_chain_for_writing(tmp_path: Path) -> None:
    house, clock = build(tmp_path / "ledger")
    house.store(Memory("a stale detail", source="auto", importance="low"))
    clock.pass_days(40)
    house.close()
    before = (
        house.workspace.chain.read_bytes(),
        house.workspace.chain.stat().st_mtime_ns,
        house.workspace.chain.stat().st_ino,
    )
    again, _ = reopen(tmp_path / "ledger", clock)
    again.upkeep.gc()
    again.close()
    assert (
        house.workspace.chain.read_bytes(),
        house.workspace.chain.stat().st_mtime_ns,
        house.workspace.chain.stat().st_ino,
    ) == before
