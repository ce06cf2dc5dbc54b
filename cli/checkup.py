"""What doctor looks at: a list of checks, each of which explains a fault and names the command that mends it.

Implements specs/cli.md (X-54…X-56). Each check takes a Patient and gives diagnoses. None changes anything but what
opening the ledger brings up to date anyway.
"""

from __future__ import annotations

import fcntl
import os
import platform
import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ledger import location
from ledger.errors import KeyFileError, LedgerError
from ledger.founding import identity_of
from ledger.instant import SECOND, parsed
from ledger.keys import KeyDirectory
from ledger.mark import Mark, Pin
from memledger import MemoryLedger
from memledger import Report as Verified
from projections.index import INDEX_NAME, Index
from projections.index_schema import is_current
from projections.local import LOCAL_NAME

OK, ADVICE, FAULT = "ok", "advice", "fault"

NETWORK_TYPES = frozenset(
    "9p afs beegfs ceph cifs davfs drvfs fuse.davfs2 fuse.glusterfs fuse.rclone fuse.s3fs fuse.sshfs fuse.vmhgfs-fuse "
    "gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2 smb3 smbfs vboxsf virtiofs".split()
)
"""Mount types of disks that other machines share: locks and syncs there are promises of others."""

_SYNCED = ("dropbox", "google drive", "icloud", "mobile documents", "nextcloud", "onedrive", "syncthing")
_TEMPORARY = re.compile(r"\..+\.([0-9]+)-[0-9]+\.tmp")
_SHOWN = 5
_CLOCK_TOLERANCE = 5 * SECOND


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What one check found: `level` is ok, advice or fault; `mend` is what to do, "" where all is well."""

    check: str
    level: str
    message: str
    mend: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON-ready object; `ok` is false for a fault alone."""
        return {"ok": self.level != FAULT, **asdict(self)}


@dataclass
class Patient:
    """A ledger on its machine, with what several checks ask of it.

    `start` is the folder that commands run in, `mounts` the system's table of mounts.
    """

    memory: MemoryLedger
    start: Path = field(default_factory=Path)
    mounts: Path = Path("/proc/mounts")
    system: str = sys.platform
    python: tuple[int, ...] = sys.version_info[:3]

    @property
    def directory(self) -> Path:
        """Where the ledger lies."""
        return self.memory.place.directory

    @property
    def founded(self) -> bool:
        """Whether there is, or was, a ledger."""
        return self.memory.chain.exists() or self.pin is not None

    @cached_property
    def pin(self) -> Pin | None:
        """What this machine remembers of the directory."""
        return self.memory.state.pin_of(self.directory)

    @cached_property
    def identity(self) -> tuple[str, str] | None:
        """The ledger's id and genesis as the chain says them; None where it has no good beginning."""
        try:
            identity, genesis = identity_of(self.memory.chain)
        except LedgerError:
            return None
        return identity.id, genesis

    @property
    def ledger_id(self) -> str:
        """The ledger's id: the pinned one, else what the chain says."""
        return self.pin.ledger if self.pin else self.identity[0] if self.identity else ""

    @cached_property
    def mark(self) -> Mark | None:
        """The high-water mark."""
        return self.memory.state.mark_of(self.ledger_id).read() if self.ledger_id else None

    @cached_property
    def report(self) -> Verified | None:
        """The verdicts on what is newer than the mark; None without a mark."""
        return self.memory.verify(since_mark=True) if self.mark else None

    @cached_property
    def index(self) -> Index | None:
        """The index, caught up; None where that cannot be done."""
        try:
            return self.memory.index
        except (LedgerError, sqlite3.Error):
            return None

    def mount_type(self, path: Path) -> str:
        """Return the type of the file system that `path` lies on, "" where it cannot be known."""
        try:
            lines = self.mounts.read_text("utf-8", "replace").splitlines()
        except OSError:
            return ""
        real = os.path.realpath(path)
        found = ("", "")
        for line in lines:
            _, point, kind, *_ = [*line.split(" "), "", "", ""]
            point = point.encode().decode("unicode_escape") if "\\" in point else point
            if (real == point or real.startswith(point.rstrip("/") + "/")) and len(point) >= len(found[0]):
                found = (point, kind)
        return found[1]


