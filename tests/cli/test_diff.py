"""muniment diff shows what lies between two instants."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import muniment
from language.dates import day as day_of
from ledger.event import By
from muniment import Memory, MemoryLedger, Provenance
from tests.cli.driver import run, run_at_terminal, run_process


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger in whose life everything happened once, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    ids = [made.store(Memory(text)).id for text in ("Use npm", "Deploy on Fridays", "Tabs", "hunter2 is it")]
    by = By("otto", "system", "hook")
    made.supersede(
        ids[:1], Memory("Use pnpm", tags=("js",), provenance=Provenance(conversation="c-9")), by
    )  # @5
    made.delete(ids[1:2], "never again")  # @6
    made.confirm(ids[2:3])  # @7
    made.erasures.erase(ids[3:], "leaked")  # @8
    made.delete([made.store(Memory("A guess")).id])  # @9, @10
    made.store(Memory("Ada leads", details=("since May",)))  # @11
    return made


def test_a_process_tells_what_became_of_what(memory: MemoryLedger) -> None:
    """Learned, changed word by word, forgotten with the reason, confirmed, erased; and what came and went."""
    short = {n: memory.recall.resolve(f"@{n}")[:12] for n in range(1, 12)}
    done = run_process("diff", "@4").ok()
    day = day_of(memory.log()[1].at)
    lines = done.out.splitlines()
    assert lines[:6] == [
        "Learned (1)",
        f"  + {short[11]}  {day}  Ada leads",
        "    by library (system, library)",
        "Changed (1)",
        f"  {short[1]} -> {short[5]}  {day}  by otto (system, hook), conversation c-9",
        "    Use [-npm-]{+pnpm+}",
    ]
    assert lines[6:9] == ["    tags: {+js+}", "Forgotten (1)", f"  - {short[2]}  {day}  Deploy on Fridays"]
    assert lines[9].startswith("    deleted ")
    assert lines[9].endswith(" by library (system, library): never again")
    assert lines[10:12] == ["Confirmed (1)", f"  {short[3]}  {day}  Tabs"]
    assert lines[12:] == ["Erased (1)", f"  - {short[4]}  {day}  (erased)  [erased]"]
    assert "(@4) to " in done.err
    assert "(@11)" in done.err
    assert "1 version came and went" in done.err
    assert "hunter2" not in run("diff", "@0").out


def test_json_is_one_document(memory: MemoryLedger) -> None:
    """With whole memories, and the words of each member that changed."""
    found = run("diff", "@4", "@11", "--json").ok().json
    assert (found["from"]["seq"], found["to"]["seq"]) == (4, 11)
    assert [one["text"] for one in found["learned"]] == ["Ada leads"]
    (change,) = found["changed"]
    assert [old["text"] for old in change["old"]] == ["Use npm"]
    assert change["members"] == {
        "text": [["same", "Use "], ["went", "npm"], ["came", "pnpm"]],
        "tags": [["came", "js"]],
    }
    (gone,) = found["forgotten"]
    assert (gone["text"], gone["ended"]["what"]) == ("Deploy on Fridays", "never again")
    assert [one["text"] for one in found["confirmed"]] == ["Tabs"]
    assert [one["status"] for one in found["erased"]] == ["erased"]
    assert found["came_and_went"] == 1


def test_two_differences_cover_the_one_of_both(memory: MemoryLedger) -> None:
    """For every three events of a real ledger, read from real indexes; now is the last of them."""
    known: dict[tuple[int, int], set[str]] = {}
    for first in (0, 4, 5, 8):
        for second in (4, 5, 8, 11):
            if first < second:
                found = run("diff", f"@{first}", *([f"@{second}"] if second < 11 else []), "--json").ok().json
                news = [change["new"] for change in found["changed"]]
                olds = [old for change in found["changed"] for old in change["old"]]
                parts = (found[name] for name in ("learned", "forgotten", "confirmed", "erased"))
                known[first, second] = {one["id"] for part in (*parts, news, olds) for one in part}
    threes = [
        (a, b, c) for a in range(9) for b in range(9) for c in range(12) if {(a, b), (b, c)} <= known.keys()
    ]
    assert len(threes) > 3
    for a, b, c in threes:
        assert known[a, c] <= known[a, b] | known[b, c]


def test_times_are_taken_as_well_as_events(memory: MemoryLedger) -> None:
    """The instant of an event is that event's."""
    at = memory.log()[4].at
    assert run("diff", at).ok().out == run("diff", "@4").ok().out
    assert "the same at both" in run("diff", "@4", "@4").ok().err


def test_what_makes_no_sense_is_refused(memory: MemoryLedger) -> None:
    """The later first (2), no time at all (2), an event to come (3)."""
    assert run("diff", "@5", "@4").code == 2
    assert run("diff", "soon").code == 2
    assert run("diff", "2099-01-01", "2001-01-01").code == 2
    assert "today is later than now: " in run("diff", "today").err
    assert run("diff", "@4", "@99").code == 3


def test_all_that_stands_was_learned_since_before_the_beginning(memory: MemoryLedger) -> None:
    """P-93, X-95: and what is to come is as it is now."""
    said = json.loads(run("diff", "2001-01-01", "2099-01-01", "--json").ok().out)
    assert (said["from"]["seq"], said["changed"]) == (None, [])
    assert [each["text"] for each in said["learned"]] == [entry.memory.text for entry in memory.load_all()]
    assert "before the ledger began" in run("diff", "2001-01-01").ok().err
    assert "the same at both" in run("diff", "2001-01-01", "2002-01-01").ok().err


def test_a_merge_names_all_that_it_replaced(memory: MemoryLedger) -> None:
    """The words are compared with the first of them."""
    two = [memory.store(Memory(text)).id for text in ("Port 5432", "The port is 5432")]
    memory.supersede(two, Memory("Port 5433"))
    out = run("diff", "@13").ok().out
    assert "    Port [-5432-]{+5433+}" in out
    assert f"    - {two[1][:12]}  The port is 5432" in out


def test_a_terminal_shows_colours_beside_the_signs(memory: MemoryLedger) -> None:
    """X-323: what went is red, what came green, and neither is known by its colour alone."""
    shown = run_at_terminal("diff", "@4").out
    assert "Use \x1b[31m[-npm-]\x1b[0m\x1b[32m{+pnpm+}\x1b[0m" in shown
    assert "\x1b[32m+\x1b[0m " in shown
    assert "\x1b[31m-\x1b[0m " in shown
    assert "[-npm-]{+pnpm+}" in run_at_terminal("diff", "@4", "--no-color").out
