"""Tests proofs/carrying_out.py through Python: what an agent asked for and a person agreed to (specs/cli.md, X-290)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ledger.errors import StateError, UsageError
from muniment import MemoryLedger
from projections import requests
from projections.requests import ERASE, RECOVER, REVERT, ROTATE, UNINSTALL, Request
from tests.projections.house import build

TEXT = "The door code is 4921"


@pytest.fixture
def ledger(tmp_path: Path) -> MemoryLedger:
    """A ledger with one memory."""
    made = build(tmp_path / "ledger")[0]
    made.store(TEXT)
    return made


def asked(ledger: MemoryLedger, verb: str, *targets: str, **options: Any) -> Request:
    return requests.file(ledger.workspace, Request(verb, targets, options, by="claude"))


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (ERASE, {"family": True}),
        (REVERT, {}),
        (ROTATE, {"lost": False, "since": None}),
        (RECOVER, {"backup": ""}),
    ],
)
def test_each_verb_is_done_and_settled(ledger: MemoryLedger, verb: str, options: dict[str, Any]) -> None:
    (one,) = ledger.load_all()
    if verb == RECOVER:
        with ledger.workspace.chain.open("ab") as chain:
            chain.write(b"no event\n")
    ledger.carry_out(asked(ledger, verb, *([one.id] if verb in (ERASE, REVERT) else []), **options))
    assert ledger.review.requests() == []
    kind = {ERASE: "erase", REVERT: "delete", ROTATE: "rotate", RECOVER: "recover"}[verb]
    assert ledger.log()[-1].kind == kind
    assert (TEXT.encode() in ledger.workspace.chain.read_bytes()) == (verb != ERASE)


@pytest.mark.parametrize(("verb", "error"), [(RECOVER, StateError), (UNINSTALL, UsageError)])
def test_what_cannot_be_done_still_waits(ledger: MemoryLedger, verb: str, error: type[Exception]) -> None:
    """Nothing needs recovery; and an uninstall is no ledger's."""
    request = asked(ledger, verb, backup="")
    with pytest.raises(error):
        ledger.carry_out(request)
    assert ledger.review.requests() == [request]


def test_events_are_undone_by_any_way_to_name_them(ledger: MemoryLedger) -> None:
    done = ledger.revert("@1", "a mistake")
    assert ledger.load_all() == []
    ledger.revert(done.events)
    assert [entry.memory.text for entry in ledger.load_all()] == [TEXT]
