"""Tests cli/commands/import_.py, importing.py and proposing.py against specs/cli.md (X-32…X-36) and I-5."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import importing
from ledger.draft import PART_BYTES
from proposing import OwnDocuments
from tests.cli.driver import ROOT, run, run_process
from tests.ledger.world import flipped, lines_of, overwrite

DATA = ROOT.parent / "shared" / "data" / "memory-files"
SECRET = "Tr0ub4dor&3x9"

MEMORY = """\
# Auto-Memories

## User Preferences

- Use pnpm, not npm
  - also in CI

## Tool Usage

- Postgres listens on 5433

## House rules

Some prose that is no bullet.
"""


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    return isolated / ".memledger"


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def texts(*options: str) -> list[str]:
    return [entry["text"] for entry in run("list", "--json", *options).json_lines]


def test_a_process_imports_a_memory_file_a_daily_note_and_a_topic_file(ledger: Path) -> None:
    write("notes/MEMORY.md", MEMORY)
    write("notes/memory/2026-01-02.md", "- met the team\n")
    write("notes/memories/code/auth.md", "---\ntitle: Auth\nwhenToUse: login bugs\n---\n\nThe flow.\n")
    done = run_process("import", "notes").ok()
    assert done.out.splitlines() == [
        "notes/MEMORY.md              3 new, 0 known",
        "notes/memories/code/auth.md  1 new, 0 known",
        "notes/memory/2026-01-02.md   1 new, 0 known",
        "imported 5 new, 0 known",
    ]
    entry = run("list", "--section", "User Preferences", "--json").json_lines[0]
    assert (entry["text"], entry["details"], entry["by"]["via"]) == (
        "Use pnpm, not npm", ["also in CI"], "import",
    )  # fmt: skip
    assert entry["provenance"]["file"] == "MEMORY.md"
    assert (ledger / "memory/archive/2026-01-02.md").is_file()
    assert (ledger / "memories/code/auth.md").is_file()
    assert (ledger / "MEMORY.md").read_text().startswith(MEMORY)
    assert run("verify").code == 0


def test_twice_is_once(ledger: Path) -> None:
    """X-33."""
    write("MEMORY.md", MEMORY)
    run("import", "MEMORY.md").ok()
    before = (ledger / "chain.jsonl").read_bytes()
    done = run("import", "MEMORY.md", "--json").ok().json
    assert (done["new"], done["known"]) == (0, 3)
    assert (ledger / "chain.jsonl").read_bytes() == before


def test_what_a_rendering_of_ours_says_is_known(ledger: Path, tmp_path: Path) -> None:
    """X-33, I-5: a body whose last line end came and went says the same."""
    write("MEMORY.md", MEMORY.rstrip("\n"))
    run("import", "MEMORY.md").ok()
    write("copy.md", (ledger / "MEMORY.md").read_text())
    assert run("import", "copy.md", "--json").ok().json["new"] == 0


def test_archived_memories_are_known_too() -> None:
    """X-33."""
    import memledger

    id_ = run("add", "Postgres listens on 5433", "--section", "Tool Usage", "--json").json["id"]
    with memledger.open() as memory:
        memory.local.archive({id_: "a test"}, 0)
    write("MEMORY.md", MEMORY)
    assert run("import", "MEMORY.md", "--json").ok().json["known"] == 1


def test_a_candidate_that_the_document_says_is_confirmed() -> None:
    """X-33."""
    id_ = run("add", "Postgres listens on 5433", "--section", "Tool Usage", "--candidate", "--json").json[
        "id"
    ]
    write("MEMORY.md", MEMORY)
    assert run("import", "MEMORY.md", "--dry-run", "--json").ok().json["confirmed"] == 1
    assert run("show", id_, "--json").json["status"] == "candidate"
    assert run("import", "MEMORY.md").ok().out == "MEMORY.md  2 new, 1 known, 1 confirmed\n"
    assert run("show", id_, "--json").json["status"] == "active"


def test_a_secret_is_left_out_by_file_line_and_rule_and_the_rest_is_imported(ledger: Path) -> None:
    """X-34."""
    write("MEMORY.md", MEMORY + f"\n## Tool Usage\n\n- log in with password={SECRET}\n- and then push\n")
    done = run("import", "MEMORY.md")
    assert done.code == 6
    assert "memledger: MEMORY.md:18: not imported: it looks like a secret (" in done.err
    assert SECRET not in done.out + done.err
    assert "1 refused" in done.out
    assert "and then push" in texts()
    assert SECRET.encode() not in (ledger / "chain.jsonl").read_bytes()
    refused = run("import", "MEMORY.md", "--json").json["files"][0]["refused"]
    assert [(one["line"], bool(one["rules"])) for one in refused] == [(18, True)]


def test_many_secrets_among_many_memories_are_each_left_out(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-34: a batch with refused ones is halved until they stand alone."""
    monkeypatch.setattr(importing, "BATCH", 16)
    lines = [f"- password={SECRET}{n}" if n % 7 == 0 else f"- fact number {n}" for n in range(60)]
    write("MEMORY.md", "\n".join(lines) + "\n")
    done = run("import", "MEMORY.md", "--json")
    assert (done.code, done.json["new"], done.json["refused"]) == (6, 51, 9)
    assert texts() == [f"fact number {n}" for n in range(60) if n % 7]
    assert [one["line"] for one in done.json["files"][0]["refused"]] == [n + 1 for n in range(0, 60, 7)]


