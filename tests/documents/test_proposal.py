"""Tests documents/proposal.py: when two proposals say the same (specs/import.md I-5)."""

from __future__ import annotations

import hashlib

import pytest

from documents.proposal import Proposal, memory_key
from ledger.memory import Memory, Provenance

BASE = Memory(
    "text",
    details=("detail",),
    title="title",
    body="body\n",
    topic="a/b",
    section="Workflow",
    provenance=Provenance(file="a.md", date="2026-01-02"),
)


def test_the_key_is_the_same_on_every_machine() -> None:
    said = b'["Workflow","fact","","a/b","title","text",["detail"],"body"]'
    assert memory_key(BASE) == hashlib.sha256(said).hexdigest()


@pytest.mark.parametrize(
    "changed",
    [
        BASE._replace(text="other"),
        BASE._replace(details=()),
        BASE._replace(details=("det", "ail")),
        BASE._replace(title=""),
        BASE._replace(body=""),
        BASE._replace(body=" body\n"),
        BASE._replace(topic="a/c"),
        BASE._replace(section="Corrections"),
        BASE._replace(type="note"),
        BASE._replace(tier="daily"),
        BASE._replace(text="texttitle", title=""),
    ],
)
def test_what_a_memory_says_and_where_makes_its_key(changed: Memory) -> None:
    assert memory_key(changed) != memory_key(BASE)


@pytest.mark.parametrize(
    "changed",
    [
        BASE._replace(provenance=Provenance(file="b.md", date="2026-01-03")),
        BASE._replace(confidence=0.5, importance="high", tags=("x",), status="candidate", source="auto"),
        BASE._replace(body="body"),
        BASE._replace(body="body\r\n"),
        BASE._replace(tier="committed"),
    ],
)
def test_how_it_was_learned_does_not(changed: Memory) -> None:
    assert memory_key(changed) == memory_key(BASE)


def test_the_section_of_the_type_is_the_section() -> None:
    assert memory_key(Memory("x")) == memory_key(Memory("x", section="Project Conventions"))


def test_the_day_of_a_daily_note_counts() -> None:
    one, two = (
        Memory("x", tier="daily", provenance=Provenance(date=day)) for day in ("2026-01-02", "2026-01-03")
    )
    assert memory_key(one) != memory_key(two)


def test_a_proposal_to_create_has_the_key_of_its_memory() -> None:
    assert Proposal("create", BASE, reason="r", date="2026-01-02").key == memory_key(BASE)


def test_other_actions_have_keys_of_their_own() -> None:
    keys = {
        Proposal("create", BASE).key,
        Proposal("supersede", BASE, ("a" * 64,)).key,
        Proposal("supersede", BASE, ("b" * 64,)).key,
        Proposal("delete", None, ("a" * 64,)).key,
        Proposal("confirm", None, ("a" * 64,)).key,
    }
    assert len(keys) == 5
