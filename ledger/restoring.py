"""Restores a backup: the same ledger continues here, and nowhere else.

Implements specs/files.md (F-14). Nothing is touched before the whole chain of the backup was verified. Order, which a
crash cannot turn into a lie: keys; chain; mark; pin; where the backup is the older one, a recover event that names what
was lost. Two copies of one ledger that both write would fork.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ledger import durable, founding, location, reader, recovery
from ledger.archive_names import CONFIG, LOCAL, is_shown_outside
from ledger.backup_archive import Manifest, Unpacked
from ledger.chain import CHAIN_NAME, Chain, ChainTip
from ledger.check import Link
from ledger.durable import storage_error
from ledger.errors import (
    ChainError,
    ForeignChainError,
    FormatError,
    KeyFileError,
    LedgerExistsError,
    RollbackError,
    UsageError,
)
from ledger.event import By
from ledger.keys import NEXT, KeyDirectory
from ledger.location import Home, Location
from ledger.mark import Mark, Pin, StateDirectory
from ledger.progress import Progress
from ledger.verify import Expectation, verify_chain


@dataclass(frozen=True, slots=True)
class CheckedBackup:
    """A backup whose chain was verified from end to end, its newest event, and how many there are."""

    found: Unpacked
    tip: ChainTip
    events: int

    @property
    def link(self) -> Link:
        """The newest event, and the keys in force after it."""
        return self.tip.link


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a backup goes: the ledger's directory, and where private keys, marks and pins lie."""

    directory: Path
    keys: KeyDirectory
    state: StateDirectory


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did.

    `recovered` is the recover event's id where the backup was older than what was known here, `kept` where
    bytes that stood in the chain's place lie now, `keyed` whether the private key is here.
    """

    genesis: str
    recovered: str = ""
    kept: Path | None = None
    keyed: bool = True


def place_of(
    manifest: Manifest, home: Home, start: Path, scope: str | None, directory: Path | None
) -> Location:
    """Return where a backup goes: the directory that is named, else the place of its own scope.

    Raises:
        UsageError: it is the backup of another scope, or of a project that `start` is not in.
    """
    if directory is not None:
        return location.explicit(directory)
    own = manifest.ledger.scope
    if scope not in (None, own):
        raise UsageError(f"this is the backup of a {own} ledger: it cannot be restored to --scope {scope}")
    if own == "user":
        return location.user(home)
    project = location.find_project(home, start)
    if project is None or manifest.project not in ("", project.id):
        raise UsageError(
            f"this backup is of the project {manifest.project or manifest.ledger.name}: run restore inside "
            "a checkout of it, or name a directory with --ledger"
        )
    return location.in_project(home, project.root, project.id, own)


def check(found: Unpacked, *, progress: Progress | None = None) -> CheckedBackup:
    """Verify the whole chain of a backup and hold its manifest against it.

    Raises:
        ChainError: the chain is not sound.
        FormatError: the manifest speaks of another chain.
    """
    manifest = found.manifest
    report = verify_chain(found.chain, Expectation(manifest.genesis, manifest.ledger.id), progress=progress)
    if not report.sound or report.link is None:
        fault = next(iter(report.integrity.findings), "it is empty")
        raise ChainError(f"the chain in the backup is not sound ({fault}); nothing was changed")
    identity, genesis = founding.identity_of(found.chain)
    said = (manifest.ledger, manifest.genesis, manifest.seq, manifest.id)
    if said != (identity, genesis, report.link.seq, report.link.id):
        raise FormatError(
            "F-13", "the backup's manifest names another chain than the backup contains; nothing was changed"
        )
    with reader.opened(found.chain) as fd:
        end = os.fstat(fd).st_size
        start = reader.end_of_lines(fd, 0, end - 1)
    return CheckedBackup(found, ChainTip(report.link, start, end), report.events)


def lost_by(checked: CheckedBackup, state: StateDirectory) -> Mark | None:
    """Return this machine's mark if the event that it names is not in the backup, None if nothing is lost.

    Raises:
        ForeignChainError: the mark is of another chain with the same ledger id.
    """
    manifest = checked.found.manifest
    mark = state.mark_of(manifest.ledger.id).read()
    if mark is None:
        return None
    if mark.genesis != manifest.genesis:
        raise ForeignChainError(
            f"the ledger {manifest.ledger.id} that is known here began with {mark.genesis[:12]}, that of the "
            f"backup with {manifest.genesis[:12]}: it is another chain; nothing was changed"
        )
    with reader.opened(checked.found.chain) as fd:
        return mark if recovery.stand(fd, mark).lost else None


def move_here(
    checked: CheckedBackup,
    at: Destination,
    by: By,
    *,
    reason: str = "",
) -> Restored:
    """Go on with the backup's ledger at its destination.

    Args:
        checked: the backup.
        at: where it goes; the backup's keys are put where none are.
        by: who decides it.
        reason: why events are given up, where the backup is older than what was known here.

    Raises:
        LedgerExistsError: a chain with good events is there, or this ledger is elsewhere here.
        RollbackError: the backup is older than what was known here, and no reason was given.
        ForeignChainError: another ledger is known in this directory, or another chain by this id.
        KeyFileError: a key here is another one than the chain is signed with; or, where a recover event is
            needed, the key is missing.
        StorageError: the disk refused.
    """
    manifest = checked.found.manifest
    refuse_standing(checked, at)
    lost = lost_by(checked, at.state)
    if lost is not None and not reason:
        raise RollbackError(
            f"the backup ends at @{checked.link.seq}, but event @{lost.seq} was acknowledged here and is not "
            "in it: to give up the newer events, give -m REASON"
        )
    keyed = _bring_keys(checked, at.keys)
    if lost is not None and not keyed:
        raise KeyFileError(
            f"the private key of {manifest.ledger.name} is not here, and going on from an older backup has "
            f"to be signed: bring {at.keys.path_of(manifest.ledger.id)} back first"
        )
    kept = _place(checked, at, reached_mark=lost is None)
    at.state.pin(at.directory, Pin(manifest.ledger.id, manifest.genesis))
    _bring_files(checked.found, at.directory)
    recovered = ""
    if lost is not None:
        ledger = founding.open_ledger(at.directory, at.keys, at.state)
        recovered = recovery.recover(ledger, by, reason).id
    return Restored(manifest.genesis, recovered, kept, keyed)


def refuse_standing(checked: CheckedBackup, at: Destination) -> None:
    """Raise if a chain with events or another ledger has the directory, or if ours stands elsewhere here."""
    manifest, directory, state = checked.found.manifest, at.directory, at.state
    path = directory / CHAIN_NAME
    if holds_events(path):
        raise LedgerExistsError(
            f"a chain stands at {path}; it is not touched: muniment recover --from BACKUP takes a backup "
            "that goes on where it ends"
        )
    pin = state.pin_of(directory)
    if pin is not None and pin != Pin(manifest.ledger.id, manifest.genesis):
        raise ForeignChainError(
            f"{directory} belongs to the ledger {pin.ledger} ({pin.genesis[:12]}), the backup to "
            f"{manifest.ledger.id} ({manifest.genesis[:12]}): choose another directory"
        )
    founding.refuse_elsewhere(directory, manifest.genesis, state)


def holds_events(path: Path) -> bool:
    """Return whether there is a chain file whose first line is a good event."""
    if not path.exists():
        return False
    try:
        founding.identity_of(path)
    except ChainError:
        return False
    return True


def _bring_keys(checked: CheckedBackup, keys: KeyDirectory) -> bool:
    """Put the backup's keys in place where none are; return whether the key in force is here afterwards."""
    id_, link, theirs = checked.found.manifest.ledger.id, checked.link, checked.found.keys
    if keys.has(id_):
        keys.check(id_, link.key, link.next_key)
    elif theirs.has(id_):
        theirs.check(id_, link.key, link.next_key)
        keys.put_new(keys.path_of(id_), theirs.path_of(id_).read_bytes())
    ahead, their_next = (each.path_of(id_, NEXT) for each in (keys, theirs))
    if not os.path.exists(ahead) and their_next.exists():
        theirs.stored(id_, NEXT)
        keys.put_new(ahead, their_next.read_bytes())
    return keys.has(id_)


