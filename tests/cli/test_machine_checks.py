"""Each check of the machine finds its fault, and names what mends it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import muniment
from cli import machine_checks
from cli.examined_ledger import ADVICE, FAULT, OK, Diagnosis, LedgerCheck, Patient
from cli.ledger_checks import check_documents
from ledger.location import PROJECT_FILE, PROJECT_FOLDER
from muniment import Memory, MemoryLedger
from tests.cli.driver import run


@pytest.fixture
def patient(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A user's ledger with one memory, seen from an empty folder."""
    made = muniment.init()
    made.store(Memory("Use pnpm"))
    monkeypatch.chdir(tmp_path)
    return Patient(made)


def one(check: LedgerCheck, patient: Patient) -> Diagnosis:
    (found,) = check(patient)
    return found


def test_a_folder_for_documents_that_is_not_there_is_a_fault(patient: Patient, tmp_path: Path) -> None:
    """G-62: the log goes on, and nobody would notice."""
    (patient.directory / "config.toml").write_text(f"[render]\nmemory = '{tmp_path / 'gone'}'\n")
    patient.memory = muniment.open(scope="user")
    found = one(machine_checks.check_configuration, patient)
    assert (found.level, "is not a folder: create it" in found.message) == (FAULT, True)


def test_where_the_folder_went_nothing_is_advised_for_its_documents(patient: Patient, tmp_path: Path) -> None:
    """G-62: a replay would be refused, and nothing was deleted."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (patient.directory / "config.toml").write_text(f"[render]\nmemory = '{folder}'\n")
    patient.memory = muniment.open(scope="user")
    patient.memory.store(Memory("Use pnpm"))
    shutil.rmtree(folder)
    found = one(check_documents, patient)
    assert (found.level, found.mend) == (ADVICE, "fix the configuration first")
    shown = run("status", "--scope", "user").ok().out
    assert "is not a folder: create it" in shown
    assert "replay" not in shown


def test_a_writer_at_work_is_no_fault(patient: Patient) -> None:
    """Its lock is what we want to see."""
    with patient.memory.workspace.ledger.chain.locked():
        found = one(machine_checks.check_locks, patient)
    assert (found.level, "is writing" in found.message) == (OK, True)


@pytest.mark.parametrize(
    ("mode", "level", "word"),
    [(0o700, OK, "alone"), (0o755, ADVICE, "can read"), (0o777, FAULT, "can write")],
)
def test_a_home_that_is_open_to_others(patient: Patient, mode: int, level: str, word: str) -> None:
    """Reading is a matter of taste, writing a fault."""
    for path in (patient.memory.workspace.home.path, patient.memory.workspace.home.state):
        path.chmod(mode)
    found = list(machine_checks.check_permissions(patient))
    assert {each.level for each in found} == {level}
    assert all(word in each.message for each in found)
    assert all(each.mend.startswith("chmod 700 ") for each in found if level != OK)


def test_a_key_that_others_can_read_is_a_fault(patient: Patient) -> None:
    """So is the next one."""
    for path in (patient.memory.workspace.home.path, patient.memory.workspace.home.state):
        path.chmod(0o700)
    for key in patient.memory.workspace.home.keys.iterdir():
        key.chmod(0o640)
    found = list(machine_checks.check_permissions(patient))
    assert [(each.level, each.mend.split()[:2]) for each in found] == [(FAULT, ["chmod", "600"])] * 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_folder_of_another_user_is_a_fault(patient: Patient) -> None:
    """As sudo leaves one behind."""
    os.chown(patient.memory.workspace.home.keys, 12345, -1)
    found = [each for each in machine_checks.check_permissions(patient) if each.level == FAULT]
    assert ["uid 12345" in each.message for each in found] == [True]


def test_a_configuration_that_says_what_it_may_not(patient: Patient) -> None:
    """The message names file and key."""
    assert one(machine_checks.check_configuration, patient).level == OK
    (patient.memory.workspace.home.path / "config.toml").write_text("max_lines_per_file = 'many'\n")
    fresh = Patient(MemoryLedger(patient.memory.workspace.place, patient.memory.workspace.home))
    found = one(machine_checks.check_configuration, fresh)
    assert (found.level, "max_lines_per_file" in found.message) == (FAULT, True)


def test_a_project_that_is_not_bound(patient: Patient, tmp_path: Path) -> None:
    """A clone of someone's, or of one's own on another machine."""
    assert one(machine_checks.check_project, patient).level == OK
    file = tmp_path / PROJECT_FOLDER / PROJECT_FILE
    file.parent.mkdir()
    file.write_text(f'id = "{"a" * 32}"\n')
    found = one(machine_checks.check_project, patient)
    assert (found.level, "muniment init" in found.mend) == (ADVICE, True)
    file.write_text("id = 7\n")
    assert one(machine_checks.check_project, patient).level == FAULT


def test_what_was_left_behind_is_named(patient: Patient) -> None:
    """Torn bytes, and temporary files of processes that are gone."""
    assert [each.level for each in machine_checks.check_left_overs(patient)] == [OK]
    torn = patient.directory / "chain.jsonl.torn-20261120T000000"
    dead = patient.directory / ".MEMORY.md.99999999-0.tmp"
    alive = patient.directory / f".MEMORY.md.{os.getppid()}-0.tmp"
    other = patient.directory / ".something.tmp"
    for path in (torn, dead, alive, other):
        path.write_bytes(b"x")
    found = list(machine_checks.check_left_overs(patient))
    assert [(each.level, each.check) for each in found] == [(ADVICE, "set aside"), (ADVICE, "temporary")]
    assert str(torn) in found[0].message
    assert found[1].message == f"{dead} was left by a process that died, and may hold what you saved"
