"""Tests proofs/erasing/ against specs/erasure.md (Z-29) and specs/projections.md (P-64): an erase empties people's words alone."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import muniment
from ledger.command import Create
from muniment import Memory
from projections.local import Local
from projections.local_erasure import WORDS
from tests.cli.driver import run
from tests.learning.transcripts.writing import jsonl, person

MANY = 150
COMMANDS = (
    ("list",),
    ("search", "bicycle"),
    ("inject", "--task", "the yard"),
    ("status",),
    ("stats",),
    ("log", "-n", "5"),
    ("adopt",),
    ("verify",),
    ("checkpoint",),
    ("archive", "unused"),
    ("add", "written afterwards"),
    ("replay",),
)
"""What must work behind any erase; each exits with 0."""


def furnished(base: Path) -> Path:
    """Make a user's ledger of real size, of which all was shown in prompts, read, captured and noted; return its folder."""
    draw = random.Random(7)
    with muniment.init() as memory:
        home = memory.workspace.place.directory
        words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(MANY)]
        texts = [
            f"The {word} has the number {draw.randrange(10_000):04} and stands at {at}"
            for at, word in enumerate(words)
        ]
        memory.write([Create(Memory(text)) for text in texts])
    for _ in range(3):
        run("inject", "--task", "the number").ok()
    (home / "session-buffer.md").write_text("- the bicycle is 1234\n- the yard is 4321\n")
    run("checkpoint").ok()
    transcript = base / "transcript.jsonl"
    transcript.write_bytes(jsonl(person("Remember that the garden gate has the number 5678.")))
    run("capture", transcript).ok()
    run("export", "-o", base / "given.jsonl").ok()
    run("archive", "unused").ok()
    return home


def works() -> None:
    """Check that every command works."""
    for command in COMMANDS:
        done = run(*command)
        assert done.code == 0, (command, done.err)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A furnished ledger that all erases of this file have in common, and what its texts were at first."""
    base = tmp_path_factory.mktemp("words")
    places = {
        "HOME": base / "home",
        "MUNIMENT_HOME": base / "home/.muniment",
        "MUNIMENT_STATE": base / "state",
    }
    environment = {name: str(path) for name, path in places.items()}
    (base / "home/.muniment").mkdir(parents=True)
    (base / "home/.muniment/config.toml").write_text("scripts = true\n")
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        furnished(base)
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return base, environment


@settings(
    max_examples=settings().max_examples // 8, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        st.integers(0, 9999).map(lambda number: f"{number:04}"),
        st.text("0123456789abcdef", min_size=2, max_size=4),
        st.sampled_from(
            ["id", "seq", '"', "{", "[]", "true", "null", "begun", "messages", "kind", "digest", "MEMORY.md"]
        ),
    )
)
@example("00")  # which stands in many ids, too
def test_every_command_works_after_an_erase_of_any_short_text(
    house: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Z-29: no row of ours is emptied, whatever the text."""
    base, environment = house
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(base)
    before = _ours(base / "home/.muniment/local.db")
    done = run("erase", "--match", text, "--yes")
    assert done.code in (0, 1, 3), done.err  # 3: nothing says it; 1: a file of a person's does
    assert "local.db" not in done.err
    after = _ours(base / "home/.muniment/local.db")
    assert before["uses"] == after["uses"]
    assert before["secret"] == after["secret"]
    works()


def _ours(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return what local.db has that is none of a person's words."""
    with closing(sqlite3.connect(path)) as db:
        return {
            "uses": db.execute("SELECT * FROM uses").fetchall(),
            "secret": db.execute("SELECT value FROM facts WHERE name = 'secret of blocks'").fetchall(),
        }


def test_the_columns_of_words_are_there(tmp_path: Path) -> None:
    """Z-29: each that is named exists, and every other column of text was looked at when it was named."""
    local = Local(tmp_path)
    with local.database.transaction() as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {
            (table, column)
            for table in tables
            for _, column, kind, *_ in db.execute(f"PRAGMA table_info({table})")
            if kind == "TEXT"
        }
    local.close()
    ours = {
        *((table, "id") for table in ("uses", "archived", "block_keys")),
        *(
            (table, name)
            for table in ("digests", "rendered", "shown", "settled")
            for name in ("folder", "path", "digest")
        ),
        *((table, name) for table in ("paused", "styles") for name in ("folder", "path")),
        *(("renderings", name) for name in ("folder", "settings", "shown", "id")),
        *(("transcripts", name) for name in ("device", "inode", "path", "head", "tail", "state")),
        *(("facts", name) for name in ("name", "value")),
        *(("seen", name) for name in ("day", "at", "agent", "session", "door", "why")),
        ("archived", "at"),
    }
    assert columns == ours | set(WORDS)


# --- a local.db that is broken ---


def _torn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:12288] = os.urandom(8192)
    path.write_bytes(data)


def _without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        for table in ("shown", "facts"):
            db.execute(f"DROP TABLE {table}")
        db.commit()


def _blanked(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for _, column, kind, *_ in db.execute(f"PRAGMA table_info({table})").fetchall():
                if kind in ("TEXT", "BLOB"):
                    with_it = "UPDATE OR REPLACE" if table != "shown" else "UPDATE OR IGNORE"
                    db.execute(f"{with_it} {table} SET {column} = ''")
        db.commit()


@pytest.mark.parametrize("breaks", [_torn, _without_tables, _blanked])
def test_a_broken_local_state_stops_nothing(
    breaks: object, isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-64: it is set aside where it is damaged, and made anew; each command works, and knows all memories."""
    monkeypatch.chdir(tmp_path)
    with muniment.init() as memory:
        home = memory.workspace.place.directory
        texts = [f"number {number} is a memory of some length, to fill a page or two" for number in range(40)]
        memory.write([Create(Memory(text)) for text in texts])
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_bytes(jsonl(person("Remember that the garden gate has the number 5678.")))
    run("capture", transcript).ok()
    run("inject").ok()
    assert callable(breaks)
    for command in COMMANDS:
        breaks(home / "local.db")
        for name in ("local.db-wal", "local.db-shm"):
            (home / name).unlink(missing_ok=True)
        run(*command)  # verify says that it is damaged
        done = run(*command)
        assert done.code == 0 or command == ("adopt",), (command, done.err)
    for command in COMMANDS:
        run(*command)  # damage is found where it is read
    run("replay", "MEMORY.md").ok()  # what is lost with it is who wrote the document that stands
    works()
    run("capture", transcript).ok()
    assert len(run("list", "--json", "-n", "1000").json_lines) >= 41


def test_no_folder_keeps_the_name_of_an_erased_topic() -> None:
    """P-4, Z-3: the folders above a topic's file are named by its path."""
    with muniment.init() as memory:
        home = memory.workspace.place.directory
        kept = memory.store(Memory("The gate", topic="yard/gate")).id
        gone = memory.store(Memory("The vault", topic="yard/vault-4921/door")).id
        memory.erasures.erase([gone], "leaked")
        names = [path.name for path in home.rglob("*")]
    assert not any("4921" in name for name in names)
    assert memory.entry(kept).status == "active"
    assert (home / "memories" / "yard" / "gate.md").exists()