def test_redact_imports_it_without_the_secret() -> None:
    """X-23."""
    write("MEMORY.md", f"- log in with password={SECRET}\n")
    done = run("import", "MEMORY.md", "--redact").ok()
    assert done.out == "MEMORY.md  1 new, 0 known, 1 redacted\n"
    assert "[redacted:" in texts()[0]


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_imported() -> None:
    """X-34."""
    write("notes/a.md", "- one\n")
    Path("notes/b.md").write_bytes(b"- \xff\n")
    done = run("import", "notes")
    assert done.code == 5
    assert "notes/b.md: not UTF-8" in done.err
    assert texts() == ["one"]


def test_a_path_that_is_not_there_imports_nothing() -> None:
    write("a.md", "- one\n")
    done = run("import", "a.md", "nowhere.md")
    assert (done.code, "nowhere.md" in done.err, texts()) == (3, True, [])


def test_a_dry_run_counts_the_same_and_writes_nothing(ledger: Path) -> None:
    """X-35."""
    write("MEMORY.md", MEMORY + f"\n- password={SECRET}\n- again\n- again\n")
    before = (ledger / "chain.jsonl").read_bytes()
    dry = run("import", "MEMORY.md", "--dry-run", "--json")
    assert (ledger / "chain.jsonl").read_bytes() == before
    wet = run("import", "MEMORY.md", "--json")
    assert (dry.code, wet.code) == (6, 6)
    assert {**dry.json, "dry_run": False} == wet.json
    assert (wet.json["new"], wet.json["known"], wet.json["refused"]) == (4, 1, 1)


def test_source_and_author_are_said_of_all() -> None:
    """X-32."""
    write("MEMORY.md", MEMORY)
    run("import", "MEMORY.md", "--source", "auto", "--author", "ada").ok()
    entries = run("list", "--json").json_lines
    assert {entry["source"] for entry in entries} == {"auto"}
    assert {entry["provenance"]["author"] for entry in entries} == {"ada"}


