"""muniment unarchive undoes what gc did."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from tests.cli.driver import run, run_process


@pytest.fixture
def archived(isolated: Path) -> list[str]:
    """The ids of two archived memories."""
    muniment.init().close()
    ids = [run("add", text, "--json").ok().json["id"] for text in ("one", "two")]
    with muniment.open() as memory:
        memory.workspace.local.archive(dict.fromkeys(ids, "a test"), 0)
    assert run("list").out == ""
    return ids


def test_a_memory_is_shown_again(archived: list[str]) -> None:
    """P-62: by any prefix of its id."""
    result = run_process("archive", "restore", archived[0][:8]).ok()
    assert result.out == f"{archived[0][:12]}  shown again\n"
    assert "one" in run("list").out
    assert "two" not in run("list").out


def test_several_at_once(archived: list[str]) -> None:
    """X-8: JSON has the full ids."""
    assert run("archive", "restore", *archived, "--json").ok().json == {"ids": archived}


def test_what_is_not_archived_is_said(archived: list[str]) -> None:
    """X-4: exit code 4; an unknown id has 3."""
    run("archive", "restore", archived[0]).ok()
    assert run("archive", "restore", archived[0]).code == 4
    assert run("archive", "restore", "00000000").code == 3
    assert run("archive", "restore").code == 2


def test_where_one_of_several_is_wrong_none_is_shown(archived: list[str]) -> None:
    """X-4: a command is done, or is not."""
    assert run("archive", "restore", archived[0], "00000000").code == 3
    assert run("list").out == ""


def test_an_event_that_is_no_memory_is_named_so(isolated: Path) -> None:
    muniment.init().close()
    done = run("archive", "restore", "@0")
    assert (done.code, done.out) == (3, "")
    assert "@0 is an event, not a memory" in done.err


def test_what_no_list_would_show_is_refused_with_what_helps(archived: list[str]) -> None:
    """X-87: whether it was archived before or not; none of the others is shown either."""
    one, two = archived
    deleted = run("delete", one, "--json").ok().json["id"]
    done = run("archive", "restore", two, one)
    assert (done.code, done.out) == (4, "")
    assert f"{one[:12]} is deleted, not archived: muniment revert {deleted[:12]} brings it back" in done.err
    assert run("list").out == ""
    newer = run("supersede", two, "three").ok().id
    assert f"{two[:12]} was superseded by {newer}: name that one" in run("archive", "restore", two).err
    run("erase", two, "-m", "a test", "--yes").ok()
    assert f"{two[:12]} is erased" in run("archive", "restore", two).err
