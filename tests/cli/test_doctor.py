"""muniment doctor tells faults from advice, and says how each is mended."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli import hook_checks, ledger_checks, machine_checks, prompt_checks
from cli.commands.doctor import CHECKS
from muniment import Memory, MemoryLedger
from tests.cli.driver import run, run_process


@pytest.fixture
def memory(memory: MemoryLedger) -> MemoryLedger:
    """The same with one memory."""
    memory.store(Memory("Use pnpm"))
    return memory


def test_a_process_finds_a_fresh_ledger_without_fault(memory: MemoryLedger) -> None:
    """Exit code 0; the next key beside the key is advice."""
    done = run_process("doctor").ok()
    lines = done.out.splitlines()
    assert any(line.startswith("advice  next key  ") for line in lines)
    assert not any(line.startswith("fault ") for line in lines)
    assert lines[-1].startswith("0 faults, ")
    assert done.err == ""


def test_json_is_one_list(memory: MemoryLedger) -> None:
    """Each with what was checked, whether it is no fault, how grave it is, what it is, and what mends it."""
    found = run("doctor", "--json").ok().json
    assert all(list(each) == ["ok", "check", "level", "message", "mend"] for each in found)
    assert all(each["ok"] for each in found)
    assert {each["level"] for each in found} <= {"ok", "advice"}
    assert all(bool(each["mend"]) == (each["level"] != "ok") for each in found)


def test_a_fault_is_exit_code_1(memory: MemoryLedger) -> None:
    """With the command that mends it on the next line."""
    data = memory.workspace.chain.read_bytes()
    memory.workspace.chain.write_bytes(data[: data.index(b"\n") + 1])
    done = run_process("doctor")
    assert done.code == 1
    at = next(number for number, line in enumerate(done.out.splitlines()) if line.startswith("fault "))
    assert "-> muniment recover" in done.out.splitlines()[at + 1]
    assert done.out.splitlines()[-1].startswith("1 fault, ")
    faults = [each for each in run("doctor", "--json").json if not each["ok"]]
    assert [each["check"] for each in faults] == ["chain"]


@pytest.mark.no_scripts
def test_without_a_ledger_there_is_only_advice(isolated: Path, tmp_path: Path) -> None:
    """The machine is looked at all the same."""
    done = run("doctor", "--json", cwd=tmp_path).ok()
    assert {"check": "ledger", "level": "advice", "mend": "muniment init"}.items() <= next(
        each for each in done.json if each["check"] == "ledger"
    ).items()
    assert not (isolated / ".muniment").exists()


def test_nothing_is_changed(memory: MemoryLedger) -> None:
    """Neither chain, keys, marks nor documents."""
    run("doctor").ok()
    roots = (memory.workspace.place.directory, memory.workspace.home.state)
    files = [path for root in roots for path in root.rglob("*") if path.is_file() and ".db" not in path.name]
    before = {path: path.read_bytes() for path in files}
    assert len(before) > 5
    run("doctor").ok()
    assert {path: path.read_bytes() for path in files} == before


def test_every_check_is_run() -> None:
    """A check that nobody lists would look at nothing."""
    defined = {
        function
        for module in (machine_checks, ledger_checks, prompt_checks, hook_checks)
        for name, function in vars(module).items()
        if name.startswith("check_")
    }
    assert set(CHECKS) == defined
    assert len(CHECKS) == len(defined)
