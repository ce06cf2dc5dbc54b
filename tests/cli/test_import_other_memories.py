"""muniment import --from mem0|basic-memory|claude-mem|server-memory|chatgpt: I-31, I-32, I-38."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from learning import importing
from tests.cli.driver import run, run_process
from tests.documents.other_memories.golden_files import NAMES, conversation, golden, written

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize(
    ("program", "new"), [("mem0", 6), ("basic-memory", 6), ("claude-mem", 5), ("server-memory", 6)]
)
def test_what_a_program_remembers_is_signed_once(
    program: str, new: int, ledger: Path, tmp_path: Path
) -> None:
    """As active memories, source auto, via import; the ledger verifies, and its documents take no edit from it."""
    path = golden(tmp_path, NAMES[program])
    dry = run("import", "--from", program, path, "--dry-run", "--json").ok().json
    assert (dry["new"], {each["kind"] for each in dry["files"]}) == (new, {program})
    assert run("stats", "--json").ok().json["events"] == {"genesis": 1}
    assert run_process("import", "--from", program, path).ok().out.endswith(f"{new} new, 0 known\n")
    assert run("import", "--from", program, path).ok().out.endswith(f"0 new, {new} known\n")
    found = run("list", "--json").ok().json_lines
    assert len(found) == new
    assert {(each["status"], each["source"], each["by"]["via"]) for each in found} == {
        ("active", "auto", "import")
    }
    assert {each["provenance"]["tool"] for each in found} == {program}
    run("verify").ok()
    run("adopt").ok()
    assert len(run("list", "--json").ok().json_lines) == new


def test_a_graph_that_grew_brings_only_what_is_new(ledger: Path, tmp_path: Path) -> None:
    """I-36: each observation is a memory of its own."""
    path = golden(tmp_path, "memory.jsonl")
    run("import", "--from", "server-memory", path).ok()
    more = {"type": "relation", "from": "Ada", "to": "Bob", "relationType": "asks"}
    path.write_text(path.read_text().replace("listens on 5433", "listens on 5434") + "\n" + json.dumps(more))
    assert run("import", "--from", "server-memory", path).ok().out.endswith("  2 new, 5 known\n")


def test_a_candidate_is_not_confirmed_by_another_program(ledger: Path, tmp_path: Path) -> None:
    """I-32: it waits for a person as before."""
    run("add", "Ada prefers pnpm to npm", "--candidate").ok()
    path = golden(tmp_path, "mem0/history.db")
    assert run("import", "--from", "mem0", path).ok().out.endswith("  5 new, 1 known\n")
    assert len(run("list", "--status", "candidate", "--json").ok().json_lines) == 1


def test_what_was_deleted_or_corrected_here_stays_so(ledger: Path, tmp_path: Path) -> None:
    """I-32: importing again brings neither back, until a person says it anew."""
    path = golden(tmp_path, "mem0/history.db")
    run("import", "--from", "mem0", path).ok()
    ids = {each["text"]: each["id"] for each in run("list", "--json").ok().json_lines}
    run("delete", ids["Noted."]).ok()
    run("supersede", ids["Deploys happen on Mondays"], "Deploys happen on Tuesdays").ok()
    done = run("import", "--from", "mem0", path).ok()
    assert done.out.endswith("  0 new, 4 known\n")
    assert "2 left out, deleted or replaced since" in done.err
    run("add", "Noted.").ok()
    assert run("import", "--from", "mem0", path).ok().out.endswith("  0 new, 5 known\n")


def test_a_secret_is_left_out_alone(ledger: Path, tmp_path: Path) -> None:
    """I-32: named by its record or its line, never by its text; --redact cuts it out."""
    database = golden(tmp_path, "claude-mem.db")
    with sqlite3.connect(database) as db:
        db.execute("UPDATE observations SET narrative = ? WHERE id = 2", (f"the token is {TOKEN}",))
    db.close()
    done = run("import", "--from", "claude-mem", database)
    assert (done.code, done.out.endswith("  4 new, 0 known, 1 refused\n")) == (6, True)
    assert "claude-mem.db (observation 2): not imported: it looks like a secret" in done.err
    graph = golden(tmp_path, "memory.jsonl")
    graph.write_text(graph.read_text().replace("Deploys happen on Mondays", f"the token is {TOKEN}"))
    done = run("import", "--from", "server-memory", graph)
    assert "memory.jsonl:2: not imported" in done.err
    assert TOKEN not in done.err
    assert run("import", "--from", "server-memory", graph, "--redact").ok().out.endswith("1 redacted\n")


def test_no_message_shows_a_secret_of_the_file(ledger: Path, tmp_path: Path) -> None:
    """I-32: neither an id of a record that is refused or left out, nor a project's name."""
    rows = [{"id": TOKEN, "memory": f"the token is {TOKEN}"}]
    done = run("import", "--from", "mem0", written(tmp_path / "secret.json", rows))
    assert (done.code, "secret.json ([redacted:" in done.err, TOKEN in done.err) == (6, True, False)
    database = golden(tmp_path, "claude-mem.db")
    with sqlite3.connect(database) as db:
        db.execute("UPDATE observations SET project = ? WHERE id = 2", (TOKEN,))
    db.close()
    for more in ([], ["--json"]):
        done = run("import", "--from", "claude-mem", database, "--dry-run", *more)
        assert "projects go to one ledger" in done.err
        assert TOKEN not in done.err + done.out


