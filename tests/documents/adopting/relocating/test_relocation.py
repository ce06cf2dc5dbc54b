"""Tests documents/adopting/relocation.py against specs/doors.md (G-25): documents that lie in a folder that [render] names."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import muniment
from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import texts
from tests.documents.adopting.in_git import begun, git
from tests.documents.adopting.relocating.relocated import (
    DAY,
    OWN,
    THEIRS,
    THERE,
    again,
    lines_of,
    point,
)
from tests.observing import DeathError, observed, watched
from tests.projections.house import reopen, tree

# --- moving in ---


def test_what_stood_there_is_taken_in_and_stands_there_still(opened: MemoryLedger, workspace: Path) -> None:
    """G-25, G-60: every line of MEMORY.md and of the day, beside ours; other files are nobody's documents."""
    opened.store(Memory("Learned after"))
    new = (workspace / "MEMORY.md").read_text()
    assert lines_of(THERE) <= lines_of(new)
    assert {f"- {text}" for text in (*OWN, "Learned after")} <= lines_of(new)
    assert (workspace / "memory" / "2026-01-04.md").read_text() == DAY
    assert {path: (workspace / path).read_text() for path in THEIRS} == THEIRS
    assert {*OWN, "Anna is the boss", "Deployed the queue", "Learned after"} <= {*texts(opened)}
    assert (
        opened.documents.adopt(),
        opened.documents.outcome.paused if opened.documents.outcome else None,
    ) == ([], {})
    assert opened.upkeep.verify().sound


def test_the_ledgers_own_documents_go_once_all_of_it_stands_there(opened: MemoryLedger, ledger: Path) -> None:
    """G-61: in place of the ledger's own ones: a copy that nobody reads would take edits that nobody hears."""
    opened.documents.render()
    assert tree(ledger) == {}


def test_what_was_typed_into_the_own_documents_is_not_lost(opened: MemoryLedger, ledger: Path) -> None:
    """G-61: it is taken in first, as an edit."""
    own = ledger / "MEMORY.md"
    own.write_text(own.read_text().replace("5433", "5434") + "- Typed just now\n")
    opened.documents.render()
    assert {"Postgres listens on 5434", "Typed just now"} <= {*texts(opened)}
    assert "Postgres listens on 5433" not in texts(opened)


def test_a_committed_memory_descends_from_none_of_ours(
    ledger: Path, opened: MemoryLedger, workspace: Path
) -> None:
    """G-60, D-2: what git tracks there lacks most of ours, and has taken out none of it."""
    there = workspace / "MEMORY.md"
    there.write_text(f"# Auto-Memories\n\n## Project Conventions\n\n- {OWN[1]}\n- {OWN[2]}\n\n{THERE}")
    begun(workspace)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-qm", "one")
    assert {each.path: each.came for each in opened.documents.adopt()} == {
        "MEMORY.md": True,
        "memory/2026-01-04.md": True,
    }
    assert {*OWN, "Anna is the boss"} <= {*texts(opened)}
    assert [row.kind for row in opened.log() if row.kind == "delete"] == []
    assert lines_of(THERE) <= lines_of((workspace / "MEMORY.md").read_text())


def test_adopt_moves_in_too(opened: MemoryLedger, ledger: Path) -> None:
    """G-25: and names the documents."""
    done = [each.path for each in opened.documents.adopt()]
    assert sorted(done) == ["MEMORY.md", "memory/2026-01-04.md"]
    assert tree(ledger) == {}


def test_it_is_done_once(opened: MemoryLedger, ledger: Path, workspace: Path) -> None:
    """G-25: the next commands find nothing to do."""
    opened.documents.render()
    before, events = tree(workspace), len(texts(opened))
    memory = again(opened, ledger)
    with watched() as steps:
        memory.documents.render()
    assert (tree(workspace), len(texts(memory)), "documents.left" in steps) == (before, events, False)
    memory.close()


# --- living there ---


