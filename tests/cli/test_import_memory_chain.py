"""muniment import --from memory-chain: G-51, G-54, G-55."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from learning import importing
from tests.cli.driver import run, run_process
from tests.documents.memory_chain.chains import GOLDEN, copy_of, needs_node, signed


def _digest(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def test_a_chain_becomes_signed_events_once(ledger: Path) -> None:
    """Nine memories, two of which say the same; the second run makes none; the folder is as it was."""
    before = _digest(GOLDEN)
    done = run_process("import", "--from", "memory-chain", GOLDEN).ok()
    assert done.out == f"{GOLDEN}/chain.jsonl  8 new, 1 known\n"
    assert "1 redacted there, and left out" in done.err
    assert run("import", "--from", "memory-chain", GOLDEN).ok().out.endswith("  0 new, 9 known\n")
    assert _digest(GOLDEN) == before
    run("verify").ok()
    committed = [one["text"] for one in run("list", "--tier", "committed", "--json").ok().json_lines]
    assert len(committed) == 3
    [event] = run("log", "--json", "-n", "1").ok().json_lines
    assert event["by"]["via"] == "import"


def test_where_it_came_from_is_shown(ledger: Path) -> None:
    """Dates and names are provenance; the events are of now."""
    run("import", "--from", "memory-chain", GOLDEN).ok()
    [found] = run("search", "TypeScript", "--json").ok().json_lines
    origin = found["provenance"]
    assert (origin["agent"], origin["date"]) == ("Atlas", "2026-02-01T02:03:03.003Z")
    assert origin["message"].startswith("sha256:")
    assert (found["type"], found["tier"]) == ("decision", "committed")


def test_the_documents_show_it_and_take_no_edit_of_it(ledger: Path) -> None:
    """A body stands below its text, a daily note in its day, and nothing of it reads as a person's edit."""
    run("import", "--from", "memory-chain", GOLDEN).ok()
    page = (ledger / "MEMORY.md").read_text("utf-8")
    assert "- [session-distill] ## 2026-02-01 Deploys\n\n  - moved the queue to Redis\n" in page
    [note] = (ledger / "memory").rglob("2026-02-01.md")
    assert "the tests are green again" in note.read_text("utf-8")
    events = run("stats", "--json").ok().json["events"]
    (ledger / "MEMORY.md").touch()
    run("adopt").ok()
    assert run("stats", "--json").ok().json["events"] == events


def test_of_a_chain_that_fails_nothing_is_imported(ledger: Path, tmp_path: Path) -> None:
    """Nor of another one that was given with it."""
    bad = copy_of(tmp_path)
    path = bad / "chain.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"tier":"ephemeral"', b'"tier":"committed"'))
    done = run("import", "--from", "memory-chain", GOLDEN, bad)
    assert (done.code, done.out) == (5, "")
    assert "line 6: its signature is not by agent.pub" in done.err
    assert run("list", "--json").ok().json_lines == []


def test_dry_run_source_and_author(ledger: Path) -> None:
    """As with documents."""
    dry = run("import", "--from", "memory-chain", GOLDEN, "--dry-run", "--json").ok().json
    assert (dry["new"], dry["known"], dry["files"][0]["kind"]) == (8, 1, "memory-chain")
    assert run("list", "--json").ok().json_lines == []
    run("import", "--from", "memory-chain", GOLDEN, "--source", "manual", "--author", "ada").ok()
    assert {one["source"] for one in run("list", "--json").ok().json_lines} == {"manual"}


def test_a_candidate_is_not_confirmed_by_an_agents_word(ledger: Path) -> None:
    """It is known, and waits for a person as before."""
    run("add", "User prefers dark mode", "--candidate").ok()
    assert run("import", "--from", "memory-chain", GOLDEN).ok().out.endswith("  7 new, 2 known\n")
    assert [one["text"] for one in run("list", "--status", "candidate", "--json").ok().json_lines] == [
        "User prefers dark mode"
    ]


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [("none", 3, "~/.openclaw/memory-chain"), ("ledger", 2, "muniment's own")],
)
def test_what_is_no_such_folder_is_named(
    name: str, code: int, said: str, ledger: Path, tmp_path: Path
) -> None:
    """Not there, or a ledger of our own."""
    folder = ledger if name == "ledger" else tmp_path / name
    done = run("import", "--from", "memory-chain", folder)
    assert done.code == code
    assert said in done.err


def test_a_path_is_asked_for(ledger: Path) -> None:
    """With the place where the chain usually lies."""
    done = run("import", "--from", "memory-chain")
    assert done.code == 2
    assert "usually ~/.openclaw/memory-chain" in done.err
    assert run("import").code == 2


@needs_node
def test_all_chains_are_checked_before_any_is_imported(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the first is more than a batch."""
    monkeypatch.setattr(importing, "BATCH", 16)
    good = signed(tmp_path / "good", [{"content": f"fact {number}"} for number in range(40)])
    bad = copy_of(tmp_path)
    (bad / "agent.pub").write_text("0" * 64)
    assert run("import", "--from", "memory-chain", good, bad).code == 5
    assert run("stats", "--json").ok().json["events"] == {"genesis": 1}
    assert run("import", "--from", "memory-chain", good).ok().out.endswith("  40 new, 0 known\n")


@needs_node
def test_a_secret_is_left_out_alone(ledger: Path, tmp_path: Path) -> None:
    """Named by its line; the rest is imported, and the code is 6; --redact cuts it out."""
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    folder = signed(tmp_path / "chain", [{"content": "one"}, {"content": f"the token is {token}"}])
    done = run("import", "--from", "memory-chain", folder)
    assert (done.code, done.out.endswith("  1 new, 0 known, 1 refused\n")) == (6, True)
    assert f"{folder}/chain.jsonl:3: not imported" in done.err
    assert token not in done.err
    run("import", "--from", "memory-chain", folder, "--redact").ok()
    assert len(run("list", "--json").ok().json_lines) == 2


@needs_node
def test_a_text_of_a_megabyte_is_imported(ledger: Path, tmp_path: Path) -> None:
    """The most that the program of before takes; its body is split over events."""
    body = "\n".join(f"line {number} of a long report" for number in range(36_000))
    folder = signed(tmp_path / "chain", [{"content": f"Report\n{body}"}])
    run("import", "--from", "memory-chain", folder).ok()
    [found] = run("list", "--json").ok().json_lines
    assert (found["text"], found["body"].rstrip("\n") == body) == ("Report", True)
    assert run("import", "--from", "memory-chain", folder).ok().out.endswith("  0 new, 1 known\n")
