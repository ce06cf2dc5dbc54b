"""Tests of ledger/view.py: the in-memory fold as a View (S-8, S-9)."""

from __future__ import annotations

from ledger.memory import Memory, Provenance
from ledger.view import View, said_key, statement_key
from tests.ledger.reference import MemoryView
from tests.ledger.view_contract import ViewContract
from tests.ledger.world import World


class TestMemoryView(ViewContract):
    """The plain implementation passes the contract."""

    def view(self, world: World) -> View:  # noqa: ARG002 - it lies nowhere
        """Return a view over an empty fold."""
        return MemoryView()


def test_statement_keys_tell_members_apart() -> None:
    """What moves from one member to the next is another statement."""
    keys = {
        statement_key(Memory("a", title="b")),
        statement_key(Memory("a", body="b")),
        statement_key(Memory("a", details=("b",))),
        statement_key(Memory("a", details=("b", ""))),
        statement_key(Memory("ab")),
        statement_key(Memory("a", topic="b")),
    }
    assert len(keys) == 6
    assert all(len(key) == 32 for key in keys)


def test_a_statement_key_can_be_made_of_its_members() -> None:
    """The index makes it from rows, the writer from a record."""
    memory = Memory("a", details=("b",), title="c", body="d", topic="e", section="F", tier="daily")
    memory = memory.with_changes(provenance=Provenance(date="2026-11-20T10:00"))
    assert statement_key(memory) == said_key("F", "e", "daily", "a", ("b",), "c", "d", "2026-11-20")
