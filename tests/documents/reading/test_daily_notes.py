"""A note that is named for its day (specs/import.md I-2, I-16, I-18)."""

from __future__ import annotations

import pytest
from hypothesis import given

from documents.proposal import Proposal
from documents.reading.blocks import split_blocks
from documents.reading.memory_file import DocumentContext, day_of, read_memory_file
from ledger.memory import Memory, Provenance
from tests.documents.reading.accounting import unaccounted
from tests.documents.reading.made_up import wild_documents


def _read(data: bytes, file: str) -> tuple[Proposal, ...]:
    return read_memory_file(split_blocks(data), DocumentContext(file, title="2026-01-02", day="2026-01-02"))


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-01-02.md", "2026-01-02"),
        ("2026-01-02-stand-up.md", "2026-01-02"),
        ("2026-01-02.MDC", "2026-01-02"),
        ("2026-02-30.md", ""),
        ("2026-01-02x.md", ""),
        ("2026-01-02-.md", ""),
        ("2026-01-02.txt", ""),
        ("x2026-01-02.md", ""),
        ("20260102.md", ""),
    ],
)
def test_the_name_of_the_file_says_the_day(name: str, day: str) -> None:
    assert day_of(name) == day


def test_every_memory_belongs_to_the_day_and_stands_under_its_own_heading() -> None:
    text = "# 2026-01-02\n\nslept\n\n## tool usages\n- a <!-- auto:date=2025-01-01 -->\n## Evening\n"
    where = Provenance(file="n/2026-01-02.md", date="2026-01-02")
    proposals = _read(text.encode(), "n/2026-01-02.md")
    assert [p.memory for p in proposals] == [
        Memory("slept", body="slept\n", type="note", tier="daily", provenance=where),
        Memory(
            "a",
            section="tool usages",
            tier="daily",
            source="auto",
            extra='"date": "2025-01-01"\n',
            provenance=where,
        ),
        Memory(
            "Evening",
            section="Evening",
            body="\n",
            type="note",
            tier="daily",
            importance="low",
            provenance=where,
        ),
    ]
    assert {p.date for p in proposals} == {"2026-01-02"}


def test_a_title_that_says_more_than_the_day_is_kept() -> None:
    (proposal,) = _read(b"# 2026-01-02 Friday\n", "x.md")
    assert proposal.memory is not None
    assert proposal.memory.body == "# 2026-01-02 Friday\n"


@given(wild_documents())
def test_every_line_is_in_one_proposal_in_order(text: str) -> None:
    proposals = _read(text.encode(), "2026-01-02.md")
    assert unaccounted(text, proposals, "2026-01-02") == []
