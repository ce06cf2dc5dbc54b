"""Tests projections/timeline.py: rows and histories (specs/projections.md P-43…P-45)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ledger.errors import LedgerError, NotFoundError
from ledger.memory import BodyPart, Memory, Provenance
from projections.timeline import ERASED, Lookup, history_of, row_of
from tests.ledger.reference import State
from tests.projections.made_up import NOW, entry, event, folded, id_of, logs
from tests.projections.reference import timeline


def lookup_in(state: State) -> Lookup:
    return {each.id: each for each in state.entries()}.get


def test_a_row_says_when_who_where_and_what() -> None:
    where = Provenance(conversation="talk 7", session="session 1")
    made = event("create", 3, memory=Memory("Use tabs", provenance=where))
    row = row_of(made._replace(at="2023-11-14T00:00:00.000000Z"))
    assert (row.seq, row.id, row.when, row.kind) == (3, id_of(3), "2023-11-14T00:00:00.000000Z", "create")
    assert (row.by, row.role, row.via) == ("ada", "agent", "mcp")
    assert (row.conversation, row.session, row.what, row.targets) == ("talk 7", "session 1", "Use tabs", ())


@pytest.mark.parametrize(
    ("kind", "more", "what"),
    [
        (
            "genesis",
            {"head": {"ledger": {"id": "0" * 32, "name": "mine", "scope": "user"}}},
            "ledger mine (user)",
        ),
        ("rotate", {}, "a new key"),
        ("rotate", {"head": {"since": 9}}, "a new key; events from 9 on are disowned"),
        ("recover", {"head": {"lost": None}}, "went on after damage"),
        (
            "recover",
            {"head": {"lost": {"seq": 4, "id": "x"}}, "payload": {"reason": "disk died"}},
            "disk died (the newest event known before was @4)",
        ),
        ("anchor", {"payload": {"method": "mail", "where": "to Bob", "size": 3}}, "mail to Bob"),
        ("confirm", {"payload": {"reason": "asked\nagain"}}, "asked again"),
        ("delete", {}, ""),
        ("create", {"erased": True}, ERASED),
    ],
)
def test_each_kind_says_what_it_did(kind: str, more: dict[str, Any], what: str) -> None:
    assert row_of(event(kind, 1, **more)).what == what


def test_a_part_of_a_long_body_says_so() -> None:
    part = event("create", 2, memory=Memory("Long", body="b", part=BodyPart(2, 3, id_of(1))))
    assert row_of(part).what == "Long (part 2 of 3)"


def test_what_has_no_reason_is_told_by_its_targets() -> None:
    log = [event("create", 1, memory=Memory("one")), event("create", 2, memory=Memory("two"))]
    deletion = event("delete", 3, id_of(1), id_of(2), id_of(99))
    assert row_of(deletion, lookup_in(folded(log))).what == "one; two"


def test_what_is_erased_is_shown_nowhere() -> None:
    """Neither in its own row, though its payload may not be blank yet, nor in those of what points at it."""
    secret = Memory("hunter2", provenance=Provenance(conversation="talk 7"))
    log = [
        event("create", 1, memory=secret),
        event("delete", 2, id_of(1)),
        event("erase", 3, id_of(1)),
    ]
    rows = timeline(folded(log), NOW)
    assert [row.what for row in rows] == [ERASED, ERASED, ERASED]
    assert "hunter2" not in repr(rows)
    assert "talk 7" not in repr(rows)


def test_no_text_commands_a_terminal() -> None:
    row = row_of(
        event("create", 1, memory=Memory("a\x1b[31mred\x07\u202ez", provenance=Provenance(session="s\x1b")))
    )
    assert (row.what, row.session) == ("a<U+001B>[31mred<U+0007><U+202E>z", "s<U+001B>")


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(LedgerError, match="'shred'"):
        row_of(event("shred", 1))


@given(logs())
def test_every_event_has_one_row_in_the_order_of_time(log: list[Any]) -> None:
    rows = timeline(folded(log[::-1]), NOW)
    assert [row.seq for row in rows] == [each.seq for each in log]


# --- history ---


def test_history_goes_both_ways_through_merges_and_conflicts() -> None:
    """1 and 2 are merged in 3; 4 and 5 both replace 3; 6 has nothing to do with them."""
    log = [
        event("create", 1, memory=Memory("one")),
        event("create", 2, memory=Memory("two")),
        event("supersede", 3, id_of(1), id_of(2), memory=Memory("both")),
        event("supersede", 4, id_of(3), memory=Memory("both, better")),
        event("supersede", 5, id_of(3), memory=Memory("both, other")),
        event("create", 6, memory=Memory("six")),
    ]
    lookup = lookup_in(folded(log))
    for number in range(1, 6):
        assert [each.seq for each in history_of(lookup, id_of(number))] == [1, 2, 3, 4, 5]
    assert [each.seq for each in history_of(lookup, id_of(6))] == [6]


def test_versions_that_are_not_here_end_the_history() -> None:
    alone = entry("x", 2, supersedes=(id_of(1),))
    assert history_of(lambda id_: alone if id_ == alone.id else None, alone.id) == (alone,)


def test_the_history_of_nothing_is_an_error() -> None:
    with pytest.raises(NotFoundError, match="no memory has the id"):
        history_of(lambda _: None, id_of(1))