def test_an_erased_text_comes_back_with_a_file_that_still_has_it(ledger: Path, tmp_path: Path) -> None:
    """I-32: nothing here knows it any more."""
    path = golden(tmp_path, "mem0/get_all.json")
    run("import", "--from", "mem0", path).ok()
    ids = {each["text"]: each["id"] for each in run("list", "--json").ok().json_lines}
    run("erase", ids["Noted."], "--yes").ok()
    assert run("import", "--from", "mem0", path).ok().out.endswith("  1 new, 4 known\n")


def test_nothing_is_written_before_all_was_read(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I-31: a damaged file stops those before it too."""
    monkeypatch.setattr(importing, "BATCH", 1)
    good, bad = golden(tmp_path, "mem0/history.db"), tmp_path / "cut.json"
    bad.write_bytes(golden(tmp_path, "mem0/get_all.json").read_bytes()[:-9])
    done = run("import", "--from", "mem0", good, bad)
    assert (done.code, done.out) == (5, "")
    assert "cut.json is not whole JSON" in done.err
    assert run("stats", "--json").ok().json["events"] == {"genesis": 1}


def test_a_note_that_cannot_be_read_is_the_exit_code(ledger: Path, tmp_path: Path) -> None:
    """The other notes are imported."""
    folder = golden(tmp_path, "basic-memory")
    (folder / "bad.md").write_bytes(b"\xff\n")
    done = run("import", "--from", "basic-memory", folder)
    assert done.code != 0
    assert done.out.endswith("imported 6 new, 0 known\n")


@pytest.mark.parametrize("program", [*NAMES, "chatgpt", "memory-chain"])
def test_a_path_is_asked_for(program: str, ledger: Path) -> None:
    """With what to give."""
    done = run("import", "--from", program)
    assert done.code == 2
    assert "give the PATH that is to be imported: " in done.err


def test_a_list_of_chatgpt_is_imported(ledger: Path, tmp_path: Path) -> None:
    """I-37: with --author, if it is not yours."""
    path = tmp_path / "memories.txt"
    path.write_text("User prefers tea over coffee.\n\nUser builds a shop.\n")
    assert run("import", "--from", "chatgpt", path, "--author", "ada").ok().out.endswith("2 new, 0 known\n")
    origins = [each["provenance"] for each in run("list", "--json").ok().json_lines]
    assert origins == [{"tool": "chatgpt", "file": "memories.txt", "author": "ada"}] * 2


def test_conversations_of_chatgpt_are_learned_from(ledger: Path, tmp_path: Path) -> None:
    """I-38: only a person's own requests, by the rules of capture, with conversation and day; twice is once."""
    said = [
        conversation("c-2", 1777900000.5, [("user", "From now on, always answer in German.", {})]),
        conversation(
            "c-1",
            1777800000.5,
            [
                ("user", "Remember that we deploy the shop on Mondays.", {}),
                ("assistant", "Remember that I like to help.", {}),
                ("user", "How many seats has a tram?", {}),
            ],
            unused="Remember that we deploy the shop on Fridays.",
        ),
    ]
    path = written(tmp_path / "conversations.json", said)
    dry = run("import", "--from", "chatgpt", path, "--dry-run", "--json").ok().json_lines
    assert [each["outcome"] for each in dry] == ["created", "created"]
    assert run("list", "--json").ok().json_lines == []
    done = run("import", "--from", "chatgpt", path).ok()
    assert "conversations.json: messages, 4 new turns" in done.err
    again = run("import", "--from", "chatgpt", path, "--json").ok().json_lines
    assert [each["outcome"] for each in again] == ["known", "known"]
    found = {each["text"]: each["provenance"] for each in run("list", "--json").ok().json_lines}
    assert sorted(found) == ["Always answer in German", "we deploy the shop on Mondays"]
    origin = found["we deploy the shop on Mondays"]
    assert (origin["agent"], origin["conversation"], origin["message"]) == ("chatgpt", "c-1", "c-1-0")
    assert origin["date"].startswith("2026-05-03")


def test_what_is_no_conversation_is_one_line(ledger: Path, tmp_path: Path) -> None:
    """I-38: and so is a list beside conversations, and an option that they have no use for."""
    talk = written(tmp_path / "conversations.json", [conversation("c", 1.0, [("user", "hello", {})])])
    assert run("import", "--from", "chatgpt", talk, "--redact").code == 2
    (tmp_path / "list.txt").write_text("one\n")
    assert run("import", "--from", "chatgpt", talk, tmp_path / "list.txt").code == 2
    other = written(tmp_path / "user.json", {"id": "user-1"})
    done = run("import", "--from", "chatgpt", other)
    assert (done.code, "user.json holds no conversation" in done.err) == (5, True)
    talk.write_bytes(talk.read_bytes()[:-3])
    done = run("import", "--from", "chatgpt", talk)
    assert (done.code, "conversations.json is not whole JSON" in done.err) == (5, True)
    talk.write_text("[")
    assert "conversations.json is not whole JSON" in run("import", "--from", "chatgpt", talk).err
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(other, "user.json")
    done = run("import", "--from", "chatgpt", packed)
    assert (done.code, "export.zip is a zip archive: unpack it" in done.err) == (5, True)
