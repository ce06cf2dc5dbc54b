"""muniment verify says four things, and says none of them too early."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

import muniment
from cli import progress
from cli.app import say
from ledger.command import Create
from projections.index import INDEX_NAME
from tests.cli.driver import Result, run, run_process, user_ledger
from tests.ledger.world import flipped, lines_of, overwrite
from tests.observing import observed


@pytest.fixture
def home() -> Path:
    """A user's ledger of three memories, with documents."""
    return user_ledger("Use pnpm, not npm", "Postgres listens on 5433", "Deploy on Mondays")


def _chain(home: Path) -> Path:
    return home / "chain.jsonl"


def _states(result: Result) -> tuple[str, str, str]:
    value = result.json
    return tuple(value[name]["state"] for name in ("integrity", "completeness", "projections"))


def _codes(result: Result) -> list[str]:
    names = ("integrity", "completeness", "projections")
    return [finding["code"] for name in names for finding in result.json[name]["findings"]]


def _everything(home: Path) -> dict[str, tuple[bytes, int]]:
    """Return bytes and inode of all that belongs to the ledger, SQLite's scratch files and local.db aside."""
    return {
        str(path.relative_to(home)): (path.read_bytes(), path.stat().st_ino)
        for path in sorted(home.rglob("*"))
        if path.is_file()
        and not path.name.startswith("local.db")
        and not path.name.endswith(("-wal", "-shm"))
    }


def test_a_sound_ledger_gets_a_sentence_for_each_verdict_and_exit_0(home: Path) -> None:
    """V-1: each verdict has its own."""
    result = run_process("verify").ok()
    assert [line.split()[:2] for line in result.out.splitlines()] == [
        ["integrity", "sound"],
        ["completeness", "sound"],
        ["projections", "sound"],
        ["time", "not"],
    ]
    assert "4 events" in result.out
    assert "@3" in result.out
    assert result.err == ""


def test_only_counts_that_are_not_zero_are_told(home: Path) -> None:
    """X-81, V-50: and only where something is other than present; --json has all five."""
    run("erase", "@1", "--yes").ok()
    assert "  payloads: 2 present, 1 erased\n" in run("verify").ok().out
    counts = run("verify", "--json").ok().json["payloads"]
    assert counts == {"present": 2, "erased": 1, "missing": 0, "altered": 0, "present_after_erase": 0}


def test_json_is_one_document(home: Path) -> None:
    """X-8: and has all that the text says."""
    value = run("verify", "--json").ok().json
    assert value["sound"] is True
    assert value["complete"] is True
    assert (value["events"], value["newest"]["seq"]) == (4, 3)
    assert value["bytes"] == _chain(home).stat().st_size


def test_a_flipped_byte_is_named_with_its_line(home: Path) -> None:
    """V-2: exit 1, and the projections of an unsound chain are not judged."""
    data = _chain(home).read_bytes()
    lines = lines_of(_chain(home))
    overwrite(_chain(home), flipped(data, len(lines[0]) + len(lines[1]) + 30))
    text = run("verify")
    assert text.code == 1
    assert "line 3:" in text.out
    result = run("verify", "--json")
    assert result.code == 1
    assert result.json["sound"] is False
    assert _states(result) == ("findings", "sound", "not checked")
    assert result.json["integrity"]["findings"][0]["line"] == 3


def test_a_cut_tail_is_caught_by_the_mark(home: Path) -> None:
    """A-2: what remains is a good chain, and is not called complete."""
    overwrite(_chain(home), b"".join(lines_of(_chain(home))[:-1]))
    result = run("verify", "--json")
    assert result.code == 1
    assert _states(result)[:2] == ("sound", "findings")
    assert _codes(result) == ["rollback"]


@pytest.mark.parametrize("fault", ["emptied", "missing"])
def test_a_chain_that_is_gone_is_a_finding_where_it_was_known(home: Path, fault: str) -> None:
    """A-2: nothing left is not nothing wrong."""
    if fault == "missing":
        _chain(home).unlink()
    else:
        overwrite(_chain(home), b"")
    result = run("verify", "--json")
    assert result.code == 1
    assert "rollback" in _codes(result)
    assert run("verify").code == 1


