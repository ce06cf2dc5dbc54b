"""Tests learning/review.py through Python: what waits, in which order, and what an answer does (X-103…X-106, X-290)."""

from __future__ import annotations

from pathlib import Path

import pytest

from learning.review import CANDIDATE, FORGET, of_same_source
from ledger.command import Supersede
from muniment import Memory, MemoryLedger, Provenance
from projections import requests
from projections.requests import DELETE, ERASE, Request
from tests.projections.house import build


@pytest.fixture
def house(tmp_path: Path) -> MemoryLedger:
    """A ledger."""
    return build(tmp_path / "ledger")[0]


def candidate(memory: MemoryLedger, text: str, conversation: str) -> str:
    origin = Provenance(conversation=conversation)
    return memory.store(Memory(text, status="candidate", provenance=origin)).id


def test_wishes_come_first_then_candidates_source_by_source(house: MemoryLedger) -> None:
    one, other = candidate(house, "Use tabs", "a"), candidate(house, "Use make", "b")
    again, known = candidate(house, "Use nox", "a"), house.store("Deploy on Friday").id
    for verb, id_ in ((DELETE, known), (DELETE, other), (ERASE, known)):
        requests.file(house.workspace, Request(verb, (id_,), by="claude"))
    items = house.review.waiting()
    assert [(item.why, item.entry.id) for item in items] == [
        (FORGET, known),
        (FORGET, other),
        (CANDIDATE, one),
        (CANDIDATE, again),
    ]
    assert [item.entry.id for item in of_same_source(items[2], items)] == [one, again]
    assert [item.entry.id for item in house.review.waiting(source="b")] == [other]
    assert [request.verb for request in house.review.requests()] == [ERASE]


def test_a_yes_takes_a_candidate_and_settles_the_wish(house: MemoryLedger) -> None:
    id_ = candidate(house, "Use tabs", "a")
    requests.file(house.workspace, Request(DELETE, (id_,), by="claude"))
    (item,) = house.review.waiting()
    assert house.review.confirm([item.entry])
    house.review.settle(item)
    assert house.entry(id_).status == "active"
    assert not house.review.waits_still(item)
    assert house.review.waiting() == []


def test_a_no_brings_back_what_the_candidate_replaced(house: MemoryLedger) -> None:
    old = house.store("Use npm").id
    guess = house.write([Supersede((old,), Memory("Use pnpm", status="candidate"))])[0].id
    assert [entry.id for entry in house.review.brought_back(house.entry(guess))] == [old]
    house.review.delete(house.entry(guess))
    assert [entry.memory.text for entry in house.load_all()] == ["Use npm"]
    assert house.review.waiting() == []
