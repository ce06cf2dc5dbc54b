"""A bullet that its list has twice is one memory; what a person repeats on purpose stays (D-71, D-70)."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory, MemoryLedger
from tests.documents.adopting.editing import adopted, document, edit, leave_only_the_log, texts
from tests.documents.adopting.machine import founded
from tests.projections.house import reopen

LINE = "Deploy on Mondays only"


@pytest.fixture
def taught(house: MemoryLedger) -> MemoryLedger:
    """A ledger with one more memory that has all members."""
    house.store(
        Memory(
            LINE,
            section="Workflow",
            type="decision",
            importance="critical",
            tags=("ops",),
            details=("at noon",),
        )
    )
    house.store(Memory("Ask Ada first", section="Workflow", importance="high"))
    return house


@pytest.mark.parametrize(
    "again",
    [
        f"- {LINE}\n  - at noon\n",
        f"* {LINE}\n    * at noon\n",
    ],
)
@pytest.mark.parametrize("where", ["- Ask Ada first\n", f"- {LINE}\n"])
def test_a_bullet_that_the_list_has_twice_is_one_memory(taught: MemoryLedger, again: str, where: str) -> None:
    """D-70: behind it or above it, with whatever signs; nothing is learned of it."""
    whole = document(taught).read_text()
    seq = taught.workspace.index.newest()
    mine = edit(taught, where, f"{again}{where}" if where.endswith("only\n") else f"{where}{again}")
    done = adopted(taught)
    assert (done.counts(), len(done.doubled)) == ({}, 1), mine
    assert taught.workspace.index.newest() == seq
    assert document(taught).read_text() == whole
    assert taught.documents.adopt() == []


@pytest.mark.parametrize(
    "block",
    [
        "Use pnpm, then:\n\n- Ask Ada first\n",  # a paragraph stands between
        "### On Fridays\n\n- Ask Ada first\n",
        "- Risk: low\n- Task 2\n- Risk: low\n",
        "- Build\n\n  One.\n\n- Build\n\n  Two.\n",
    ],
)
def test_what_is_repeated_on_purpose_stays(taught: MemoryLedger, block: str) -> None:
    """D-71."""
    mine = edit(taught, "- Ask Ada first\n", f"- Ask Ada first\n\n{block}")
    assert adopted(taught).doubled == {}
    wanted = [line for line in mine.splitlines() if line]
    assert [line for line in document(taught).read_text().splitlines() if line] == wanted
    assert taught.documents.adopt() == []


def test_a_line_that_stands_in_two_sections_is_two_memories(taught: MemoryLedger) -> None:
    """D-71: and nobody is asked."""
    whole = edit(taught, "- Prefers short answers\n", f"- Prefers short answers\n- {LINE}\n  - at noon\n")
    assert adopted(taught).counts() == {"new": 1}
    assert document(taught).read_text() == whole
    assert texts(taught).count(LINE) == 2


def test_two_that_stood_already_stay_two_until_somebody_consolidates(taught: MemoryLedger) -> None:
    """D-71, P-155: whatever their types."""
    taught.store(Memory(LINE, section="Workflow", type="note", tags=("late",)))
    edit(taught, "- Ask Ada first\n", "- Ask Ada now\n")
    assert adopted(taught).counts() == {"changed": 1}
    assert texts(taught).count(LINE) == 2
    (merge,) = taught.learning.consolidate().merges
    assert (merge.memory.type, merge.memory.tags, merge.memory.details) == (
        "decision",
        ("ops", "late"),
        ("at noon",),
    )
    assert texts(taught).count(LINE) == 1


def test_the_command_line_names_the_line(isolated: Path, tmp_path: Path) -> None:
    """D-70: status and adopt before it, and every command that takes it in."""
    here = founded(tmp_path / "a" / "house", "Use pnpm")
    path = here.folder / "MEMORY.md"
    path.write_text(path.read_text() + "- Use pnpm\n")
    named = "1 line already in the list, written once: 6 (as 5)"
    assert named in here("status").ok().out
    assert named in here("adopt", "--dry-run").ok().out
    (row,) = here("adopt", "--dry-run", "--json").json["documents"]
    assert row["repeated"] == [6]
    assert named in here("add", "Another").ok().err
    assert path.read_text().count("- Use pnpm\n") == 1


SECTIONS = ("User Preferences", "Tool Usage", "Corrections", "Workflow", "My notes")


@pytest.mark.parametrize(
    ("target", "last"), [(SECTIONS[0], False), (SECTIONS[1], True), (SECTIONS[2], True), (SECTIONS[4], False)]
)
@pytest.mark.parametrize(
    "copied", [1, *(pytest.param(each, marks=pytest.mark.soak) for each in (0, 2, 3, 4))]
)
def test_a_copy_in_another_section_moves_nothing(
    house: MemoryLedger, copied: int, target: str, last: bool
) -> None:
    """D-9: what still stands where it stood has not moved; its copy is a memory of its own (D-71)."""
    for number, section in enumerate(SECTIONS):
        for name in ("One", "Two"):
            house.store(Memory(f"{name} of {number}", section=section))
    line = f"- One of {copied}\n"
    if SECTIONS[copied] == target:
        line = f"- One of {(copied + 1) % 5}\n"
    at = SECTIONS.index(target)
    neighbour = f"- Two of {at}\n" if last else f"- One of {at}\n"
    mine = edit(house, neighbour, f"{neighbour}{line}" if last else f"{line}{neighbour}")
    done = adopted(house)
    assert done.counts() == {"new": 1}, mine
    assert document(house).read_text() == mine
    leave_only_the_log(house, document(house))
    again, _ = reopen(house.workspace.place.directory)
    again.documents.replay()
    assert document(again).read_text() == mine
