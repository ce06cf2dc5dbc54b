"""Recovery: what a person decides when the chain was damaged or rolled back.

Implements specs/chain.md (C-17, C-18). `examine` only reads and says what stands; `recover` sets the rest
aside and goes on in a new epoch; `recover_from` takes a backup's longer chain. Nothing is ever dropped: what
is cut is kept as `chain.jsonl.torn-<utc>`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger import durable, reader
from ledger.chain import Held, Tip
from ledger.check import LineChecker, Link
from ledger.draft import Draft, erase_drafts, note_payload
from ledger.errors import ChainError, ForeignChainError, StateError
from ledger.event import Built, By, event_id, split_line
from ledger.finding import Finding
from ledger.ledger import Ledger
from ledger.mark import Mark
from ledger.memory import Provenance
from ledger.tail import HalfBody, half_body


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a chain file stands: the last good event, the first fault, the size in bytes.

    A long body that the file ends inside of does not stand (C-10). `marked` is the id that stands at the
    mark's seq, None where none does. With `unended` the last good line lacks its LF, which the next append
    writes; `tip.end` counts it already. `blank` are the events whose payload is blank though no erase that
    stands names them.
    """

    tip: Tip | None
    fault: Finding | None
    size: int
    mark: Mark | None
    marked: str | None
    blank: tuple[str, ...] = ()
    unended: bool = False

    @property
    def events(self) -> int:
        """How many good events stand."""
        return self.tip.link.seq + 1 if self.tip else 0

    @property
    def rest(self) -> int:
        """How many bytes follow the last good event."""
        return max(self.size - self.tip.end, 0) if self.tip else self.size

    @property
    def lost_mark(self) -> bool:
        """Whether the event that the mark names is no longer in the good part of the chain."""
        return self.mark is not None and self.marked != self.mark.id

    @property
    def lost(self) -> tuple[int, str] | None:
        """The seq and id of the mark's event where it is lost."""
        return (self.mark.seq, self.mark.id) if self.mark and self.lost_mark else None

    @property
    def whole(self) -> bool:
        """Whether there is nothing to recover from."""
        return self.tip is not None and self.fault is None and not self.lost_mark

    def sentences(self) -> list[str]:
        """Say what was found, for a person who is about to decide."""
        newest = f", the newest is @{self.tip.link.seq}" if self.tip else ""
        found = [f"{self.events} good event{'s stand' if self.events != 1 else ' stands'}{newest}"]
        if self.rest:
            reason = self.fault or "half a document"
            found.append(f"then {reason}; {self.rest} bytes from there on would be set aside")
        if self.mark and self.lost_mark:
            what = f"event @{self.mark.seq} ({self.mark.id[:12]})"
            found.append(f"{what} was acknowledged here and is not among them")
        if self.whole:
            found.append("nothing needs recovery")
        return found


@dataclass(frozen=True, slots=True)
class Recovered:
    """What recovery did: the id of its event, where the bytes set aside lie, and what was lost."""

    id: str
    kept: Path | None
    lost: tuple[int, str] | None


def stand(fd: int, mark: Mark | None) -> Standing:
    """Read a chain from its beginning to the first line that is not good.

    Args:
        fd: the chain file.
        mark: the high-water mark that it is compared with.
    """
    checker = LineChecker()
    tip: Tip | None = None
    marked: str | None = None
    fault: Finding | None = None
    half: HalfBody | None = None
    blank: dict[str, None] = {}
    for line in reader.lines(fd):
        checked = checker.take(line.raw)
        link = checker.link
        if checked is None or link is None or (checked.state == "bad" and not line.ended):
            fault = checker.findings[-1]
            break
        half = half_body(half, checked, tip)
        tip = Tip(link, line.offset, line.end + (not line.ended))
        if mark and link.seq == mark.seq:
            marked = link.id
        if checked.state == "blank":
            blank[link.id] = None
        if checked.head["kind"] == "erase":
            for target in checked.head["targets"]:
                blank.pop(target, None)
    if half:
        tip = half.before
        marked = marked if mark and tip.link.seq >= mark.seq else None
    size = os.fstat(fd).st_size
    unended = tip is not None and tip.end > size
    return Standing(tip, fault, size, mark, marked, tuple(blank), unended)


def examine(ledger: Ledger) -> Standing:
    """Say what of the ledger's chain stands; changes nothing.

    Raises:
        NoLedgerError: there is no chain.
    """
    with reader.opened(ledger.path) as fd:
        return stand(fd, ledger.chain.mark.read())


