"""muniment gc hides rows and never touches the log."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from ledger.instant import DAY, system_clock
from tests.cli.driver import run, run_process
from tests.ledger.world import run_child


@pytest.fixture
def home(isolated: Path) -> Path:
    """A user's ledger of three memories that were learned forty days ago; one of them is worth nothing."""
    muniment.init().close()
    place, _ = muniment.locate()
    then = system_clock() - 40 * DAY
    with muniment.MemoryLedger(place, muniment.home(), clock=lambda: then) as memory:
        memory.store(muniment.Memory("seen once in a log", source="auto", importance="low"))
        memory.store(muniment.Memory("written by hand", importance="low"))
        memory.store(muniment.Memory("matters", source="auto", importance="critical"))
    return isolated / ".muniment"


def test_it_prints_what_and_why_and_how_many_stay(home: Path) -> None:
    """P-73: one memory, its reason, a summary."""
    result = run_process("archive", "unused").ok()
    lines = result.out.splitlines()
    assert lines[0].endswith("seen once in a log")
    assert "below 0.2 and older than 30 days" in lines[1]
    assert lines[2:] == ["1 archived, 2 kept"]
    assert "archive restore" in result.err


def test_a_dry_run_hides_nothing(home: Path) -> None:
    """P-71: it only says."""
    assert "1 would be archived, 2 kept" in run("archive", "unused", "--dry-run").ok().out
    assert "seen once" in run("list").out


def test_what_is_archived_is_hidden_and_comes_back(home: Path) -> None:
    """P-62: from list and search; documents do not know it."""
    document = (home / "MEMORY.md").read_bytes()
    (archived,) = run("archive", "unused", "--json").ok().json["archived"]
    assert archived["text"] == "seen once in a log"
    assert archived["age_days"] == pytest.approx(40, abs=0.1)
    assert "seen once" not in run("list").out
    assert "seen once" in run("list", "--archived").out
    assert (home / "MEMORY.md").read_bytes() == document
    assert run("verify").code == 0
    run("archive", "restore", archived["id"]).ok()
    assert "seen once" in run("list").out


def test_twice_is_the_same_as_once(home: Path) -> None:
    """P-71: what is hidden is not judged again."""
    run("archive", "unused").ok()
    assert run("archive", "unused").ok().out == "0 archived, 2 kept\n"


def test_the_configuration_decides(home: Path) -> None:
    """F-9: threshold and age."""
    (home / "config.toml").write_text("[gc]\nmax_age_days = 90\n")
    assert "0 archived, 3 kept" in run("archive", "unused").ok().out


def test_the_chain_keeps_its_bytes_its_inode_and_its_time(home: Path) -> None:
    """P-71: also where nobody could write to it."""
    chain = home / "chain.jsonl"
    chain.chmod(0o400)
    before = (chain.read_bytes(), chain.stat().st_ino, chain.stat().st_mtime_ns)
    run("archive", "unused").ok()
    run("archive", "restore", run("archive", "unused", "--json").json["archived"] or _archived(home)).ok()
    assert (chain.read_bytes(), chain.stat().st_ino, chain.stat().st_mtime_ns) == before


def _archived(home: Path) -> str:
    with muniment.open() as memory:
        return next(iter(memory.workspace.local.archived()))


_WATCHED = """
import os, sys
opened = []
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        if os.fsdecode(arguments[0]).endswith("chain.jsonl"):
            opened.append((arguments[1], arguments[2]))
sys.addaudithook(watch)
from cli.main import run
code = run(sys.argv[1:])
print(opened, file=sys.stderr)
writing = [flags for _, flags in opened if flags & (os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_CREAT)]
sys.exit(3 if writing else 4 if not opened else code)
"""


@pytest.mark.parametrize(
    "command",
    [("archive", "unused"), ("archive", "unused", "--dry-run"), ("verify",), ("replay",), ("list",)],
)
def test_reading_commands_never_open_the_chain_for_writing(home: Path, command: tuple[str, ...]) -> None:
    """P-71: Python itself tells of every file that is opened, and how."""
    done = run_child(_WATCHED, *command, check=False)
    assert done.returncode == 0, done.stderr


def test_a_writing_command_does_open_it_for_writing(home: Path) -> None:
    """The test above can fail."""
    assert run_child(_WATCHED, "add", "three", check=False).returncode == 3
