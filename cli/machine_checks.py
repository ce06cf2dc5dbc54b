"""What doctor checks of the machine: locks, permissions, configuration, project, hooks, left-overs.

Implements specs/cli.md (X-55) and specs/doors.md (G-2). Each check explains a fault and names what fixes it.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from agents.hooks import fault_log, handover, user_folders
from cli.examined_ledger import ADVICE, FAULT, OK, TORN_ADVICE, Diagnosis, Patient
from ledger import location
from ledger.durable import is_another, open_file, read_file
from ledger.errors import LedgerError
from ledger.instant import DAY, from_iso
from ledger.keys import NEXT, KeyDirectory
from ledger.lazy_pattern import lazy_pattern
from projections.local import LOCAL_NAME
from proofs.ledger_status import set_aside

_TEMPORARY = lazy_pattern(r"\..+\.([0-9]+)-[0-9]+\.(?:tmp|out)")
"""The name of a file in the making, or that was moved out of its place (P-82), and by which process."""
_DAYS = 7
_WAITS_TOO_LONG = 24 * 3600


def check_locks(patient: Patient) -> Iterator[Diagnosis]:
    """The chain can be locked."""
    chain, name = patient.memory.workspace.chain, "locks"
    said = f"Python {platform.python_version()} on {sys.platform}, SQLite {sqlite3.sqlite_version}"
    if not chain.exists():
        yield Diagnosis(name, OK, said)
        return
    try:
        with os.fdopen(open_file(chain), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        yield Diagnosis(name, OK, f"another process is writing; {said}")
    except OSError as error:
        message = f"the chain cannot be locked: {error.strerror} ({chain})"
        yield Diagnosis(
            name, FAULT, message, "move the ledger to a disk with flock, or correct its permissions"
        )
    else:
        yield Diagnosis(name, OK, f"flock works; {said}")


def check_permissions(patient: Patient) -> Iterator[Diagnosis]:
    """Folders and files belong to who runs this, and to nobody else."""
    home, name = patient.memory.workspace.home, "permissions"
    places = [home.path, home.keys, home.state, patient.directory, patient.memory.workspace.chain]
    if patient.ledger_id:
        keys = KeyDirectory(home.keys)
        places += [keys.path_of(patient.ledger_id), keys.path_of(patient.ledger_id, NEXT)]
    found = [fault for path in dict.fromkeys(places) if (fault := _permission_fault(home.keys, path))]
    yield from found or [Diagnosis(name, OK, "ledger, keys and state are yours alone")]


def _permission_fault(keys: Path, path: Path) -> Diagnosis | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        return Diagnosis("permissions", FAULT, message, "correct the permissions of the folders above it")
    mode = stat.S_IMODE(status.st_mode)
    chmod = f"chmod {'700' if path.is_dir() else '600'} {path}"
    if status.st_uid != os.geteuid():
        message = f"{path} belongs to another user (uid {status.st_uid})"
        return Diagnosis("permissions", FAULT, message, f"chown $USER {path}")
    if mode & 0o022 or (mode & 0o077 and path.parent == keys):
        message = f"others can {'write' if mode & 0o022 else 'read'} {path} (mode {mode:o})"
        return Diagnosis("permissions", FAULT, message, chmod)
    if not os.access(path, os.R_OK | os.W_OK):
        message = f"{path} cannot be written (mode {mode:o}): nothing new can be learned"
        return Diagnosis("permissions", FAULT, message, f"{chmod}, or mount the disk for writing")
    if mode & 0o077:
        return Diagnosis("permissions", ADVICE, f"others can read {path} (mode {mode:o})", chmod)
    return None


def check_configuration(patient: Patient) -> Iterator[Diagnosis]:
    """config.toml is valid."""
    memory = patient.memory
    try:
        memory.workspace.configuration  # noqa: B018 - read for what is wrong with it
    except LedgerError as error:
        yield Diagnosis("configuration", FAULT, str(error), "correct the file, or comment the line out")
        return
    if why := memory.documents.folder_fault():
        yield Diagnosis("configuration", FAULT, why, "then run muniment adopt to write the documents")
    else:
        yield Diagnosis("configuration", OK, "config.toml is good")


def check_project(patient: Patient) -> Iterator[Diagnosis]:
    """The project of this folder is bound."""
    try:
        project = location.find_project(patient.memory.workspace.home, Path())
    except LedgerError as error:
        yield Diagnosis("project", FAULT, str(error), "restore the file from version control")
        return
    if project is not None and not project.bound:
        message = f"{project.root} names a project ledger that is not bound on this machine"
        yield Diagnosis("project", ADVICE, message, f"run muniment init in {project.root} to join it")
    else:
        where = f"bound to {project.root}" if project else "this folder is not in a project"
        yield Diagnosis("project", OK, where)


# --- agents' hooks ---


def check_hooks(patient: Patient) -> Iterator[Diagnosis]:
    """No hook met a fault lately, and nothing waits for a worker that never came."""
    found = list(_faults(patient.memory.workspace.clock()))
    yield from found
    if waits := _waiting():
        message = f"{waits} events of agents' sessions wait, the oldest for more than a day"
        mend = "muniment hook work learns from them; see hooks.log if it does not"
        yield Diagnosis("hooks", ADVICE, message, mend)
    elif not found:
        yield Diagnosis("hooks", OK, f"no hook failed in the last {_DAYS} days")


def _faults(now: int) -> Iterator[Diagnosis]:
    """Yield the faults of the last week by kind, the most frequent first; those of the last day are faults here."""
    kinds: dict[tuple[str, str, str], list[int]] = {}
    for at, program, event, what in _logged():
        if now - _DAYS * DAY <= at:
            kinds.setdefault((program, event, what), []).append(at)
    for (program, event, what), times in sorted(kinds.items(), key=lambda each: -len(each[1])):
        newest = time.strftime("%Y-%m-%d %H:%MZ", time.gmtime(max(times) / 1_000_000))
        often = "once" if len(times) == 1 else f"{len(times)} times"
        level = FAULT if now - max(times) <= DAY else ADVICE
        where = " ".join(filter(None, (program, event)))
        mend = f"{fault_log.log()} lists each; agents work without memory meanwhile"
        yield Diagnosis("hooks", level, f"{where}: {what} ({often}, last {newest})", mend)


def _logged() -> Iterator[tuple[int, str, str, str]]:
    """Yield when, program, event and what of each line that is one."""
    try:
        data = read_file(Path(fault_log.log()))
    except OSError:
        return
    for line in data.splitlines():
        try:
            value = json.loads(line)
            at, program, event, what = (str(value[name]) for name in ("at", "program", "event", "what"))
            yield from_iso(at), program, event, what
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue


def _waiting() -> int:
    """Return how many handovers wait, if one of them waits for more than a day."""
    folder = Path(user_folders.hooks()) / handover.SPOOL
    try:
        times = [entry.stat().st_mtime for entry in os.scandir(folder) if entry.name.endswith(".json")]
    except OSError:
        return 0
    return len(times) if times and time.time() - min(times) > _WAITS_TOO_LONG else 0


# --- left-overs ---


def check_left_overs(patient: Patient) -> Iterator[Diagnosis]:
    """Nothing lies about that a crash or a repair has left."""
    kept = (
        set_aside(patient.memory.workspace, patient.memory.documents)
        if (patient.directory / LOCAL_NAME).exists()
        else []
    )
    for path in kept:
        torn = path.name.startswith("chain.jsonl.torn-")
        mend = f"{TORN_ADVICE}; then delete it" if torn else "look at it, then delete it"
        yield Diagnosis("set aside", ADVICE, f"{path} was kept and not deleted", mend)
    left = list(_temporary_files(patient))
    for path in left:
        message = f"{path} was left by a process that died, and may hold what you saved"
        yield Diagnosis("temporary", ADVICE, message, "look at it, then delete it")
    if not kept and not left:
        yield Diagnosis("left-overs", OK, "no leftover files")


def _temporary_files(patient: Patient) -> Iterator[Path]:
    home, documents = patient.memory.workspace.home, patient.memory.workspace.place.documents
    folders = [patient.directory, home.path, home.keys, home.state / "marks", home.state / "pins"]
    if not patient.memory.documents.folder_fault():  # it may be closed, or another ledger's
        folders += [documents, *documents.glob("memory/**/"), *documents.glob("memories/**/")]
    for folder in dict.fromkeys(folders):
        for path in sorted(folder.glob(".*")) if folder.is_dir() else ():
            match = _TEMPORARY.fullmatch(path.name)
            if match and not is_another(int(match[1])):
                yield path
