"""--as-of looks at the ledger as it was, and leaves no trace of that (X-95, P-94)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from ledger.instant import parsed
from muniment import Memory, MemoryLedger
from tests.cli.driver import run, run_process


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger whose first memory was corrected and whose second was deleted."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    one, two = (made.store(Memory(text)).id for text in ("Use npm", "Ship npm on Fridays"))
    made.supersede([one], Memory("Use pnpm"))
    made.delete([two])
    return made


LOOKS: dict[str, Callable[[MemoryLedger], tuple[str, ...]]] = {
    "list": lambda _: ("list",),
    "search": lambda _: ("search", "npm"),
    "show": lambda memory: ("show", memory.recall.resolve("@2")),
    "stats": lambda _: ("stats",),
    "inject": lambda _: ("inject",),
    "blame": lambda _: ("blame", "MEMORY.md"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_it_says_what_was_said_then_and_which_instant(memory: MemoryLedger, name: str) -> None:
    """As the same command said before the rest happened; nothing is counted, nothing written."""
    args = LOOKS[name](memory)
    chain = memory.workspace.chain.read_bytes()
    kept = chain.splitlines(keepends=True)[3:]
    assert kept
    done = run(*args, "--as-of", "@2").ok()
    assert "muniment: as of 20" in done.err
    assert memory.workspace.local.uses() == {}
    assert memory.workspace.chain.read_bytes() == chain
    if name != "stats":
        assert "Ship npm on Fridays" in done.out
        assert "pnpm" not in done.out
    at = memory.log()[2].at
    again = run(*args, "--as-of", at).ok()
    assert again.out == done.out


def test_a_process_does_so_too(memory: MemoryLedger) -> None:
    """In a way that the pipe gets the answer and the person the instant."""
    done = run_process("list", "--as-of", "@2", "--json").ok()
    assert [row["text"] for row in done.json_lines] == ["Use npm", "Ship npm on Fridays"]
    assert "up to event @2" in done.err


def test_what_is_younger_does_not_exist(memory: MemoryLedger) -> None:
    """An event by its number or id; what replaced a memory later; code 3."""
    three = memory.recall.resolve("@3")
    assert run("show", three, "--as-of", "@2").code == 3
    assert run("show", "@3", "--as-of", "@2").code == 3
    shown = run("show", "@1", "--as-of", "@2", "--json").ok().json
    assert (shown["status"], shown["superseded_by"]) == ("active", [])
    assert run("show", "@1", "--json").ok().json["status"] == "superseded"


def test_stats_leave_out_what_has_no_past(memory: MemoryLedger) -> None:
    """Uses, and the sizes of what is not the log."""
    run("search", "npm").ok()
    past = run("stats", "--as-of", "@2", "--json").ok().json
    assert past["memories"] == {"active": 2}
    assert past["events"] == {"create": 2, "genesis": 1}
    size = sum(map(len, memory.workspace.chain.read_bytes().splitlines(keepends=True)[:3]))
    assert past["bytes"] == {"chain": size}
    assert past["most_used"] == []


def test_archive_marks_hold_from_when_they_were_made(memory: MemoryLedger) -> None:
    """What was hidden later was still listed then."""
    rows = memory.log()
    three = memory.recall.resolve("@3")
    memory.workspace.local.archive({three: "unused"}, parsed(rows[4].at))
    assert "Use pnpm" in run("list", "--as-of", "@3").ok().out
    assert run("list", "--as-of", "@4").ok().out == ""
    assert "[archived]" in run("list", "--as-of", "@4", "--archived").ok().out


def test_what_is_stale_is_so_as_of_then(memory: MemoryLedger) -> None:
    """A year later the memory is stale, and was not on the day it was learned."""
    assert "[stale]" in run("list", "--as-of", "2099-01-01").ok().out
    assert "[stale]" not in run("list", "--as-of", "@3").ok().out


@pytest.mark.parametrize(("when", "code"), [("soon", 2), ("@x", 2), ("@99", 3)])
def test_what_is_no_instant_of_the_ledger_is_refused(memory: MemoryLedger, when: str, code: int) -> None:
    """One line."""
    done = run("list", "--as-of", when)
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1)


def test_before_the_first_event_everything_is_empty(memory: MemoryLedger) -> None:
    """P-93, X-95."""
    done = run("list", "--as-of", "2001-01-01").ok()
    assert done.out == ""
    assert "to store one" not in done.err
    assert "2001-01-01 23:59:59+05:45, before the ledger began" in done.err
    assert run("search", "pnpm", "--as-of", "2001-01-01").out == ""
    assert run("stats", "--as-of", "2001-01-01").code == 0
    assert "# Auto-Memories" in run("blame", "MEMORY.md", "--as-of", "2001-01-01").ok().out


def test_a_day_means_its_end_in_every_command(memory: MemoryLedger) -> None:
    """X-320: as of today and the difference up to today have what happened today; yesterday there was nothing."""
    assert "Use pnpm" in run("list", "--as-of", "today").ok().out
    assert run("list", "--as-of", "yesterday").ok().out == ""
    shown = run("diff", "yesterday", "today", "--json").ok().json
    assert [each["text"] for each in shown["learned"]] == ["Use pnpm"]
    assert len(run("log", "--since", "today", "--until", "today", "--json").ok().json_lines) == len(
        memory.log()
    )
    assert run("log", "--until", "yesterday", "--json").ok().json_lines == []
    assert "Use pnpm" in run("search", "pnpm since:today until:today").ok().out
    assert "Use pnpm" in muniment.inject([memory], as_of="today").text
    assert run("replay", "--as-of", "yesterday", "--out", "then", "--json").ok().json["as_of"].endswith("Z")
