"""Tests cli/commands/stale.py, and what every view says of a stale memory, against specs/cli.md (X-100, X-101)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import muniment
from ledger.instant import DAY, system_clock
from ledger.memory import Memory
from muniment import MemoryLedger
from tests.cli.driver import run, run_process


def store_past(memory: MemoryLedger, days: int, text: str, **more: Any) -> str:
    """Learn a memory so many days ago, and return its id."""
    then = system_clock() - days * DAY
    with MemoryLedger(memory.workspace.place, memory.workspace.home, clock=lambda: then) as past:
        return past.store(Memory(text, **more)).id


@pytest.fixture
def old(memory: MemoryLedger) -> str:
    """The id of a correction of a hundred days ago; another is of today."""
    id_ = store_past(memory, 100, "Never force-push", section="Corrections")
    memory.store(Memory("Never push on Fridays", section="Corrections"))
    return id_


@pytest.fixture
def project(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A project's ledger, seen from its root."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src/main.py").write_text("")
    monkeypatch.chdir(root)
    run("init", "--scope", "project").ok()
    return muniment.open()


def test_a_process_lists_what_is_stale_and_says_what_to_do(memory: MemoryLedger) -> None:
    """X-100: the longest first; candidates and what is fresh are left out."""
    first = store_past(memory, 200, "Ship by hand", section="Workflow")
    second = store_past(memory, 91, "Use npm", type="preference")
    store_past(memory, 300, "maybe", status="candidate")
    memory.store(Memory("new"))
    done = run_process("list", "--stale").ok()
    assert done.out.splitlines() == [
        "Not confirmed for 90 days",
        f"  {first[:12]}  200 days  Workflow          Ship by hand",
        f"  {second[:12]}   91 days  User Preferences  Use npm",
    ]
    assert done.err == (
        "muniment: 2 memories want a look: muniment review goes through them; "
        "confirm ID, edit ID or delete ID decides on one\n"
    )
    rows = run("list", "--stale", "--json").ok().json_lines
    assert [(row["id"], row["days"], row["stale"], row["gone"]) for row in rows] == [
        (first, 200, True, []),
        (second, 91, True, []),
    ]


def test_filters_narrow_it_down(memory: MemoryLedger) -> None:
    """X-100: as in list; -n counts the longest unconfirmed; archived ones only where asked for."""
    first = store_past(memory, 200, "Ship by hand", section="Workflow", tags=("ci",))
    store_past(memory, 100, "Use npm")
    assert [row["text"] for row in run("list", "--stale", "--section", "workflow", "--json").json_lines] == [
        "Ship by hand"
    ]
    assert [row["text"] for row in run("list", "--stale", "--tag", "ci", "--json").json_lines] == [
        "Ship by hand"
    ]
    assert [row["text"] for row in run("list", "--stale", "-n", "1", "--json").json_lines] == ["Ship by hand"]
    memory.workspace.local.archive({first: "unused"}, memory.workspace.clock())
    assert [row["text"] for row in run("list", "--stale", "--json").json_lines] == ["Use npm"]
    assert len(run("list", "--stale", "--archived", "--json").json_lines) == 2
    assert "2 memories want a look" in run("list", "--stale", "-n", "1", "--archived").err
    assert run("list", "--stale", "--status", "active").code == 2


def test_a_confirm_takes_it_off_the_list_and_looking_does_not(old: str) -> None:
    """S-6."""
    for view in (
        ("list",),
        ("show", old),
        ("search", "force-push"),
        ("inject",),
        ("show", "--history", old),
        ("export",),
    ):
        run(*view).ok()
    assert [row["id"] for row in run("list", "--stale", "--json").json_lines] == [old]
    run("confirm", old).ok()
    done = run("list", "--stale").ok()
    assert (done.out, done.err) == ("", "muniment: nothing is stale\n")


def test_it_looks_at_the_past_and_at_the_time_to_come(memory: MemoryLedger) -> None:
    """X-101."""
    id_ = memory.store(Memory("Use pnpm")).id
    assert run("list", "--stale").ok().out == ""
    (row,) = run("list", "--stale", "--as-of", "2099-01-01", "--json").ok().json_lines
    assert (row["id"], row["stale"]) == (id_, True)
    assert "as of 2099-01-01" in run("list", "--stale", "--as-of", "2099-01-01").err


def test_with_decay_off_it_says_so(old: str, memory: MemoryLedger) -> None:
    """X-101."""
    (memory.workspace.home.path / "config.toml").write_text("[decay]\nenabled = false\n")
    done = run("list", "--stale").ok()
    assert done.out == ""
    assert "decay.enabled = false" in done.err


def test_every_view_says_stale(old: str, memory: MemoryLedger) -> None:
    """P-7: as text and as JSON; the other memory never."""
    for view in (("list",), ("search", "never"), ("show", "--history", old)):
        lines = [line for line in run(*view).ok().out.splitlines() if "stale" in line]
        assert len(lines) == 1, view
        assert ("force-push" in lines[0]) or "--history" in view
        rows = run(*view, "--json").ok().json_lines
        assert {row["id"]: row["stale"] for row in rows}[old] is True
        assert sum(row["stale"] for row in rows) == 1, view
    assert "stale: muniment confirm" in run("show", old).ok().out
    assert run("show", old, "--json").json["stale"] is True
    assert "active, but stale  1" in run("stats").ok().out
    assert run("stats", "--json").json["stale"] == 1
    assert run("stats", "--json", "--as-of", "2099-01-01").json["stale"] == 2
    assert run("status", "--json").json["memories"]["stale"] == 1
    told = run("inject", "--json").ok().json
    assert (told["stale"], "- [?] Never force-push" in told["text"]) == ([old], True)
    assert len(told["shown"]) == 2
    exported = {row["id"]: row["stale"] for row in run("export").ok().json_lines}
    assert (exported[old], sum(exported.values())) == (True, 1)
    assert "- [?] Never force-push\n" in (memory.workspace.place.documents / "MEMORY.md").read_text()


def test_memories_of_a_project_that_name_what_is_gone_are_named(project: MemoryLedger) -> None:
    """X-100: after what is stale; a stale one says both."""
    one = project.store(Memory("Run `bash src/e2e.sh` and `python src/main.py`")).id
    project.store(Memory("The parser is in `src/main.py`"))
    two = store_past(project, 95, "The lexer is in `src/lexer.py`")
    done = run("list", "--stale").ok()
    assert done.out.splitlines() == [
        "Not confirmed for 90 days",
        f"  {two[:12]}  95 days  Project Conventions  The lexer is in `src/lexer.py`",
        "    src/lexer.py is not there",
        "Naming something that is not in the project",
        f"  {one[:12]}  0 days  Project Conventions  Run `bash src/e2e.sh` and `python src/main.py`",
        "    src/e2e.sh is not there",
    ]
    rows = {row["id"]: row for row in run("list", "--stale", "--json").json_lines}
    assert rows[two]["gone"] == ["src/lexer.py"]
    assert (rows[one]["stale"], rows[one]["gone"]) == (False, ["src/e2e.sh"])
    (Path("src") / "lexer.py").write_text("")
    assert "lexer.py is not there" not in run("list", "--stale").out
    assert run("list", "--stale", "--as-of", "@3", "--json").ok().json_lines == []


def test_the_python_face_says_the_same(project: MemoryLedger) -> None:
    """P-143: decay_check; the local scope looks at the same root, the user's at none."""
    project.store(Memory("See `src/gone.py`"))
    (found,) = project.upkeep.decay_check()
    assert (found.stale, found.gone) == (False, ("src/gone.py",))
    run("init", "--scope", "local").ok()
    run("add", "Mine is `src/lost.py`", "--scope", "local").ok()
    assert "src/lost.py is not there" in run("list", "--stale", "--scope", "local").out
    run("init", "--scope", "user").ok()
    run("add", "Mine is `src/lost.py`", "--scope", "user").ok()
    assert run("list", "--stale", "--scope", "user").ok().out == ""


def test_a_project_that_is_too_large_is_said_to_be(
    project: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-101."""
    project.store(Memory("See `src/gone.py`"))
    monkeypatch.setattr("projections.checkout.MOST_ENTRIES", 1)
    done = run("list", "--stale").ok()
    assert (done.out, "too large, or a sparse" in done.err) == ("", True)


def test_hostile_text_reaches_no_terminal(project: MemoryLedger) -> None:
    """X-8."""
    project.store(Memory("See `src/\u202egone.py` and `src/lost\u009b31m.py`"))
    assert not set(run("list", "--stale").ok().out) & set("\u202e\u009b")
