"""What each kind of event says, and the history of a memory (specs/projections.md P-44, P-45)."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.errors import NotFoundError
from ledger.memory import Memory
from projections.index_rows import summary
from projections.layout import Lookup
from projections.recall import history_of
from tests.ledger.reference import State
from tests.projections.made_up import entry, event, folded, id_of


def lookup_in(state: State) -> Lookup:
    return {each.id: each for each in state.entries()}.get


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
        ("confirm", {"payload": {"reason": "asked\nagain"}}, "asked\nagain"),
        ("delete", {}, ""),
    ],
)
def test_each_kind_says_what_it_did(kind: str, more: dict[str, Any], what: str) -> None:
    assert summary(event(kind, 1, **more)) == what


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
