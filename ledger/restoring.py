"""Puts a backup in place: as the same ledger that moved here, or as the memories of a ledger of its own.

Implements specs/files.md (F-14, F-15). Nothing is touched before the whole chain of the backup was verified.
Order of a move, which a crash cannot turn into a lie: keys; chain; mark; pin; where the backup is the older
one, a recover event that names what was lost. Two copies of one ledger that both write would fork, so a
second machine gets new keys and a genesis of its own.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ledger import durable, founding, location, reader, recovery
from ledger.archive import Unpacked
from ledger.archive_names import ANCHORS, CONFIG, LOCAL, ROOTS, is_shown_outside
from ledger.chain import CHAIN_NAME, Chain, ChainTip
from ledger.check import Link
from ledger.command import Create, Written
from ledger.durable import storage_error
from ledger.errors import (
    ChainError,
    ForeignChainError,
    FormatError,
    KeyFileError,
    LedgerExistsError,
    RollbackError,
)
from ledger.event import By
from ledger.fold import Entry, fold
from ledger.instant import Clock, system_clock
from ledger.keys import NEXT, KeyDirectory
from ledger.lazy_pattern import lazy_pattern
from ledger.ledger import Identity, Ledger, Random
from ledger.mark import Mark, Pin, StateDirectory
from ledger.memory import Memory
from ledger.progress import Progress
from ledger.verify import Expectation, verify_chain

IMPORTED = "imported"
"""The folder of chains that a ledger took memories from; they are kept for reference and never written to."""


_NUMBERED = lazy_pattern(r"^([0-9]+-[0-9]+)-[0-9]+$")

Merge = Callable[[bytes, bytes], bytes | None]
"""Makes one file of two of the same name; None where they stay two."""


def _no_merge(_ours: bytes, _theirs: bytes) -> None:
    return None


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
    bytes that stood in the chain's place lie now, `keyed` whether the private key is here, `unbound` the
    roots of the other machine that are not here and so were not bound.
    """

    genesis: str
    recovered: str = ""
    kept: Path | None = None
    keyed: bool = True
    unbound: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Brought:
    """What a second machine's ledger took from a backup: memories made, known already, and rules that hit."""

    genesis: str
    made: int
    known: int
    redacted: tuple[str, ...] = ()


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
            "F-13", "the backup's manifest speaks of another chain than it holds; nothing was changed"
        )
    with reader.opened(found.chain) as fd:
        end = os.fstat(fd).st_size
        start = reader.end_of_lines(fd, 0, end - 1)
    return CheckedBackup(found, ChainTip(report.link, start, end), report.events)


# --- moved here ---------------------------------------------------------------------------------------------


def lost_by(checked: CheckedBackup, state: StateDirectory) -> Mark | None:
    """Return this machine's mark if the event that it names is not in the backup, None where nothing is lost.

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
        return mark if recovery.stand(fd, mark).lost_mark else None


def move_here(
    checked: CheckedBackup,
    at: Destination,
    by: By,
    *,
    reason: str = "",
    clock: Clock = system_clock,
    merge: Merge = _no_merge,
) -> Restored:
    """Go on with the backup's ledger at its destination.

    Args:
        checked: the backup.
        at: where it goes; the backup's keys are put where none are.
        by: who decides it.
        reason: why events are given up, where the backup is older than what was known here.
        clock: gives the present instant.
        merge: makes one file of ours and the backup's of the same name under `anchors/`, None where they stay two.

    Raises:
        LedgerExistsError: a chain with good events stands there, or this ledger stands elsewhere here.
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
            "in it: to give up what came after, say why with -m REASON"
        )
    keyed = _bring_keys(checked, at.keys)
    if lost is not None and not keyed:
        raise KeyFileError(
            f"the private key of {manifest.ledger.name} is not here, and going on from an older backup has "
            f"to be signed: bring {at.keys.path_of(manifest.ledger.id)} back first"
        )
    kept = _place(checked, at, reached_mark=lost is None)
    at.state.pin(at.directory, Pin(manifest.ledger.id, manifest.genesis))
    unbound = _bring_files(checked.found, at.directory, merge)
    recovered = ""
    if lost is not None:
        ledger = founding.open_ledger(at.directory, at.keys, at.state, clock=clock)
        recovered = recovery.recover(ledger, by, reason).id
    return Restored(manifest.genesis, recovered, kept, keyed, unbound)


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
    """Say whether a chain file stands there whose first line is a good event."""
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
    ahead, their_next = (each.path_of(id_, following=True) for each in (keys, theirs))
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


