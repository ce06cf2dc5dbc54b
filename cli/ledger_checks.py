"""The checks of doctor on a ledger: chain, pin, keys, clock, copies, and what is derived from the chain.

Implements specs/cli.md (X-56). Each check explains a fault and names a command that fixes it.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from cli.examined_ledger import ADVICE, FAULT, OK, Diagnosis, Patient, difference_said, state_of
from cli.key_places import BOTH_HERE, TAKE_OFF
from cli.remedies import BEGINNING, GONE, REMEDIES, remedy
from cli.show_entry import count_of, size
from documents.differing_documents import DocumentDifference, differing
from documents.foreign_files import strays_in
from documents.writing.files import EARLIER, MISSING, UNREADABLE
from ledger import location
from ledger.chain_identity import is_gone
from ledger.errors import LedgerError
from ledger.key_places import key_places
from ledger.keys import KeyDirectory
from projections.binding import not_ignored
from projections.index import INDEX_NAME
from projections.local import LOCAL_NAME
from projections.read_only import opened_to_read
from projections.vectors.embedder import chosen

_SHOWN = 5


def check_ledger(patient: Patient) -> Iterator[Diagnosis]:
    """There is a ledger, and its chain stands."""
    chain = patient.memory.workspace.chain
    if chain.exists():
        yield Diagnosis("ledger", OK, f"{patient.memory.workspace.place.scope} ledger in {patient.directory}")
    elif patient.founded:
        yield Diagnosis("ledger", FAULT, is_gone(chain, patient.mark), GONE)
    else:
        yield Diagnosis("ledger", ADVICE, f"there is no ledger in {patient.directory} yet", "muniment init")


def check_pin(patient: Patient) -> Iterator[Diagnosis]:
    """What this machine remembers of the ledger fits its chain."""
    if not patient.memory.workspace.chain.exists() or patient.identity is None:
        return
    genesis = patient.identity[1]
    if patient.pin is None:
        message = "this machine has not pinned the chain, so its signer is not verified"
        yield Diagnosis("pin", ADVICE, message, "the next write pins it if the key is here")
    elif patient.pin.genesis != genesis:
        message = (
            f"this is another chain: its genesis is {genesis[:12]}, the pinned one {patient.pin.genesis[:12]}"
        )
        yield Diagnosis("pin", FAULT, message, REMEDIES["foreign-chain"])
    else:
        yield Diagnosis("pin", OK, f"genesis {genesis[:12]} is the pinned one")
    if patient.mark is None:
        known = (
            patient.pin is not None
        )  # whatever was acknowledged here left a mark: it was lost, or taken away
        message = "there is no high-water mark: a chain that was cut off would not be noticed"
        mend = "muniment verify compares documents and index with the chain; the next write makes a mark"
        yield Diagnosis("mark", FAULT if known else ADVICE, message, mend)
    elif patient.mark.genesis != genesis:
        message = f"the mark is another chain's ({patient.mark.genesis[:12]})"
        yield Diagnosis("mark", FAULT, message, REMEDIES["foreign-chain"])
    else:
        yield Diagnosis("mark", OK, f"acknowledged up to @{patient.mark.seq}")


def check_chain(patient: Patient) -> Iterator[Diagnosis]:
    """The chain verifies: all of it, or of a long one what is newer than the mark."""
    if not patient.founded:
        return
    report = patient.report
    if report is None:
        return  # check_ledger says that it is gone
    findings = [*report.integrity.findings, *report.completeness.findings]
    stands = patient.mark is not None and not report.completeness.findings
    marked = patient.mark.seq + 1 if patient.mark and stands else None
    for finding in findings[:_SHOWN]:
        mend = remedy(finding, marked) if patient.begins or finding.code != "rollback" else BEGINNING
        yield Diagnosis("chain", FAULT, str(finding), mend)
    more = len(findings) - _SHOWN + report.integrity.omitted
    if more > 0:
        message = f"{more} more finding{'s' if more > 1 else ''}"
        yield Diagnosis("chain", FAULT, message, "muniment verify --json lists them all")
    if patient.partly and not report.completeness.findings:
        message = f"only what is newer than the mark was verified: the chain has {size(report.size)}"
        yield Diagnosis("chain", ADVICE, message, "muniment verify looks at all of it")
    elif not findings:
        yield Diagnosis("chain", OK, f"{report.integrity.sentence} {report.completeness.sentence}")


def check_keys(patient: Patient) -> Iterator[Diagnosis]:
    """The private key is here and the right one; the next one lies elsewhere."""
    if not patient.founded or not patient.ledger_id:
        return
    keys = KeyDirectory(patient.memory.workspace.home.keys)
    link = patient.report.link if patient.report and patient.begins else None
    public, commitment = (link.key.hex(), link.next_key) if link else ("", "")
    told = key_places(keys, patient.ledger_id, public, commitment)
    if fault := told.current.fault:
        mend = "chmod 600 it" if "cannot be read:" in fault else "restore the key file from your backup"
        yield Diagnosis("key", FAULT, fault, mend)
        return
    yield Diagnosis("key", OK, "the private key is here" + (", and signs this chain" if link else ""))
    if told.next.same_disk:
        message = f"{told.next.path} is on the same disk as the key: {BOTH_HERE}"
        yield Diagnosis("next key", ADVICE, message, TAKE_OFF)
    else:
        yield Diagnosis("next key", OK, "the next key is not stored beside the key")


def check_copies(patient: Patient) -> Iterator[Diagnosis]:
    """No version control moves the chain behind our back."""
    top = location.git_root(patient.directory)
    if top is not None and not _is_ignored(top, patient.memory.workspace.chain):
        message = f"the chain is in the git work tree {top}: a checkout of an older branch would roll it back"
        yield Diagnosis("copies", FAULT, message, "move the ledger out of it, or ignore it in .gitignore")
    elif patient.memory.workspace.chain.exists():
        yield Diagnosis("copies", OK, "the chain is not in a git work tree")


def check_ignored(patient: Patient) -> Iterator[Diagnosis]:
    """HOME's .gitignore keeps keys and chains out of git (F-18)."""
    home = patient.memory.workspace.home
    if not home.path.is_dir():
        return
    missing = not_ignored(home)
    if not missing:
        yield Diagnosis("ignored", OK, "git ignores keys and chains")
        return
    top, file = location.git_root(home.path), home.path / location.IGNORE_FILE
    where = f", and {home.path} is in the git work tree {top}" if top else ""
    message = f"{file} does not keep {', '.join(missing)} out of git{where}"
    if not file.exists():
        mend = "the next write makes it again: muniment add, or any other"
    else:
        mend = f"printf '%s\\n' {shlex.join(missing)} >> {shlex.quote(str(file))}"
    tracked = "; then check that git ls-files lists none of it" if top else ""
    yield Diagnosis("ignored", FAULT if top else ADVICE, message, mend + tracked)