def test_a_long_body_is_split_and_whole(ledger: Path) -> None:
    body = "".join(f"line {n} of a long text\n" for n in range(4 * PART_BYTES // 24))
    write("memories/long.md", f"---\ntitle: Long\n---\n{body}")
    run("import", "memories/long.md").ok()
    assert run("list", "--json").json_lines[0]["body"] == body
    assert run("import", "memories/long.md").ok().out.endswith("0 new, 1 known\n")


def test_two_days_with_the_same_bullet_stay_two() -> None:
    write("notes/2026-01-01.md", "- stand-up\n")
    write("notes/2026-01-02.md", "- stand-up\n")
    assert run("import", "notes", "--json").ok().json["new"] == 2


# --- documents of the ledger itself (X-36) ---


def test_an_untouched_document_of_ours_says_nothing_new(ledger: Path) -> None:
    run("add", "one").ok()
    done = run("import", ledger / "MEMORY.md").ok()
    assert done.out == f"{ledger / 'MEMORY.md'}  as memledger wrote it\n"


def test_an_edited_document_is_taken_in_and_written_anew(ledger: Path) -> None:
    """X-36: as `adopt` does it."""
    run("add", "one").ok()
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "- two\n\nAnd prose.\n")
    done = run("import", path).ok()
    assert done.out.endswith("2 new, 0 known\n")
    assert "was written anew" in done.err
    text = path.read_text()
    assert text.endswith("- one\n- two\n\nAnd prose.\n")
    assert run("add", "four").ok().err == ""
    assert run("verify").code == 0


def test_an_edited_document_with_bodies_is_taken_in_without_copies(ledger: Path) -> None:
    """Entries that a reader would take for something else are known by how we write them."""
    run("add", "flow", "--body", "first\n\n- then\n").ok()
    run("add", "note", "--type", "note", "--body", "| a | b |\n|---|---|\n").ok()
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "- two\n")
    done = run("import", path, "--json").ok().json
    assert (done["new"], done["changed"]) == (1, 0)
    assert sorted(texts()) == ["flow", "note", "two"]


def test_an_edit_is_taken_in_before_what_comes_after_it(ledger: Path) -> None:
    """D-15: so what is deleted or replaced then does not come back from the document."""
    one, two = run("add", "one").id, run("add", "two").id
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "- three\n")
    run("delete", one).ok()
    run("supersede", two, "two!").ok()
    assert sorted(texts()) == ["three", "two!"]
    assert run("import", path, "--json").ok().json["new"] == 0
    assert "- one" not in path.read_text()


def test_an_edited_topic_file_of_ours_is_taken_in_as_an_edit(ledger: Path) -> None:
    """X-36: what was rendered into it does not come back as a copy."""
    run("add", "flow", "--topic", "code/auth").ok()
    path = ledger / "memories/code/auth.md"
    path.write_text(path.read_text() + "\nmine\n")
    run("import", path).ok()
    assert (texts(), "mine" in path.read_text()) == (["flow"], True)
    assert len(run("log", "--json").json_lines) == 3


def test_a_persons_own_memory_file_is_adopted_once_it_is_in_the_ledger(ledger: Path) -> None:
    path = ledger / "MEMORY.md"
    path.write_text(MEMORY.replace("- Use", "* Use"))
    done = run("import", path).ok()
    assert done.err == f"memledger: {path} is in the ledger now and was written anew\n"
    assert path.read_text() == MEMORY


def test_a_document_with_a_refused_line_is_left_alone(ledger: Path) -> None:
    path = ledger / "MEMORY.md"
    path.write_text(MEMORY + f"- password={SECRET}\n")
    before = path.read_bytes()
    assert run("import", path).code == 6
    assert path.read_bytes() == before
    assert "was not rewritten" in run("add", "one").ok().err


def test_a_document_with_a_warning_is_left_alone(ledger: Path) -> None:
    path = write(str(ledger / "memories/broken.md"), "---\ntitle: [\n---\n\nbody\n")
    before = path.read_bytes()
    assert "kept as text" in run("import", path).ok().err
    assert path.read_bytes() == before


