"""Each check of a ledger finds its fault, and names what mends it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import muniment
from cli import ledger_checks
from cli.examined_ledger import ADVICE, FAULT, OK, Diagnosis, LedgerCheck, Patient
from cli.remedies import BEGINNING, GONE, REMEDIES
from ledger.mark import Pin, StateDirectory
from muniment import Memory, MemoryLedger
from projections.index import INDEX_NAME
from projections.local import LOCAL_NAME
from projections.vectors.embedder import Choice
from tests.projections.vectors.topics import Topics


@pytest.fixture
def memory(isolated: Path) -> MemoryLedger:
    """A user's ledger with two memories, nothing open."""
    made = muniment.init()
    made.store(Memory("Use pnpm"))
    made.store(Memory("Auth", topic="code/auth"))
    made.close()
    return made


def examined(memory: MemoryLedger, check: LedgerCheck) -> list[Diagnosis]:
    """Return what a check finds in a ledger that was just opened."""
    with MemoryLedger(memory.workspace.place, memory.workspace.home, clock=memory.workspace.clock) as opened:
        return list(check(Patient(opened)))


def one(memory: MemoryLedger, check: LedgerCheck, name: str = "") -> Diagnosis:
    """Return the one thing that a check finds, of those with a name."""
    (found,) = [each for each in examined(memory, check) if name in ("", each.check)]
    return found


def keys(memory: MemoryLedger) -> list[Path]:
    return sorted(memory.workspace.home.keys.iterdir())


ALL: tuple[LedgerCheck, ...] = tuple(
    function for name, function in vars(ledger_checks).items() if name.startswith("check_")
)


def test_a_sound_ledger_has_no_fault(memory: MemoryLedger) -> None:
    """Whatever is looked at; one piece of advice is on the next key."""
    found = [each for check in ALL for each in examined(memory, check)]
    assert [each for each in found if each.level == FAULT] == []
    advised = [each.check for each in found if each.level == ADVICE]
    assert [name for name in advised if name != "vectors"] == ["next key"]  # whatever is installed


@pytest.mark.no_scripts
def test_where_nothing_is_there_is_nothing_to_find(isolated: Path) -> None:
    """No check stumbles over a ledger that was never founded."""
    place, _ = muniment.locate()
    empty = MemoryLedger(place, muniment.home())
    found = [each for check in ALL for each in check(Patient(empty))]
    assert [(each.check, each.level) for each in found] == [("ledger", ADVICE)]


def test_a_chain_that_is_gone(memory: MemoryLedger) -> None:
    """Where a ledger was founded, init would be wrong."""
    memory.workspace.chain.unlink()
    found = one(memory, ledger_checks.check_ledger)
    assert (found.level, found.mend) == (FAULT, GONE)
    assert one(memory, ledger_checks.check_chain).level == FAULT


def test_a_pin_that_is_missing_or_another_chains(memory: MemoryLedger) -> None:
    """Missing is advice; another genesis is a fault."""
    (pin,) = (memory.workspace.home.state / "pins").iterdir()
    before = pin.read_bytes()
    pin.unlink()
    assert one(memory, ledger_checks.check_pin, "pin").level == ADVICE
    pin.write_bytes(before)
    StateDirectory(memory.workspace.home.state).pin(
        memory.workspace.place.directory, Pin(memory.workspace.ledger.identity.id, "0" * 64)
    )
    found = one(memory, ledger_checks.check_pin, "pin")
    assert (found.level, "another chain" in found.message) == (FAULT, True)
    assert found.mend == REMEDIES["foreign-chain"]


def test_a_mark_that_is_missing_or_another_chains(memory: MemoryLedger, isolated: Path) -> None:
    """Missing where something was acknowledged is a fault, for a tail may have been cut off with it; so is another chain's."""
    (mark,) = (memory.workspace.home.state / "marks").iterdir()
    memory.workspace.chain.rename(memory.workspace.chain.with_name("kept"))
    other = muniment.init(isolated / "other")
    shutil.copy(other.workspace.chain, memory.workspace.chain)
    assert one(memory, ledger_checks.check_pin, "mark").level == FAULT
    memory.workspace.chain.with_name("kept").rename(memory.workspace.chain)
    mark.unlink()
    assert one(memory, ledger_checks.check_pin, "mark").level == FAULT
    assert "Truncation not checked" in one(memory, ledger_checks.check_chain).message


def cut(data: bytes) -> bytes:
    return data[: data.rindex(b"\n", 0, -1) + 1]


def torn(data: bytes) -> bytes:
    return data + b'{"event":'


