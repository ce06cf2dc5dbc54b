"""muniment replay makes every projection again from the log, and only from the log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import muniment
from tests.cli.driver import run, run_process
from tests.ledger.world import flipped, lines_of, overwrite


@pytest.fixture
def home(isolated: Path) -> Path:
    """A user's ledger with a MEMORY.md, a topic file and a daily note."""
    muniment.init().close()
    run("add", "Use pnpm, not npm").ok()
    run("add", "Auth flow", "--topic", "codebase/auth", "--body", "Tokens live 24 hours.").ok()
    run("add", "Fixed the build", "--tier", "daily").ok()
    return isolated / ".muniment"


def _documents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.md"))}


def test_what_was_thrown_away_comes_back_byte_for_byte(home: Path) -> None:
    """P-52: index and documents are functions of the log."""
    before, listed = _documents(home), run("list", "--json").ok().out
    assert len(before) == 3
    for path in [*home.rglob("*.md"), *home.glob("memory.db*"), *home.glob("local.db*")]:
        path.unlink()
    result = run_process("replay").ok()
    assert result.out.splitlines()[0] == "index rebuilt from 4 events; 3 documents"
    assert _documents(home) == before
    assert run("list", "--json").ok().out == listed
    assert run("verify").code == 0


def test_a_tampered_index_is_made_again(home: Path) -> None:
    """P-50: its rows are thrown away, not believed."""
    with closing(sqlite3.connect(home / "memory.db")) as db:
        db.execute("UPDATE memories SET text = 'Use npm' WHERE text LIKE 'Use pnpm%'")
        db.commit()
    assert run("verify").code == 1
    run("replay").ok()
    assert run("verify").code == 0
    assert "Use pnpm, not npm" in run("list").out


def test_a_damaged_index_is_made_again(home: Path) -> None:
    """P-50: also where SQLite cannot read it."""
    for path in home.glob("memory.db*"):
        path.unlink()
    (home / "memory.db").write_bytes(b"\0" * 10_000)
    run("replay").ok()
    assert run("verify").code == 0


def test_an_edited_document_is_taken_in_or_put_aside(home: Path) -> None:
    """P-80, P-87: a named document is ours again, and keeps the edit beside it."""
    path = home / "MEMORY.md"
    ours = path.read_bytes()
    edited = ours.replace(b"\n## Links", b"- typed\n\n## Links")
    path.write_bytes(edited)
    result = run("replay").ok()
    assert "recorded from MEMORY.md, which was edited: 1 new" in result.err
    assert path.read_bytes() == edited
    path.write_bytes(b"caf\xe9\n")
    assert "not UTF-8" in run("replay", "--json").ok().json["left_alone"]["MEMORY.md"]
    run("replay", "MEMORY.md").ok()
    assert path.read_bytes() == edited
    assert [kept.read_bytes() for kept in home.glob("MEMORY.md.edited-*")] == [b"caf\xe9\n"]


def test_ours_is_taken_for_one_document(home: Path) -> None:
    """X-82: the person's copy is kept beside it; other edits are taken in as ever."""
    path, topic = home / "MEMORY.md", home / "memories/codebase/auth.md"
    ours, before = path.read_bytes(), topic.read_bytes()
    path.write_bytes(b"- all mine\n")
    topic.write_bytes(before + b"\n## Mine too\n")
    assert run("replay", "MEMORY.md", cwd=home).ok().out == "written  MEMORY.md\n"
    assert path.read_bytes() == ours
    assert (home / "MEMORY.md.edited-1").read_bytes() == b"- all mine\n"
    assert topic.read_bytes().startswith(before + b"\n## Mine too\n")
    topic.unlink()
    assert run("replay", topic, "--json").ok().json["written"] == ["memories/codebase/auth.md"]
    assert run("replay", "nothing.md").err.startswith("muniment: nothing.md is not a document of ")


def test_a_chain_that_is_not_sound_is_not_replayed(home: Path) -> None:
    """P-55: nothing is folded before it is verified; exit code 7 and the line."""
    chain = home / "chain.jsonl"
    overwrite(chain, flipped(chain.read_bytes(), len(lines_of(chain)[0]) + 40))
    for path in home.glob("memory.db*"):
        path.unlink()
    result = run("replay")
    assert result.code == 7
    assert "line 2" in result.err


def test_a_replay_that_fails_takes_nothing_away(home: Path) -> None:
    """P-55: while the log is damaged, the index may be the last place where a memory can be read."""
    chain = home / "chain.jsonl"
    overwrite(chain, flipped(chain.read_bytes(), len(lines_of(chain)[0]) + 40))
    before = run("list").ok().out
    assert run("replay").code == 7
    assert run("list").ok().out == before


# --- the past ---


def test_the_past_is_written_to_a_folder(home: Path, tmp_path: Path) -> None:
    """P-93: documents as of an event; nothing of the present changes."""
    present = _documents(home)
    out = tmp_path / "past"
    result = run("replay", "--as-of", "@2", "--out", out, "--json").ok()
    assert result.json["written"] == ["MEMORY.md", "memories/codebase/auth.md"]
    assert set(_documents(out)) == {"MEMORY.md", "memories/codebase/auth.md"}
    assert _documents(home) == present


def test_the_present_can_be_written_to_a_folder(home: Path, tmp_path: Path) -> None:
    """P-52: the same bytes as in their place, and drawn from the log, not from the index."""
    with closing(sqlite3.connect(home / "memory.db")) as db:
        db.execute("UPDATE memories SET text = 'Use npm'")
        db.commit()
    run("replay", "--out", tmp_path / "now").ok()
    assert _documents(tmp_path / "now") == _documents(home)


def test_a_time_is_understood_as_well(home: Path, tmp_path: Path) -> None:
    """P-93, X-320: a day means its end."""
    assert run("replay", "--as-of", "2999-01-01", "--out", tmp_path / "a").code == 0
    assert run("replay", "--as-of", "2001-01-01", "--out", tmp_path / "b").code == 0
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["MEMORY.md"]
    assert run("replay", "--as-of", "soon", "--out", tmp_path / "c").code == 2
    assert run("replay", "--as-of", "@99", "--out", tmp_path / "c").code == 3


def test_a_folder_with_something_in_it_is_not_written_to(home: Path, tmp_path: Path) -> None:
    """X-3: nobody's files are mixed with ours."""
    (tmp_path / "theirs.txt").write_text("precious")
    result = run("replay", "--out", tmp_path)
    assert result.code == 2
    assert "not empty" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.txt"]


@pytest.mark.parametrize("options", [("--as-of", "@1"), ("MEMORY.md", "--out", "x")])
def test_options_that_do_not_go_together_are_refused(home: Path, options: tuple[str, ...]) -> None:
    """X-3: exit code 2, and nothing happens."""
    before = _documents(home)
    assert run("replay", *options).code == 2
    assert _documents(home) == before


def test_a_document_is_found_before_one_of_the_same_name_here(home: Path, tmp_path: Path) -> None:
    """X-82, X-90: in a folder that has a MEMORY.md of its own; and one that was deleted can be named."""
    (tmp_path / "MEMORY.md").write_text("mine\n")
    (home / "MEMORY.md").unlink()
    assert run("adopt", "MEMORY.md", cwd=tmp_path).code == 1
    assert run("replay", "MEMORY.md", cwd=tmp_path).ok().out == "written  MEMORY.md\n"
    assert (tmp_path / "MEMORY.md").read_text() == "mine\n"
