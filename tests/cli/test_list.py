"""muniment list shows the memories that stand, by section."""

from __future__ import annotations

import muniment
from language.dates import day
from ledger.instant import DAY, system_clock
from muniment import Memory, MemoryLedger
from tests.cli.driver import run, run_at_terminal, run_process, uncolored


def test_a_process_lists_by_section_in_their_order(memory: MemoryLedger) -> None:
    """Fixed sections first, a person's own headings after them by name."""
    ids = [
        memory.store(Memory(text, section=section)).id
        for text, section in (
            ("own b", "B heading"),
            ("later", "Tool Usage"),
            ("own a", "A heading"),
            ("first", "User Preferences"),
            ("second", "User Preferences"),
        )
    ]
    today = day(memory.entry(ids[0]).learned)
    done = run_process("list").ok()
    assert done.out.splitlines() == [
        "User Preferences",
        f"  {ids[3][:12]}  {today}  first",
        f"  {ids[4][:12]}  {today}  second",
        "Tool Usage",
        f"  {ids[1][:12]}  {today}  later",
        "A heading",
        f"  {ids[2][:12]}  {today}  own a",
        "B heading",
        f"  {ids[0][:12]}  {today}  own b",
    ]
    assert done.err == ""


def test_what_is_out_of_the_ordinary_is_marked(memory: MemoryLedger) -> None:
    """Status other than active, stale, archived, high importance."""
    now = [system_clock() - 200 * DAY]
    memory.workspace.clock = lambda: now[0]
    old = memory.store(Memory("old", importance="critical")).id
    memory.store(Memory("not sure", status="candidate"))
    now[0] = system_clock()
    memory.store(Memory("maybe", status="candidate"))
    hidden = memory.store(Memory("hidden")).id
    memory.workspace.local.archive({hidden: "unused"}, now[0])
    lines = [line.split("  ", 3)[-1] for line in run("list", "--archived").ok().out.splitlines()]
    assert lines == [
        "Project Conventions",
        "old  [stale, critical]",
        "not sure  [candidate]",
        "maybe  [candidate]",
        "hidden  [archived]",
    ]
    assert "hidden" not in run("list").out
    memory.delete([old])
    assert "old  [deleted, critical]" in run("list", "--status", "deleted").out


def test_each_filter_narrows_it(memory: MemoryLedger) -> None:
    """Several do so together; -n keeps the newest."""
    memory.store(Memory("a", type="preference", tags=("js",)))
    memory.store(Memory("b", section="Tool Usage", tier="committed", source="auto"))
    origin = muniment.Provenance(conversation="c-1", session="s-1")
    memory.store(Memory("c", topic="code/auth", importance="low", provenance=origin))
    memory.store(Memory("d", status="candidate"))
    for options, found in (
        (("--section", "tool usage"), ["b"]),
        (("--type", "preference"), ["a"]),
        (("--tag", "js"), ["a"]),
        (("--topic", "code/auth"), ["c"]),
        (("--tier", "committed"), ["b"]),
        (("--source", "auto"), ["b"]),
        (("--importance", "low"), ["c"]),
        (("--conversation", "c-1"), ["c"]),
        (("--session", "s-1"), ["c"]),
        (("--status", "candidate"), ["d"]),
        (("--status", "active", "--status", "candidate", "-n", "2"), ["c", "d"]),
        (("--status", "all", "--tag", "js", "--type", "fact"), []),
    ):
        assert [row["text"] for row in run("list", "--json", *options).ok().json_lines] == found, options


def test_json_lines_hold_every_member(memory: MemoryLedger) -> None:
    """Those of the record beside those of its life."""
    one = memory.store(Memory("a", details=("b",), provenance=muniment.Provenance(file="x.py"))).id
    (row,) = run("list", "--json").ok().json_lines
    assert (row["id"], row["seq"], row["status"], row["details"]) == (one, 1, "active", ["b"])
    assert row["by"] == {"name": "library", "role": "system", "via": "library"}
    assert row["provenance"] == {"file": "x.py"}
    assert row["learned"] == row["fresh_since"]


def test_nothing_to_list_says_what_comes_next(memory: MemoryLedger) -> None:
    """On stderr: an empty ledger is told from a filter that fits nothing."""
    empty = run("list").ok()
    assert (empty.out, "muniment add" in empty.err) == ("", True)
    memory.store(Memory("a"))
    assert "--status all" in run("list", "--tag", "none").ok().err


def test_a_text_cannot_command_the_terminal(memory: MemoryLedger) -> None:
    """An escape sequence of a memory is not printed; JSON keeps it."""
    text = "red \x1b[31mtext\x07 \u202egnol"
    memory.store(Memory(text, section="Own \x1b[1mheading"))
    shown = run_at_terminal("list").out
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown
    assert "red <U+001B>[31mtext<U+0007> <U+202E>gnol" in uncolored(shown)
    assert run("list", "--json").json_lines[0]["text"] == text


def test_colours_are_for_terminals_that_want_them(memory: MemoryLedger) -> None:
    """Not for a pipe, --no-color, NO_COLOR or a dumb terminal."""
    memory.store(Memory("a"))
    assert "\x1b[" in run_at_terminal("list").out
    assert "\x1b[" not in run_process("list").out
    assert "\x1b[" not in run_at_terminal("list", "--no-color").out
    assert "\x1b[" not in run_at_terminal("list", env={"NO_COLOR": "1"}).out
    assert "\x1b[" not in run_at_terminal("list", env={"TERM": "dumb"}).out
