"""A week of daily notes is curated, once: K-96…K-102."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learning.curate import Curated, curate
from ledger.event import By
from ledger.memory import made_from
from muniment import Memory, MemoryLedger, Provenance
from tests.projections.house import Clock, build, reopen

BY = By("cron", "agent", "cli")


@pytest.fixture
def house(tmp_path: Path) -> tuple[MemoryLedger, Clock]:
    """A ledger, and its clock: 2026-01-05."""
    return build(tmp_path / "ledger")


def noted(memory: MemoryLedger, text: str, day: str = "", **more: object) -> str:
    """Note something as a checkpoint does; return its id."""
    origin = Provenance(file="session-buffer.md", date=day)
    record = Memory(text, type="note", tier="daily", source="auto", provenance=origin).with_changes(**more)
    return memory.store(record, BY).id


def outcomes(done: Curated) -> list[tuple[str, str]]:
    """What became of each matter."""
    return [(taken.outcome, taken.proposal.memory.text) for _, taken in done.taken if taken.proposal.memory]


def lasting(memory: MemoryLedger) -> dict[str, tuple[str, str]]:
    """Tier and status of what stands beyond its day, by text."""
    found = [entry for entry in memory.load_all() if entry.memory.tier != "daily"]
    return {entry.memory.text: (entry.memory.tier, entry.status) for entry in found}


def test_a_week_is_distilled_into_curated_and_committed(house: tuple[MemoryLedger, Clock]) -> None:
    """Decisions, identities and commitments are committed; preferences and what is said again are curated (K-97, K-98)."""
    memory, clock = house
    noted(memory, "Decided to use PostgreSQL for the index")
    noted(memory, "09:00 The user's name is Ada")
    noted(memory, "The user prefers short answers")
    first = noted(memory, "The staging API runs on port 8080")
    noted(memory, "looked at the login page")
    clock.pass_days(1)
    again = noted(memory, "The staging API runs on port 8080")
    done = curate(memory.scope, BY)
    assert done.reviewed == 6
    assert {outcome for outcome, _ in outcomes(done)} == {"created"}
    assert lasting(memory) == {
        "Decided to use PostgreSQL for the index": ("committed", "active"),
        "The user's name is Ada": ("committed", "active"),
        "The user prefers short answers": ("curated", "active"),
        "The staging API runs on port 8080": ("curated", "active"),
    }
    origins = {entry.memory.text: made_from(entry.memory.unknown) for entry in memory.load_all()}
    assert set(origins["The staging API runs on port 8080"]) == {first, again}
    events = memory.workspace.index.newest()
    assert curate(memory.scope, BY) == Curated(reviewed=6)
    assert memory.workspace.index.newest() == events


def test_what_stands_is_confirmed_and_what_contradicts_a_person_is_a_candidate(
    house: tuple[MemoryLedger, Clock],
) -> None:
    """Likeness decides, and a person's own words stay (K-99, K-62)."""
    memory, clock = house
    mine = memory.store(Memory("Decided to deploy on port 5432", type="decision")).id
    named = memory.store(Memory("The user's name is Ada", type="identity")).id
    clock.pass_days(2)
    noted(memory, "Decided to deploy on port 5433")
    noted(memory, "The user's name is Ada.")
    assert sorted(outcome for outcome, _ in outcomes(curate(memory.scope, By("ada", "user", "cli")))) == [
        "candidate",
        "confirmed",
    ]
    assert memory.entry(mine).status == "active"
    assert memory.entry(named).fresh_since > memory.entry(named).learned
    assert lasting(memory)["Decided to deploy on port 5433"] == ("committed", "candidate")


def test_a_persons_note_does_not_replace_a_persons_memory(house: tuple[MemoryLedger, Clock]) -> None:
    """It is a candidate that names it: only they decide between their own words (K-99, K-63)."""
    memory, clock = house
    memory.store(Memory("Decided to deploy on port 5432", type="decision"))
    clock.pass_days(1)
    noted(memory, "Decided to deploy on port 5433", source="manual")
    assert outcomes(curate(memory.scope, BY)) == [("candidate", "Decided to deploy on port 5433")]
    assert lasting(memory)["Decided to deploy on port 5432"] == ("curated", "active")


