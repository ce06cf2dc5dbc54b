"""What doctor checks of the machine: platform, locks, permissions, extras, configuration, left-overs.

Implements specs/cli.md (X-55). Each check explains a fault and names what mends it.
"""

from __future__ import annotations

import fcntl
import os
import platform
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import nacl

from cli.examined_ledger import ADVICE, FAULT, OK, TORN_ADVICE, Diagnosis, Patient, set_aside
from ledger import location
from ledger.durable import is_another, open_file
from ledger.errors import LedgerError
from ledger.keys import COMING, KEY, NEXT, KeyDirectory
from ledger.lazy_pattern import lazy_pattern
from ledger.signing import verify_signature
from projections.local import LOCAL_NAME

NETWORK_TYPES = frozenset(
    """
    9p afs beegfs ceph cifs davfs drvfs fuse.davfs2 fuse.glusterfs fuse.rclone fuse.s3fs fuse.sshfs
    fuse.vmhgfs-fuse gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2 smb3 smbfs vboxsf virtiofs
    """.split()
)
"""Mount types of disks that other machines share: locks and syncs there are promises of others."""

_KEY_NAME = lazy_pattern(rf"[0-9a-f]{{32}}\.({KEY}|{NEXT}|{COMING})")
_TEMPORARY = lazy_pattern(r"\.(.+)\.([0-9]+)-[0-9]+\.(?:tmp|out)")
"""The name of a file in the making, or that came out of the place of the one that it names (P-82), and by which process."""


def check_platform(patient: Patient) -> Iterator[Diagnosis]:
    """Linux or macOS, Python 3.11, SQLite with full text."""
    name = "platform"
    if not patient.system.startswith(("linux", "darwin")):
        yield Diagnosis(
            name, FAULT, f"{patient.system} has no lock that dies with its process", "run it inside WSL"
        )
        return
    if patient.python < (3, 11):
        found = ".".join(map(str, patient.python))
        yield Diagnosis(name, FAULT, f"Python {found} is too old", "install Python 3.11 or newer")
        return
    with closing(sqlite3.connect(":memory:")) as db:
        try:
            db.execute("CREATE VIRTUAL TABLE probe USING fts5 (text, tokenize = 'porter unicode61')")
        except sqlite3.Error as error:
            yield Diagnosis(
                name, FAULT, f"SQLite has no full text ({error})", "use a Python whose SQLite has FTS5"
            )
            return
    version = platform.python_version()
    yield Diagnosis(name, OK, f"Python {version} on {patient.system}, SQLite {sqlite3.sqlite_version}")