def emptied(data: bytes) -> bytes:
    return data[:0]


@pytest.mark.parametrize(
    ("harm", "mend"),
    [
        (cut, REMEDIES["rollback"]),
        (emptied, BEGINNING),
    ],
)
def test_a_chain_that_is_not_as_it_was(
    memory: MemoryLedger, harm: Callable[[bytes], bytes], mend: str
) -> None:
    """Cut off, torn, emptied: whether all of the chain is verified, or what is newer than the mark."""
    memory.workspace.chain.write_bytes(harm(memory.workspace.chain.read_bytes()))
    found = examined(memory, ledger_checks.check_chain)
    assert (found[0].level, {each.mend for each in found}) == (FAULT, {mend})


def test_a_write_that_was_cut_off_is_no_fault(memory: MemoryLedger) -> None:
    """V-10: it was never acknowledged, and the next write sets it aside."""
    memory.workspace.chain.write_bytes(torn(memory.workspace.chain.read_bytes()))
    (found,) = examined(memory, ledger_checks.check_chain)
    assert found.level == OK
    assert "did not finish" in found.message


def test_a_long_chain_is_verified_from_the_mark_on_and_that_is_said(memory: MemoryLedger) -> None:
    """X-56: and a fault before the mark is found where the chain is verified whole."""
    data = memory.workspace.chain.read_bytes()
    memory.workspace.chain.write_bytes(data.replace(b'"text":"Use pnpm"', b'"text":"Use yarn"'))
    with MemoryLedger(memory.workspace.place, memory.workspace.home) as opened:
        (whole,) = ledger_checks.check_chain(Patient(opened))
        (partly,) = ledger_checks.check_chain(Patient(opened, whole_up_to=100))
    assert (whole.level, "payload-altered" in whole.message) == (FAULT, True)
    assert (partly.level, partly.mend) == (ADVICE, "muniment verify looks at all of it")
    assert partly.message.startswith("only what is newer than the mark was verified")


def test_a_long_chain_that_was_cut_names_the_cut(memory: MemoryLedger) -> None:
    """X-56, V-13: the file ends before the marked event."""
    memory.workspace.chain.write_bytes(cut(memory.workspace.chain.read_bytes()))
    with MemoryLedger(memory.workspace.place, memory.workspace.home) as opened:
        (found,) = ledger_checks.check_chain(Patient(opened, whole_up_to=100))
    assert "bytes and ends before byte" in found.message
    assert (found.level, found.mend) == (FAULT, REMEDIES["rollback"])


def test_more_findings_than_are_shown_are_counted(memory: MemoryLedger) -> None:
    """X-56."""
    for number in range(7):
        memory.store(Memory(f"fact {number}"))
    memory.close()
    memory.workspace.chain.write_bytes(
        memory.workspace.chain.read_bytes().replace(b'"text":"fact', b'"text":"tcaf')
    )
    found = examined(memory, ledger_checks.check_chain)
    assert [each.message for each in found][-1] == "2 more findings"
    assert found[-1].mend == "muniment verify --json lists them all"


def test_a_key_that_is_missing_damaged_or_open_to_others(memory: MemoryLedger) -> None:
    """Each a fault, with the file; nothing of the key is told."""
    key, _following = keys(memory)
    before = key.read_bytes()
    key.chmod(0o644)
    assert "chmod 600" in one(memory, ledger_checks.check_keys).message
    key.chmod(0o600)
    key.write_bytes(before.replace(b'"seed"', b'"sead"'))
    assert one(memory, ledger_checks.check_keys).level == FAULT
    key.unlink()
    found = one(memory, ledger_checks.check_keys)
    assert (found.level, str(key) in found.message, "backup" in found.mend) == (FAULT, True, True)


def test_another_ledgers_key_is_not_the_right_one(memory: MemoryLedger, isolated: Path) -> None:
    """It has to be the one that signs this chain."""
    key, _following = keys(memory)
    muniment.init(isolated / "other").close()
    other = next(path for path in keys(memory) if path.suffix == ".key" and path != key)
    name = f'"ledger":"{key.stem}"'.encode()
    key.write_bytes(other.read_bytes().replace(f'"ledger":"{other.stem}"'.encode(), name))
    found = one(memory, ledger_checks.check_keys)
    assert (found.level, "signed with now" in found.message) == (FAULT, True)


def test_a_next_key_elsewhere_is_well_kept(memory: MemoryLedger) -> None:
    """On a stick, in a safe."""
    _key, following = keys(memory)
    following.unlink()
    assert [each.level for each in examined(memory, ledger_checks.check_keys)] == [OK, OK]