Check = Callable[[Patient], Iterator[Diagnosis]]


# --- the machine ---


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
        yield Diagnosis(name, FAULT, message, "move it to a local disk: memledger backup, then restore there")
        return
    where = f" ({kind})" if kind else ""
    if not patient.memory.chain.exists():
        yield Diagnosis(name, OK, f"a local disk{where}")
        return
    try:
        with patient.memory.chain.open("rb") as chain:
            fcntl.flock(chain, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        yield Diagnosis(name, OK, f"another process is writing; a local disk{where}")
    except OSError as error:
        message = f"the chain cannot be locked: {error.strerror} ({patient.memory.chain})"
        yield Diagnosis(name, FAULT, message, "move the ledger to a disk with flock, or mend its permissions")
    else:
        yield Diagnosis(name, OK, f"flock works on a local disk{where}")


def check_permissions(patient: Patient) -> Iterator[Diagnosis]:
    """Folders and files belong to who runs this, and to nobody else."""
    home, name = patient.memory.home, "permissions"
    places = [home.path, home.keys, home.state, patient.directory, patient.memory.chain]
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


def check_secrets(patient: Patient) -> Iterator[Diagnosis]:
    """The second opinion on secrets is installed."""
    _ = patient
    if find_spec("kingfisher_sdk"):
        yield Diagnosis("secrets", OK, "kingfisher's rules look for secrets beside ours")
    else:
        yield Diagnosis(
            "secrets",
            ADVICE,
            "only our own rules look for secrets",
            "pip install 'memledger[secrets]' adds more",
        )


# --- the ledger ---


def check_ledger(patient: Patient) -> Iterator[Diagnosis]:
    """There is a ledger, and its chain stands."""
    chain = patient.memory.chain
    if chain.exists():
        yield Diagnosis("ledger", OK, f"{patient.memory.place.scope} ledger in {patient.directory}")
    elif patient.founded:
        message = f"{chain} is gone, but a ledger was founded here"
        yield Diagnosis("ledger", FAULT, message, "memledger restore BACKUP")
    else:
        yield Diagnosis("ledger", ADVICE, f"there is no ledger in {patient.directory} yet", "memledger init")


def check_pin(patient: Patient) -> Iterator[Diagnosis]:
    """What this machine remembers of the ledger fits its chain."""
    if not patient.memory.chain.exists() or patient.identity is None:
        return
    genesis = patient.identity[1]
    if patient.pin is None:
        message = "this machine has not pinned the chain: who signs it is taken on trust"
        yield Diagnosis("pin", ADVICE, message, "the next write pins it, where the key lies here")
    elif patient.pin.genesis != genesis:
        message = (
            f"this is another chain: its genesis is {genesis[:12]}, the pinned one {patient.pin.genesis[:12]}"
        )
        yield Diagnosis("pin", FAULT, message, "bring the right file back: memledger restore BACKUP")
    else:
        yield Diagnosis("pin", OK, f"genesis {genesis[:12]} is the pinned one")
    if patient.mark is None:
        message = "there is no high-water mark: a chain that was cut off would not be noticed"
        yield Diagnosis("mark", ADVICE, message, "the next write makes one; memledger verify checks the rest")
    elif patient.mark.genesis != genesis:
        message = f"the mark is another chain's ({patient.mark.genesis[:12]})"
        yield Diagnosis("mark", FAULT, message, "bring the right file back: memledger restore BACKUP")
    else:
        yield Diagnosis("mark", OK, f"acknowledged up to @{patient.mark.seq}")


def check_chain(patient: Patient) -> Iterator[Diagnosis]:
    """What is newer than the mark verifies."""
    if not patient.founded:
        return
    if patient.memory.chain.exists() and patient.identity is None:
        message = f"{patient.memory.chain} does not begin with a good event"
        yield Diagnosis("chain", FAULT, message, "memledger verify, then memledger restore BACKUP")
        return
    if patient.report is None:
        if patient.memory.chain.exists():
            message = "not checked here: without a mark all of it has to be read"
            yield Diagnosis("chain", ADVICE, message, "memledger verify")
        return
    chain = patient.report.chain
    findings = [*chain.completeness.findings, *chain.integrity.findings]
    for finding in findings[:_SHOWN]:
        recovers = finding.code == "rollback"
        mend = "memledger recover -m REASON, or restore BACKUP" if recovers else "memledger verify says more"
        yield Diagnosis("chain", FAULT, str(finding), mend)
    if not findings:
        yield Diagnosis("chain", OK, "what is newer than the mark is sound (memledger verify checks all)")


def check_keys(patient: Patient) -> Iterator[Diagnosis]:
    """The private key is here and the right one; the next one lies elsewhere."""
    if not patient.founded or not patient.ledger_id:
        return
    keys = KeyDirectory(patient.memory.home.keys)
    link = patient.report.chain.link if patient.report else None
    try:
        keys.load(patient.ledger_id, link.key if link else None)
    except KeyFileError as error:
        yield Diagnosis("key", FAULT, str(error), "bring the key file back from your backup")
        return
    yield Diagnosis("key", OK, "the private key is here" + (", and signs this chain" if link else ""))
    key = keys.path_of(patient.ledger_id)
    following = keys.path_of(patient.ledger_id, following=True)
    if following.exists() and following.stat().st_dev == key.stat().st_dev:
        message = f"the next key lies on the same disk as the key ({following}): who steals one has both"
        yield Diagnosis(
            "next key", ADVICE, message, "move it to a stick or a safe; a rotation will ask for it"
        )
    else:
        yield Diagnosis("next key", OK, "the next key does not lie beside the key")


def check_clock(patient: Patient) -> Iterator[Diagnosis]:
    """The clock does not stand before the newest event."""
    if patient.index is None or patient.index.seq() < 0:
        return
    newest = patient.memory.event(f"@{patient.index.seq()}")
    behind = parsed(newest.at) - patient.memory.clock()
    if behind > _CLOCK_TOLERANCE:
        message = (
            f"the clock is {behind / SECOND:,.0f} s behind the newest event (@{newest.seq} of {newest.at})"
        )
        yield Diagnosis(
            "clock", FAULT, message, "set the machine's clock; the order of events is not touched"
        )
    else:
        yield Diagnosis("clock", OK, "the clock is past the newest event")


def check_copies(patient: Patient) -> Iterator[Diagnosis]:
    """No version control and no synchronising folder moves the chain behind our back."""
    if not patient.memory.chain.exists():
        return
    top = location.git_root(patient.directory)
    synced = next((name for name in _SYNCED if name in str(patient.directory).lower()), None)
    if top is not None and not _is_ignored(top, patient.memory.chain):
        message = (
            f"the chain lies in the git work tree {top}: a checkout of an older branch would roll it back"
        )
        yield Diagnosis("copies", FAULT, message, "move the ledger out of it, or ignore it in .gitignore")
    elif synced is not None:
        message = (
            f"{patient.directory} looks like a folder that {synced} synchronises: two writers would fork it"
        )
        yield Diagnosis("copies", ADVICE, message, "keep the ledger outside; memledger backup makes copies")
    else:
        yield Diagnosis("copies", OK, "neither git nor a synchronising folder moves the chain")


def _is_ignored(top: Path, chain: Path) -> bool:
    """Ask git whether it leaves the chain alone: neither tracked nor shown as new. Runs nothing of the repository's."""
    command = ["git", "-C", str(top), "-c", "core.fsmonitor=false", "check-ignore", "-q", str(chain)]
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


# --- what is derived ---


def check_index(patient: Patient) -> Iterator[Diagnosis]:
    """The databases are whole."""
    for name, file in (("index", INDEX_NAME), ("local state", LOCAL_NAME)):
        path = patient.directory / file
        if not path.exists():
            if patient.memory.chain.exists():
                yield Diagnosis(name, OK, f"{file} is not there; the next command makes it")
            continue
        fault = _database_fault(path, patient.memory.chain if file == INDEX_NAME else None)
        mend = "memledger replay" if file == INDEX_NAME else "the next command sets it aside and begins anew"
        yield Diagnosis(name, FAULT, fault, mend) if fault else Diagnosis(name, OK, f"{file} is whole")


def _database_fault(path: Path, chain: Path | None) -> str:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            verdict = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                return f"{path} is damaged: {verdict}"
            if chain is not None and is_current(db):
                end = db.execute('SELECT "end" FROM cursor').fetchone()
                if end and chain.exists() and end[0] > chain.stat().st_size:
                    return f"{path} knows events that the chain does not hold"
    except sqlite3.Error as error:
        return f"{path} cannot be read: {error}"
    return ""


def check_documents(patient: Patient) -> Iterator[Diagnosis]:
    """The documents are as they were written."""
    if not (patient.directory / LOCAL_NAME).exists() or not patient.memory.chain.exists():
        return
    try:
        folder = patient.memory.documents()
        found = {**folder.edited(), **patient.memory.local.paused(folder.folder)}
    except (LedgerError, sqlite3.Error) as error:
        yield Diagnosis("documents", ADVICE, f"not looked at: {error}", "mend the other faults first")
        return
    for path, why in sorted(found.items()):
        if why == "missing":
            yield Diagnosis("documents", FAULT, f"{path} is missing", "memledger replay writes it again")
        else:
            mend = "memledger import takes your text in; replay --overwrite writes ours and keeps a copy of yours"
            yield Diagnosis("documents", ADVICE, f"{path}: {why}", mend)
    if not found:
        yield Diagnosis("documents", OK, "all documents are as they were written")


def check_configuration(patient: Patient) -> Iterator[Diagnosis]:
    """config.toml says what it may."""
    try:
        _ = patient.memory.configuration
    except LedgerError as error:
        yield Diagnosis("configuration", FAULT, str(error), "correct the file, or comment the line out")
    else:
        yield Diagnosis("configuration", OK, "config.toml is good")


def check_project(patient: Patient) -> Iterator[Diagnosis]:
    """The project of this folder is bound."""
    try:
        project = location.find_project(patient.memory.home, patient.start)
    except LedgerError as error:
        yield Diagnosis("project", FAULT, str(error), "take the file from version control again")
        return
    if project is not None and not project.bound:
        message = f"{project.root} names a project ledger that is not bound on this machine"
        yield Diagnosis("project", ADVICE, message, f"memledger init, run in {project.root}, joins it")
    else:
        where = f"bound to {project.root}" if project else "this folder is in no project"
        yield Diagnosis("project", OK, where)


def check_left_overs(patient: Patient) -> Iterator[Diagnosis]:
    """Nothing lies about that a crash or a repair has left."""
    from cli.commands.status import set_aside

    kept = set_aside(patient.memory) if (patient.directory / LOCAL_NAME).exists() else []
    for path in kept:
        yield Diagnosis(
            "set aside", ADVICE, f"{path} was kept instead of dropped", "look at it, then delete it"
        )
    left = list(_temporary_files(patient))
    for path in left:
        yield Diagnosis("temporary", ADVICE, f"{path} was left by a process that died", f"rm {path}")
    if not kept and not left:
        yield Diagnosis("left-overs", OK, "nothing was set aside or left behind")


def _temporary_files(patient: Patient) -> Iterator[Path]:
    home, place = patient.memory.home, patient.memory.place
    documents = [place.documents, place.documents / "memory", place.documents / "memories"]
    folders = [patient.directory, *documents, home.path, home.keys, home.state / "marks", home.state / "pins"]
    for folder in dict.fromkeys(folders):
        for path in sorted(folder.glob(".*.tmp")) if folder.is_dir() else ():
            match = _TEMPORARY.fullmatch(path.name)
            if match and not _is_running(int(match[1])):
                yield path


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


CHECKS: tuple[Check, ...] = (
    check_platform,
    check_locks,
    check_permissions,
    check_secrets,
    check_ledger,
    check_pin,
    check_chain,
    check_keys,
    check_clock,
    check_copies,
    check_index,
    check_documents,
    check_configuration,
    check_project,
    check_left_overs,
)


def examine(patient: Patient) -> list[Diagnosis]:
    """Return what all checks find, in their order."""
    return [diagnosis for check in CHECKS for diagnosis in check(patient)]
