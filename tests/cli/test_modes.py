"""Files and folders that may not be read or written: readers answer all the same, and what is wrong is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from ledger.instant import system_clock
from tests.cli.driver import run
from tests.cli.unprivileged import needs_modes, run_unprivileged

READERS = [
    ("list",),
    ("show", "@1"),
    ("search", "port"),
    ("inject",),
    ("export",),
    ("status",),
    ("stats",),
    ("show", "--history", "@1"),
    ("log",),
]


@pytest.fixture
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's ledger with two memories, one of them archived, whose modes are set back in the end."""
    needs_modes(tmp_path)
    monkeypatch.chdir(tmp_path)
    with muniment.init() as memory:
        memory.store(muniment.Memory("The port is 5433"))
        hidden = memory.store(muniment.Memory("The old port is 8080")).id
        memory.workspace.local.archive({hidden: "unused"}, system_clock())
    home = isolated / ".muniment"
    yield home
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def uses() -> dict[str, int]:
    with muniment.open() as memory:
        return memory.workspace.local.uses()


def test_a_ledger_that_cannot_be_written_can_be_read(ledger: Path) -> None:
    """P-61, P-62: the folder is read-only; archive marks are read, no use is counted, and one note says so."""
    showing_first = sorted(
        READERS, key=lambda command: command[0] != "inject"
    )  # show says what inject showed
    expected = {command: run(*command).ok().out for command in showing_first}
    before = uses()
    for path in ledger.glob("*.db*"):
        path.chmod(0o400)
    ledger.chmod(0o500)
    for command in READERS:
        done = run_unprivileged(*command)
        assert done.code == 0, done.err
        if command != ("status",):
            assert done.out == expected[command]
        if command != ("log",):
            assert done.err.count("local.db") == 1, done.err
        assert "old port" not in done.out or command[0] in ("log", "export")
    ledger.chmod(0o700)
    for path in ledger.glob("*.db*"):
        path.chmod(0o600)
    assert uses() == before


def test_without_the_local_state_there_are_no_archive_marks(ledger: Path) -> None:
    """P-61: local.db is unreadable."""
    (ledger / "local.db").chmod(0)
    for command in READERS:
        done = run_unprivileged(*command)
        assert done.code == 0, done.err
        if command[0] in ("list", "search", "inject"):
            assert "old port" in done.out
        if command[0] not in ("log", "inject"):
            assert "archive marks are not known" in done.err
            assert len(done.err.splitlines()) == 1


def test_a_write_beside_an_unreadable_local_state_is_stored_and_no_document_is_touched(ledger: Path) -> None:
    before = (ledger / "MEMORY.md").read_bytes()
    (ledger / "local.db").chmod(0)
    done = run_unprivileged("add", "learned now")
    assert done.code == 0, done.err
    assert "was not rewritten" in done.err
    assert "Your text" not in done.err
    assert (ledger / "MEMORY.md").read_bytes() == before


def test_texts_that_wait_are_found_where_the_index_cannot_be_written(ledger: Path) -> None:
    """P-51: the full text is behind, and must not be silently wrong."""
    (ledger / "memory.db").chmod(0o400)
    assert "The port is 5433" in run_unprivileged("search", "port").ok().out
    assert "The port is 5433" in run_unprivileged("search", "por").ok().out


@pytest.mark.parametrize(("name", "mode"), [("memory.db", 0o400), ("local.db", 0o400), ("local.db", 0)])
def test_doctor_names_a_database_that_cannot_be_written(ledger: Path, name: str, mode: int) -> None:
    """X-56, and `erase`, which needs it, is refused before anything is done."""
    run("search", "port").ok()
    (ledger / name).chmod(mode)
    done = run_unprivileged("doctor")
    assert done.code == 1
    assert f"{ledger / name} cannot be" in done.out
    assert f"chmod 600 {ledger / name}" in done.out
    if name == "local.db":
        refused = run_unprivileged("erase", "@1", "--yes")
        assert (refused.code, "muniment doctor" in refused.err) == (9, True)


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        (".", 0),
        ("chain.jsonl", 0),
        ("local.db", 0),
        ("config.toml", 0),
        ("keys", 0),
        ("MEMORY.md", 0),
    ],
)
def test_status_and_doctor_name_what_they_cannot_read(ledger: Path, name: str, mode: int) -> None:
    """X-54, X-62: neither aborts."""
    (ledger / "config.toml").write_text("")
    (ledger / "config.toml").chmod(0o600)
    (ledger / name).chmod(mode)
    doctor = run_unprivileged("doctor")
    assert doctor.code in (0, 1), doctor.err
    assert doctor.out.splitlines()[-1].endswith(("advice", "all is well"))
    if name != "MEMORY.md":
        assert doctor.code == 1
    assert str(ledger if name == "." else name) in doctor.out
    status = run_unprivileged("status")
    assert status.code == 0, status.err
    assert run_unprivileged("status", "--json").code == 0
    if name in ("chain.jsonl", "local.db", "config.toml", "MEMORY.md"):
        assert name in status.out