def test_where_no_ledger_ever_was_that_is_said(isolated: Path) -> None:
    """X-3: one line, exit code 3."""
    result = run("verify")
    assert (result.code, result.out) == (3, "")
    assert "muniment init" in result.err


def test_without_a_mark_completeness_is_not_checked_and_never_valid(home: Path, isolated: Path) -> None:
    """A-2: the sentence says truncation not checked; nothing says valid."""
    shutil.rmtree(isolated / ".local" / "state" / "muniment" / "marks")
    result = run("verify").ok()
    assert "Truncation not checked" in result.out
    assert "valid" not in result.out
    assert run("verify", "--json").json["complete"] is False


def test_without_a_pin_the_signer_is_unknown(home: Path, isolated: Path) -> None:
    """V-8: a chain agrees with itself; whose it is, nobody here knows."""
    shutil.rmtree(isolated / ".local" / "state" / "muniment")
    assert "self-consistent, signer unknown" in run("verify").ok().out


def test_drift_is_listed_by_file(home: Path) -> None:
    """P-91: an edited document and a missing one."""
    (home / "MEMORY.md").write_text("# Mine\n")
    result = run("verify", "--json")
    assert result.code == 1
    assert _states(result) == ("sound", "sound", "findings")
    assert _codes(result) == ["document-drift"]
    (home / "MEMORY.md").unlink()
    assert _codes(run("verify", "--json")) == ["document-missing"]