def _bring_files(found: Unpacked, directory: Path, merge: Merge) -> tuple[Path, ...]:
    """Put the other members beside the chain where nothing stands; return the roots that cannot be bound here.

    Of what others gave for a checkpoint nothing is lost: where one of that name stands, the two are merged, or both kept.
    """
    for name in (LOCAL, CONFIG, *filter(is_shown_outside, found.manifest.members)):
        source, target = found.member(name), directory / name
        if source is None or (os.path.lexists(target) and target.parent.name != ANCHORS):
            continue
        try:
            if target.parent != directory:
                durable.folder_within(target.parent)
            _bring(source.read_bytes(), target, merge)
        except OSError as error:
            raise storage_error(error, "restoring", target, left="the chain is in place") from error
    roots = found.member(ROOTS)
    if roots is None or (directory / ROOTS).exists():
        return ()
    return tuple(location.bind_again(directory, roots.read_bytes(), found.manifest.project))


def _bring(theirs: bytes, target: Path, merge: Merge) -> None:
    """Put a file where none stands; else into the one that stands, or beside it with a number (F-14)."""
    stem, _, ending = target.name.partition(".")
    stem = _NUMBERED.sub(r"\1", stem)
    between = "." if ending == "checkpoint" else "-"  # STEM-2 are further receipts of one checkpoint (W-3)
    for number in itertools.count(2):
        try:
            durable.write_new(target, theirs, 0o600)
            return
        except FileExistsError:
            ours = target.read_bytes() if target.is_file() and not target.is_symlink() else None
        if ours == theirs:
            return
        if ours is not None and (one := merge(ours, theirs)) is not None:
            durable.replace_file(target, one, 0o600)
            return
        target = target.with_name(f"{stem}{between}{number}.{ending}")


# --- second machine -----------------------------------------------------------------------------------------


def second_machine(
    checked: CheckedBackup,
    at: Destination,
    identity: Identity,
    by: By,
    *,
    clock: Clock = system_clock,
    random: Random = os.urandom,
) -> Brought:
    """Make a ledger of its own at the destination and take the memories that stand in the backup into it.

    The backup's chain is kept beside as `imported/<genesis>.jsonl`. A call that died half way is continued by
    the same call: what is there already makes no second event.

    Args:
        checked: the backup.
        at: where the new ledger goes, with new keys.
        identity: what its genesis is to say.
        by: who writes; what is taken over says `via: import`.
        clock: gives the present instant.
        random: gives random bytes.

    Raises:
        LedgerExistsError: a chain that has nothing to do with this backup stands there.
        RecordError: the identity breaks the format.
        StorageError: the disk refused.
    """
    path = at.directory / CHAIN_NAME
    reference = at.directory / IMPORTED / f"{checked.found.manifest.genesis}.jsonl"
    if not (holds_events(path) and reference.exists()):
        if path.exists():
            raise LedgerExistsError(f"there is a ledger already: {path}; it was not changed")
        _keep_for_reference(checked, reference)
        founding.found(at.directory, identity, by, at.keys, at.state, clock=clock, random=random)
    ledger = founding.open_ledger(at.directory, at.keys, at.state, clock=clock, random=random)
    entries = [entry for entry in fold(reader.events(checked.found.chain)).entries() if entry.live]
    entries.sort(key=lambda entry: (entry.learned, entry.ts, entry.id))
    results = list(_taken(ledger, entries, by._replace(via="import")))
    rules = sorted({rule for result in results for rule in result.redacted})
    known = sum(result.known for result in results)
    return Brought(founding.identity_of(ledger.path)[1], len(results) - known, known, tuple(rules))


def _keep_for_reference(checked: CheckedBackup, reference: Path) -> None:
    if reference.exists():
        return
    try:
        durable.folder_within(reference.parent)
        with reader.opened(checked.found.chain) as fd:
            durable.write_new(reference, durable.blocks(fd), 0o400)
    except OSError as error:
        raise storage_error(error, "keeping the backup's chain", reference) from error


def _taken(ledger: Ledger, entries: Sequence[Entry], by: By) -> Iterator[Written]:
    """Write memories in the order in which they were learned; places name the new ids of what they follow."""
    ids: dict[str, str] = {}
    waiting: dict[str, Entry] = {}

    def flush() -> list[Written]:
        commands = [Create(taken_over(entry, ids)) for entry in waiting.values()]
        done = ledger.write(commands, by, redact=True) if commands else []
        ids.update((old, written.id) for old, written in zip(waiting, done, strict=True))
        waiting.clear()
        return done

    for entry in entries:
        place = entry.memory.place
        if place is not None and place.after in waiting:
            yield from flush()
        waiting[entry.id] = entry
    yield from flush()


def taken_over(entry: Entry, ids: dict[str, str]) -> Memory:
    """Return a memory as another ledger states it: with its origin, by the ids that are known there.

    What only a disowned key vouches for waits there as a candidate (N-29).
    """
    memory, place = entry.memory, entry.memory.place
    origin = memory.provenance
    return memory.with_changes(
        part=None,
        status="candidate" if entry.compromised else entry.status,
        place=place._replace(after=ids.get(place.after or "")) if place else None,
        provenance=origin._replace(
            date=origin.date or entry.learned[:10], author=origin.author or entry.by.name
        ),
    )
