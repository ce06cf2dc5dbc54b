"""Tests cli/commands/import_.py and learning/importing.py against specs/cli.md (X-32…X-35) and I-5."""

from __future__ import annotations

from pathlib import Path

import pytest

from learning import importing
from ledger.draft import PART_BYTES
from tests.cli.driver import ROOT, run, run_process
from tests.cli.imported import MEMORY, SECRET, texts, write

pytestmark = pytest.mark.usefixtures("ledger")

DATA = ROOT.parent / "shared" / "data" / "memory-files"


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
    import muniment

    id_ = run("add", "Postgres listens on 5433", "--section", "Tool Usage", "--json").json["id"]
    with muniment.open() as memory:
        memory.workspace.local.archive({id_: "a test"}, 0)
    write("MEMORY.md", MEMORY)
    assert run("import", "MEMORY.md", "--json").ok().json["known"] == 1


def test_a_candidate_that_the_document_says_is_confirmed() -> None:
    """X-33: by a person; where an agent filed it, an agent's import leaves it to one (S-10)."""
    agent, text = {"CLAUDECODE": "1"}, "Postgres listens on 5433"
    id_ = run("add", text, "--section", "Tool Usage", "--candidate", "--json", env=agent).json["id"]
    write("MEMORY.md", MEMORY)
    assert run("import", "MEMORY.md", "--dry-run", "--json", env=agent).ok().json["confirmed"] == 0
    assert run("import", "MEMORY.md", "--dry-run", "--json", terminal=True).ok().json["confirmed"] == 1
    assert run("show", id_, "--json").json["status"] == "candidate"
    assert run("import", "MEMORY.md", terminal=True).ok().out == "MEMORY.md  2 new, 1 known, 1 confirmed\n"
    assert run("show", id_, "--json").json["status"] == "active"


def test_a_secret_is_left_out_by_file_line_and_rule_and_the_rest_is_imported(ledger: Path) -> None:
    """X-34."""
    write("MEMORY.md", MEMORY + f"\n## Tool Usage\n\n- log in with password={SECRET}\n- and then push\n")
    done = run("import", "MEMORY.md")
    assert done.code == 6
    assert "muniment: MEMORY.md:18: not imported: it looks like a secret (" in done.err
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
    (file,) = dry.json["files"]
    listed = [(each["place"], each["text"]) for each in file["would_store"]]
    assert listed == [
        ("User Preferences", "Use pnpm, not npm"),
        ("Tool Usage", "Postgres listens on 5433"),
        ("House rules", "Some prose that is no bullet."),
        ("House rules", "again"),
    ]
    assert {**dry.json, "dry_run": False, "files": [{**file, "would_store": []}]} == wet.json
    assert (wet.json["new"], wet.json["known"], wet.json["refused"]) == (4, 1, 1)


def test_a_dry_run_lists_what_it_would_store_and_no_secret() -> None:
    """X-35."""
    write("MEMORY.md", f"## Tool Usage\n\n- Postgres listens on 5433\n- password={SECRET}\n")
    done = run("import", "MEMORY.md", "--dry-run", "--redact").ok()
    assert "  Tool Usage: Postgres listens on 5433\n" in done.out
    assert "[redacted:" in done.out
    assert SECRET not in done.out + done.err


TITLED = """\
# CLAUDE.md

Overview
========

---

## Commands

### Build

- make all

### Test it

Run tox.

## Empty
"""


def test_headings_titles_and_rules_are_no_memories() -> None:
    """I-29, I-14."""
    write("CLAUDE.md", TITLED)
    write("memory/2026-01-02.md", "# Work log\n\n## Notes\n\n- met the team\n")
    done = run("import", "CLAUDE.md", "memory").ok()
    assert texts() == ["make all", "Run tox.", "met the team"]
    assert "blocks of titles or rules were not imported" in done.err


UNDERLINED = """\
Handbook of
the team
===========

Setup
-----

Use make.

Deploys
-------
- on Mondays

Schema
------

| a | b |
|---|---|
| 1 | 2 |
"""


def test_underlined_headings_are_no_memories() -> None:
    """I-29, I-14: what follows them is told; a table has no words of its own, so its heading names it."""
    write("CLAUDE.md", UNDERLINED)
    run("import", "CLAUDE.md").ok()
    assert texts() == ["Use make.", "on Mondays", "Schema"]


def test_a_document_of_the_ledgers_own_keeps_its_headings(ledger: Path) -> None:
    """I-29."""
    (ledger / "MEMORY.md").write_text(TITLED)
    run("import", ledger / "MEMORY.md").ok()
    shown = (ledger / "MEMORY.md").read_text()
    assert [line for line in TITLED.splitlines() if line.strip() and line not in shown] == []


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


def test_an_empty_folder_is_a_warning() -> None:
    """I-1."""
    Path("empty").mkdir()
    assert "holds no .md" in run("import", "empty").ok().err


def test_other_json_is_no_document() -> None:
    """I-3: it must not become the text of a memory; what carries a ledger over is named."""
    write("e.json", '{"text": "Use pnpm"}\n')
    done = run("import", "e.json")
    assert done.code != 0
    assert "is JSON and no memory document" in done.err
    assert "muniment backup and restore" in done.err
    assert texts() == []


@pytest.mark.skipif(not DATA.is_dir(), reason="real documents lie beside the repository, at ../shared/data")
def test_real_documents_are_imported_whole_and_twice_is_once(ledger: Path) -> None:
    documents = sorted(path for path in DATA.rglob("*.md") if path.is_file())[::5]
    first = run("import", *documents, "--json")
    assert first.code in {0, 5, 6}
    assert first.json["new"] > 200
    before = (ledger / "chain.jsonl").stat().st_size
    assert run("import", *documents, "--json").json["new"] == 0
    assert (ledger / "chain.jsonl").stat().st_size == before
    assert run("verify").code == 0


def test_an_export_as_a_table_is_refused_under_any_name(ledger: Path) -> None:
    """X-141: its rows must not become the text of a memory."""
    run("add", "Port 5433").ok()
    table = "id,seq,text\r\n0312ddda5ce8,1,Port 5433\r\n5595720b71c1,2,Use pnpm\r\n"
    for name in ("memories.csv", "MEMORIES.CSV", "memories.tsv", "memories", "memories.txt"):
        Path(name).write_text(table, "utf-8")
        done = run("import", name)
        assert done.code == 5
        assert f"{name}: is a table and no memory document; nothing of it was imported; " in done.err
        assert "muniment backup" in done.err
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