def test_a_key_that_may_not_be_read_is_not_said_to_be_lost(ledger: Path) -> None:
    (ledger / "keys").chmod(0)
    done = run_unprivileged("add", "two")
    assert done.code == 8
    assert "Permission denied" in done.err
    assert "bring it back" not in done.err
    found = run_unprivileged("doctor", "--json").json
    (key,) = [each for each in found if each["check"] == "key"]
    assert "bring" not in key["message"] + key["mend"]
    assert "chmod" in key["mend"]


def test_a_document_that_cannot_be_read_is_not_said_to_hold_the_text(ledger: Path) -> None:
    """X-31."""
    (ledger / "MEMORY.md").chmod(0)
    done = run_unprivileged("erase", "@1", "--yes")
    assert done.code == 1
    assert f"{ledger / 'MEMORY.md'} cannot be read (Permission denied)" in done.err
    assert "MEMORY.md holds it" not in done.err
    assert "Your text is safe there" not in done.err


@pytest.mark.parametrize("mode", [0, "above"])
def test_a_closed_folder_of_documents_stops_neither_log_nor_hook(
    ledger: Path, tmp_path: Path, mode: int | str
) -> None:
    """G-62: the folder that [render] names cannot be looked into; what was learned is acknowledged."""
    folder = tmp_path / "above" / "shared"
    folder.mkdir(parents=True)
    (ledger / "config.toml").write_text(f"[render]\nmemory = '{folder}'\n")
    run("add", "Before it was closed").ok()
    closed = folder.parent if isinstance(mode, str) else folder
    closed.chmod(0 if isinstance(mode, str) else mode)
    try:
        done = run_unprivileged("add", "Learned all the same")
        assert (done.code, len(done.out.split())) == (0, 1), done.err
        assert "cannot be listed (permission denied): make it readable" in done.err
        assert "cannot be listed" in run_unprivileged("status").ok().out
        examined = run_unprivileged("doctor")
        assert "cannot be listed" in examined.out
        assert "Errno" not in examined.out
        assert run_unprivileged("adopt").code == 9
    finally:
        closed.chmod(0o700)
    run("adopt").ok()
    assert "- Learned all the same" in (folder / "MEMORY.md").read_text()


def test_a_read_only_folder_that_has_no_mark_yet_is_told_by_all_commands(
    ledger: Path, tmp_path: Path
) -> None:
    """G-62: no document can lie there; status alone said so."""
    folder = tmp_path / "shared"
    folder.mkdir()
    run("add", "Before").ok()
    (ledger / "config.toml").write_text(f"[render]\nmemory = '{folder}'\n")
    folder.chmod(0o500)
    try:
        said = "cannot be written: make it writable, or correct the setting"
        assert said in run_unprivileged("add", "Learned all the same").err
        for command in ("status", "doctor", "verify"):
            assert said in run_unprivileged(command).out, command
        assert "- Before" in (ledger / "MEMORY.md").read_text()
    finally:
        folder.chmod(0o700)
    run("adopt").ok()
    assert "- Learned all the same" in (folder / "MEMORY.md").read_text()
    assert "cannot be written" not in run("doctor").out


def test_a_folder_that_became_read_only_is_a_fault(ledger: Path, tmp_path: Path) -> None:
    """X-56: its documents stand as they were written, and will not show what comes."""
    folder = tmp_path / "shared"
    folder.mkdir()
    (ledger / "config.toml").write_text(f"[render]\nmemory = '{folder}'\n")
    run("add", "Before").ok()
    folder.chmod(0o500)
    try:
        done = run_unprivileged("doctor")
    finally:
        folder.chmod(0o700)
    assert (done.code, f"{folder} cannot be written" in done.out) == (1, True)
