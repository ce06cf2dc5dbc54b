"""What tests of anchors share: a user's ledger with two memories, and somebody outside on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.note import NoteKey
from tests.cli.driver import run, user_ledger
from tests.proofs.fake_witness import Witness, serve
from tests.proofs.outside import Calendar, calendar
from tests.proofs.outside import tsa as tsa  # noqa: PLC0414 - a fixture


@pytest.fixture
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a user's ledger of two memories, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    return user_ledger("one", "two")


@pytest.fixture
def witness(ledger: Path) -> Iterator[tuple[Witness, str]]:
    """A witness that was given this ledger's key, and its address."""
    import time

    vkey = run("anchor", "checkpoint", "--json").ok().json["vkey"]
    one = Witness(NoteKey.from_vkey(vkey), time=int(time.time()))
    with serve(one) as address:
        yield one, address


@pytest.fixture
def one_calendar() -> Iterator[Calendar]:
    with calendar() as made:
        yield made
