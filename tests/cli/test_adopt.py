"""muniment adopt takes in what a person changed in the documents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.driver import run, run_process, user_ledger


@pytest.fixture
def document(isolated: Path) -> Path:
    """The MEMORY.md of a user's ledger with two memories."""
    run("init", "--scope", "user").ok()
    run("add", "Use npm").ok()
    run("add", "Deploy on Fridays").ok()
    return isolated / ".muniment" / "MEMORY.md"


def edit(document: Path) -> bytes:
    """Change one bullet, take one out, write a paragraph."""
    text = document.read_text().replace("Use npm", "Use pnpm").replace("- Deploy on Fridays\n", "\nMine.\n")
    document.write_text(text)
    return document.read_bytes()


def test_a_process_takes_an_edit_in_and_says_what_it_came_to(document: Path) -> None:
    """X-90: the log has it, and the document is as it was typed."""
    typed = edit(document)
    done = run_process("adopt").ok()
    assert done.out == "MEMORY.md: 1 changed, 1 new, 1 taken out\n"
    assert document.read_bytes() == typed
    log = run("log", "--json").json_lines
    assert [(row["kind"], row["by"]["via"], row["by"]["role"]) for row in log[3:]] == [
        ("supersede", "edit", "user"),
        ("create", "edit", "user"),
        ("delete", "edit", "user"),
    ]
    assert run("adopt").ok().out == "no document was edited\n"


def test_a_dry_run_writes_nothing(document: Path) -> None:
    """X-90: it counts the same."""
    edit(document)
    before = len(run("log", "--json").json_lines)
    done = run("adopt", "--dry-run").ok()
    assert done.out.splitlines()[0] == "MEMORY.md: 1 changed, 1 new, 1 taken out"
    assert run("adopt", "-n", "--json").ok().json["documents"] == [
        {"path": "MEMORY.md", "changed": 1, "new": 1, "taken_out": 1, "paused": None}
    ]
    assert len(run("log", "--json").json_lines) == before


def test_what_is_held_back_is_named_and_accepted(document: Path) -> None:
    """X-90, D-16: exit code 1 until a person says that it is meant."""
    document.write_bytes(b"")
    refused = run("adopt", str(document))
    assert (refused.code, "adopt --accept" in refused.out) == (1, True)
    assert document.read_bytes() == b""
    assert run("adopt", "--accept", "MEMORY.md").ok().out == "MEMORY.md: 2 taken out\n"
    assert run("list").ok().out == ""


def test_what_is_typed_again_is_brought_back(document: Path) -> None:
    """X-90: of a whole document that was emptied, and of one line; status and the note behind a write say the same."""
    whole = document.read_bytes()
    document.write_bytes(b"")
    run("adopt", "--accept").ok()
    document.write_bytes(whole)
    assert "edited by hand: 2 brought back" in run("status").ok().out
    assert run("adopt", "-n", "--json").ok().json["documents"] == [
        {"path": "MEMORY.md", "restored": 2, "paused": None}
    ]
    assert run("adopt").ok().out == "MEMORY.md: 2 brought back\n"
    document.write_text(document.read_text().replace("- Deploy on Fridays\n", ""))
    run("adopt").ok()
    document.write_text(document.read_text() + "- Deploy on Fridays\n")
    assert "was edited: 1 brought back\n" in run("add", "Another").ok().err
    texts = sorted(row["text"] for row in run("list", "--json").json_lines)
    assert texts == ["Another", "Deploy on Fridays", "Use npm"]


def test_a_secret_is_named_by_line_and_rule(document: Path) -> None:
    """D-17: never by its text; the rest is taken in."""
    secret = "ghp_" + "Zx8" * 12
    document.write_text(document.read_text() + f"- token {secret}\n- Brand new\n")
    done = run("adopt")
    assert (done.code, secret in done.out + done.err) == (1, False)
    assert "line 7" in done.out
    assert "besides: 1 new" in done.out
    recorded = run("log", "-n", "1", "--json").ok().json_lines[0]["id"][:12]
    assert done.err.splitlines()[-1] == f"muniment: recorded: {recorded}; see muniment log"
    assert "Brand new" in run("list").ok().out


def test_a_path_that_is_no_document_is_a_usage_error(document: Path) -> None:
    """X-90: the message names the folder."""
    result = run("adopt", "elsewhere.md")
    assert (result.code, str(document.parent) in result.err) == (2, True)


def test_a_copy_from_before_an_erase_waits_for_a_person(isolated: Path) -> None:
    """D-92: with its old time of change, as `cp -p` leaves it."""
    document = user_ledger("Use tabs") / "MEMORY.md"
    chain = document.parent / "chain.jsonl"
    secret = run("add", "The door code is 4921", terminal=True).ok().id
    old, then = document.read_bytes(), document.stat().st_mtime_ns
    run("erase", secret, "--yes", terminal=True).ok()
    document.write_bytes(old)
    os.utime(document, ns=(then, then))
    done = run("add", "Use pnpm", terminal=True).ok()
    assert "saved before something was erased here" in done.err
    assert "4921" not in chain.read_text()
    assert document.read_bytes() == old
    run("adopt", "--accept", "MEMORY.md", terminal=True).ok()
    assert "4921" in chain.read_text()


def test_an_edit_that_an_erase_of_something_else_came_after_is_taken_in(isolated: Path) -> None:
    """D-92: it is newer than what it was made of."""
    document = user_ledger("Use tabs") / "MEMORY.md"
    secret = run("add", "The door code is 4921", terminal=True).ok().id
    document.write_text(document.read_text() + "- Use pnpm\n")
    run("erase", secret, "--yes", terminal=True)  # the document holds it as long as the edit waits
    run("adopt", terminal=True).ok()
    assert {each["text"] for each in run("list", "--json").json_lines} == {"Use tabs", "Use pnpm"}
