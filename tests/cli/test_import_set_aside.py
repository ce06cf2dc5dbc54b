"""Tests learning/importing.py on events that recover set aside (specs/import.md I-25)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.draft import PART_BYTES
from tests.cli.driver import run, run_process
from tests.cli.imported import SECRET, texts, write
from tests.ledger.world import flipped, lines_of, overwrite

pytestmark = pytest.mark.usefixtures("ledger")


@pytest.fixture
def torn(ledger: Path) -> Path:
    """What recover set aside: a bad line, then four good events; the text of one was erased there."""
    run("add", "one").ok()
    run("add", "damaged").ok()
    run("add", "two", "--detail", "also in CI", "--session", "s1").ok()
    run("add", "three", "--candidate").ok()
    four = run("add", "four").id
    run("erase", four, "-m", "leaked", "--yes").ok()
    return recovered(ledger, 2)


def recovered(ledger: Path, bad: int) -> Path:
    chain = ledger / "chain.jsonl"
    lines = lines_of(chain)
    overwrite(chain, b"".join([*lines[:bad], flipped(lines[bad], 40), *lines[bad + 1 :]]))
    return Path(run("recover", "-m", "a bad block", "--yes", "--json").ok().json["kept"])


def test_set_aside_events_come_back_with_what_they_said(ledger: Path, torn: Path) -> None:
    """I-25: by a process, under any name; provenance is kept, the date is the event's."""
    moved = torn.rename(ledger / "rescued")
    done = run_process("import", moved).ok()
    assert done.out.startswith(f"{moved}  2 new, 0 known, 1 not taken")
    assert "line 1 not taken: " in done.err
    assert texts() == ["one", "two", "three"]
    two, three = run("list", "--json").json_lines[1:]
    assert (two["details"], two["provenance"]["session"], two["by"]["via"]) == (
        ["also in CI"],
        "s1",
        "import",
    )
    assert two["provenance"]["date"].endswith("Z")
    assert three["status"] == "candidate"
    assert run("verify").code == 0


def test_set_aside_events_twice_are_once(ledger: Path, torn: Path) -> None:
    """I-25: also where the candidate stands already, which is not confirmed by it."""
    dry = run("import", torn, "--dry-run", "--json").ok().json
    assert (dry["new"], texts()) == (2, ["one"])
    run("import", torn).ok()
    before = (ledger / "chain.jsonl").read_bytes()
    done = run("import", torn, "--json").ok().json
    assert (done["new"], done["known"], done["confirmed"]) == (0, 2, 0)
    assert (ledger / "chain.jsonl").read_bytes() == before


@pytest.mark.parametrize("verb", ["erase", "delete"])
def test_what_was_taken_away_after_it_came_back_stays_away(torn: Path, verb: str) -> None:
    """I-25: the file still holds it."""
    run("import", torn).ok()
    two = next(entry["id"] for entry in run("list", "--json").json_lines if entry["text"] == "two")
    run(verb, two, "-m", "no more", *(["--yes"] if verb == "erase" else []))
    assert run("import", torn, "--json").ok().json["new"] == 0
    assert texts() == ["one", "three"]


def test_set_aside_events_of_another_key_are_not_taken(torn: Path, tmp_path: Path) -> None:
    """I-25: they are named by number, and become no notes."""
    run("--ledger", tmp_path / "other", "init").ok()
    done = run("--ledger", tmp_path / "other", "import", torn).ok()
    assert "0 new, 0 known, 5 not taken" in done.out
    assert "lines 2, 3, 4, 5 not taken: the signature does not match" in done.err
    assert run("--ledger", tmp_path / "other", "list").out == ""


def test_set_aside_events_that_were_altered_are_named_and_the_rest_is_taken(torn: Path) -> None:
    """I-25: a payload that is not what was signed."""
    data = torn.read_bytes()
    torn.write_bytes(data.replace(b'"text":"two"', b'"text":"owt"'))
    done = run("import", torn).ok()
    assert "1 new, 0 known, 2 not taken" in done.out
    assert "line 2 not taken: the payload is not what was signed" in done.err
    assert texts() == ["one", "three"]


def test_what_set_aside_events_deleted_or_replaced_stays_so(ledger: Path) -> None:
    """I-25: their later versions come back; a delete of what still stands is named, to be done again."""
    kept, other = run("add", "kept").id, run("add", "other").id
    run("add", "damaged").ok()
    old, gone = run("add", "port 5432").id, run("add", "gone").id
    run("supersede", old, "port 5433").ok()
    run("delete", gone, "-m", "x").ok()
    run("delete", kept, "-m", "x").ok()
    run("supersede", other, "another").ok()
    done = run("import", recovered(ledger, 3)).ok()
    assert texts() == ["kept", "other", "port 5433", "another"]
    assert f"line 7 is a supersede of a current memory: {other[:12]}" in done.err
    assert "2 new, 0 known, 1 not taken" in done.out
    assert f"line 6 is a delete of a current memory: {kept[:12]}" in done.err


def test_a_long_body_that_was_set_aside_is_whole(ledger: Path) -> None:
    """I-25, M-9: its parts are joined; one that lacks a part is named."""
    body = "".join(f"line {n} of a long text\n" for n in range(4 * PART_BYTES // 24))
    run("add", "damaged").ok()
    write("memories/long.md", f"---\ntitle: Long\n---\n{body}")
    run("import", "memories/long.md").ok()
    torn = recovered(ledger, 1)
    run("import", torn).ok()
    assert run("list", "--json").json_lines[0]["body"] == body
    run("delete", run("list", "--json").json_lines[0]["id"], "-m", "x").ok()
    lines = torn.read_bytes().splitlines(keepends=True)
    write("cut", b"".join(lines[:3]).decode("latin-1")).write_bytes(b"".join(lines[:3]))
    assert "lines 2, 3 not taken: parts of a text whose other parts are missing" in run("import", "cut").err


def test_event_shaped_files_are_never_notes(ledger: Path) -> None:
    """I-25: whatever their name, also in a folder, and also where the first line is half a line."""
    run("add", "one").ok()
    chain = (ledger / "chain.jsonl").read_bytes()
    Path("notes").mkdir()
    Path("notes/events.md").write_bytes(chain)
    Path("chain.jsonl.torn-20260101T000000.000000Z").write_bytes(b"\0" * 99 + chain)
    Path("rescued").write_bytes(chain[30:] + chain)
    for name in ("notes", "chain.jsonl.torn-20260101T000000.000000Z", "rescued"):
        assert run("import", name, "--json").ok().json["new"] == 0
    assert texts() == ["one"]


def test_a_secret_among_set_aside_events_is_refused_by_its_line(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I-25, X-34: it may have been signed before a rule for it was there."""
    from ledger import redaction

    run("add", "damaged").ok()
    with monkeypatch.context() as patched:
        patched.setattr(redaction, "findings", lambda _: ())
        run("add", f"password={SECRET}").ok()
    torn = recovered(ledger, 1)
    done = run("import", torn)
    assert (done.code, f"{torn}:2: not imported: it looks like a secret" in done.err) == (6, True)