def _place(checked: CheckedBackup, at: Destination, *, reached_mark: bool) -> Path | None:
    """Put the chain in place, and the mark at its tip if it `reached_mark`; return where old bytes lie."""
    directory, kept = at.directory, None
    chain = Chain(directory, at.state.mark_of(checked.found.manifest.ledger.id), checked.link.chain)
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise storage_error(error, "making the ledger's directory", directory) from error
    with reader.opened(checked.found.chain) as fd:
        placed = not chain.path.exists()
        if placed:
            Chain.place(directory, durable.blocks(fd))
        with chain.locked(read=False) as held:
            if not placed:
                kept = held.keep(0)[0] if os.fstat(held.fd).st_size else None
                held.replace(durable.blocks(fd))
            held.adopt(checked.tip)
            mark = chain.mark.read()
            if reached_mark and (mark is None or mark.seq < checked.tip.link.seq):
                held.move_mark()
    return kept


def _bring_files(found: Unpacked, directory: Path) -> None:
    """Put the other members beside the chain where nothing stands."""
    for name in (LOCAL, CONFIG, *filter(is_shown_outside, sorted(found.names))):
        source, target = found.member(name), directory / name
        if source is None or os.path.lexists(target):
            continue
        try:
            for folder in reversed(target.parents):
                if directory in folder.parents:
                    durable.folder_within(folder)
            durable.write_new(target, source.read_bytes(), 0o600)
        except OSError as error:
            raise storage_error(error, "restoring", target, left="the chain is in place") from error
