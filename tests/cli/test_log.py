"""muniment log shows the timeline, as a table, JSON lines or CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from ledger.event import By
from ledger.founding import found
from ledger.instant import DAY, parsed
from ledger.keys import KeyDirectory
from ledger.ledger import Identity
from ledger.mark import StateDirectory
from muniment import Memory, MemoryLedger, Provenance
from tests.cli.driver import run, run_process

ADA, BOT = By("ada", "user", "cli"), By("bot", "agent", "mcp")


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger with four events after its genesis, one a day; seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    now = [parsed("2026-03-01T12:00:00.000000Z")]
    (place, _), folders = muniment.locate(), muniment.home()
    keys, state = KeyDirectory(folders.keys), StateDirectory(folders.state)
    found(place.directory, Identity("1" * 32, "memory", "user"), ADA, keys, state, clock=lambda: now[0])
    made = MemoryLedger(place, folders, clock=lambda: now[0])
    now[0] += DAY
    origin = Provenance(conversation="c-1", session="s-1")
    one = made.store(Memory("Use npm", provenance=origin), BOT).id
    now[0] += DAY
    made.supersede([one], Memory("Use pnpm"), ADA)
    now[0] += DAY
    three = made.store(Memory("=cmd|' /C calc'!A0"), BOT).id
    now[0] += DAY
    made.delete([three], "nonsense", ADA)
    return made


def seqs(*options: str) -> list[int]:
    return [row["seq"] for row in run("log", "--json", *options).ok().json_lines]


def test_a_process_prints_an_aligned_table_oldest_first(memory: MemoryLedger) -> None:
    """When, which, what kind, id, by whom, what, from where."""
    ids = [row.id[:12] for row in memory.log()]
    assert run_process("log").ok().out.splitlines() == [
        f"2026-03-01 17:45:00+05:45  @0  genesis    {ids[0]}  ada (user, cli)   ledger memory (user)",
        f"2026-03-02 17:45:00+05:45  @1  create     {ids[1]}  bot (agent, mcp)  Use npm  (c-1)",
        f"2026-03-03 17:45:00+05:45  @2  supersede  {ids[2]}  ada (user, cli)   Use pnpm (replaces {ids[1]})",
        f"2026-03-04 17:45:00+05:45  @3  create     {ids[3]}  bot (agent, mcp)  =cmd|' /C calc'!A0",
        f"2026-03-05 17:45:00+05:45  @4  delete     {ids[4]}  ada (user, cli)   {ids[3]}: nonsense",
    ]


def test_each_filter_narrows_it(memory: MemoryLedger) -> None:
    """Several do so together; a date alone as --until includes its day; -n keeps the newest."""
    for options, expected in (
        (("--since", "2026-03-03"), [2, 3, 4]),
        (("--since", "2026-03-03T17:45:01"), [3, 4]),
        (("--since", "2026-03-03T14:00+02:00"), [2, 3, 4]),
        (("--until", "2026-03-03"), [0, 1, 2]),
        (("--until", "9999-12-31"), [0, 1, 2, 3, 4]),
        (("--until", "2026-03-03T17:45"), [0, 1]),
        (("--until", "2026-03-03T00:00"), [0, 1]),
        (("--since", "2026-03-02", "--until", "2026-03-03"), [1, 2]),
        (("--day", "2026-03-03"), [2]),
        (("--kind", "create"), [1, 3]),
        (("--kind", "create", "--kind", "delete"), [1, 3, 4]),
        (("--author", "bot"), [1, 3]),
        (("--conversation", "c-1"), [1]),
        (("--session", "s-1"), [1]),
        (("--memory", "@1"), [1, 2]),
        (("--memory", "@2"), [1, 2]),
        (("-n", "2"), [3, 4]),
        (("-n", "2", "--reverse"), [4, 3]),
        (("--author", "bot", "--memory", "@4"), []),
    ):
        assert seqs(*options) == expected, options


def test_by_is_the_writer_and_filters_nothing(memory: MemoryLedger) -> None:
    """X-2: it means one thing, before and after the command's name."""
    assert seqs("--by", "bot") == [0, 1, 2, 3, 4]
    assert [row["seq"] for row in run("--by", "bot", "log", "--json").ok().json_lines] == [0, 1, 2, 3, 4]
    assert seqs("--by", "ada", "--author", "bot") == [1, 3]


def test_json_lines_hold_every_member(memory: MemoryLedger) -> None:
    """--json and --format json are the same."""
    rows = run("log", "--json").ok().json_lines
    assert rows[1] == {
        "seq": 1,
        "writer": None,
        "id": memory.recall.resolve("@1"),
        "kind": "create",
        "at": "2026-03-02T12:00:00.000000Z",
        "by": {"name": "bot", "role": "agent", "via": "mcp"},
        "conversation": "c-1",
        "session": "s-1",
        "what": "Use npm",
        "erased": False,
        "compromised": False,
        "targets": [],
    }
    assert rows[4]["targets"] == [rows[3]["id"]]


def test_what_is_erased_says_so(memory: MemoryLedger) -> None:
    """In the table; JSON has an empty text and a flag."""
    memory.erasures.erase([memory.recall.resolve("@1")], "leaked")
    lines = run("log", "-n", "5").ok().out
    assert "(erased)" in lines
    assert "Use npm" not in lines
    row = next(row for row in run("log", "--json").json_lines if row["seq"] == 1)
    assert (row["what"], row["erased"], row["conversation"]) == ("", True, "")


def test_no_event_fits(memory: MemoryLedger) -> None:
    """Said on stderr; exit code 0."""
    done = run("log", "--author", "nobody").ok()
    assert (done.out, "no events match" in done.err) == ("", True)


@pytest.mark.parametrize("typed", ["soon", "2026-13-01", "", "@3", "0001-01-01T00:00+14:00"])
def test_a_time_that_is_none_is_a_mistake(memory: MemoryLedger, typed: str) -> None:
    """Exit code 2, with an example."""
    done = run("log", "--since", typed)
    assert (done.code, "2026-11-20" in done.err) == (2, True)


def test_an_unknown_kind_is_a_mistake(memory: MemoryLedger) -> None:
    """Exit code 2, with the kinds."""
    done = run("log", "--kind", "created")
    assert (done.code, "supersede" in done.err) == (2, True)
