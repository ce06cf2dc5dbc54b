"""Tests cli/commands/delete.py against specs/cli.md (X-20, X-22)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import run, run_process

pytestmark = pytest.mark.usefixtures("ledger")


def test_a_process_deletes_and_names_the_way_back(ledger: Path) -> None:
    one = run("add", "Use npm").id
    done = run_process("delete", one, "-m", "we moved to pnpm").ok()
    assert done.out == f"deleted {one}  Use npm\n"
    assert "Use npm" not in (ledger / "MEMORY.md").read_text()
    event = run("log", "--kind", "delete", "--json").json_lines[0]
    assert event["what"] == "we moved to pnpm"
    assert done.err == f"muniment: to undo it: muniment revert {event['id'][:12]}\n"
    assert run(*done.err.split("muniment ")[-1].split()).code == 0
    assert "Use npm" in run("list").out


def test_forget_is_the_same_command() -> None:
    one = run("add", "one").id
    assert run("forget", one).ok().out == f"deleted {one}  one\n"


def eighteen() -> list[str]:
    """Learn more memories than one event deletes; return their ids."""
    Path("many.md").write_text("".join(f"- number {n}\n" for n in range(18)))
    run("import", "many.md").ok()
    return [row["id"] for row in run("list", "--json").json_lines]


def test_more_than_one_event_holds_is_one_batch_of_several() -> None:
    """X-22."""
    ids = eighteen()
    done = run("delete", *ids, "--json").ok().json
    assert (done["deleted"], len(done["events"]), done["id"]) == (ids, 2, done["events"][0])
    assert not run("list").out


def test_where_one_cannot_be_deleted_none_is() -> None:
    """X-22."""
    ids = eighteen()
    run("delete", ids[-1]).ok()
    done = run("delete", *ids)
    assert (done.code, "is deleted already" in done.err) == (4, True)
    assert len(run("list", "--json").json_lines) == 17


def test_an_id_twice_is_deleted_once() -> None:
    one = run("add", "one").id
    assert len(run("delete", one, one[:8], "--json").ok().json["deleted"]) == 1


def test_events_that_are_no_memories_are_refused() -> None:
    assert run("delete", "@0").code == 3
    assert run("delete").code == 2


def test_a_reason_with_a_secret_is_refused() -> None:
    one = run("add", "one").id
    done = run("delete", one, "-m", "password=Tr0ub4dor&3x9")
    assert (done.code, "Tr0ub4dor" in done.err) == (6, False)
    assert "one" in run("list").out


def test_what_a_memory_says_cannot_command_the_terminal() -> None:
    one = run("add", "red \x1b[31m alert").ok().id
    assert "\x1b" not in run("delete", one).ok().out