def test_edits_there_are_adopted_as_in_the_own_folder(opened: MemoryLedger, workspace: Path) -> None:
    """G-25, D-7: a change, a line that came, one that went; and what the other program appends to a day."""
    opened.documents.render()
    there = workspace / "MEMORY.md"
    text = there.read_text().replace("- Use pnpm, not npm\n", "").replace("5433", "5435")
    there.write_text(text + "- Typed there\n")
    day = workspace / "memory" / "2026-01-04.md"
    day.write_text(day.read_text() + "- And the worker\n")
    opened.store(Memory("Unrelated", tier="daily"))
    said = {*texts(opened)}
    assert {"Postgres listens on 5435", "Typed there", "And the worker"} <= said
    assert said.isdisjoint(OWN[:2])
    assert lines_of(text + "- Typed there\n") <= lines_of(there.read_text())


def test_a_line_that_is_appended_there_lengthens_none_of_ours(opened: MemoryLedger, workspace: Path) -> None:
    """P-99, G-25: whatever the last line there ended in before."""
    there = workspace / "MEMORY.md"
    there.write_text(there.read_text().rstrip("\n"))
    opened.store(Memory("Deploys go on Mondays"))
    with there.open("a") as appending:
        appending.write("- Typed there")
    opened.store(Memory("Keys rotate on Fridays"))
    with there.open("a") as appending:
        appending.write("- And this\n")
    opened.documents.adopt()
    said = ["Deploys go on Mondays", "Typed there", "Keys rotate on Fridays", "And this"]
    assert set(said) <= {*texts(opened)}
    assert opened.upkeep.verify().sound


def test_a_day_that_came_is_named_and_adopted(opened: MemoryLedger, workspace: Path) -> None:
    """G-25, D-36: another program begins a new day."""
    opened.documents.render()
    new = workspace / "memory" / "2026-01-05.md"
    new.write_text("# 2026-01-05\n\n- Met Anna\n")
    assert [each.path for each in opened.documents.adopt()] == ["memory/2026-01-05.md"]
    assert new.read_text() == "# 2026-01-05\n\n- Met Anna\n"


def test_overflow_and_topics_lie_there_and_meet_what_others_have(ledger: Path, workspace: Path) -> None:
    """G-60: a file of theirs at the very path is taken in, since the ledger has something to say there."""
    (workspace / "memory" / "project-conventions.md").write_text("- Theirs, by chance\n")
    point(ledger, workspace, "max_lines_per_file = 24")
    memory, _ = reopen(ledger)
    for number in range(20):
        memory.store(Memory(f"number {number}"))
    memory.store(Memory("A topic says so", topic="queue/retries"))
    files = tree(workspace)
    said = b"".join(files.values()).decode()
    assert {f"- number {number}" for number in range(20)} | {"- Theirs, by chance"} <= lines_of(said)
    assert len(files["MEMORY.md"].splitlines()) <= 24
    assert b"A topic says so" in files["memories/queue/retries.md"]
    assert {path: (workspace / path).read_text() for path in THEIRS} == THEIRS
    assert memory.upkeep.verify().sound
    memory.close()


