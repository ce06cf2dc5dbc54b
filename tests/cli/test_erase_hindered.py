"""What an erasure could not clean is named, exit code 1, and the next write finishes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.cli.driver import run

SECRET = "zzyzx-hush-4711"


@pytest.fixture
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("projections.index.PATIENCE", 0.02)
    monkeypatch.setattr("documents.verdict.PATIENCE", 0.02)
    run("init", "--scope", "user").ok()
    run("add", f"the {SECRET} code").ok()
    run("search", "code").ok()
    return isolated / ".muniment"


@contextmanager
def held(path: Path, *statements: str) -> Iterator[None]:
    """Hold a database as another process would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement).fetchall()
        yield


WRITING = ("BEGIN IMMEDIATE",)
READING = ("BEGIN", "SELECT * FROM memories")


def holding(ledger: Path) -> list[str]:
    files = [path for path in ledger.rglob("*") if path.is_file()]
    return sorted(path.name for path in files if SECRET.encode() in path.read_bytes())


@pytest.mark.parametrize(("how", "what"), [(WRITING, ("--match", SECRET)), (READING, ("@1",))])
def test_an_index_that_is_held_is_named_and_cleaned_by_the_next_write(
    ledger: Path, how: tuple[str, ...], what: tuple[str, ...]
) -> None:
    """X-31."""
    with held(ledger / "memory.db", *how):
        done = run("erase", *what, "--yes")
        assert done.code == 1, done.err
        assert f"STILL THERE: {ledger / 'memory.db'}" in done.err
        assert "muniment replay" in done.err
        assert "chain.jsonl" not in holding(ledger)
    assert holding(ledger) or how == READING  # a reader that goes last writes what was cleaned into its place
    assert "1 erasure not finished" in run("status").ok().out
    verified = run("verify")
    assert verified.code == 1
    assert "an erasure is under way or was cut off" in verified.out
    run("add", "something else").ok()
    assert not holding(ledger)
    assert "not finished" not in run("status").ok().out
    assert run("verify").code == 0


def test_replay_and_another_try_finish_it_too(ledger: Path) -> None:
    """As the message advises."""
    for number, finish in enumerate((("replay",), ("erase", "--match", SECRET, "--yes"))):
        run("add", f"{SECRET} again {number}").ok()
        with held(ledger / "memory.db", *WRITING):
            assert run("erase", "--match", SECRET, "--yes").code == 1
        assert holding(ledger)
        done = run(*finish)
        assert done.code == (0 if finish == ("replay",) else 3), done.err
        assert not holding(ledger)


def test_a_document_of_a_folder_that_was_not_rendered_is_named(ledger: Path) -> None:
    """X-31: with the index held, no document could be brought up to date."""
    with held(ledger / "memory.db", *WRITING):
        done = run("erase", "@1", "--yes", "--json")
    assert done.code == 1
    assert str(ledger / "MEMORY.md") in done.json["still_in"]


def test_a_text_that_only_a_file_says_is_code_1(ledger: Path) -> None:
    """X-3, X-31."""
    (ledger / "chain.jsonl.torn-20260101T000000.000000Z").write_text(f'{{"text":"{SECRET} torn"}}')
    done = run("erase", "--match", f"{SECRET} torn", "--yes")
    assert done.code == 1
    assert "STILL THERE" in done.err
    assert "no event of this ledger contains that text" in done.err
    assert SECRET not in done.err
    answer = run("erase", "--match", f"{SECRET} torn", "--yes", "--json").json
    assert (answer["id"], len(answer["still_in"])) == (None, 1)
    assert run("erase", "--match", "nobody says this", "--yes").code == 3


def test_settings_that_cannot_be_read_keep_no_erasure_half_done(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-15: a commit may have brought them; the chain is clean, the document is named, and the receipt says so."""
    root = tmp_path / "root"
    root.mkdir()
    monkeypatch.chdir(root)
    run("init", "--scope", "project").ok()
    run("add", f"the {SECRET} code of the cellar").ok()
    settings = root / ".muniment" / "config.toml"
    good = settings.read_bytes()
    settings.write_text('[anchor]\nurl = "http://127.0.0.1:1/"\n')
    done = run("erase", "@1", "--yes", "--json")
    assert (done.code, "anchor.url is allowed only in your own config.toml" in done.err) == (1, True)
    assert done.json["still_in"] == [str(root / ".muniment" / "MEMORY.md")]
    receipt = Path(done.json["receipt"]).read_text()
    assert "named document .muniment/MEMORY.md: " in receipt
    assert "cleaned document" not in receipt
    settings.write_bytes(good)
    run("add", "later").ok()
    assert SECRET not in (root / ".muniment" / "MEMORY.md").read_text()