def test_a_file_that_changed_while_it_was_imported_is_left_alone(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ledger / "memory" / "2026-01-02.md"
    path.parent.mkdir()
    path.write_text("- one\n")
    adopt = OwnDocuments.adopt

    def later(own: OwnDocuments, files: list[importing.Imported]) -> list[str]:
        path.write_text("- one\n- typed just now\n")
        return adopt(own, files)

    monkeypatch.setattr(OwnDocuments, "adopt", later)
    assert "written anew" not in run("import", path).ok().err
    assert path.read_text() == "- one\n- typed just now\n"


def test_a_file_in_the_folder_that_no_rendering_writes_is_left_alone(ledger: Path) -> None:
    path = ledger / "memory/notes.md"
    path.parent.mkdir()
    path.write_text("- one\n")
    run("import", path).ok()
    assert path.read_text() == "- one\n"
    run("add", "two").ok()
    assert path.read_text() == "- one\n"


def test_links_of_ours_are_no_memories(ledger: Path) -> None:
    run("add", "one", "--topic", "a/b").ok()
    path = ledger / "MEMORY.md"
    assert "[Topics](memories/)" in path.read_text()
    path.write_text(path.read_text().replace("## Links", "- two\n\n## Links"))
    assert run("import", path, "--json").ok().json["new"] == 1
    assert "[Topics](memories/)" not in "".join(texts())


# --- earlier renderings: git or a crash brought them, nobody typed them ---


def test_an_earlier_rendering_does_not_bring_an_erased_text_back(ledger: Path) -> None:
    """X-36: status, doctor and import name it apart from an edit, and replay writes it anew."""
    secret = run("add", "the vault is behind the mirror").id
    path = ledger / "MEMORY.md"
    earlier = path.read_bytes()
    run("erase", secret, "-m", "leaked", "--yes").ok()
    path.write_bytes(earlier)
    os.utime(path, (1, 1))  # as a copy or a crash leaves it, which nobody typed
    before = (ledger / "chain.jsonl").read_bytes()
    for advice in (run("status").ok().out, run("doctor").out):
        assert "an earlier rendering" in advice
        assert "memledger replay" in advice
        assert "memledger import" not in advice
        assert "edited by hand" not in advice
    done = run("import", path).ok()
    assert "an earlier rendering" in done.out
    assert "memledger replay" in done.err
    assert run("import", ledger / "MEMORY.md", "--json").json["files"][0]["earlier_rendering"] is True
    assert (ledger / "chain.jsonl").read_bytes() == before
    run("replay").ok()
    assert "mirror" not in path.read_text()
    assert "nothing waits for you" in run("status").out


def test_a_pause_that_an_earlier_rendering_ended_is_none(ledger: Path) -> None:
    """X-36: it was edited, a write met the edit, and then git brought an earlier rendering."""
    run("add", "one").ok()
    path = ledger / "MEMORY.md"
    earlier = path.read_bytes()
    run("add", "two").ok()
    path.write_bytes(b"caf\xe9\n")
    run("add", "three").ok()
    path.write_bytes(earlier)
    os.utime(path, (1, 1))
    assert "edited by hand" not in run("status").ok().out + run("doctor").out


def test_an_earlier_rendering_in_another_worktree_says_nothing_either(tmp_path: Path) -> None:
    """X-36, X-39: git carries renderings from one root of a project to the next."""
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    run("init", "--scope", "project", cwd=root).ok()
    id_ = run("add", "the vault is behind the mirror", cwd=root).id
    earlier = (root / ".memledger/MEMORY.md").read_bytes()
    (other / ".memledger").mkdir(parents=True)
    (other / ".memledger/project.toml").write_bytes((root / ".memledger/project.toml").read_bytes())
    run("erase", id_, "-m", "leaked", "--yes", cwd=root).ok()
    (other / ".memledger/MEMORY.md").write_bytes(earlier)
    run("init", cwd=other).ok()
    assert "mirror" not in (other / ".memledger/MEMORY.md").read_text()
    (other / ".memledger/MEMORY.md").write_bytes(earlier)
    assert run("import", ".memledger/MEMORY.md", "--json", cwd=other).ok().json["new"] == 0
    assert run("import", other / ".memledger/MEMORY.md", "--json", cwd=root).ok().json["new"] == 0


def test_an_empty_folder_is_a_warning() -> None:
    """I-1."""
    Path("empty").mkdir()
    assert "holds no .md" in run("import", "empty").ok().err


# --- events that recover set aside (I-25) ---


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
    assert "lines 2-5 not taken: the signature does not match" in done.err
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
    assert f"what line 7 replaced still stands: memledger delete {other}" in done.err
    assert "2 new, 0 known, 2 not taken" in done.out
    assert "line 6 not taken: it is a delete of what stands here: do it again if it holds" in done.err


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
    assert "lines 2-3 not taken: parts of a text whose other parts are missing" in run("import", "cut").err


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
    from ledger.redaction import Redactor

    run("add", "damaged").ok()
    with monkeypatch.context() as patched:
        patched.setattr(Redactor, "findings", lambda *_: ())
        patched.setattr(Redactor, "is_clean", lambda *_: True)
        run("add", f"password={SECRET}").ok()
    torn = recovered(ledger, 1)
    done = run("import", torn)
    assert (done.code, f"{torn}:2: not imported: it looks like a secret" in done.err) == (6, True)


# --- real documents ---


@pytest.mark.skipif(not DATA.is_dir(), reason="real documents lie beside the repository, at ../shared/data")
def test_real_documents_are_imported_whole_and_twice_is_once(ledger: Path) -> None:
    first = run("import", DATA, "--json")
    assert first.code in {0, 5, 6}
    assert first.json["new"] > 1000
    before = (ledger / "chain.jsonl").stat().st_size
    assert run("import", DATA, "--json").json["new"] == 0
    assert (ledger / "chain.jsonl").stat().st_size == before
    assert run("verify").code == 0


@pytest.mark.parametrize("format_", ["jsonl", "json"])
def test_an_export_is_no_document(format_: str) -> None:
    """I-3: its JSON must not become the text of a memory; what carries a ledger over is named."""
    run("add", "Use pnpm").ok()
    run("export", "--format", format_, "-o", f"e.{format_}").ok()
    done = run("import", f"e.{format_}")
    assert done.code != 0
    assert "is JSON and no memory document" in done.err
    assert "memledger backup and restore" in done.err
    assert len(run("list", "--json").json_lines) == 1


def test_an_export_as_a_table_is_refused_under_any_name(ledger: Path) -> None:
    """X-141: its rows must not become the text of a memory."""
    run("add", "Port 5433").ok()
    table = run("export", "--format", "csv").ok().out
    for name in ("memories.csv", "MEMORIES.CSV", "memories.tsv", "memories", "memories.txt"):
        Path(name).write_text(table, "utf-8")
        done = run("import", name)
        assert done.code == 5
        assert f"{name}: is a table and no memory document; nothing of it was imported; " in done.err
        assert "memledger backup" in done.err
    Path("header.txt").write_text(table.splitlines()[0], "utf-8")
    assert run("import", "header.txt").code == 5
    assert len(run("list", "--json").json_lines) == 1


@pytest.mark.parametrize(
    ("table", "is_one"),
    [
        ("name,text,when\r\nada,Use pnpm,2026\r\n", True),
        ('\ufeff"name";"text";"when"\n"ada";"a\nb; c";2026\n', True),
        ("name\ttext\twhen\nada\tUse pnpm\t2026\n", True),
        ("Read,write,run\n\nare what a mode says, and no more.\n", False),
        ("tabs, spaces, and so on\nare, all, the, same\n", False),
        ("one,two\nthree,four\n", False),
        ("- a,b,c\n- d,e,f\n", False),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", False),
    ],
)
def test_a_table_is_told_by_its_header_and_first_row(ledger: Path, table: str, is_one: bool) -> None:
    """X-141; what a person wrote is read, and a document may always say so by its ending."""
    Path("notes.txt").write_text(table, "utf-8")
    assert (run("import", "notes.txt").code == 5) is is_one
    Path("notes.md").write_text(table, "utf-8")
    assert run("import", "notes.md").code == 0