def _is_ignored(top: Path, chain: Path) -> bool:
    """Ask git whether it leaves the chain alone; runs nothing that the repository names."""
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
            if patient.memory.workspace.chain.exists():
                yield Diagnosis(name, OK, f"{file} is not there; the next command makes it")
            continue
        if path.is_file() and not os.access(path, os.R_OK | os.W_OK):
            cannot, mode = "written" if os.access(path, os.R_OK) else "read", path.stat().st_mode & 0o777
            message = f"{path} cannot be {cannot} (mode {mode:o}): nothing can be erased, no use is counted"
            yield Diagnosis(name, FAULT, message, f"chmod 600 {shlex.quote(str(path))}")
            continue
        fault = _database_fault(path)
        again = "muniment replay" if path.is_file() else "move it away; the next command makes the index"
        mend = again if file == INDEX_NAME else "the next command sets it aside and starts again"
        yield Diagnosis(name, FAULT, fault, mend) if fault else Diagnosis(name, OK, f"{file} is whole")


def check_erasures(patient: Patient) -> Iterator[Diagnosis]:
    """No erasure was cut off before it had cleaned the index and the documents."""
    if patient.memory.erasures.cleaning:
        message = "an erasure was interrupted: the index or a document may still contain the erased text"
        yield Diagnosis(
            "erasures", FAULT, message, "muniment status: it finishes it, as any command but this one does"
        )


def check_vectors(patient: Patient) -> Iterator[Diagnosis]:
    """Which model compares meanings, and whether memories wait for it; the model itself is not asked."""
    workspace, name = patient.memory.workspace, "vectors"
    if not workspace.chain.exists():
        return
    choice = chosen(workspace.readable_configuration)
    if choice.embedder is None:
        yield Diagnosis(name, OK, choice.sentence)
        return
    workspace.embed_with(choice.embedder)
    try:
        missing = workspace.vectors.missing() if workspace.vectors else 0
    except LedgerError:
        return  # check_chain reports why there is no index to compare with
    if missing:
        message = f"{choice.sentence}; {count_of(missing, 'memory', 'memories')} without a vector"
        yield Diagnosis(name, ADVICE, message, "muniment upkeep run embeds them")
    else:
        yield Diagnosis(name, OK, f"{choice.sentence}; every memory has a vector")


def _database_fault(path: Path) -> str:
    if path.is_dir():
        return f"{path} is a folder, not a database"
    try:
        with closing(opened_to_read(path)) as db:
            verdict = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            return "" if verdict == "ok" else f"{path} is damaged: {verdict}"
    except sqlite3.Error as error:
        return f"{path} cannot be read: {error}"


def _of_document(path: str, difference: DocumentDifference) -> Diagnosis:
    state, why = state_of(difference.why), difference_said(difference)
    message = f"{path}: {why}"
    if state.begins == MISSING:
        message = f"{path} is missing"
    elif state.begins == EARLIER:
        message = f"{path} was set back by git or a crash: {why}"
    grave = state.begins in (MISSING, UNREADABLE)
    return Diagnosis("documents", FAULT if grave else ADVICE, message, state.mend)


def check_documents(patient: Patient) -> Iterator[Diagnosis]:
    """The documents are as they were written."""
    if not (patient.directory / LOCAL_NAME).exists() or not patient.memory.workspace.chain.exists():
        return
    if patient.memory.documents.folder_fault():
        message = "not checked: they have no folder"
        yield Diagnosis("documents", ADVICE, message, "fix the configuration first")
        return
    try:
        found = differing(patient.memory.documents, patient.memory.workspace.local)
    except (LedgerError, sqlite3.Error) as error:
        yield Diagnosis("documents", ADVICE, f"not looked at: {error}", "fix the other faults first")
        return
    for path, difference in sorted(found.items()):
        yield _of_document(path, difference)
    place = patient.memory.workspace.place
    closed = place.documents.is_dir() and not os.access(place.documents, os.W_OK)
    if closed:
        message = f"{place.documents} cannot be written: documents do not show what is learned from now on"
        yield Diagnosis("documents", FAULT, message, "make it writable; then run muniment adopt")
    strays = [] if place.usual else [*strays_in(place.documents)]  # G-60
    if strays:
        named = ", ".join(strays)
        message = f"not read, since their names are not those of documents: {named}"
        yield Diagnosis("documents", ADVICE, message, "run muniment import FILE to read one")
    if not found and not strays and not closed:
        yield Diagnosis("documents", OK, "all documents are as they were written")