def test_what_a_detector_read_is_not_replaced_by_what_a_session_noted(
    house: tuple[MemoryLedger, Clock],
) -> None:
    """But what came from notes before is (K-99)."""
    memory, clock = house
    heard = Memory(
        "The user prefers tabs",
        type="preference",
        source="auto",
        confidence=0.9,
        provenance=Provenance(conversation="c", message="m"),
    )
    memory.store(heard)
    noted(memory, "Decided to deploy on port 5432")
    curate(memory.scope, BY)
    clock.pass_days(1)
    noted(memory, "Decided to deploy on port 5433")
    noted(memory, "The user prefers spaces, not tabs")
    assert dict(outcomes(curate(memory.scope, BY))) != {}
    standing = lasting(memory)
    assert standing["The user prefers tabs"] == ("curated", "active")
    assert standing.get("The user prefers spaces, not tabs", ("", "candidate"))[1] == "candidate"
    assert "Decided to deploy on port 5432" not in standing
    assert standing["Decided to deploy on port 5433"] == ("committed", "active")


def test_an_older_note_takes_no_place_of_what_was_learned_since(house: tuple[MemoryLedger, Clock]) -> None:
    """Of equal rank the later one is kept, also where the note is reviewed after it (K-99)."""
    memory, clock = house
    noted(memory, "Decided to deploy on port 5432", day="2026-01-05")
    clock.pass_days(2)
    stands = Memory("Decided to deploy on port 5433", type="decision", source="auto", confidence=0.9)
    newer = memory.store(stands, BY).id
    curate(memory.scope, BY)
    assert memory.entry(newer).superseded_by == () or lasting(memory).get(stands.text) == (
        "committed",
        "active",
    )
    assert lasting(memory).get("Decided to deploy on port 5432", ("", "candidate"))[1] == "candidate"


def test_a_note_of_today_is_later_than_what_was_learned_before(house: tuple[MemoryLedger, Clock]) -> None:
    """K-99: but not one that was only noted today, of a day before."""
    memory, clock = house
    clock.pass_days(2)
    stands = Memory("Decided to deploy on port 5433", type="decision", source="auto", confidence=0.9)
    memory.store(stands, BY)
    clock.pass_days(1)
    noted(memory, "Decided to deploy on port 5432", day="2026-01-05")
    curate(memory.scope, BY)
    assert lasting(memory)[stands.text] == ("committed", "active")
    noted(memory, "Decided to deploy on port 5434", day="2026-01-08")
    curate(memory.scope, BY)
    assert lasting(memory)["Decided to deploy on port 5434"] == ("committed", "active")
    assert stands.text not in lasting(memory)


def test_what_was_learned_for_good_is_committed_once(house: tuple[MemoryLedger, Clock]) -> None:
    """By itself and surely; what a person wrote stays where it is (K-100)."""
    memory, _ = house
    origin = Provenance(conversation="c", message="m")
    auto = Memory("Use PostgreSQL", type="decision", source="auto", confidence=0.9, provenance=origin)
    memory.store(auto, BY)
    memory.store(auto.with_changes(text="Use Redis", confidence=0.6), BY)
    memory.store(Memory("Use Kafka", type="decision"))
    [(entry, new)] = curate(memory.scope, BY).committed
    assert entry.memory.text == "Use PostgreSQL"
    record = memory.entry(new).memory
    assert record == auto.with_changes(tier="committed")
    assert lasting(memory)["Use Kafka"] == ("curated", "active")
    assert curate(memory.scope, BY).committed == []


