"""muniment blame says who wrote each line of a document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import muniment
from language.dates import day as day_of
from ledger.event import By
from muniment import Memory, MemoryLedger, Provenance
from tests.cli.driver import run, run_process

NOT_IN_THE_LOG = "not in the log (muniment adopt)"


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger with a correction, a topic and a daily note, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    one = made.store(
        Memory("Use npm", details=("in CI",), provenance=Provenance(conversation="c-17")), By("mia", "user")
    ).id
    made.supersede([one], Memory("Use pnpm", details=("in CI",)), By("otto", "system", "hook"))
    made.store(Memory("Tokens expire", topic="auth/tokens", body="After an hour.\n"))
    made.store(Memory("Met Ada", tier="daily", provenance=Provenance(date="2026-01-05")))
    return made


def memory_file(memory: MemoryLedger) -> Path:
    return memory.workspace.place.documents / "MEMORY.md"


def test_a_process_prints_who_wrote_each_line(memory: MemoryLedger) -> None:
    """The corrected line is the correction's, the detail below it still the first version's."""
    ids = [memory.recall.resolve(f"@{n}")[:12] for n in (1, 2)]
    lines = run_process("blame", "MEMORY.md").ok().out.splitlines()
    day = day_of(memory.log()[1].at)
    assert [re.sub(" +", " ", line) for line in lines if day in line] == [
        f"{ids[1]} {day} supersede otto (system, hook) 5) - Use pnpm",
        f"{ids[0]} {day} create mia (user, library) c-17 6) - in CI",
    ]
    assert lines[0].lstrip() == "1) # Auto-Memories"


def test_json_lines_joined_are_the_file(memory: MemoryLedger) -> None:
    """Edited, with CRLF, without an end, as a person saved it."""
    path = memory_file(memory)
    data = path.read_bytes().replace(b"\n", b"\r\n") + b"- typed \xe2\x9c\x93"
    path.write_bytes(data)
    done = run("blame", "MEMORY.md", "--json").ok()
    rows = done.json_lines
    assert "".join(row["text"] for row in rows).encode() == data
    states = {row["text"].strip(): row["state"] for row in rows}
    assert states["- Use pnpm"] == "known"
    assert states["- typed ✓"] == "unknown"
    assert states["## Project Conventions"] == "nobody"
    (row,) = (row for row in rows if row["text"].startswith("- Use pnpm"))
    assert (row["kind"], row["by"]["via"], row["seq"], row["line"]) == ("supersede", "hook", 2, 5)
    assert row["memory"] == row["id"] == memory.recall.resolve("@2")
    assert "muniment adopt MEMORY.md" in done.err


def test_a_line_that_the_log_does_not_know_is_marked(memory: MemoryLedger) -> None:
    """Nothing is written, and nothing taken in."""
    path = memory_file(memory)
    path.write_text(path.read_text() + "- \x1b[31mtyped\n", "utf-8")
    before = path.read_bytes(), memory.workspace.chain.read_bytes()
    lines = run("blame", "MEMORY.md").ok().out.splitlines()
    assert [line for line in lines if NOT_IN_THE_LOG in line] == [
        line for line in lines if line.endswith("[31mtyped")
    ]
    assert "\x1b" not in "".join(lines)
    assert (path.read_bytes(), memory.workspace.chain.read_bytes()) == before


def test_bytes_that_are_no_text_are_shown_all_the_same(memory: MemoryLedger) -> None:
    """A damaged file is what one wants to look at."""
    path = memory_file(memory)
    path.write_bytes(path.read_bytes() + b"- caf\xe9\n")
    assert NOT_IN_THE_LOG in run("blame", "MEMORY.md").ok().out
    assert run("blame", "MEMORY.md", "--json").ok().json_lines[-1]["text"] == "- caf\ufffd\n"


@pytest.mark.parametrize("name", ["tokens", "auth/tokens", "tokens.md", "memories/auth/tokens.md"])
def test_a_topic_is_found_by_its_name(memory: MemoryLedger, name: str) -> None:
    """Path, slug or last part."""
    assert "After an hour." in run("blame", name).ok().out


def test_a_path_leads_to_the_document(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """From wherever one is; a daily note in the archive by its date."""
    assert "Use pnpm" in run("blame", memory_file(memory)).ok().out
    monkeypatch.chdir(memory.workspace.place.documents / "memories" / "auth")
    assert "Tokens expire" in run("blame", "tokens.md").ok().out
    assert "Use pnpm" in run("blame", "../../MEMORY.md").ok().out
    assert "Met Ada" in run("blame", "2026-01-05").ok().out


def test_a_file_that_is_no_document_is_refused(memory: MemoryLedger) -> None:
    """Code 3; and one of the same name elsewhere is not taken for it silently."""
    done = run("blame", "README.md")
    assert (done.code, "the log has no document README.md" in done.err) == (3, True)
    Path("MEMORY.md").write_text("mine\n")
    done = run("blame", "MEMORY.md").ok()
    assert "mine" not in done.out
    assert "here is not a document of this ledger" in done.err


def test_a_file_that_is_missing_or_old_is_blamed_as_the_log_says(memory: MemoryLedger) -> None:
    """stderr says so."""
    path = memory_file(memory)
    old = path.read_bytes()
    memory.store(Memory("Newer"))
    path.write_bytes(old)
    done = run("blame", "MEMORY.md").ok()
    assert "Newer" in done.out
    assert "an earlier rendering" in done.err
    path.unlink()
    done = run("blame", "MEMORY.md").ok()
    assert "Newer" in done.out
    assert "is missing" in done.err
    assert not path.exists()


def test_the_past_is_what_the_log_rendered_then(memory: MemoryLedger) -> None:
    """Whatever the file says now; a document that was not there yet has no lines to blame."""
    memory_file(memory).write_text("- typed\n")
    done = run("blame", "MEMORY.md", "--as-of", "@1").ok()
    assert "- Use npm" in done.out
    assert "typed" not in done.out
    assert "up to event @1" in done.err
    assert run("blame", "tokens", "--as-of", "@2").code == 3
