"""What agents were shown is recorded, listed, bounded and, if wanted, anchored (specs/report.md H-40…H-46)."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path

import pytest

import muniment
from ledger.instant import DAY, from_datetime, parsed
from muniment import Memory, MemoryLedger, SeenFilter
from projections import seen
from tests.cli.driver import run

NOON = parsed("2026-11-20T12:00:00.000000Z")
TASK = "untangle the quaxle"


@pytest.fixture
def memory(memory: MemoryLedger) -> MemoryLedger:
    """The same with one memory."""
    memory.store(Memory("Use pnpm", type="preference"))
    return memory


def at(memory: MemoryLedger, now: int) -> MemoryLedger:
    """Return the same ledger with another clock."""
    return MemoryLedger(memory.workspace.place, memory.workspace.home, clock=lambda: now)


def set_to(memory: MemoryLedger, value: str) -> None:
    (memory.workspace.home.path / "config.toml").write_text(f"seen = {value}\n")


def test_an_injection_is_recorded_without_its_words(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H-40, H-41, H-44: who, when, by which door and why, the newest first; nothing of the past or what is explained."""
    (entry,) = memory.load_all()
    run("inject", "--task", TASK, "--agent", "reviewer").ok()
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")
    run("inject", "--agent", f"agent of {TASK}").ok()
    run("inject", "--explain").ok()
    run("inject", "--as-of", "today").ok()
    last, first = run("log", "--seen", "--json").ok().json_lines
    assert (first["agent"], first["session"], first["door"], first["why"]) == (
        "reviewer", "", "inject", "task",
    )  # fmt: skip
    assert (last["session"], last["door"], last["why"]) == ("s-1", "inject", "no task")
    assert first["ids"] == last["ids"] == [entry.id]
    assert first["day"] == first["at"][:10]
    assert 5 < first["tokens"] < 100
    assert [each.to_json() for each in memory.seen()] == [last, first]
    memory.close()
    local = (memory.workspace.place.directory / "local.db").read_bytes()
    assert b"quaxle" not in local
    assert b"reviewer" in local


def test_each_scope_records_its_own(memory: MemoryLedger, tmp_path: Path) -> None:
    """H-40."""
    run("init", "--scope", "project", cwd=tmp_path).ok()
    id_ = muniment.open(scope="project", start=tmp_path).store(Memory("Port 5433")).id
    run("inject").ok()
    (project,) = run("log", "--seen", "--json").ok().json_lines
    (user,) = run("log", "--seen", "--json", "--scope", "user").ok().json_lines
    assert project["ids"] == [id_]
    assert user["ids"] == [entry.id for entry in memory.load_all()]
    assert project["tokens"] == user["tokens"]


def test_show_says_how_often_and_to_whom(memory: MemoryLedger) -> None:
    """H-44: not of the past, and nothing of what was never shown."""
    (entry,) = memory.load_all()
    assert "\nseen " not in run("show", entry.id).ok().out
    assert run("show", entry.id, "--json").ok().json["seen"] is None
    for session in ("s-1", "s-1", "s-2"):
        muniment.inject([at(memory, NOON)], agent="codex", session=session)
    line = "seen     3 times in 2 sessions, last 2026-11-20 17:45:00+05:45 by codex (library, session s-2)\n"
    assert line in run("show", entry.id).ok().out
    often = run("show", entry.id, "--json").ok().json["seen"]
    assert (often["times"], often["sessions"], often["last"]["session"]) == (3, 2, "s-2")
    assert "\nseen " not in run("show", entry.id, "--as-of", "today").ok().out


def test_filters_narrow_the_list(memory: MemoryLedger) -> None:
    """H-44."""
    (one,) = memory.load_all()
    muniment.inject([at(memory, NOON)], session="s-1")
    two = memory.store(Memory("Port 5433")).id
    muniment.inject([at(memory, NOON + DAY)], session="s-2")

    def sessions(*options: str) -> list[str]:
        return [each["session"] for each in run("log", "--seen", "--json", *options).ok().json_lines]

    assert sessions() == ["s-2", "s-1"]
    assert sessions("--limit", "1") == sessions("--memory", two) == ["s-2"]
    assert sessions("--memory", one.id) == ["s-2", "s-1"]
    assert sessions("--until", "2026-11-20") == sessions("--day", "2026-11-20") == ["s-1"]
    assert sessions("--since", "2026-11-21") == sessions("--session", "s-2") == ["s-2"]
    assert "no record fits" in run("log", "--seen", "--day", "2026-11-22").ok().err
    table = run("log", "--seen").ok().out.splitlines()
    assert table[0].startswith("2026-11-21 17:45:00+05:45  library  library  no task  2 memories, ")
    assert table[1].endswith(f"  {one.id[:12]}  (session s-1)")
    for wrong in (["--seen", "--reverse"], ["--seen", "--kind", "create"]):
        assert run("log", *wrong).code == 2


