"""Tests projections/query.py: what people ask of the index (specs/projections.md P-65…P-67, P-69)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ledger import reader
from ledger.command import Confirm, Delete, Erase, Supersede
from ledger.event import split_line
from ledger.fold import Entry
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from projections.memory_counts import counts, growth, stale
from projections.query import (
    Filter,
    LogFilter,
    entries,
    event,
    log,
    pointing_at,
    span,
)
from tests.ledger.reference import fold
from tests.projections.house import Clock, learn
from tests.projections.reference import timeline
from tests.projections.timeline import ERASED, TimelineRow


def texts(found: Iterable[Entry]) -> list[str]:
    return [entry.memory.text for entry in found]


# --- the log ---


def as_row(row: object) -> TimelineRow:
    """Return a row of the log as the pure timeline has it; it shows no control characters."""
    from projections.query import LogRow

    assert isinstance(row, LogRow)
    what = ERASED if row.erased else " ".join(row.what.split())
    return TimelineRow(
        row.seq,
        row.id,
        row.at,
        row.kind,
        row.name,
        row.role,
        row.via,
        row.conversation,
        row.session,
        what,
        row.targets,
    )


def a_life(ledger: MemoryLedger, clock: Clock) -> None:
    """Let everything happen once that can happen in a chain of one writer."""
    where = Provenance(conversation="c-1", session="s-1")
    one, two, three, four = learn(
        ledger, Memory("Use npm", provenance=where), "Port 5432", "Wrong", "Leaked hunter2"
    )
    learn(ledger, Memory("Long", title="A long one", body="a line of some length\n" * 6000))
    clock.pass_days(40)
    merged = ledger.workspace.append([Supersede((two, one), Memory("Use pnpm; port 5433"))])[0].id
    ledger.workspace.append([Delete((three,)), Confirm((merged, four), "asked"), Confirm((four, merged))])
    ledger.workspace.append([Erase((four,), "leaked")])
    ledger.workspace.append([Delete((merged,), "no more", Provenance(session="s-2"))])
    data = ledger.workspace.chain.read_bytes()
    ledger.close()
    ledger.workspace.chain.write_bytes(data[: data.rindex(b"\n", 0, -1) + 1])
    ledger.upkeep.recover("the last event was cut off")


def test_the_log_says_what_the_timeline_says(house: tuple[MemoryLedger, Clock]) -> None:
    """X-61: every event, in order, with the words that the fold gives, also of parts and what is erased."""
    ledger, clock = house
    a_life(ledger, clock)
    state = fold(reader.events(ledger.workspace.chain))
    rows = [as_row(row) for row in log(ledger.workspace.index, LogFilter())]
    assert rows == list(timeline(state, 0))
    assert {row.kind for row in rows} == {
        *("genesis", "create", "supersede", "delete", "confirm", "erase", "recover")
    }
    assert any("(part 2 of " in row.what for row in rows)
    assert ERASED in {row.what for row in rows}


def test_each_filter_of_the_log_narrows_it(house: tuple[MemoryLedger, Clock]) -> None:
    """And several together do so together."""
    ledger, clock = house
    a_life(ledger, clock)

    def seqs(**wanted: object) -> list[int]:
        return [row.seq for row in log(ledger.workspace.index, LogFilter(**wanted))]  # type: ignore[arg-type]

    everything = seqs()
    rows = log(ledger.workspace.index, LogFilter())
    later = next(row for row in rows if row.kind == "supersede")
    assert 1 not in seqs(since=later.at)
    assert seqs(since=later.at) == [row.seq for row in rows if row.at >= later.at]
    assert seqs(until=later.at) == [row.seq for row in rows if row.at < later.at]
    assert seqs(kinds=("delete", "genesis")) == [0, next(row.seq for row in rows if row.kind == "delete")]
    assert seqs(author="nobody") == []
    assert seqs(author="tester") == everything
    assert seqs(conversation="c-1") == [1]
    assert seqs(session="s-1") == [1]
    assert seqs(conversation="c-1", session="s-2") == []
    assert seqs(limit=2) == everything[-2:]


def test_the_log_of_a_memory_holds_its_versions_its_parts_and_what_was_said_of_them(
    ledger: MemoryLedger,
) -> None:
    """From whichever version one asks."""
    one, other = learn(ledger, Memory("Long", body="a line of some length\n" * 6000), "another")
    two = ledger.workspace.append([Supersede((one,), Memory("Longer"))])[0].id
    ledger.workspace.append([Confirm((two,)), Delete((other,))])
    rows = log(ledger.workspace.index, LogFilter())
    about = [row.id for row in rows if row.kind != "genesis" and row.id != other and row.kind != "delete"]
    assert len(about) > 3
    for id_ in (one, two, about[1]):
        assert [row.id for row in log(ledger.workspace.index, LogFilter(memory=id_))] == about


def test_one_event_is_found_by_its_id(ledger: MemoryLedger) -> None:
    """And what points at it, oldest first."""
    (one,) = learn(ledger, "Use npm")
    confirmed, deleted = (
        ledger.workspace.append([command])[0].id for command in (Confirm((one,)), Delete((one,), "old"))
    )
    found = event(ledger.workspace.index, one)
    assert found is not None
    assert (found.seq, found.kind, found.what) == (1, "create", "Use npm")
    assert event(ledger.workspace.index, "0" * 64) is None
    assert [(row.id, row.what) for row in pointing_at(ledger.workspace.index, one)] == [
        (confirmed, ""),
        (deleted, "old"),
    ]


def test_a_span_is_the_line_of_an_event(ledger: MemoryLedger) -> None:
    """Without its line end."""
    (one,) = learn(ledger, "Use npm")
    found = span(ledger.workspace.index, one)
    assert found is not None
    chain, start, end = found
    assert chain == ""
    assert b"Use npm" in (split_line(ledger.workspace.chain.read_bytes()[start:end]).payload or b"")
    assert span(ledger.workspace.index, "0" * 64) is None


def test_an_erased_event_is_erased_before_its_bytes_are(ledger: MemoryLedger) -> None:
    """A crash can leave the payload: what the erase event names says nothing any more."""
    (one,) = learn(ledger, "Leaked hunter2")
    ledger.workspace.append([Erase((one,))])
    ledger.workspace.index.connection().execute("UPDATE events SET payload = 1 WHERE id = ?", (one,))
    found = event(ledger.workspace.index, one)
    assert found is not None
    assert (found.what, found.erased) == ("", True)


# --- list ---


@pytest.fixture
def shelf(ledger: MemoryLedger) -> MemoryLedger:
    """A ledger with a few memories that differ in everything."""
    learn(
        ledger,
        Memory("Use pnpm", type="preference", tags=("js", "tools"), importance="high"),
        Memory("Port 5433", section="Tool Usage", tier="committed", source="auto"),
        Memory("Auth flow", topic="code/auth", provenance=Provenance(conversation="c-1", session="s-1")),
        Memory("Maybe", status="candidate"),
    )
    return ledger


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(), ["Use pnpm", "Port 5433", "Auth flow", "Maybe"]),
        (Filter(section="user preferences"), ["Use pnpm"]),
        (Filter(type="fact"), ["Port 5433", "Auth flow", "Maybe"]),
        (Filter(tag="tools"), ["Use pnpm"]),
        (Filter(tier="committed"), ["Port 5433"]),
        (Filter(source="auto"), ["Port 5433"]),
        (Filter(topic="code/auth"), ["Auth flow"]),
        (Filter(conversation="c-1"), ["Auth flow"]),
        (Filter(session="s-1"), ["Auth flow"]),
        (Filter(importance="high"), ["Use pnpm"]),
        (Filter(statuses=("candidate",)), ["Maybe"]),
        (Filter(tags=("tools", "js")), ["Use pnpm"]),
        (Filter(tag="tools", tags=("rust",)), []),
        (Filter(texts=("Port 5433", "Maybe", "no", "\ud800")), ["Port 5433", "Maybe"]),
        (Filter(texts=("Port 5433",), topic="code/auth"), []),
        (Filter(author="Tester"), ["Use pnpm", "Port 5433", "Auth flow", "Maybe"]),
        (Filter(author="nobody"), []),
        (Filter(since="2026-01-06"), []),
        (Filter(until="2026-01-04"), []),
        (Filter(since="2026-01-05", until="2026-01-06", tag="js"), ["Use pnpm"]),
        (Filter(tag="tools", section="Tool Usage"), []),
    ],
)
def test_each_filter_narrows_the_list(shelf: MemoryLedger, wanted: Filter, found: list[str]) -> None:
    """P-65: empty members do not restrict; a heading is found whatever its case."""
    assert texts(entries(shelf.workspace.index, wanted)) == found


def test_all_statuses_are_listed_where_none_is_named(shelf: MemoryLedger) -> None:
    """Also what was deleted, superseded or erased."""
    one, two, three, *_ = (entry.id for entry in entries(shelf.workspace.index, Filter()))
    shelf.workspace.append([Delete((one,)), Supersede((two,), Memory("Port 5434"))])
    shelf.workspace.append([Erase((three,))])
    assert texts(entries(shelf.workspace.index, Filter())) == ["Maybe", "Port 5434"]
    found = [entry.status for entry in entries(shelf.workspace.index, Filter(statuses=()))]
    assert found == ["deleted", "superseded", "erased", "candidate", "active"]


def test_what_is_hidden_is_not_listed(shelf: MemoryLedger) -> None:
    """P-62: archive marks."""
    one = entries(shelf.workspace.index, Filter())[0].id
    assert texts(entries(shelf.workspace.index, Filter(), [one])) == ["Port 5433", "Auth flow", "Maybe"]


# --- counts ---


def test_memories_and_events_are_counted(shelf: MemoryLedger) -> None:
    """P-69: all by status; by section, type, tier and source those that stand; events by kind."""
    shelf.workspace.append([Delete((entries(shelf.workspace.index, Filter())[0].id,))])
    assert counts(shelf.workspace.index) == {
        "status": {"active": 2, "candidate": 1, "deleted": 1},
        "section": {"Project Conventions": 2, "Tool Usage": 1},
        "type": {"fact": 3},
        "tier": {"committed": 1, "curated": 2},
        "source": {"auto": 1, "manual": 2},
        "kind": {"create": 4, "delete": 1, "genesis": 1},
    }


def test_what_grew_stale_is_counted(house: tuple[MemoryLedger, Clock]) -> None:
    """Since the written instant, by what was learned or confirmed last; a candidate never is."""
    ledger, clock = house
    one, _two, _three = learn(ledger, "one", "two", Memory("maybe", status="candidate"))
    clock.pass_days(2)
    ledger.workspace.append([Confirm((one,))])
    assert stale(ledger.workspace.index, "2026-01-06T00:00:00.000000Z") == 1
    assert stale(ledger.workspace.index, "2026-01-05T00:00:00.000000Z") == 0


def test_growth_is_by_month(house: tuple[MemoryLedger, Clock]) -> None:
    """Events, memories among them, and bytes; months without events are left out."""
    ledger, clock = house
    one, _ = learn(ledger, "one", "two")
    clock.pass_days(70)
    ledger.workspace.append([Delete((one,))])
    first, second, *genesis = growth(ledger.workspace.index)
    assert (first.month, first.events, first.memories) == ("2026-01", 2, 2)
    assert (second.month, second.events, second.memories) == ("2026-03", 1, 0)
    assert sum(month.bytes for month in (first, second, *genesis)) == ledger.workspace.chain.stat().st_size


@pytest.mark.parametrize("tag", ["db", "DB", "Db"])
@pytest.mark.parametrize(("typed", "other"), [("db", "ähre"), ("DB", "Ähre"), ("Db", "ÄHRE")])
def test_a_tag_is_found_in_any_case(ledger: MemoryLedger, tag: str, typed: str, other: str) -> None:
    """P-67: also beyond ASCII."""
    ledger.store(Memory("Postgres", tags=(tag, "Ähre")))
    ledger.store(Memory("MySQL", tags=("dbs",)))
    assert texts(entries(ledger.workspace.index, Filter(tag=typed))) == ["Postgres"]
    assert texts(entries(ledger.workspace.index, Filter(tags=(typed, other)))) == ["Postgres"]
    assert texts(hit.entry for hit in ledger.search(f"tag:{typed}")) == ["Postgres"]
