"""Each check of the machine finds its fault, and names what mends it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import muniment
from cli import machine_checks
from cli.examined_ledger import ADVICE, FAULT, OK, Check, Diagnosis, Patient
from cli.ledger_checks import check_documents
from ledger.location import PROJECT_FILE, PROJECT_FOLDER
from muniment import Memory, MemoryLedger
from specs.vectors.hostile_cases import ORDER_8, signer
from tests.cli.driver import run


@pytest.fixture
def patient(isolated: Path, tmp_path: Path) -> Patient:
    """A user's ledger with one memory, on a machine without mounts, seen from an empty folder."""
    made = muniment.init()
    made.store(Memory("Use pnpm"))
    return Patient(made, start=tmp_path, mounts=tmp_path / "mounts")


def one(check: Check, patient: Patient) -> Diagnosis:
    (found,) = check(patient)
    return found


def test_a_platform_without_flock_is_refused(patient: Patient) -> None:
    """It names WSL."""
    patient.system = "win32"
    found = one(machine_checks.check_platform, patient)
    assert (found.level, "WSL" in found.mend) == (FAULT, True)


def test_an_old_python_is_refused(patient: Patient) -> None:
    """3.11 is the oldest."""
    patient.python = (3, 10, 4)
    found = one(machine_checks.check_platform, patient)
    assert (found.level, "3.10.4" in found.message) == (FAULT, True)
    patient.python = (3, 11, 0)
    assert one(machine_checks.check_platform, patient).level == OK


def mount(patient: Patient, *lines: str) -> None:
    patient.mounts.write_text("".join(f"{line} rw 0 0\n" for line in ("/dev/sda1 / ext4", *lines)))


@pytest.mark.parametrize(
    ("kind", "level"), [("nfs4", FAULT), ("fuse.sshfs", FAULT), ("cifs", FAULT), ("ext4", OK), ("btrfs", OK)]
)
def test_a_shared_disk_is_named(patient: Patient, kind: str, level: str) -> None:
    """The longest mount point above the ledger decides."""
    home = patient.directory.parent
    mount(patient, f"server:/x {home} {kind}", f"tmpfs {home}-other nfs", "none /proc proc")
    found = one(machine_checks.check_locks, patient)
    assert (found.level, kind in found.message) == (level, True)


def test_a_mount_point_with_a_space_is_understood(patient: Patient, tmp_path: Path) -> None:
    """The table writes it as an octal escape."""
    folder = tmp_path / "my disk"
    mount(patient, f"server:/x {str(folder).replace(' ', chr(92) + '040')} nfs")
    assert patient.mount_type(folder / "ledger") == "nfs"
    assert patient.mount_type(tmp_path) == "ext4"


def test_without_a_table_of_mounts_locks_are_still_tried(patient: Patient) -> None:
    """As on macOS."""
    found = one(machine_checks.check_locks, patient)
    assert (found.level, "flock works" in found.message) == (OK, True)


def test_a_folder_for_documents_that_is_not_there_is_a_fault(patient: Patient, tmp_path: Path) -> None:
    """G-62: the log goes on, and nobody would notice."""
    (patient.directory / "config.toml").write_text(f"[render]\nmemory = '{tmp_path / 'gone'}'\n")
    patient.memory = muniment.open(scope="user")
    found = one(machine_checks.check_configuration, patient)
    assert (found.level, "is no folder: make it" in found.message) == (FAULT, True)


def test_where_the_folder_went_nothing_is_advised_for_its_documents(patient: Patient, tmp_path: Path) -> None:
    """G-62: a replay would be refused, and nothing was deleted."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (patient.directory / "config.toml").write_text(f"[render]\nmemory = '{folder}'\n")
    patient.memory = muniment.open(scope="user")
    patient.memory.store(Memory("Use pnpm"))
    shutil.rmtree(folder)
    found = one(check_documents, patient)
    assert (found.level, found.mend) == (ADVICE, "mend the configuration first")
    shown = run("status", "--scope", "user").ok().out
    assert "is no folder: make it" in shown
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
    assert found[1].mend == f"rm {dead}"


def test_what_came_out_of_a_documents_place_is_named_and_not_to_be_removed_unread(patient: Patient) -> None:
    """X-55, P-82: on a full disk nothing may know of it; it may be what a person saved last."""
    folder = patient.memory.workspace.place.documents / "memories" / "cli"
    folder.mkdir(parents=True)
    dead = folder / ".tools.md.99999999-0.out"
    alive = folder / f".tools.md.{os.getppid()}-0.out"
    for path in (dead, alive, folder / ".something.out"):
        path.write_bytes(b"x")
    found = one(machine_checks.check_left_overs, patient)
    assert (found.level, found.check) == (ADVICE, "taken out")
    assert found.message == f"{dead} was left by a process that died, and may hold what you saved in tools.md"
    assert found.mend == f"compare it with {folder / 'tools.md'}, then move it there or delete it"


def test_a_library_with_another_rule_for_signatures_is_named(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E-10: the signature that is tried is one that only a verifier with the cofactor takes."""
    assert one(machine_checks.check_signatures, patient).level == OK
    key, text, signature = machine_checks.MIXED_ORDER
    assert signer(bytes.fromhex(key), part=ORDER_8)(text).hex() == signature
    monkeypatch.setattr(machine_checks, "verify_signature", lambda *_: True)
    found = one(machine_checks.check_signatures, patient)
    assert (found.level, "PyNaCl" in found.message, "1.6" in found.mend) == (FAULT, True, True)
