"""muniment checkpoint: X-170, X-173."""

from __future__ import annotations

from pathlib import Path

from tests.cli.driver import run, run_process


def test_it_notes_tells_and_is_quiet_the_second_time(ledger: Path) -> None:
    """A line an entry and the counts; then nothing is new."""
    buffer = ledger / "session-buffer.md"
    buffer.write_text("- Decided to use PostgreSQL\n- ran the tests\n- half")
    done = run("checkpoint").ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["noted", "noted", "2"]
    assert "has no line feed yet" in done.err
    assert run("checkpoint").ok().out == "0 noted\n"
    assert run("list", "--tier", "daily", "--json").ok().out.count("\n") == 2
    assert buffer.read_text() == "- Decided to use PostgreSQL\n- ran the tests\n- half"


def test_a_secret_is_named_by_line_with_code_6(ledger: Path) -> None:
    """Never by what it says; the rest is noted (K-95)."""
    secret = "ghp_" + "a8Kd02mLqP7xVz3TnR5wYb1CfH6jGs9EuD4o"
    (ledger / "session-buffer.md").write_text(f"- fine here\n- the token is {secret}\n")
    done = run("checkpoint", "--json")
    assert done.code == 6
    assert "session-buffer.md:2: not noted" in done.err
    assert secret not in done.out + done.err
    assert [note["outcome"] for note in done.json["notes"]] == ["noted", "refused"]
    assert run("checkpoint").code == 6


def test_dry_run_and_json_say_the_same(ledger: Path) -> None:
    """And nothing is written."""
    (ledger / "session-buffer.md").write_text("## 2026-11-20 session: s-1\n- Decided to use PostgreSQL\n")
    value = run("checkpoint", "--dry-run", "--json").ok().json
    assert value["dry_run"] is True
    [note] = value["notes"]
    assert (note["outcome"], note["id"], note["day"], note["session"], note["line"]) == (
        "noted", None, "2026-11-20", "s-1", 2
    )  # fmt: skip
    assert run("list").ok().out.strip() == ""
    assert run("checkpoint", "--dry-run").ok().out.endswith("would be: 1 noted\n")


def test_without_a_buffer_nothing_is_noted(ledger: Path) -> None:
    """It is no fault."""
    done = run_process("checkpoint")
    assert (done.code, done.out) == (0, "0 noted\n")
    assert "there is no session buffer" in done.err