@pytest.mark.parametrize("fault", ["damaged", "altered", "missing", "local"])
def test_projections_are_judged_before_anything_mends_them(home: Path, fault: str) -> None:
    """P-92: verify changes no byte, so that what it found can be looked at."""
    if fault == "damaged":
        for path in home.glob("memory.db*"):
            path.unlink()
        (home / "memory.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    elif fault == "altered":
        with closing(sqlite3.connect(home / "memory.db")) as db:
            db.execute("UPDATE memories SET text = 'Use npm' WHERE text LIKE 'Use pnpm%'")
            db.commit()
    elif fault == "missing":
        for path in home.glob("memory.db*"):
            path.unlink()
    else:
        for path in home.glob("local.db*"):
            path.unlink()
        (home / "local.db").write_bytes(b"no database" * 100)
    before = _everything(home)
    result = run("verify", "--json")
    assert result.code == 1
    assert _states(result) == ("sound", "sound", "findings")
    assert _everything(home) == before


def test_a_damaged_ledger_is_not_changed_either(home: Path) -> None:
    """P-92, V-10: torn bytes stay for the next writer to judge."""
    overwrite(_chain(home), _chain(home).read_bytes() + b"torn")
    before = _everything(home)
    assert "A write did not finish" in run("verify").ok().out
    assert _everything(home) == before


def test_an_index_that_another_process_holds_is_no_crash(home: Path) -> None:
    """P-50: verdicts 1 and 2 do not need it."""
    with closing(sqlite3.connect(home / "memory.db", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        result = run("verify", "--json")
    assert result.code == 0
    assert _states(result) == ("sound", "sound", "sound")


def test_a_broken_configuration_does_not_hide_what_the_chain_is(home: Path) -> None:
    """V-1: two verdicts, and why the third is missing."""
    (home / "config.toml").write_text("nonsense = [")
    result = run("verify", "--json").ok()
    assert _states(result) == ("sound", "sound", "not checked")
    assert "config.toml" in result.json["projections"]["sentence"]


# --- options ---


def test_since_mark_checks_only_what_is_new_and_says_so(home: Path) -> None:
    """V-13: it is quick, and no full verification."""
    result = run("verify", "--since-mark").ok()
    assert "since the mark @3" in result.out
    assert "not checked" in result.out


def test_since_mark_needs_a_mark(home: Path, isolated: Path) -> None:
    """X-3: and is refused without one."""
    shutil.rmtree(isolated / ".local" / "state" / "muniment" / "marks")
    assert run("verify", "--since-mark").code == 2


# --- other places ---


def test_a_chain_file_alone_is_compared_with_the_mark_that_is_known(home: Path, tmp_path: Path) -> None:
    """A-2: a copy that was cut is told from a whole one; projections it has none."""
    copy = tmp_path / "copy.jsonl"
    shutil.copy(_chain(home), copy)
    result = run("verify", copy, "--json").ok()
    assert _states(result) == ("sound", "sound", "not checked")
    assert "signed by the ledger's own key" in result.json["integrity"]["sentence"]
    overwrite(copy, b"".join(lines_of(copy)[:-1]))
    assert _codes(run("verify", copy, "--json")) == ["rollback"]
    overwrite(copy, b"")
    assert run("verify", copy).code == 1


def test_a_strangers_chain_agrees_with_itself_at_most(home: Path, tmp_path: Path) -> None:
    """V-8: no pin, no mark: signer unknown, truncation not checked."""
    copy = tmp_path / "copy.jsonl"
    shutil.copy(_chain(home), copy)
    elsewhere = {"MUNIMENT_STATE": str(tmp_path / "no-state")}
    result = run("verify", copy, env=elsewhere)
    assert result.code == 3
    assert result.out.startswith("chain         unknown signer  Anybody can have made it")
    assert "signer unknown" in result.out
    assert "Truncation not checked" in result.out
    shown = run("verify", copy, "--json", env=elsewhere)
    assert (shown.code, shown.json["sound"], shown.json["known"]) == (3, False, False)
    vkey = run("key", "show", "--json").ok().json["vkey"]
    run("verify", copy, "--key", vkey, env=elsewhere).ok()
    folder = tmp_path / "given"
    shutil.copytree(home, folder)
    assert run("verify", folder, env=elsewhere).out.startswith("chain         unknown signer")
    overwrite(copy, lines_of(copy)[0])
    overwrite(copy, copy.read_bytes().replace(b"genesis", b"Genesis"))
    assert run("verify", copy, env=elsewhere).code == 1


def test_our_own_chain_file_is_held_against_its_pin(home: Path) -> None:
    """V-8: also where its first line is gone, so that nothing in it says whose it is."""
    overwrite(_chain(home), b"".join(lines_of(_chain(home))[1:]))
    result = run("verify", _chain(home), "--json")
    assert result.code == 1
    assert result.json["completeness"]["state"] == "findings"


def test_another_ledgers_directory_is_verified_where_it_lies(home: Path, tmp_path: Path) -> None:
    """V-1: without leaving a trace in it."""
    muniment.init(tmp_path / "other").close()
    before = sorted(path.name for path in (tmp_path / "other").iterdir())
    assert "1 event" in run("verify", tmp_path / "other").out
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == before
    assert run("--ledger", home, "verify", tmp_path / "other").code == 2


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%20b", "with space"])
def test_a_directory_may_have_any_name(isolated: Path, tmp_path: Path, name: str) -> None:
    """V-15: SQLite is given addresses, people give paths."""
    run("--ledger", tmp_path / name, "init").ok()
    run("--ledger", tmp_path / name, "add", "one").ok()
    assert "events and 1 document equal" in run("--ledger", tmp_path / name, "verify").ok().out


def test_a_path_that_is_not_there_is_named(home: Path) -> None:
    """X-3: exit code 3."""
    result = run("verify", "nowhere.jsonl")
    assert result.code == 3
    assert "nowhere.jsonl" in result.err
    result = run("verify", "nowhere.proof")
    assert (result.code, result.err) == (3, "muniment: there is no file nowhere.proof\n")


# --- what is noted, what is shown ---


def test_when_it_was_verified_last_is_remembered(home: Path) -> None:
    """P-60: for status; good news of a part alone is not."""
    run("verify", "--since-mark").ok()
    with muniment.open() as memory:
        assert memory.workspace.local.fact("verified") == ""
    run("verify").ok()
    with muniment.open() as memory:
        assert '"sound":true' in memory.workspace.local.fact("verified")
    overwrite(_chain(home), flipped(_chain(home).read_bytes(), 900))
    run("verify", "--since-mark")
    run("verify")
    with muniment.open() as memory:
        assert '"sound":false' in memory.workspace.local.fact("verified")


def test_many_findings_are_capped_in_text_and_whole_in_json(home: Path) -> None:
    """V-2: a person reads the first twenty."""
    line = lines_of(_chain(home))[-1]
    overwrite(_chain(home), _chain(home).read_bytes() + line * 50)
    text = run("verify")
    total = len(run("verify", "--json").json["integrity"]["findings"])
    assert total > 20
    assert f"and {total - 20} more" in text.out
    assert len(text.out.splitlines()) < 30


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_long_check_shows_how_far_it_is_and_clears_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """X-9: on stderr, and only once it has taken two seconds."""
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    stderr = _Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    with progress.ProgressBar("verifying") as bar:
        clock[0] += 1.9
        bar(1, 4)
        assert stderr.getvalue() == ""
        clock[0] += 0.2
        bar(2, 4)
        assert " 50%" in stderr.getvalue()
        say("a note")
        assert stderr.getvalue().endswith("\r\x1b[Ka note\n")
        clock[0] += 1
        bar(1200, 0)
        assert stderr.getvalue().endswith("verifying 1,200")
    assert stderr.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("what", "command"),
    [
        ("building the index", ("list",)),
        ("verifying", ("verify",)),
        ("importing", ("import", "note.md")),
        ("reading turns", ("capture", "talk.json")),
        ("looking for copies", ("erase", "@1", "--yes")),
    ],
)
def test_whatever_takes_long_shows_how_far_it_is(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, command: tuple[str, ...]
) -> None:
    """X-9: the bar is drawn at a terminal, and gone at the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    (tmp_path / "note.md").write_text("- Tabs, not spaces\n")
    (tmp_path / "talk.json").write_text('[{"role": "user", "content": "We always use tabs."}]')
    for path in home.glob(f"{INDEX_NAME}*"):
        path.unlink()
    shown = run(*command, terminal=True)
    assert shown.code in (0, 1)
    assert f"\r\x1b[K{what} " in shown.err
    assert f"{what} " not in shown.err.rpartition("\r\x1b[K")[2]
    assert what not in run(*command).err


def test_a_pipe_gets_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """X-9: stderr of a script stays readable."""
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    stderr = io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    with progress.ProgressBar("verifying") as bar:
        clock[0] += 2
        bar(2, 4)
    assert stderr.getvalue() == ""


def test_a_ledger_that_nobody_may_write_to_can_be_verified(home: Path) -> None:
    """P-92: reading is enough."""
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    for path in (*home.rglob("*"), home):
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        assert _states(run("verify", "--json"))[:2] == ("sound", "sound")
    finally:
        for path in (home, *home.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)


def test_an_add_in_the_middle_of_a_long_look_is_no_damage(home: Path) -> None:
    """V-21: of a ledger that is verified in parallel; each time an index is made anew for it, somebody adds."""
    with muniment.open(scope="user") as memory:
        memory.write(
            [Create(muniment.Memory(f"fact {number}", topic=f"t/{number % 7}")) for number in range(700)]
        )
    assert _chain(home).stat().st_size > 256_000
    seen: list[str] = []

    def add(step: str) -> None:
        if step == "index.begun":
            seen.append(run_process("add", f"meanwhile {len(seen)}", "--topic", "t/0").ok().id)

    with observed(add):
        found = run("verify")
    assert len(seen) >= 2
    assert found.code == 0, found.out
    run("verify").ok()
    assert set(seen) <= {row["id"][:12] for row in run("list", "--json", "--limit", "800").ok().json_lines}