def recover(ledger: Ledger, by: By, reason: str) -> Recovered:
    """Go on with the good part of the chain in a new epoch; the rest is set aside (C-17).

    Raises:
        StateError: there is nothing to recover from.
        ChainError: not even the genesis is good, or it is another ledger's: only a backup helps.
        KeyFileError: the private key is not here, or not the one in force; nothing was touched.
        SecretError: the reason holds a secret.
    """
    draft = _draft(ledger, reason)
    with ledger.chain.locked(read=False) as held:
        standing = stand(held.fd, ledger.chain.mark.read())
        tip = _own_tip(ledger, ledger.path, standing)
        if standing.whole:
            raise StateError("the chain is whole and reaches its mark: there is nothing to recover")
        ledger.signing_key(tip.link)  # before a byte is touched
        if standing.unended:
            held.complete_line(tip)
        kept, cut = held.set_aside(tip.end) if standing.rest else (None, None)
        held.adopt(tip)
        id_ = _go_on(ledger, held, by, draft, standing, cut=cut)
        return Recovered(id_, kept, standing.lost)


def _draft(ledger: Ledger, reason: str) -> Draft:
    payload, _ = ledger.screened(note_payload(reason, Provenance()), redact=False)
    return Draft("recover", {}, payload)


def _own_tip(ledger: Ledger, path: Path, standing: Standing) -> Tip:
    """Return the newest good event, if it is of the ledger's own chain."""
    if standing.tip is None:
        raise ChainError(
            f"{path} holds no good event at all ({standing.fault or 'it is empty'}): "
            "bring a backup back with memledger restore"
        )
    if ledger.chain.genesis not in (None, standing.tip.link.chain):
        raise ForeignChainError(
            f"{path} is another ledger's chain: bring the right file back with memledger restore"
        )
    return standing.tip


def _go_on(
    ledger: Ledger, held: Held, by: By, draft: Draft, standing: Standing, *, cut: str | None = None
) -> str:
    """Append the recover event and settle the mark there, which is what makes appends possible again.

    What was erased by events that are lost now stays erased: new ones name it.
    """
    seq, id_ = standing.lost or (0, "")
    draft.members = {"lost": {"id": id_, "seq": seq} if id_ else None, "cut": cut}
    link = held.tip.link
    key = ledger.signing_key(link)
    built, links = list[Built](), list[Link]()
    for each in (draft, *erase_drafts(standing.blank, Draft("erase", {}, None))):
        link, line = ledger.build(each, link, by, key)
        built.append(line)
        links.append(link)
    held.append(built, links)
    held.settle_mark()
    return built[0].id


def recover_from(ledger: Ledger, backup: Path, by: By, reason: str) -> Recovered:
    """Take the longer chain of a backup (a chain file) instead of ours (C-18).

    Raises:
        StateError: the backup is not the longer one, or does not continue our good part.
        ChainError: the backup is damaged or of another ledger.
        KeyFileError: the private key is not here, or not the one in force there; nothing was touched.
        SecretError: the reason holds a secret.
    """
    draft = _draft(ledger, reason)
    with ledger.chain.locked(read=False) as held, reader.opened(backup) as theirs:
        mark = ledger.chain.mark.read()
        ours, standing = stand(held.fd, mark), stand(theirs, mark)
        tip = _continuing(ledger, backup, theirs, ours, standing)
        ledger.signing_key(tip.link)  # before a byte is touched
        kept, _ = held.keep(0)
        held.replace(_whole_lines(theirs, standing, tip))
        held.adopt(tip)
        id_ = _go_on(ledger, held, by, draft, standing)
        return Recovered(id_, kept, standing.lost)


def _whole_lines(fd: int, standing: Standing, tip: Tip) -> Iterator[bytes]:
    yield from durable.blocks(fd, 0, tip.end)
    if standing.unended:
        yield b"\n"


def _continuing(ledger: Ledger, backup: Path, fd: int, ours: Standing, standing: Standing) -> Tip:
    """Return the backup's tip if it continues our good part by heads and is longer."""
    tip = _own_tip(ledger, backup, standing)
    if standing.fault:
        raise ChainError(f"the backup's chain is damaged: {standing.fault}")
    if ours.tip is None:
        if ours.mark and tip.link.chain != ours.mark.genesis:
            raise ForeignChainError("the backup is of another ledger")
        return tip
    mine = ours.tip.link
    if tip.link.chain != mine.chain:
        raise ForeignChainError("the backup is of another ledger")
    if tip.link.seq <= mine.seq:
        raise StateError(
            f"the backup ends at @{tip.link.seq}, ours at @{mine.seq}: ours is not the shorter one"
        )
    if _id_at(fd, ours.tip) != mine.id:
        raise StateError(f"the backup does not continue this chain: they part before @{mine.seq}; keep both")
    return tip


def _id_at(fd: int, tip: Tip) -> str | None:
    """Return the id of the event whose line begins where that of `tip` does; all lines are known good."""
    line = next(reader.lines(fd, tip.start), None)
    aligned = tip.start == 0 or os.pread(fd, 1, tip.start - 1) == b"\n"
    return event_id(split_line(line.raw).head) if line and aligned else None