def test_a_chain_in_a_work_tree(memory: MemoryLedger) -> None:
    """Git would roll it back, unless it is told to leave it alone and does."""
    top = memory.workspace.place.directory.parent

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(top), *arguments], check=True, capture_output=True)

    git("init", "-q")
    assert one(memory, ledger_checks.check_copies).level == OK  # by the .gitignore that init wrote
    (memory.workspace.place.directory / ".gitignore").unlink()
    found = one(memory, ledger_checks.check_copies)
    assert (found.level, str(top) in found.message) == (FAULT, True)
    (top / ".gitignore").write_text(".muniment/\n")
    assert one(memory, ledger_checks.check_copies).level == OK
    git("add", "-f", str(memory.workspace.chain))
    assert one(memory, ledger_checks.check_copies).level == FAULT


def test_asking_git_runs_nothing_that_the_repository_names(memory: MemoryLedger, tmp_path: Path) -> None:
    """A hostile work tree may name a program that watches its files."""
    top, ran = memory.workspace.place.directory.parent, tmp_path / "ran"
    program = tmp_path / "watch"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for arguments in (
        ("init", "-q"),
        ("add", "-f", str(memory.workspace.chain)),
        ("config", "core.fsmonitor", str(program)),
    ):
        subprocess.run(["git", "-C", str(top), *arguments], check=True, capture_output=True)
    assert one(memory, ledger_checks.check_copies).level == FAULT
    assert not ran.exists()


@pytest.mark.parametrize(
    ("file", "name", "mend"), [(INDEX_NAME, "index", "replay"), (LOCAL_NAME, "local state", "sets it aside")]
)
def test_a_database_that_is_damaged(memory: MemoryLedger, file: str, name: str, mend: str) -> None:
    """Overwritten, or with a zeroed page; a missing one is made by the next command."""
    path = memory.workspace.place.directory / file
    good = path.read_bytes()
    for harm in (b"no database" * 500, good[:4096] + bytes(4096) + good[8192:]):
        path.write_bytes(harm)
        (found,) = [each for each in ledger_checks.check_index(Patient(memory)) if each.check == name]
        assert (found.level, mend in found.mend) == (FAULT, True)
    path.unlink()
    assert one(memory, ledger_checks.check_index, name).level == OK


def test_which_model_compares_meanings(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """X-56, P-220: and how many memories lack a vector; a switched-off model is no fault."""
    memory.store(Memory("The automobile needs oil"))
    monkeypatch.setattr(ledger_checks, "chosen", lambda _: Choice(Topics(), "a model"))
    found = one(memory, ledger_checks.check_vectors)
    assert found.level == ADVICE
    assert found.message == "a model; 3 memories without a vector"
    (memory.workspace.place.directory / "config.toml").write_text("[vectors]\nenabled = false\n", "utf-8")
    monkeypatch.undo()
    off = one(memory, ledger_checks.check_vectors)
    assert (off.level, off.message[:12]) == (OK, "switched off")


def test_documents_that_are_edited_or_missing(memory: MemoryLedger) -> None:
    """An edit is a person's: advice. A missing file is a fault that replay mends."""
    with (memory.workspace.place.documents / "MEMORY.md").open("a") as document:
        document.write("mine\n")
    (memory.workspace.place.documents / "memories/code/auth.md").unlink()
    edited, missing = examined(memory, ledger_checks.check_documents)
    assert (edited.level, edited.message) == (ADVICE, "MEMORY.md: edited by hand: 1 new")
    assert (missing.level, "muniment replay" in missing.mend) == (FAULT, True)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_a_document_that_cannot_be_read(memory: MemoryLedger, make: Callable[[Path], object]) -> None:
    """X-56: a fault, and what doctor says of it works."""
    document = memory.workspace.place.documents / "MEMORY.md"
    document.unlink()
    make(document)
    found = one(memory, ledger_checks.check_documents)
    assert (found.level, "muniment replay" in found.mend) == (FAULT, True)
    document.rmdir() if document.is_dir() else document.unlink()
    memory.documents.replay()
    assert one(memory, ledger_checks.check_documents).level == OK


def test_documents_are_not_looked_at_with_a_broken_configuration(memory: MemoryLedger) -> None:
    """Another check names that fault."""
    (memory.workspace.home.path / "config.toml").write_text("nonsense = 1\n")
    found = one(memory, ledger_checks.check_documents)
    assert (found.level, "not looked at" in found.message) == (ADVICE, True)