def test_a_secret_there_is_held_and_the_own_documents_wait(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-61, D-17: no line of ours leaves all documents before it stands in the new one."""
    there = workspace / "MEMORY.md"
    held = THERE + "- token ghp_" + "a1B2" * 9 + "\n"
    there.write_text(held)
    opened.documents.render()
    assert there.read_text() == held
    assert {f"- {text}" for text in OWN} <= lines_of((ledger / "MEMORY.md").read_text())
    assert "looks like a secret" in (
        opened.documents.outcome.paused["MEMORY.md"] if opened.documents.outcome else ""
    )
    there.write_text(THERE)
    opened.documents.adopt()
    assert tree(ledger) == {}
    assert {f"- {text}" for text in OWN} <= lines_of(there.read_text())


def test_a_folder_that_is_gone_keeps_the_log_going(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-62: as with a disk that is not there; nothing counts as deleted, nothing is made in its place."""
    opened.documents.render()
    away = workspace.rename(workspace.with_name("away"))
    memory = again(opened, ledger)
    memory.store(Memory("Meanwhile"))
    assert not workspace.exists()
    assert "is not a folder" in str(memory.documents.outcome.paused if memory.documents.outcome else "")
    away.rename(workspace)
    memory.store(Memory("Afterwards"))
    said = lines_of((workspace / "MEMORY.md").read_text())
    assert {"- Meanwhile", "- Afterwards", *(f"- {text}" for text in OWN)} <= said
    memory.close()


def test_what_is_erased_goes_from_there_and_from_a_folder_that_was_left(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-25, P-88."""
    opened.documents.render()
    point(ledger, None)
    memory = again(opened, ledger)
    id_ = memory.store(Memory("Shown in the own folder alone")).id
    mine = next(entry.id for entry in memory.load_all() if entry.memory.text == OWN[0])
    memory.erasures.erase([mine, id_], "wanted")
    assert OWN[0] not in (workspace / "MEMORY.md").read_text()
    assert OWN[0] not in (ledger / "MEMORY.md").read_text()
    memory.close()


def test_a_file_that_another_program_writes_over_a_short_memory_deletes_nothing(
    opened: MemoryLedger, ledger: Path, workspace: Path
) -> None:
    """G-25, D-16: two of three entries are enough there; one of three is an edit."""
    (workspace / "MEMORY.md").unlink()
    opened.documents.render()
    there = workspace / "MEMORY.md"
    said = there.read_text()
    there.write_text(f"# Memory\n\n- {OWN[0]}\n- Anna joined the team\n")
    opened.store(Memory("Meanwhile"))
    assert {*OWN, "Meanwhile"} <= {*texts(opened)}
    assert "it removes or overwrites 2 of 3 entries" in str(
        opened.documents.outcome.paused if opened.documents.outcome else ""
    )
    there.write_text(said.replace(f"- {OWN[1]}\n", ""))
    opened.documents.adopt()
    assert OWN[1] not in texts(opened)
    assert {OWN[0], OWN[2]} <= {*texts(opened)}
    opened.store(Memory("Afterwards"))
    assert "- Afterwards" in there.read_text()


# --- leaving ---


def test_leaving_leaves_the_documents_there(opened: MemoryLedger, ledger: Path, workspace: Path) -> None:
    """G-61: they are memory to who reads it; edits up to then are taken in, and the own folder has all again."""
    opened.documents.render()
    there = workspace / "MEMORY.md"
    there.write_text(there.read_text() + "- Typed at the end\n")
    point(ledger, None)
    memory = again(opened, ledger)
    memory.documents.render()
    assert "Typed at the end" in texts(memory)
    assert lines_of((ledger / "MEMORY.md").read_text()) == lines_of(there.read_text())
    there.write_text(there.read_text() + "- Not ours any more\n")
    memory.documents.adopt()
    assert "Not ours any more" not in texts(memory)
    point(ledger, workspace)
    memory = again(memory, ledger)
    memory.store(Memory("Back"))
    assert {"Not ours any more", "Back"} <= {*texts(memory)}
    assert {*OWN} <= {*texts(memory)}
    memory.close()


# --- recovery ---


def test_a_death_at_any_step_of_moving_in_comes_to_the_same(
    ledger: Path, workspace: Path, tmp_path: Path
) -> None:
    """G-61: killed at each kind of its steps in turn, the next command finishes, and nothing is said twice or lost."""
    own = ledger / "MEMORY.md"
    own.write_text(own.read_text() + "- Typed just now\n")
    kept = tmp_path / "kept"
    shutil.copytree(ledger, kept / "ledger", symlinks=True)
    shutil.copytree(workspace, kept / "workspace")
    point(ledger, workspace)
    memory, _ = reopen(ledger)
    with watched() as steps:
        memory.documents.render()
    wanted = (tree(workspace), sorted(texts(memory)), tree(ledger))
    memory.close()
    kinds = dict.fromkeys(steps)
    assert len(kinds) > 8, steps
    for at in map(steps.index, kinds):
        for path in (ledger, workspace):
            shutil.rmtree(path)
            shutil.copytree(kept / path.name, path, symlinks=True)
        for mark in muniment.home().state.glob("marks/*"):
            mark.unlink()  # this chain is the shorter one of before
        point(ledger, workspace)
        memory, _ = reopen(ledger)
        _die_at(at, memory.documents.render)
        memory = again(memory, ledger)
        memory.documents.render()
        memory.documents.adopt()
        assert (tree(workspace), sorted(texts(memory)), tree(ledger)) == wanted, steps[at]
        memory.close()


def _die_at(number: int, do: Callable[[], object]) -> None:
    seen = 0

    def die(_step: str) -> None:
        nonlocal seen
        if seen == number:
            raise DeathError
        seen += 1

    with observed(die):
        try:
            do()
        except DeathError:
            return
    raise AssertionError(number)
