"""What commands do where there is no ledger: one line (X-1), and no file (K-273)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import run
from tests.cli.unprivileged import needs_modes, run_unprivileged

REPORT = b'{"agent": "a", "task": "t", "output": "The router lives in `src/router.py`."}'
COMMANDS = (
    ("curate",),
    ("curate", "--if-due"),
    ("upkeep", "run", "--if-due"),
    ("curate", "--dry-run"),
    ("checkpoint",),
    ("checkpoint", "--dry-run"),
    ("extract",),
    ("extract", "--dry-run"),
    ("upkeep", "retry"),
    ("upkeep", "retry", "--list"),
    ("capture", "talk.jsonl"),
    ("capture", "--dry-run", "talk.jsonl"),
    ("capture", "--project"),
)


@pytest.fixture(autouse=True)
def _folder(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("talk.jsonl").write_text('{"role": "user", "content": "I prefer tabs"}\n')


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_folder_without_a_ledger_stays_as_it_is(command: tuple[str, ...], tmp_path: Path) -> None:
    """K-273: and one that does not exist is not made."""
    (tmp_path / "empty").mkdir()
    for name in ("empty", "nowhere"):
        done = run(*command, "--ledger", tmp_path / name, input=REPORT)
        chain = tmp_path / name / "chain.jsonl"
        told = f"muniment: there is no chain at {chain}: check the path, or run muniment init to create a ledger\n"
        assert (done.code, done.out, done.err) == (3, "", told)
    assert not list((tmp_path / "empty").iterdir())
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "command",
    [
        *("add x", "list", "status", "search one", "import talk.jsonl", "export", "review --json", "adopt"),
        *("replay", "backup b", "archive unused"),
    ],
)
def test_before_there_is_a_ledger_one_line_says_so(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-1, X-3."""
    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path / "nowhere"))
    done = run(*command.split())
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1), done.err
    assert "run muniment init to create" in done.err
    assert not Path("b").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_file_is_no_ledger(command: tuple[str, ...]) -> None:
    """K-273."""
    done = run(*command, "--ledger", "talk.jsonl", input=REPORT)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "'talk.jsonl' is a file" in done.err


@pytest.fixture
def shut(tmp_path: Path) -> Path:
    """A ledger that is to be closed."""
    needs_modes(tmp_path)
    run("init", "--ledger", tmp_path / "shut").ok()
    return tmp_path / "shut"


def test_a_ledger_that_may_not_be_entered_is_named(shut: Path) -> None:
    """K-273."""
    before = sorted(shut.iterdir())
    shut.chmod(0o000)
    found = {command: run_unprivileged(*command, "--ledger", shut, input=REPORT) for command in COMMANDS}
    shut.chmod(0o700)
    for command, done in found.items():
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), command
        assert "is not readable" in done.err, command
    assert sorted(shut.iterdir()) == before


def test_a_chain_that_may_not_be_read_is_named(shut: Path) -> None:
    """K-273: what `capture` learns waits in the outbox instead (K-73)."""
    (shut / "chain.jsonl").chmod(0o000)
    told = f"muniment: opening the chain failed: permission denied ({shut / 'chain.jsonl'}); see muniment doctor\n"
    for command in COMMANDS:
        if command[0] in ("curate", "checkpoint", "extract"):
            done = run_unprivileged(*command, "--ledger", shut, input=REPORT)
            assert (done.code, done.out, done.err) == (9, "", told), command