def test_old_notes_are_archived_and_come_back_for_good(house: tuple[MemoryLedger, Clock]) -> None:
    """Rows by marks, documents by their day; what somebody shows again stays shown (K-101)."""
    memory, clock = house
    old = noted(memory, "looked at the login page")
    mine = memory.store(Memory("my own note", tier="daily")).id
    episode = memory.store(Memory("an episode", tier="daily", type="episode")).id
    clock.pass_days(29)
    assert curate(memory.scope, BY).archived == []
    clock.pass_days(3)
    late = noted(memory, "a late note", "2026-01-06")
    assert {entry.id for entry, _ in curate(memory.scope, BY, dry=True).archived} == {old, mine, late}
    assert {entry.id for entry, _ in curate(memory.scope, BY).archived} == {old, mine, late}
    assert set(memory.workspace.local.archived()) == {old, mine, late}
    assert (memory.workspace.place.documents / "memory/archive/2026-01-05.md").exists()
    assert [entry.id for entry in memory.load_all()] == [episode]
    memory.workspace.local.unarchive(old)
    clock.pass_days(1)
    assert curate(memory.scope, BY).archived == []


def test_what_was_deleted_since_does_not_come_back(house: tuple[MemoryLedger, Clock], tmp_path: Path) -> None:
    """Where what was reviewed is forgotten, all is found to stand, or to be gone (K-102)."""
    memory, clock = house
    noted(memory, "Decided to use PostgreSQL for the index")
    noted(memory, "The user prefers short answers")
    gone = next(taken.id for _, taken in curate(memory.scope, BY).taken)
    memory.delete([gone])
    before = lasting(memory)
    memory.close()
    (tmp_path / "ledger" / "local.db").unlink()
    again, _ = reopen(tmp_path / "ledger", clock)
    events = again.workspace.index.newest()
    assert {outcome for outcome, _ in outcomes(curate(again.scope, BY))} == {"discarded", "known"}
    assert (again.workspace.index.newest(), lasting(again)) == (events, before)


def test_what_a_limit_refused_is_reviewed_again(house: tuple[MemoryLedger, Clock]) -> None:
    """An hour later the rest is taken, and what was taken is known (K-102, K-68)."""
    memory, clock = house
    clock.pass_days(1000)  # the hour is counted from the log, whose time does not go back behind its genesis
    things = "database queue cache proxy editor linter compiler shell logger tracer scheduler bundler parser".split()
    for thing in things:
        noted(memory, f"We decided that the {thing} is maintained by the {thing}smiths")
        noted(memory, f"The user prefers a {thing} without plugins of the {thing}makers")
    first = outcomes(curate(memory.scope, BY))
    assert sum(outcome == "refused" for outcome, _ in first) == 1
    clock.pass_days(0.1)
    second = outcomes(curate(memory.scope, BY))
    assert sum(outcome == "created" for outcome, _ in second) == 1
    assert curate(memory.scope, BY).taken == []


def test_dry_decides_the_same_and_writes_nothing(house: tuple[MemoryLedger, Clock]) -> None:
    """Then the real run does it."""
    memory, _ = house
    noted(memory, "Decided to use PostgreSQL for the index")
    events = memory.workspace.index.newest()
    assert outcomes(curate(memory.scope, BY, dry=True)) == [
        ("created", "Decided to use PostgreSQL for the index")
    ]
    assert memory.workspace.index.newest() == events
    assert outcomes(curate(memory.scope, BY)) == [("created", "Decided to use PostgreSQL for the index")]


WORDS = st.sampled_from(
    (
        "Decided to use Postgres",
        "Decided to use MySQL",
        "The user prefers tabs",
        "The user prefers spaces",
        "The API runs on port 8080",
        "The API runs on port 8081",
        "ran the tests",
        "We promised a demo by Friday",
        "Never push to main",
        "maybe use Rust",
    )
)


@settings(
    max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(WORDS, st.integers(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=6))
def test_twice_is_once_whatever_was_noted(
    tmp_path_factory: pytest.TempPathFactory, notes: list[tuple[str, int, bool, bool]]
) -> None:
    """After any notes of any days, by sessions and people: a second run makes no event, now and days later (K-102)."""
    memory, clock = build(tmp_path_factory.mktemp("any") / "ledger")
    for text, days, manual, run in notes:
        clock.pass_days(days)
        noted(memory, text, source="manual" if manual else "auto")
        if run:
            curate(memory.scope, BY)
    curate(memory.scope, BY)
    for _ in range(2):
        events = memory.workspace.index.newest()
        assert curate(memory.scope, BY).taken == []
        assert memory.workspace.index.newest() == events
        clock.pass_days(2)
    memory.close()
