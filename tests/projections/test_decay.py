"""Tests projections/decay.py and decay_check against specs/projections.md (P-7, P-143)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import Memory, MemoryLedger, Provenance, inject
from projections.query import Filter
from tests.projections.house import Clock, build, reopen


@pytest.fixture
def house(tmp_path: Path) -> tuple[MemoryLedger, Clock]:
    """An empty ledger and the clock by which it lives."""
    return build(tmp_path / "house")


def texts(ledger: MemoryLedger, **wanted: object) -> list[tuple[str, int]]:
    found = ledger.upkeep.decay_check(Filter(**wanted))  # type: ignore[arg-type]
    return [(one.entry.memory.text, one.days) for one in found]


def test_the_longest_unconfirmed_comes_first(house: tuple[MemoryLedger, Clock]) -> None:
    """P-143: with whole days, and only active memories count."""
    ledger, clock = house
    ledger.store(Memory("oldest"))
    ledger.store(Memory("candidate", status="candidate"))
    gone = ledger.store(Memory("deleted")).id
    ledger.delete([gone])
    clock.pass_days(10)
    ledger.store(Memory("old", section="Mine"))
    clock.pass_days(89)
    assert texts(ledger) == [("oldest", 99)]
    clock.pass_days(2)
    ledger.store(Memory("new"))
    assert texts(ledger) == [("oldest", 101), ("old", 91)]
    assert texts(ledger, section="mine") == [("old", 91)]
    assert texts(ledger, statuses=("candidate",)) == [("oldest", 101), ("old", 91)]


def test_a_confirm_or_a_new_text_makes_it_fresh(house: tuple[MemoryLedger, Clock]) -> None:
    """S-6."""
    ledger, clock = house
    one, two = ledger.store(Memory("one")).id, ledger.store(Memory("two")).id
    clock.pass_days(100)
    ledger.confirm([one])
    ledger.supersede([two], Memory("two, said anew"))
    assert texts(ledger) == []
    clock.pass_days(91)
    assert texts(ledger) == [("one", 91), ("two, said anew", 91)]


READS: dict[str, Callable[[MemoryLedger, str], object]] = {
    "search": lambda ledger, _: ledger.search("port"),
    "inject": lambda ledger, _: ledger.format_for_prompt("port"),
    "list": lambda ledger, _: ledger.load_all(),
    "history": lambda ledger, id_: ledger.history(id_),
    "gc": lambda ledger, _: ledger.upkeep.gc(),
    "verify": lambda ledger, _: ledger.upkeep.verify(),
    "replay": lambda ledger, _: ledger.documents.replay(),
    "known": lambda ledger, _: ledger.store(Memory("the port is 5433")),
}


def test_nothing_that_reads_makes_it_fresh(house: tuple[MemoryLedger, Clock]) -> None:
    """S-6: nor saying again what stands; the chain does not grow by it."""
    ledger, clock = house
    id_ = ledger.store(Memory("the port is 5433")).id
    clock.pass_days(100)
    before, chain = ledger.entry(id_).fresh_since, ledger.workspace.chain.read_bytes()
    for name, read in READS.items():
        read(ledger, id_)
        assert ledger.entry(id_).fresh_since == before, name
        assert ledger.workspace.chain.read_bytes() == chain, name
    assert texts(ledger) == [("the port is 5433", 100)]
    ledger.close()
    again, _ = reopen(ledger.workspace.place.directory, clock)
    assert texts(again) == [("the port is 5433", 100)]


def test_what_is_stale_stays_in_the_prompt(house: tuple[MemoryLedger, Clock]) -> None:
    """P-7: a correction above all; `stale` says which they are."""
    ledger, clock = house
    one = ledger.store(Memory("Never force-push", section="Corrections")).id
    clock.pass_days(1000)
    two = ledger.store(Memory("Use tabs", section="Corrections")).id
    told = ledger.format_for_prompt()
    assert "\n- [?] Never force-push\n" in told.text
    assert "\n- Use tabs\n" in told.text
    assert (set(told.shown), told.stale) == ({one, two}, (one,))
    assert "- [?] Never force-push\n" in (ledger.workspace.place.documents / "MEMORY.md").read_text()


CANDIDATES = {
    "plain": Memory("xyzzy"),
    "a correction": Memory("xyzzy", section="Corrections", importance="critical"),
    "a topic": Memory("xyzzy", topic="code/auth", when_to_use=("fix the xyzzy",)),
    "a daily note": Memory("xyzzy", tier="daily", provenance=Provenance(date="2026-01-01")),
    "a note": Memory("a note", type="note", body="the xyzzy\n"),
}


QUESTIONS = "\n## Questions for the User\n"
"""Behind it a candidate may be asked about (P-170)."""


@pytest.mark.parametrize("name", CANDIDATES)
def test_a_candidate_is_never_told(house: tuple[MemoryLedger, Clock], name: str) -> None:
    """P-3, P-31: not for any task, not as of the past, and in no document; a confirm changes that."""
    ledger, clock = house
    ledger.store(Memory("Use pnpm"))
    id_ = ledger.store(CANDIDATES[name].with_changes(status="candidate")).id
    clock.pass_days(2)
    for task in ("", "fix the xyzzy"):
        for as_of in (None, "@2"):
            told = inject([ledger], task, as_of=as_of)
            assert "xyzzy" not in told.text.partition(QUESTIONS)[0]
            assert id_ not in told.shown
    documents = [
        path for path in ledger.workspace.place.documents.rglob("*.md") if "xyzzy" in path.read_text()
    ]
    assert documents == []
    ledger.confirm([id_])
    assert "xyzzy" in ledger.format_for_prompt("fix the xyzzy").text


def test_a_candidate_of_one_scope_is_not_told_beside_others(tmp_path: Path) -> None:
    """P-31."""
    one, _ = build(tmp_path / "one")
    two, _ = build(tmp_path / "two")
    one.store(Memory("Use pnpm"))
    two.store(Memory("Use xyzzy", status="candidate"))
    assert "xyzzy" not in inject([one, two]).text.partition(QUESTIONS)[0]


def test_with_decay_off_nothing_grows_stale(house: tuple[MemoryLedger, Clock]) -> None:
    """P-7."""
    ledger, clock = house
    ledger.store(Memory("old"))
    (ledger.workspace.place.directory / "config.toml").write_text("[decay]\nenabled = false\n")
    clock.pass_days(1000)
    again, _ = reopen(ledger.workspace.place.directory, clock)
    assert (texts(again), again.format_for_prompt().stale) == ([], ())


def test_the_users_own_ledger_looks_at_no_project(
    house: tuple[MemoryLedger, Clock], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """P-143."""
    ledger, _ = house
    monkeypatch.chdir(tmp_path)
    ledger.store(Memory("Read `src/gone.py`"))
    assert (ledger.upkeep.checkout(), ledger.upkeep.decay_check()) == (None, [])
