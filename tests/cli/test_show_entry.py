"""How memories look to people and to programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.app import App
from cli.show_entry import count_of, entry_json, fields, memory_json, one_line, record_rows, size, text_lines
from language.dates import day
from language.printable import said
from ledger.fold import is_stale
from ledger.memory import Memory, Provenance
from projections.index import Index
from tests.projections.made_up import entry


def test_json_holds_every_member_of_a_record() -> None:
    """What the record has no word for (parts, place, unknown members) stays in the chain."""
    left_out = {"part", "place", "status", "unknown"}
    assert set(memory_json(Memory("x"))) == set(Memory._fields) - left_out
    assert memory_json(Memory("x", type="preference"))["section"] == "User Preferences"


def test_the_status_of_an_entry_is_that_of_its_life(tmp_path: Path) -> None:
    """A confirmed candidate is active, whatever its record says."""
    assert entry_json(Index(tmp_path), entry("x", status="deleted"))["status"] == "deleted"


@pytest.mark.parametrize(
    ("members", "marks"),
    [
        ({}, ""),
        ({"status": "candidate"}, "  [candidate]"),
    ],
)
def test_a_line_marks_what_is_out_of_the_ordinary(members: dict[str, Any], marks: str) -> None:
    """And nothing else."""
    made = entry("Use pnpm", **members)
    assert one_line(App(), made) == f"{made.id[:12]}  {day(made.learned)}  Use pnpm{marks}"


def test_marks_stand_in_one_pair_of_brackets() -> None:
    """Status, then what time did to it, then its importance."""
    made = entry("x", status="candidate", importance="critical")
    assert one_line(App(), made, stale=True, archived=True).endswith(
        "  [candidate, stale, archived, critical]"
    )


def test_only_an_active_memory_grows_stale() -> None:
    """A candidate waits, and what is gone is gone."""
    late = "9999-01-01T00:00:00.000000Z"
    assert is_stale(entry("x"), late)
    assert not is_stale(entry("x"), "")
    assert not any(
        is_stale(entry("x", status=status), late) for status in ("candidate", "deleted", "superseded")
    )


def test_what_is_erased_says_so() -> None:
    """An empty line would look like a fault of ours."""
    assert said(Memory("")) == "(erased)"


def test_fields_are_aligned_and_empty_ones_left_out() -> None:
    """Two spaces after the longest name."""
    rows = [("a", "1"), ("longer", "2"), ("nothing", "")]
    assert list(fields(rows, "  ")) == ["  a       1", "  longer  2"]
    assert list(fields([])) == []


def test_a_record_shows_what_is_not_usual() -> None:
    """With its provenance, what acts on a terminal named."""
    memory = Memory("x", tags=("a", "b"), importance="high", provenance=Provenance(tool="t\x1b[0m"))
    assert dict(record_rows(memory)) == {
        "section": "Project Conventions",
        "type": "fact",
        "topic": "",
        "title": "",
        "when to use": "",
        "tags": "a, b",
        "importance": "high",
        "inferred": "",
        "source": "manual",
        "category": "",
        "tool": "t<U+001B>[0m",
    }


def test_a_body_keeps_its_lines() -> None:
    """Of whatever system; tabs become spaces, controls are named."""
    assert list(text_lines("a\r\n\n\tb\x1b[0m\n")) == ["  a", "", "      b<U+001B>[0m"]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KB"),
        (61_234, "61.2 KB"),
        (5_500_000, "5.5 MB"),
        (7 * 10**9, "7.0 GB"),
    ],
)
def test_a_number_of_bytes_is_short(count: int, shown: str) -> None:
    """In powers of ten, as disks are sold."""
    assert size(count) == shown


def test_a_number_has_its_noun() -> None:
    """One of it, or several."""
    assert [count_of(n, "event") for n in (0, 1, 2)] == ["0 events", "1 event", "2 events"]
    assert count_of(2, "memory", "memories") == "2 memories"
