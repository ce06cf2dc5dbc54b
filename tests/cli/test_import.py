"""Tests cli/commands/import_.py and cli/importing.py against specs/cli.md (X-32…X-36) and I-5."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli import importing
from ledger.draft import PART_BYTES
from tests.cli.driver import ROOT, run, run_process

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
    run("add", "one").ok()
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "- two\n\nAnd prose.\n")
    assert "MEMORY.md was not rewritten" in run("add", "three").ok().err
    done = run("import", path).ok()
    assert "was written anew" in done.err
    assert "1 memory stands there that it did not say itself" in done.err
    text = path.read_text()
    assert all(said in text for said in ("- one\n", "- two\n", "- three\n", "And prose.\n"))
    assert run("add", "four").ok().err == ""
    assert run("verify").code == 0


def test_an_edited_document_with_bodies_is_taken_in_without_copies(ledger: Path) -> None:
    """Entries that a reader would take for something else are known by how we write them."""
    run("add", "flow", "--body", "first\n\n- then\n").ok()
    run("add", "note", "--type", "note", "--body", "| a | b |\n|---|---|\n").ok()
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "- two\n")
    done = run("import", path, "--json").ok().json
    assert (done["new"], done["known"]) == (1, 2)
    assert sorted(texts()) == ["flow", "note", "two"]


def test_what_was_deleted_since_does_not_come_back_from_an_edited_document(ledger: Path) -> None:
    one, two = run("add", "one").id, run("add", "two").id
    path = ledger / "MEMORY.md"
    path.write_text(path.read_text() + "- three\n")
    run("delete", one).ok()
    run("supersede", two, "two!").ok()
    done = run("import", path).ok()
    assert "2 left out, deleted or replaced since" in done.err
    assert texts() == ["two!", "three"]
    assert "- one" not in path.read_text()


def test_an_edited_topic_file_of_ours_is_left_alone_and_edit_is_named(ledger: Path) -> None:
    run("add", "flow", "--topic", "code/auth").ok()
    path = ledger / "memories/code/auth.md"
    path.write_text(path.read_text() + "\nmine\n")
    done = run("import", path).ok()
    assert "memledger edit ID" in done.err
    assert (texts(), "mine" in path.read_text()) == (["flow"], True)


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
    path = ledger / "MEMORY.md"
    path.write_text("- one\n")
    adopt = importing._Own.adopt

    def later(own: importing._Own, files: list[importing.Imported]) -> list[str]:
        path.write_text("- one\n- typed just now\n")
        return adopt(own, files)

    monkeypatch.setattr(importing._Own, "adopt", later)
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
