"""A finding says the same in text and in JSON.

Tests specs/verification.md (V-2).
"""

from __future__ import annotations

from ledger.finding import Finding


def test_a_finding_has_six_members() -> None:
    finding = Finding("seq", "C-3", "seq is 3", 4, 3, "ab" * 32)
    assert finding.to_json() == {
        "code": "seq",
        "rule": "C-3",
        "message": "seq is 3",
        "line": 4,
        "seq": 3,
        "id": "ab" * 32,
    }


def test_its_text_names_line_message_code_and_rule() -> None:
    assert str(Finding("seq", "C-3", "seq is 3", 4)) == "line 4: seq is 3 [seq, C-3]"


def test_without_a_line_its_text_names_none() -> None:
    assert str(Finding("no-key", "V-6", "no key")) == "no key [no-key, V-6]"
