"""muniment curate: X-173."""

from __future__ import annotations

from pathlib import Path

from tests.cli.driver import run, run_process


def test_a_line_for_each_thing_that_is_done(ledger: Path) -> None:
    """Kept, committed, archived; a second run does nothing."""
    (ledger / "session-buffer.md").write_text("- Decided to use PostgreSQL\n## 2026-01-02\n- ran the tests\n")
    run("checkpoint").ok()
    origin = ("--source", "auto", "--conversation", "c", "--message", "m")
    run("add", "Use Redis as a cache", "--type", "decision", *origin).ok()
    dry = run("curate", "--dry-run").ok()
    assert [line.split()[0] for line in dry.out.splitlines()] == ["created", "committed", "archived", "1"]
    assert run("list", "--tier", "committed").ok().out == ""
    done = run("curate").ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["created", "committed", "archived", "1"]
    assert done.out.splitlines()[-1] == "1 note reviewed; 1 kept, 2 committed, 1 archived"
    committed = [each["text"] for each in run("list", "--tier", "committed", "--json").ok().json_lines]
    assert sorted(committed) == ["Decided to use PostgreSQL", "Use Redis as a cache"]
    assert run_process("curate").ok().out.splitlines() == ["1 note reviewed; 0 kept, 0 committed, 0 archived"]


def test_json_names_notes_and_memories(ledger: Path) -> None:
    """One document with the notes that say each."""
    (ledger / "session-buffer.md").write_text("- Decided to use PostgreSQL\n")
    run("checkpoint").ok()
    value = run("curate", "--json").ok().json
    [each] = value["distilled"]
    assert (each["outcome"], each["memory"]["tier"], len(each["notes"]), len(each["id"])) == (
        "created", "committed", 1, 64
    )  # fmt: skip
    assert (value["reviewed"], value["committed"], value["archived"], value["dry_run"]) == (1, [], [], False)


def test_if_due_does_its_work_once_a_week(ledger: Path) -> None:
    """G-31: a second run does nothing and says when it is due again; a dry run is not counted as one."""
    buffer = ledger / "session-buffer.md"
    buffer.write_text("- Decided to use PostgreSQL\n")
    run("checkpoint").ok()
    run("curate", "--dry-run", "--if-due").ok()
    assert run("curate", "--if-due").ok().out.splitlines()[-1].startswith("1 note reviewed; 1 kept")
    buffer.write_text("- Decided to use Redis\n")
    run("checkpoint").ok()
    again = run_process("curate", "--if-due").ok()
    assert (again.out, again.err[:23]) == ("", "muniment: not due: cura")
    value = run("curate", "--if-due", "--json").ok().json
    assert (value["due"], value["reviewed"], value["distilled"]) == (False, 0, [])
    assert run("curate", "--json").ok().json["reviewed"] == 2
