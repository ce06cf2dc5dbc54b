"""Tests of ledger/draft.py: long bodies are cut and joined without loss; every part fits a line (M-9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import encode
from ledger.command import Confirm, Delete, Erase, Supersede
from ledger.draft import (
    PART_BYTES,
    erase_drafts,
    note_payload,
    of_first,
    record_drafts,
    split_body,
    target_drafts,
)
from ledger.errors import RecordError
from ledger.memory import Memory, Provenance, record_fault

ID = "a" * 64
LINES = st.text(alphabet='ab"\\\n\r\x01\u2028é🙂', max_size=400)


@given(LINES, st.integers(8, 60), st.integers(8, 60))
def test_pieces_joined_are_the_text_and_fit(body: str, limit: int, first: int) -> None:
    """Whatever escapes its JSON needs; the first piece has a limit of its own."""
    pieces = split_body(body, limit, first=first)
    assert "".join(pieces) == body
    assert all(pieces)
    for number, piece in enumerate(pieces):
        assert len(encode(piece)) - 2 <= (limit if number else first)


def test_pieces_end_at_line_ends() -> None:
    """Only a line that does not fit into one piece is cut inside."""
    body = "".join(f"line {number}\n" for number in range(1000))
    pieces = split_body(body, 500, first=500)
    assert len(pieces) > 10
    assert all(piece.endswith("\n") for piece in pieces)


def test_a_short_record_is_one_event() -> None:
    """Without a part."""
    payload = Memory("short", body="x" * 1000).to_payload()
    [draft] = record_drafts("create", {}, payload)
    assert draft.payload == payload


@pytest.mark.parametrize("kind", ["create", "supersede"])
def test_a_long_record_is_a_first_event_and_parts(kind: str) -> None:
    """Part 1 carries the whole record, the others text, body and part; they name the first one's id."""
    body = "".join(f"line {number}\n" for number in range(20_000))
    memory = Memory("long", body=body, title="Title", tags=("x",))
    members = {"targets": [ID]} if kind == "supersede" else {}
    first, *rest = [of_first(draft, ID) for draft in record_drafts(kind, members, memory.to_payload())]
    assert (first.kind, first.members) == (kind, members)
    payload = first.payload or {}
    assert (payload["title"], payload["tags"]) == ("Title", ["x"])
    assert payload["part"] == {"n": 1, "of": len(rest) + 1, "first": None}
    for n, draft in enumerate(rest, 2):
        assert (draft.kind, draft.members) == ("create", {})
        later = draft.payload or {}
        assert later.keys() == {"text", "body", "part"}
        assert later["part"] == {"n": n, "of": len(rest) + 1, "first": ID}
    assert "".join((draft.payload or {})["body"] for draft in (first, *rest)) == body


@pytest.mark.parametrize(
    ("letter", "rest"), [("x", 0), ('"', 15_000), ("\x01", 40_000), ("🙂", 40_000), ("\n", 15_000)]
)
def test_every_part_fits_into_a_line(letter: str, rest: int) -> None:
    """Also where each character takes six bytes, and where the rest of the record takes most of a line."""
    details = tuple("d" * 1000 for _ in range(rest // 1000))
    memory = Memory("t" * 1000, body=letter * 120_000, details=details)
    drafts = [of_first(draft, ID) for draft in record_drafts("create", {}, memory.to_payload())]
    assert "".join((draft.payload or {})["body"] for draft in drafts) == memory.body
    for draft in drafts:
        assert record_fault(draft.payload or {}) is None
        assert len(encode(draft.payload)) < 60_000


def test_a_body_that_cannot_be_encoded_is_an_error() -> None:
    """A lone surrogate is no text, however long the body is. (Other members are encoded when built.)"""
    for body in ("\ud800", "x" * PART_BYTES + "\ud800"):
        with pytest.raises(RecordError, match="cannot be stored"):
            record_drafts("create", {}, Memory("text", body=body).to_payload())


def test_a_note_holds_what_there_is_to_say() -> None:
    """Nothing, a reason, where it came from (E-24)."""
    assert note_payload("", Provenance()) is None
    assert note_payload("why", Provenance()) == {"reason": "why"}
    assert note_payload("", Provenance(session="s")) == {"provenance": {"session": "s"}}


@pytest.mark.parametrize(
    ("reason", "provenance"),
    [
        ("x" * 4001, Provenance()),
        ("a\0b", Provenance()),
        ("", Provenance(session="two\nlines")),
        ("", Provenance(tool="x" * 501)),
    ],
)
def test_a_note_that_a_verifier_would_refuse_is_an_error(reason: str, provenance: Provenance) -> None:
    """It must not be signed."""
    with pytest.raises(RecordError):
        note_payload(reason, provenance)


def test_targets_are_named_once() -> None:
    """And at least one, and no more than fit."""
    [draft] = target_drafts(Delete((ID, ID)), None)
    assert (draft.kind, draft.members) == ("delete", {"targets": [ID]})
    for command in (Delete(()), Confirm(()), Erase(())):
        with pytest.raises(RecordError, match="at least one"):
            target_drafts(command, None)
    many = tuple(f"{number:064x}" for number in range(17))
    for kind in (Delete, Confirm):
        target_drafts(kind(many[:16]), None)
        with pytest.raises(RecordError, match="17 targets; at most 16"):
            target_drafts(kind(many), None)
    assert Supersede(many, Memory("x")).targets == many


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (16, [16]), (17, [16, 1]), (40, [16, 16, 8])])
def test_an_erase_names_everything_in_as_many_events_as_it_takes(count: int, sizes: list[int]) -> None:
    """A family can be larger than what one event can name."""
    [pattern] = target_drafts(Erase((ID,)), {"reason": "why"})
    ids = [f"{number:064x}" for number in range(count)]
    drafts = erase_drafts(ids, pattern)
    assert [len(draft.members["targets"]) for draft in drafts] == sizes
    assert [target for draft in drafts for target in draft.members["targets"]] == ids
    assert all(draft.payload == {"reason": "why"} for draft in drafts)
