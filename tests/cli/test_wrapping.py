"""Lines are wrapped at a terminal's width, between words (specs/cli.md X-324)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.wrapping import wrapped
from tests.cli.driver import run, run_at_terminal, run_process, uncolored, user_ledger

LONG = "Deploy with the blue-green script, never by hand, and tell the team in the release channel before it begins"


@given(st.text(st.sampled_from("ab  é"), max_size=300), st.integers(40, 200))
def test_no_line_is_longer_and_no_word_is_cut(text: str, width: int) -> None:
    """The words come back whole and in order; only a word longer than the line is longer than it."""
    shown = wrapped(text, width)
    assert shown.split() == text.split()
    for line in shown.split("\n"):
        assert len(line) <= width or len(line.split()) <= 1


def test_what_follows_stands_under_the_last_column() -> None:
    line = f"  0123456789ab  2026-11-27  {LONG}"
    first, *rest = wrapped(line, 60).split("\n")
    assert first.startswith("  0123456789ab  2026-11-27  Deploy")
    assert all(len(each) - len(each.lstrip()) == 28 for each in rest)


def test_colours_take_no_room_and_wide_signs_take_two() -> None:
    assert wrapped(f"\x1b[31m{'a' * 20}\x1b[0m {'b' * 19}", 40).count("\n") == 0
    assert wrapped("数据 " * 9, 40).count("\n") == 1
    assert wrapped("x " * 500, 0) == "x " * 500


VIEWS = {
    "list": ("list",),
    "search": ("search", "deploy"),
    "log": ("log",),
    "show": ("show", "@1"),
    "review": ("review", "--candidates"),
    "help": ("review", "--help"),
    "message": ("show", "@99999"),
}


@pytest.mark.parametrize("columns", [40, 300])
def test_views_and_messages_fit_the_terminal(isolated: Path, columns: int) -> None:
    """From 40 to 200 columns; nothing is cut in mid-word."""
    user_ledger(LONG)
    run("add", f"Propose that we {LONG.lower()}", "--candidate").ok()
    words = set(LONG.lower().split())
    for view, command in VIEWS.items():
        done = run_at_terminal(*command, columns=columns, answers=["q"] if view == "review" else [])
        for line in uncolored(done.out).replace("\r", "").split("\n"):
            examples = line.startswith("    muniment ")
            assert len(line) <= min(columns, 200) or len(line.split()) <= 1 or examples, line
        assert done.code == (3 if view == "message" else 0)
        if view in ("list", "search", "log", "show", "review"):
            assert words <= set(uncolored(done.out).lower().split())


def test_a_pipe_gets_one_line_an_item(isolated: Path) -> None:
    """As git does: data lines are never wrapped where nobody looks."""
    user_ledger(LONG)
    done = run_process("list", env={"COLUMNS": "40"}).ok()
    assert LONG in done.out
    assert re.search(rf"create .*{re.escape(LONG)}", run_process("log", env={"COLUMNS": "40"}).out)
