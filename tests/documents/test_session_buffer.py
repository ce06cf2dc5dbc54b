"""A session buffer is read as what people and hooks append: K-90, K-91."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.session_buffer import BufferEntry, ended, read_buffer
from learning.detection.distilling import bare

MIXED = b"""\xef\xbb\xbf---
session: s-42
date: 2026-11-20
---
# Session buffer

- 09:05 Decided to use PostgreSQL
- ran the tests
  - 214 passed
  and it took
* [ ] write the docs
1. first of a list
a plain line
another plain line
> quoted words

## 2026-11-21 session: s-43
[2026-11-22T14:05:00Z] deployed to staging
### Decisions
- Postgres, not MySQL\r
```sh
- no entry
```
<!-- nor
- this -->
---
- ...
the end"""


def test_entries_of_every_make_are_read() -> None:
    """Bullets, numbers and lines, under days, sessions and sections; code, comments and rules are none."""
    assert read_buffer(MIXED) == [
        BufferEntry("09:05 Decided to use PostgreSQL", (), "2026-11-20", "s-42", "", 7),
        BufferEntry("ran the tests", ("214 passed and it took",), "2026-11-20", "s-42", "", 8),
        BufferEntry("write the docs", (), "2026-11-20", "s-42", "", 11),
        BufferEntry("first of a list", (), "2026-11-20", "s-42", "", 12),
        BufferEntry("a plain line", (), "2026-11-20", "s-42", "", 13),
        BufferEntry("another plain line", (), "2026-11-20", "s-42", "", 14),
        BufferEntry("quoted words", (), "2026-11-20", "s-42", "", 15),
        BufferEntry("14:05 deployed to staging", (), "2026-11-22", "s-43", "", 18),
        BufferEntry("Postgres, not MySQL", (), "2026-11-21", "s-43", "Decisions", 20),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "[2026-13-45T99:00:00Z] bad date",
        "[2026-02-30] no such day",
        "25:10 too late",
        "[2026-11-22T14:75:00Z] odd",
    ],
)
def test_an_impossible_time_is_no_time(said: str) -> None:
    """The line is kept as it stands, and nothing is made up of it (K-91)."""
    [entry] = read_buffer(f"date: 2026-11-20\n- {said}\n".encode())
    assert (entry.text, entry.day) == (said, "2026-11-20")
    assert bare(entry.text) == said


def test_the_last_line_waits_for_its_end() -> None:
    """A hook may be in the middle of it (K-90)."""
    assert [entry.text for entry in read_buffer(b"- whole\n- hal")] == ["whole"]
    assert ended(b"- whole\n- hal") == 8
    assert read_buffer(b"- hal") == []


def test_a_long_line_goes_on_in_the_details() -> None:
    """Nothing of it is lost, and each piece fits a record (M-1)."""
    words = " ".join(f"word{n}" for n in range(500))
    [entry] = read_buffer(f"- {words}\n".encode())
    assert " ".join((entry.text, *entry.details)) == words
    assert max(map(len, (entry.text, *entry.details))) <= 1000


@pytest.mark.parametrize(
    ("heading", "day", "session", "section"),
    [
        ("## 2026-11-22", "2026-11-22", "", ""),
        ("## 14:05", "", "", ""),
        ("## Session abc-1 (2026-11-22T09:00Z)", "2026-11-22", "abc-1", ""),
        ("# Session: 7f3a", "", "7f3a", ""),
        ("## Session notes", "", "", "Session notes"),
        ("# Notes", "", "", ""),
        ("## 2026-13-45", "", "", ""),
        ("## Open points", "", "", "Open points"),
    ],
)
def test_headings_say_day_session_or_section(heading: str, day: str, session: str, section: str) -> None:
    """What is none of the first two is a section, but for the title (K-91)."""
    assert read_buffer(f"{heading}\n- entry one\n".encode()) == [
        BufferEntry("entry one", (), day, session, section, 2)
    ]


@given(st.binary(max_size=300))
def test_no_bytes_break_it(data: bytes) -> None:
    """Every entry is a text that a record can hold."""
    for entry in read_buffer(data):
        for text in (entry.text, *entry.details):
            assert len(text.splitlines()) == 1
            assert text.strip()
            assert "\x00" not in text
