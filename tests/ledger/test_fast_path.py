"""What the fast way recognises, the strict way finds good; and it recognises what ledgers really hold.

Tests specs/verification.md (V-3, V-4) for ledger/fast_path.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import decode
from ledger.errors import FormatError
from ledger.event import split_line
from ledger.fast_path import is_usual_event, is_usual_payload
from ledger.memory import (
    CATEGORIES,
    IMPORTANCES,
    PROVENANCE_MEMBERS,
    RECORD_MEMBERS,
    SPACES,
    STATUSES,
    TIERS,
    TYPES,
    Memory,
    Provenance,
)
from ledger.schema import KINDS, event_fault, payload_fault
from specs.vectors.builder import spelled
from specs.vectors.cases import started

ID = "ab" * 32
ODD = st.text(st.sampled_from('aZ0 \t\n\r\x0b\x1c\x1f\x7f\x85\xa0\u2028\u3000\ufeff"\\/#-.\0é😀'), max_size=4)
LENGTHS = st.sampled_from([0, 1, 64, 65, 100, 101, 200, 201, 500, 501, 1000, 1001, 4000, 4001])
LINES = ODD | LENGTHS.map(lambda n: "x" * n) | LENGTHS.map(lambda n: "é" * n)
LISTS = st.lists(LINES, max_size=2) | st.sampled_from([100, 101, 200, 201]).map(lambda n: ["x"] * n)
ANY = LINES | LISTS | st.none() | st.booleans() | st.integers(-1, 2)
TOPICS = st.sampled_from(
    ["a", "a/b-c", "a--b", "a/", "/a", "A", "a/b/c/d", "a/b/c/d/e", "x" * 64, "x" * 65, f"a/{'y' * 65}"]
)
RECORDS = st.fixed_dictionaries(
    {"salt": st.just("A" * 22) | st.just("A" * 21 + "B"), "text": LINES},
    optional={
        **dict.fromkeys(sorted(RECORD_MEMBERS - {"salt", "text"}), ANY),
        "topic": TOPICS,
        "type": st.sampled_from([*TYPES, "opinion"]),
        "tier": st.sampled_from([*TIERS, ""]),
        "status": st.sampled_from(STATUSES),
        "importance": st.sampled_from(IMPORTANCES),
        "category": st.sampled_from(CATEGORIES),
        "confidence": st.sampled_from(["0.00", "0.99", "1.00", "1.01", "0.9", "0.999"]),
        "provenance": st.dictionaries(st.sampled_from([*PROVENANCE_MEMBERS, "zeta"]), ANY, max_size=4),
        "part": st.sampled_from([{"n": 1, "of": 2}, {"n": 3, "of": 2}]),
        "place": st.sampled_from([{"doc": "a"}, {"doc": ""}]),
        "reason": LINES,
    },
)


def is_good_payload(kind: str, raw: bytes) -> bool:
    try:
        return payload_fault(kind, decode(raw, "it")) is None
    except FormatError:
        return False


def is_good_event(raw: bytes) -> bool:
    try:
        return event_fault(decode(raw, "it")) is None
    except FormatError:
        return False


@given(st.sampled_from([kind for kind, row in KINDS.items() if row.payload_fault]), RECORDS)
def test_a_usual_payload_is_a_good_one(kind: str, payload: dict[str, Any]) -> None:
    raw = spelled(payload)
    if is_usual_payload(kind, raw):
        assert is_good_payload(kind, raw)


@given(RECORDS, st.integers(min_value=0), st.binary(max_size=2), st.integers(0, 2))
def test_a_payload_that_stays_usual_when_bytes_change_is_still_good(
    payload: dict[str, Any], at: int, new: bytes, drop: int
) -> None:
    raw = spelled({**payload, "text": "plain", "salt": "A" * 22})
    at %= len(raw)
    changed = raw[:at] + new + raw[at + drop :]
    if is_usual_payload("create", changed):
        assert is_good_payload("create", changed)


def examples() -> list[bytes]:
    chain = started(2)
    chain.add("supersede", {"text": "t"}, targets=[chain.ids[1]])
    chain.add("delete", {"reason": "r"}, targets=[chain.ids[1]])
    chain.add("confirm", targets=[chain.ids[1]])
    chain.add("erase", targets=[chain.ids[1]])
    return [split_line(line).event for line in chain.lines[1:]]


@pytest.mark.parametrize("raw", examples())
def test_an_event_that_stays_usual_when_a_byte_changes_is_still_good(raw: bytes) -> None:
    """Every byte, every deletion, every value of it and every insertion that could matter."""
    kind = json.loads(raw)["kind"]
    assert is_usual_event(kind, raw)
    for at in range(len(raw)):
        for changed in (
            raw[:at] + raw[at + 1 :],
            *(raw[:at] + bytes([byte]) + raw[at + 1 :] for byte in range(256)),
            *(raw[:at] + bytes([byte]) + raw[at:] for byte in b'09afz "\\,:{}[]-.\x00\xff'),
        ):
            if is_usual_event(kind, changed):
                assert is_good_event(changed), changed


@pytest.mark.parametrize(
    "ts",
    [
        *(f"2027-{month:02d}-{day:02d}" for month in range(14) for day in range(33)),
        *(f"{year:04d}-02-29" for year in (0, 4, 1900, 2000, 2027, 2028)),
        "0000-01-01",
    ],
)
def test_every_day_of_the_calendar_and_no_other_may_be_usual(ts: str) -> None:
    raw = examples()[0].replace(b"2026-11-20", ts.encode())
    if is_usual_event("create", raw):
        assert is_good_event(raw)
    elif is_good_event(raw):
        assert ts.endswith("02-29")  # left to the calendar


def test_every_record_a_ledger_writes_is_recognised() -> None:
    """Otherwise the fast way would be dead weight; a record of every member but part and place."""
    memory = Memory(
        "Run the tests: naïve “quotes”, 日本語.",
        ("one", "two"),
        "A title",
        'body\n\t"quoted" \\ text\r\n\u2028',
        None,
        None,
        "a/b-c",
        ("auth*",),
        ("t",),
        "preference",
        "Tools",
        "committed",
        "high",
        0.5,
        True,
        "auto",
        "candidate",
        "user-preference",
        Provenance(*"abcdefghi"),
        "mood: calm\n",
    )
    assert memory.to_payload().keys() == RECORD_MEMBERS - {"part", "place", "reason", "salt"}
    raw = spelled({**memory.to_payload(), "reason": "r", "salt": "A" * 22})
    assert is_usual_payload("create", raw)
    assert is_usual_payload("supersede", spelled({"text": "t", "salt": "A" * 22}))
    assert is_usual_payload(
        "delete", spelled({"reason": "r", "salt": "A" * 22, "provenance": {"agent": "a"}})
    )
    assert not is_usual_payload(
        "delete", spelled({"reason": 'a "b"', "salt": "A" * 22})
    )  # the strict way takes it


@pytest.mark.parametrize("space", SPACES)
def test_space_at_the_ends_is_left_to_the_strict_way(space: str) -> None:
    for text, section in ((f"{space}t", "Tools"), ("t", f"{space}Tools"), ("t", f"Tools{space}")):
        assert not is_usual_payload("create", spelled({"text": text, "section": section, "salt": "A" * 22}))


@pytest.mark.parametrize("kind", [None, 1, [], {}, "merge", "genesis", "rotate", "recover", "anchor"])
def test_rare_and_unknown_kinds_are_left_to_the_strict_way(kind: Any) -> None:
    assert not is_usual_event(kind, examples()[0])


def test_bytes_that_are_no_text_are_left_to_the_strict_way() -> None:
    assert not is_usual_event("create", b"\xff")
    assert not is_usual_payload("create", b"\xff")
    assert not is_usual_payload("anchor", b"{}")
