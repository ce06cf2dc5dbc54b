"""The session buffer becomes daily notes, once: K-90…K-93, K-95."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learning.daily_checkpoint import Noted, checkpoint
from ledger.errors import NoLedgerError, UsageError
from ledger.event import By
from muniment import MemoryLedger, init
from tests.projections.house import Clock, build, reopen

BY = By("hook", "agent", "hook")


@pytest.fixture
def house(tmp_path: Path) -> tuple[MemoryLedger, Clock]:
    """A ledger, and its clock: 2026-01-05."""
    return build(tmp_path / "ledger")


def buffer_of(memory: MemoryLedger) -> Path:
    """The file that sessions append to."""
    return memory.workspace.place.documents / "session-buffer.md"


def notes_of(memory: MemoryLedger) -> list[tuple[str, str]]:
    """Day and text of all daily notes that stand."""
    found = [entry.memory for entry in memory.load_all() if entry.memory.tier == "daily"]
    return [(each.provenance.date, each.text) for each in found]


def outcomes(notes: list[Noted]) -> list[tuple[str, str]]:
    """What became of each entry."""
    return [(note.outcome, note.entry.text) for note in notes]


def test_entries_become_notes_of_their_day(house: tuple[MemoryLedger, Clock]) -> None:
    """Of the day that they stand under, else of today, with file and session (K-92)."""
    memory, _ = house
    text = "- ran the tests\n## 2026-01-04 session: s-1\n### Decisions\n- 10:00 Use Postgres\n  - not MySQL\n"
    buffer_of(memory).write_text(text)
    done = checkpoint(memory.scope, BY)
    assert outcomes(done.notes) == [("noted", "ran the tests"), ("noted", "10:00 Use Postgres")]
    assert notes_of(memory) == [("2026-01-05", "ran the tests"), ("2026-01-04", "10:00 Use Postgres")]
    record = memory.entry(done.notes[1].id).memory
    assert (record.type, record.tier, record.source, record.section) == ("note", "daily", "auto", "Decisions")
    assert (record.provenance.file, record.provenance.session) == ("session-buffer.md", "s-1")
    assert record.details == ("not MySQL",)
    assert "- ran the tests" in (memory.workspace.place.documents / "memory/2026-01-05.md").read_text()
    assert buffer_of(memory).read_text() == text


def test_twice_is_once_and_only_what_is_new_is_taken(house: tuple[MemoryLedger, Clock]) -> None:
    """K-93: also on another day, wherever it stands by then, and deleted ones too; another day makes another note."""
    memory, clock = house
    buffer_of(memory).write_text("- ran the tests\n- two lines\n")
    done = checkpoint(memory.scope, BY)
    memory.delete([done.notes[1].id])
    clock.pass_days(1)
    assert checkpoint(memory.scope, BY).notes == []
    buffer_of(memory).write_text("# Title\n- two lines\n- ran the tests\n- ran the tests!\n")
    with buffer_of(memory).open("a") as file:
        file.write("## 2026-01-06\n- ran the tests\n")
    assert outcomes(checkpoint(memory.scope, BY).notes) == [
        ("noted", "ran the tests!"),
        ("noted", "ran the tests"),
    ]
    assert checkpoint(memory.scope, BY).notes == []


def test_what_was_erased_is_not_noted_again_while_the_buffer_says_it(
    house: tuple[MemoryLedger, Clock],
) -> None:
    """K-93, Z-30: what else is new is noted; typed once more after it was taken out, it is new."""
    memory, _ = house
    buffer = buffer_of(memory)
    buffer.write_text("- the door code is 4711\n  - ask Ada\n- two lines\n")
    noted = checkpoint(memory.scope, BY).notes
    memory.erasures.erase([noted[0].id], "not ours")
    with buffer.open("a") as file:
        file.write("- three lines\n")
    assert outcomes(checkpoint(memory.scope, BY).notes) == [("noted", "three lines")]
    memory.erasures.erase([noted[1].id], "not ours")
    assert checkpoint(memory.scope, BY).notes == []
    buffer.write_text("- three lines\n")
    assert checkpoint(memory.scope, BY).notes == []
    buffer.write_text("- the door code is 4711\n  - ask Ada\n")
    assert outcomes(checkpoint(memory.scope, BY).notes) == [("noted", "the door code is 4711")]


def test_what_must_not_be_noted_is_named(house: tuple[MemoryLedger, Clock]) -> None:
    """Secrets and addresses are left out by line, the rest is noted (K-95)."""
    memory, _ = house
    secret = "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYzQ9rT4vB7n"
    buffer_of(memory).write_text(f"- fine here\n- {secret}\n- write to bob@company.io\n")
    done = checkpoint(memory.scope, BY)
    assert [(note.outcome, note.secret, note.entry.line) for note in done.notes] == [
        ("noted", False, 1),
        ("refused", True, 2),
        ("refused", False, 3),
    ]
    assert all(secret not in note.why and "bob@" not in note.why for note in done.notes)
    assert [note.outcome for note in checkpoint(memory.scope, BY).notes] == ["refused", "refused"]
    assert [text for _, text in notes_of(memory)] == ["fine here"]


def test_notes_do_not_use_up_the_limits(house: tuple[MemoryLedger, Clock]) -> None:
    """A long day of notes leaves room for what is learned (K-95, K-68)."""
    from projections.rates import automatic_between

    memory, _ = house
    buffer_of(memory).write_text("".join(f"- note number {n}\n" for n in range(40)))
    assert len(checkpoint(memory.scope, BY).notes) == 40
    assert automatic_between(memory.workspace.index, "2026-01-01T00:00:00.000000Z", "9") == 0


def test_dry_decides_and_writes_nothing(house: tuple[MemoryLedger, Clock]) -> None:
    memory, _ = house
    buffer_of(memory).write_text("- one line\n")
    before = memory.workspace.index.newest()
    assert outcomes(checkpoint(memory.scope, BY, dry=True).notes) == [("noted", "one line")]
    assert memory.workspace.index.newest() == before
    assert outcomes(checkpoint(memory.scope, BY).notes) == [("noted", "one line")]


def test_a_link_is_not_followed_and_no_ledger_is_said(
    house: tuple[MemoryLedger, Clock], tmp_path: Path
) -> None:
    """What a foreign repository put there does not get its target noted (K-90)."""
    memory, _ = house
    (tmp_path / "other.md").write_text("- somebody's words\n")
    buffer_of(memory).symlink_to(tmp_path / "other.md")
    with pytest.raises(UsageError, match="is a link"):
        checkpoint(memory.scope, BY)
    buffer_of(memory).unlink()
    os.mkfifo(buffer_of(memory))
    with pytest.raises(UsageError, match="is not a file"):
        checkpoint(memory.scope, BY)
    buffer_of(memory).unlink()
    buffer_of(memory).mkdir()
    with pytest.raises(UsageError, match="is not a file"):
        checkpoint(memory.scope, BY)
    buffer_of(memory).rmdir()
    assert not checkpoint(memory.scope, BY).found
    init(tmp_path / "gone").close()
    nowhere = reopen(tmp_path / "nowhere")[0]
    with pytest.raises(NoLedgerError):
        checkpoint(nowhere.scope, BY)


LINES = st.sampled_from(
    (
        "- ran tests",
        "- use Postgres",
        "  - below it",
        "## 2026-01-03",
        "### Decisions",
        "plain words",
        "",
        "```",
        "- ran tests\r",
    )
)


@settings(
    max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.lists(LINES, max_size=5), st.booleans()), min_size=1, max_size=4))
def test_any_appends_are_taken_once(
    tmp_path_factory: pytest.TempPathFactory, appends: list[tuple[list[str], bool]]
) -> None:
    """Whatever was appended, torn lines too: a second run, on another day, finds nothing (K-93)."""
    memory, clock = build(tmp_path_factory.mktemp("any") / "ledger")
    for lines, torn in appends:
        with buffer_of(memory).open("a") as file:
            file.write("".join(f"{line}\n" for line in lines) + ("- half a l" if torn else ""))
        checkpoint(memory.scope, BY)
        events = memory.workspace.index.newest()
        clock.pass_days(1)
        assert checkpoint(memory.scope, BY).notes == []
        assert memory.workspace.index.newest() == events
    memory.close()
