"""Tests ledger/redaction_named.py: what stands in a password's place is one, or is not (specs/redaction.md R-6…R-11)."""

from __future__ import annotations

import pytest

from ledger import redaction
from tests.ledger.named_secrets import CAUGHT, WORDS_CAUGHT, WORDS_PASS
from tests.ledger.redacting import rules_in


@pytest.mark.parametrize("text", CAUGHT)
def test_a_value_behind_its_word_is_caught_however_it_is_written(text: str) -> None:
    """R-6, R-7, R-9, R-11: by hand, one way of writing a line."""
    assert redaction.scan(text)
    assert not redaction.scan(redaction.redact(text))


@pytest.mark.parametrize("text", WORDS_CAUGHT)
def test_a_word_that_is_plainly_assigned_to_a_password_is_caught(text: str) -> None:
    """R-7, R-11: where only a password can stand, it need not look random."""
    assert redaction.scan(text)
    assert not redaction.scan(redaction.redact(text))


@pytest.mark.parametrize("text", WORDS_PASS)
def test_states_types_names_and_sentences_in_a_passwords_place_pass(text: str) -> None:
    """R-7, R-10, R-11: what settings, schemas, code and notes write there."""
    assert redaction.scan(text) == ()


def test_only_the_word_is_cut_out_and_members_names_count_as_assignments() -> None:
    """R-3, R-12: the rest of the line stays; a member's sentence is no password."""
    line = '{"user": "bob", "password": "sunshine", "id": 7}'
    assert redaction.redact(line) == line.replace("sunshine", "[redacted:password]")
    assert redaction.redact("db_password: sunshine  # old") == "db_password: [redacted:password]  # old"
    assert rules_in({"db_password": "sunshine"}) == ["password"]
    assert rules_in({"db_password": "sunshine is not it"}) == []