def check_locks(patient: Patient) -> Iterator[Diagnosis]:
    """Locks work where the chain lies, and no other machine shares the disk."""
    name = "locks"
    kind = patient.mount_type(patient.directory)
    if kind in NETWORK_TYPES:
        message = f"{patient.directory} lies on a shared disk ({kind}), where locks and syncs may not hold"
        yield Diagnosis(name, FAULT, message, "move it to a local disk: muniment backup, then restore there")
        return
    where = f" ({kind})" if kind else ""
    if not patient.memory.workspace.chain.exists():
        yield Diagnosis(name, OK, f"a local disk{where}")
        return
    try:
        with os.fdopen(open_file(patient.memory.workspace.chain), "rb") as chain:
            fcntl.flock(chain, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        yield Diagnosis(name, OK, f"another process is writing; a local disk{where}")
    except OSError as error:
        message = f"the chain cannot be locked: {error.strerror} ({patient.memory.workspace.chain})"
        yield Diagnosis(name, FAULT, message, "move the ledger to a disk with flock, or mend its permissions")
    else:
        yield Diagnosis(name, OK, f"flock works on a local disk{where}")


def check_permissions(patient: Patient) -> Iterator[Diagnosis]:
    """Folders and files belong to who runs this, and to nobody else."""
    home, name = patient.memory.workspace.home, "permissions"
    places = [home.path, home.keys, home.state, patient.directory, patient.memory.workspace.chain]
    if patient.ledger_id:
        keys = KeyDirectory(home.keys)
        places += [keys.path_of(patient.ledger_id), keys.path_of(patient.ledger_id, following=True)]
    found = [fault for path in dict.fromkeys(places) if (fault := _permission_fault(home.keys, path))]
    yield from found or [Diagnosis(name, OK, "ledger, keys and state are yours alone")]


def _permission_fault(keys: Path, path: Path) -> Diagnosis | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"{path} cannot be looked at: {error.strerror}"
        return Diagnosis("permissions", FAULT, message, "mend the permissions of the folders above it")
    mode = stat.S_IMODE(status.st_mode)
    private = "700" if path.is_dir() else "600"
    if status.st_uid != os.geteuid():
        message = f"{path} belongs to another user (uid {status.st_uid})"
        return Diagnosis("permissions", FAULT, message, f"chown it back: chown $USER {path}")
    if mode & 0o022 or (mode & 0o077 and path.parent == keys):
        message = f"others can {'write' if mode & 0o022 else 'read'} {path} (mode {mode:o})"
        return Diagnosis("permissions", FAULT, message, f"chmod {private} {path}")
    if not os.access(path, os.R_OK | os.W_OK):
        message = f"{path} cannot be written (mode {mode:o}): nothing new can be learned"
        return Diagnosis(
            "permissions", FAULT, message, f"chmod {private} {path}, or mount the disk for writing"
        )
    if mode & 0o077:
        return Diagnosis(
            "permissions", ADVICE, f"others can read {path} (mode {mode:o})", f"chmod {private} {path}"
        )
    return None


MIXED_ORDER = (
    "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c",
    b"memory-ledger/v1 doctor\n",
    "98519eadf35b995233b51b5cd23e9cc5a28b639b5a4af0ec903cb960d81b7819c528de63be59ab4b58c37f528e91234eeb1aa3bbdb80494c94a0b722e25ee50a",
)
"""Key, text and signature: R has a part of order 8, so that the equation holds with the cofactor only (E-10)."""


def check_signatures(patient: Patient) -> Iterator[Diagnosis]:
    """The library judges signatures by the format's rule, as every verifier must."""
    _ = patient
    key, text, signature = MIXED_ORDER
    if verify_signature(bytes.fromhex(key), text, bytes.fromhex(signature)):
        message = f"PyNaCl {nacl.__version__} brings a libsodium that takes signatures which E-10 refuses"
        mend = (
            "install PyNaCl 1.5 or 1.6: with another rule two verifiers judge one hostile chain differently"
        )
        yield Diagnosis("signatures", FAULT, message, mend)
    else:
        yield Diagnosis("signatures", OK, "Ed25519 without the cofactor, as the format asks")


def check_configuration(patient: Patient) -> Iterator[Diagnosis]:
    """config.toml says what it may."""
    memory = patient.memory
    try:
        memory.workspace.configuration  # noqa: B018 - read for what is wrong with it
    except LedgerError as error:
        yield Diagnosis("configuration", FAULT, str(error), "correct the file, or comment the line out")
        return
    if why := memory.documents.folder_fault():
        yield Diagnosis("configuration", FAULT, why, "muniment adopt writes the documents then")
    else:
        yield Diagnosis("configuration", OK, "config.toml is good")


def check_project(patient: Patient) -> Iterator[Diagnosis]:
    """The project of this folder is bound."""
    try:
        project = location.find_project(patient.memory.workspace.home, patient.start)
    except LedgerError as error:
        yield Diagnosis("project", FAULT, str(error), "take the file from version control again")
        return
    if project is not None and not project.bound:
        message = f"{project.root} names a project ledger that is not bound on this machine"
        yield Diagnosis("project", ADVICE, message, f"muniment init, run in {project.root}, joins it")
    else:
        where = f"bound to {project.root}" if project else "this folder is in no project"
        yield Diagnosis("project", OK, where)


def check_left_overs(patient: Patient) -> Iterator[Diagnosis]:
    """Nothing lies about that a crash or a repair has left."""
    kept = set_aside(patient.memory) if (patient.directory / LOCAL_NAME).exists() else []
    for path in kept:
        torn = path.name.startswith("chain.jsonl.torn-")
        mend = f"{TORN_ADVICE}; then delete it" if torn else "look at it, then delete it"
        yield Diagnosis("set aside", ADVICE, f"{path} was kept instead of dropped", mend)
    left = list(_temporary_files(patient))
    for path, name in left:
        yield _left_by_the_dead(path, name)
    copied = list(_copied_keys(patient.memory.workspace.home.keys))
    for path in copied:
        message = f"{path} is a private key that no passphrase seals, and no key of a ledger in its place"
        yield Diagnosis("copied key", FAULT, message, "move it to where only you can reach it, or delete it")
    if not kept and not left and not copied:
        yield Diagnosis("left-overs", OK, "nothing was set aside or left behind")


def _left_by_the_dead(path: Path, name: str) -> Diagnosis:
    """Return what is said of a file that a process left, which was on its way to or from the place of the file `name`."""
    message = f"{path} was left by a process that died"
    if path.suffix == ".out":
        mend = f"compare it with {path.with_name(name)}, then move it there or delete it"
        return Diagnosis("taken out", ADVICE, f"{message}, and may hold what you saved in {name}", mend)
    if _is_open_key(path):
        message += ", and is a private key that no passphrase seals"
        return Diagnosis("temporary", FAULT, message, f"rm {path}")
    return Diagnosis("temporary", ADVICE, message, f"rm {path}")


def _is_open_key(path: Path) -> bool:
    """Say whether a file holds the seed of a private key in the open (N-23)."""
    try:
        return b'"seed"' in path.read_bytes()
    except OSError:
        return False


def _copied_keys(folder: Path) -> Iterator[Path]:
    """Give the keys in the open that a person left among the keys under another name (N-23)."""
    for path in sorted(folder.glob("*")):
        ours = _KEY_NAME.fullmatch(path.name) or _TEMPORARY.fullmatch(path.name)
        if not ours and path.is_file() and _is_open_key(path):
            yield path


def _temporary_files(patient: Patient) -> Iterator[tuple[Path, str]]:
    home, place = patient.memory.workspace.home, patient.memory.workspace.place
    documents: list[Path] = []
    if not patient.memory.documents.folder_fault():  # it may be closed, or another ledger's
        documents = [
            place.documents,
            *place.documents.glob("memory/**/"),
            *place.documents.glob("memories/**/"),
        ]
    folders = [patient.directory, *documents, home.path, home.keys, home.state / "marks", home.state / "pins"]
    for folder in dict.fromkeys(folders):
        for path in sorted(folder.glob(".*")) if folder.is_dir() else ():
            match = _TEMPORARY.fullmatch(path.name)
            if match and not is_another(int(match[2])):
                yield path, match[1]