def test_a_day_of_what_was_seen_is_one_of_here(memory: MemoryLedger) -> None:
    """X-320, H-44: it is the local day, also that of an instant; the UTC day of the first record is the day before."""
    midnight = from_datetime(datetime.fromisoformat("2026-11-20T00:30:00+05:45"))
    muniment.inject([at(memory, midnight)], session="early")

    def sessions(day: str) -> list[str]:
        return [each["session"] for each in run("log", "--seen", "--json", "--day", day).ok().json_lines]

    assert sessions("2026-11-20") == sessions("2026-11-20 23:00") == ["early"]
    assert sessions("2026-11-19") == []
    muniment.inject([memory], session="now")
    assert sessions("yesterday") == sessions("7d") == []
    today = f"{datetime.now().astimezone():%A}".lower()
    assert sessions("today") == sessions(today) == sessions("0h") == ["now"]
    assert "'soon' is not a date or time" in run("log", "--seen", "--day", "soon").err
    assert "leave --since and --until out" in run("log", "--day", "today", "--since", "7d").err


def test_a_day_that_is_over_is_anchored_once(memory: MemoryLedger) -> None:
    """H-45, H-46: the digest in the chain is that of the lines of `log --seen` with that day; verify stays sound."""
    set_to(memory, '"anchored"')
    for now in (NOON, NOON, NOON + DAY):
        muniment.inject([at(memory, now)], session="s-1")
    muniment.inject([memory])
    assert "seen          anchored: 2026-11-20, 2026-11-21\n" in run("upkeep", "run").ok().out
    assert run("upkeep", "run", "--json").ok().json["seen"] is None
    assert [each["what"] for each in run("log", "--kind", "anchor", "--json").ok().json_lines] == [
        "seen 2026-11-20", "seen 2026-11-21",
    ]  # fmt: skip
    chain = (memory.workspace.place.directory / "chain.jsonl").read_text().splitlines()
    first, _ = (json.loads(line)["payload"] for line in chain if '"kind":"anchor"' in line)
    printed = run("log", "--seen", "--json").ok().out.splitlines(keepends=True)
    of_the_day = "".join(line for line in printed if json.loads(line)["day"] == "2026-11-20")
    assert first["digest"] == hashlib.sha256(of_the_day.encode()).hexdigest()
    assert (first["method"], first["size"]) == ("seen", 2)
    verified = run("verify").ok().out
    assert "this ledger is not anchored" in verified


def test_nothing_is_anchored_unless_it_is_asked_for(memory: MemoryLedger) -> None:
    """H-46."""
    muniment.inject([at(memory, NOON)])
    assert run("upkeep", "run", "--json").ok().json["seen"] is None
    assert run("log", "--kind", "anchor", "--json").ok().json_lines == []


def test_one_setting_switches_it_off(memory: MemoryLedger, tmp_path: Path) -> None:
    """H-43: what was recorded goes; only a person's own file may say so."""
    run("inject").ok()
    set_to(memory, "false")
    assert "pnpm" in run("inject").ok().out
    done = run("log", "--seen").ok()
    assert (done.out, "seen = false" in done.err) == ("", True)
    set_to(memory, "1")
    assert 'seen is 1; it must be true, false or "anchored"' in run("log", "--seen").err
    set_to(memory, "true")
    run("init", "--scope", "project", cwd=tmp_path).ok()
    (tmp_path / ".muniment" / "config.toml").write_text("seen = false\n")
    assert "seen is allowed only in your own config.toml" in run("inject").err


def test_it_is_bounded_by_number_and_age(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """H-43."""
    monkeypatch.setattr(seen, "MOST", 3)
    for number in range(5):
        muniment.inject([at(memory, NOON)], session=f"s-{number}")
    assert [each.session for each in memory.seen()] == ["s-4", "s-3", "s-2"]
    muniment.inject([at(memory, NOON + 91 * DAY)], session="late")
    assert [each.session for each in memory.seen(SeenFilter())] == ["late"]


def test_an_erase_leaves_who_saw_it(memory: MemoryLedger) -> None:
    """H-41: the ids of what was erased, which the chain has, too."""
    (entry,) = memory.load_all()
    run("inject").ok()
    run("erase", entry.id, "--yes").ok()
    (record,) = run("log", "--seen", "--json", "--memory", entry.id).ok().json_lines
    assert record["ids"] == [entry.id]


def test_a_local_state_that_cannot_be_written_costs_the_record_alone(memory: MemoryLedger) -> None:
    """H-43."""
    local = memory.workspace.place.directory / "local.db"
    memory.close()
    local.unlink()
    local.mkdir()
    assert "pnpm" in run("inject").ok().out
