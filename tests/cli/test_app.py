"""What every command shares: which ledgers are meant, who is writing, and how results are printed."""

from __future__ import annotations

import io
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from cli.app import SCOPES, App, put
from language.printable import plain, short
from ledger import chain, location, schema
from ledger.actor import AGENT_VARIABLES, login_slug
from ledger.errors import BusyError, StorageError, UsageError
from muniment import Memory
from projections.index import INDEX_NAME
from tests.cli.driver import run, run_at_terminal, run_process


class Stream(io.TextIOWrapper):
    """A standard stream that is a terminal, or is none."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__(io.BytesIO(), "utf-8")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set which of stdin, stdout and stderr (i, o, e) are the terminal."""

    def connect(letters: str) -> None:
        for letter, name in (("i", "stdin"), ("o", "stdout"), ("e", "stderr")):
            monkeypatch.setattr(sys, name, Stream(terminal=letter in letters))

    return connect


# --- who is writing ---


@pytest.mark.parametrize(
    ("letters", "role"),
    [
        ("ioe", "user"),  # typed by hand
        ("ie", "user"),  # id=$(muniment add …)
        ("oe", "user"),  # echo … | muniment add -
        ("io", "user"),  # 2> errors
        ("i", "system"),  # a program that captures both outputs, and leaves its own stdin
        ("e", "system"),
        ("o", "system"),
        ("", "system"),
    ],
)
def test_a_user_is_who_sits_at_a_terminal(streams: Callable[[str], None], letters: str, role: str) -> None:
    """X-7: one stream may be a pipe, two may not."""
    streams(letters)
    assert App().by().role == role


@pytest.mark.parametrize("variable", AGENT_VARIABLES)
def test_an_agents_environment_makes_an_agent(
    streams: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """X-7: even at a terminal; an empty variable says nothing."""
    streams("ioe")
    monkeypatch.setenv(variable, "")
    assert App().by().role == "user"
    monkeypatch.setenv(variable, "1")
    assert App().by().role == "agent"


def test_the_role_of_real_processes(isolated: Path, tmp_path: Path) -> None:
    """A terminal makes a user, a pipe a script, a variable an agent."""
    muniment.init().close()
    run_at_terminal("add", "by a person", cwd=tmp_path)
    run_process("add", "by a program", cwd=tmp_path).ok()
    run_at_terminal("add", "by an agent", cwd=tmp_path, env={"CLAUDECODE": "1"})
    rows = run("list", "--json", cwd=tmp_path).ok().json_lines
    assert [(row["text"], row["by"]["role"], row["by"]["via"]) for row in rows] == [
        ("by a person", "user", "cli"),
        ("by a program", "system", "cli"),
        ("by an agent", "agent", "cli"),
    ]


def test_the_name_is_given_or_the_login(monkeypatch: pytest.MonkeyPatch) -> None:
    """--by, then MUNIMENT_BY, then who is logged in."""
    assert App().by().name == login_slug()
    monkeypatch.setenv("MUNIMENT_BY", "bot")
    assert App().by().name == "bot"
    assert App(by_name="ada").by().name == "ada"
    with pytest.raises(UsageError, match="not a slug"):
        App(by_name="Ada Lovelace").by()


@pytest.mark.parametrize(
    ("login", "slug"),
    [("ada", "ada"), ("Ada Lovelace", "ada-lovelace"), ("DOM\\ada", "dom-ada"), ("Ωmega", "mega")],
)
def test_a_login_name_becomes_a_slug(monkeypatch: pytest.MonkeyPatch, login: str, slug: str) -> None:
    """Whatever the system calls a person."""
    monkeypatch.setattr("getpass.getuser", lambda: login)
    assert login_slug() == slug


@pytest.mark.parametrize("error", [OSError(), KeyError("uid")])
def test_nobody_is_logged_in(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """As in a container without users."""

    def fail() -> str:
        raise error

    monkeypatch.setattr("getpass.getuser", fail)
    assert login_slug() == "somebody"
    monkeypatch.setattr("getpass.getuser", lambda: "日本")
    assert login_slug() == "somebody"


# --- which ledgers ---


def test_scopes_are_those_that_exist(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The most local first; only the one that an option names."""
    monkeypatch.chdir(tmp_path)
    assert App().scopes() == []
    run("init", "--scope", "user").ok()
    run("init", "--scope", "project").ok()
    assert [one.workspace.place.scope for one in App().scopes()] == ["project", "user"]
    run("init", "--scope", "local").ok()
    assert [one.workspace.place.scope for one in App().scopes()] == ["local", "project", "user"]
    assert [one.workspace.place.scope for one in App(scope="user").scopes()] == ["user"]
    assert App(directory=tmp_path / "none").scopes() == []


def test_the_constants_that_are_written_twice_are_equal(isolated: Path) -> None:
    """So that starting need not import where they belong."""
    assert SCOPES == schema.SCOPES == location.SCOPES
    place, _ = muniment.locate("user")
    assert muniment.MemoryLedger(place, muniment.home()).workspace.chain.name == chain.CHAIN_NAME


# --- databases ---


def failing(name: str) -> sqlite3.DatabaseError:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("SQLITE_BUSY", BusyError),
        ("SQLITE_BUSY_SNAPSHOT", BusyError),
        ("SQLITE_LOCKED", BusyError),
        ("SQLITE_READONLY_DBMOVED", StorageError),
        ("SQLITE_FULL", StorageError),
        ("SQLITE_CANTOPEN", StorageError),
        ("SQLITE_IOERR_READ", StorageError),
    ],
)
def test_a_database_that_is_not_damaged_is_not_thrown_away(
    isolated: Path, name: str, kind: type[Exception]
) -> None:
    """Another process, or the disk, is at fault."""
    with muniment.init() as made:
        made.store(Memory("Use pnpm"))
    app = App(scope="user")
    index = app.memory().workspace.place.directory / INDEX_NAME
    with pytest.raises(kind):
        app.mend_index(failing(name))
    assert index.exists()


def test_a_damaged_index_is_made_again_once(isolated: Path, tmp_path: Path) -> None:
    """Said on stderr; the answer is complete. What is damaged after that is something else."""
    with muniment.init() as made:
        made.store(Memory("Use pnpm"))
    index = made.workspace.place.directory / INDEX_NAME
    data = bytearray(index.read_bytes())
    for page in range(2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    index.write_bytes(data)
    done = run_process("list", cwd=tmp_path).ok()
    assert "Use pnpm" in done.out
    assert len(done.err.splitlines()) <= 1
    app = App(scope="user")
    app.memory()
    app.mend_index(failing("SQLITE_CORRUPT"))
    with pytest.raises(StorageError, match="doctor"):
        app.mend_index(failing("SQLITE_CORRUPT"))


# --- printing ---


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, café, 缓存, 👍🏽", "plain words, café, 缓存, 👍🏽"),
        ("\x1b[31mred\x1b[0m", "<U+001B>[31mred<U+001B>[0m"),
        ("a\x07\x08b", "a<U+0007><U+0008>b"),
        ("a\u202eb\u2066c", "a<U+202E>b<U+2066>c"),
        ("hi\U000e0041", "hi<U+E0041>"),
        ("a\nb\tc", "a b c"),
        ("a\udc80b", "a b"),
        ("\x9b31m", "<U+009B>31m"),
    ],
)
def test_other_peoples_text_commands_no_terminal(text: str, shown: str) -> None:
    """X-8: controls, direction marks and tags are named, lone surrogates spaces; letters of all scripts stay."""
    assert plain(text) == shown


def test_an_id_is_shown_with_twelve_digits() -> None:
    """Any eight can be typed."""
    assert short("0123456789abcdef" * 4) == "0123456789ab"


class Dribble(io.RawIOBase):
    """A stream that takes three bytes at a time."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        part = bytes(memoryview(data)[:3])  # type: ignore[arg-type]
        self.taken += part
        return len(part)


def test_a_stream_that_takes_a_part_gets_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """As unbuffered ones do."""
    raw = Dribble()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii", write_through=True))  # type: ignore[type-var]
    put("caf\xe9 and more\n")
    put(b"\xff\xfe\n")
    assert bytes(raw.taken) == b"caf\\xe9 and more\n\xff\xfe\n"


def test_many_lines_are_printed_in_their_order(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """However they are put together for writing."""
    App().lines(f"line {n}" for n in range(1001))
    App().emit_lines({"n": n} for n in range(401))
    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert lines[:1001] == [f"line {n}" for n in range(1001)]
    assert lines[1001:] == [f'{{"n":{n}}}' for n in range(401)]
