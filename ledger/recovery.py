"""Recovery: what a person can do when the chain was damaged or rolled back.

Implements specs/chain.md (C-17, C-18, C-23). `examine` only reads and reports; `recover` sets the
rest aside and continues in a new epoch; `recover_from` uses a copy's chain if ours is the shorter one, else the
payloads that are damaged in ours. Nothing is ever dropped: what is cut or replaced is kept as `chain.jsonl.torn-<utc>`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ledger import durable, reader
from ledger.chain import ChainTip, Held
from ledger.chain_identity import NO_BEGINNING
from ledger.check import LineChecker, Link
from ledger.draft import Draft, erase_drafts, note_payload
from ledger.errors import ChainError, ForeignChainError, StateError
from ledger.event import Built, By, event_id, split_line
from ledger.finding import Finding
from ledger.ledger import Ledger
from ledger.mark import Mark
from ledger.memory import Provenance
from ledger.named_tuple import NamedTuple
from ledger.rotation import key_at
from ledger.tail import HalfBody, half_body

_NAMED = 5
_TAKE_ANOTHER = "use another copy; nothing was changed"


class ChainStanding(NamedTuple):
    """What of a chain file stands: the last good event, the first fault, the size in bytes.

    A long body that the file cuts off does not count (C-10). `marked` is the event at the
    mark's seq, or None. With `unended` the last good line lacks its LF, which the next append
    writes; `tip.end` counts it already. `blank` are the events whose payload is blank though no erase that
    stands names them, `bad` those whose payload is damaged (seq by id).
    """

    tip: ChainTip | None
    fault: Finding | None
    size: int
    mark: Mark | None
    marked: ChainTip | None
    blank: Mapping[str, int] = {}
    unended: bool = False
    bad: Mapping[str, int] = {}

    @property
    def damaged(self) -> dict[str, int]:
        """The events whose payload a copy can bring back: damaged ones, and blank ones that nobody erased."""
        return {**self.bad, **self.blank}

    @property
    def mendable(self) -> bool:
        """Whether every event stands, and only what some of them said is damaged."""
        stands = self.tip is not None and self.fault is None and not self.lost and not self.rest
        return stands and bool(self.damaged)

    @property
    def events(self) -> int:
        """How many good events stand."""
        return self.tip.link.seq + 1 if self.tip else 0

    @property
    def rest(self) -> int:
        """How many bytes follow the last good event."""
        return max(self.size - self.tip.end, 0) if self.tip else self.size

    @property
    def moved(self) -> bool:
        """Whether the mark's event stands, but not at the bytes where it was acknowledged."""
        if self.mark is None or self.marked is None or self.lost:
            return False
        return (self.marked.start, self.marked.end) != (self.mark.start, self.mark.end)

    @property
    def lost(self) -> tuple[int, str] | None:
        """The seq and id of the mark's event if it is no longer in the good part of the chain."""
        if self.mark is None or (self.marked is not None and self.marked.link.id == self.mark.id):
            return None
        return self.mark.seq, self.mark.id

    @property
    def whole(self) -> bool:
        """Whether there is nothing to recover from."""
        return self.tip is not None and self.fault is None and not self.lost and not self.moved

    def sentences(self) -> list[str]:
        """Return what was found, for a person who is about to decide."""
        if self.tip is None and not self.size:
            found = ["the chain is gone or empty: there are no events"]
            if self.mark:
                found.append(f"event @{self.mark.seq} ({self.mark.id[:12]}) was acknowledged here")
            return found
        newest = f", the newest is @{self.tip.link.seq}" if self.tip else ""
        found = [f"{self.events} good event{'s' if self.events != 1 else ''}{newest}"]
        if self.rest:
            reason = self.fault or "half a document"
            found.append(f"then {reason}; {self.rest} bytes from there on would be set aside")
        if self.mark and self.lost:
            what = f"event @{self.mark.seq} ({self.mark.id[:12]})"
            found.append(f"{what} was acknowledged here and is not among them")
        if self.mark and self.marked and self.moved:
            there, here = (f"bytes {each.start} to {each.end}" for each in (self.mark, self.marked))
            found.append(
                f"event @{self.mark.seq} ({self.mark.id[:12]}) was acknowledged at {there} and is at {here}: "
                "unsigned bytes were inserted or removed; no event is lost, and the mark would move to the "
                "events' new position"
            )
        if self.damaged:
            some = [f"@{seq}" for seq in sorted(self.damaged.values())]
            more = f" and {len(some) - _NAMED} more" if len(some) > _NAMED else ""
            found.append(f"what {', '.join(some[:_NAMED])}{more} said is damaged or missing")
        elif self.whole:
            found.append("nothing needs recovery")
        return found


class Recovered(NamedTuple):
    """The result of a recovery: the id of its event, where the bytes set aside are, and what was lost.

    `mended` are the seqs whose payload came back from a copy, `damaged` those that it did not contain either.
    """

    id: str
    kept: Path | None
    lost: tuple[int, str] | None
    mended: tuple[int, ...] = ()
    damaged: tuple[int, ...] = ()


def stand(fd: int, mark: Mark | None) -> ChainStanding:
    """Read a chain from its beginning to the first line that is not good.

    Args:
        fd: the chain file.
        mark: the high-water mark that it is compared with.
    """
    checker = LineChecker()
    tip: ChainTip | None = None
    marked: ChainTip | None = None
    fault: Finding | None = None
    half: HalfBody | None = None
    blank: dict[str, int] = {}
    bad: dict[str, int] = {}
    for line in reader.lines(fd):
        checked = checker.take(line.raw)
        link = checker.link
        if checked is None or link is None or (checked.state == "bad" and not line.ended):
            fault = checker.findings[-1]
            break
        half = half_body(half, checked, tip)
        tip = ChainTip(link, line.offset, line.end + (not line.ended))
        if mark and link.seq == mark.seq:
            marked = tip
        if checked.state in {"blank", "bad"}:
            (blank if checked.state == "blank" else bad)[link.id] = link.seq
        if checked.head["kind"] == "erase":
            for target in checked.head["targets"]:
                blank.pop(target, None)
                bad.pop(target, None)
    if half:
        tip = half.before
        marked = marked if mark and tip.link.seq >= mark.seq else None
    size = os.fstat(fd).st_size
    unended = tip is not None and tip.end > size
    return ChainStanding(tip, fault, size, mark, marked, blank, unended, bad)


def examine(ledger: Ledger) -> ChainStanding:
    """Report how much of the ledger's chain is good; changes nothing."""
    with reader.opened(ledger.path) as fd:
        return stand(fd, ledger.chain.mark.read())


def recover(ledger: Ledger, by: By, reason: str, *, behind: bool = False) -> Recovered:
    """Go on with the good part of the chain in a new epoch; the rest is set aside (C-17).

    Args:
        ledger: the ledger.
        by: who recovers.
        reason: why.
        behind: go on so although the chain is whole, since something else than the mark knows of more.

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
        if standing.whole and not standing.blank and not behind:
            raise StateError(nothing_to_recover(standing))
        key_at(ledger, tip.link)  # before a byte is touched
        if standing.unended:
            held.complete_line(tip)
        kept, cut = held.set_aside(tip.end) if standing.rest else (None, None)
        held.adopt(tip)
        id_ = _go_on(ledger, held, by, draft, standing, cut=cut)
        return Recovered(id_, kept, standing.lost)


def nothing_to_recover(standing: ChainStanding) -> str:
    """Return why there is nothing to recover from; if some payloads are damaged, with the fix."""
    if not standing.bad:
        return "the chain is whole and reaches its mark: there is nothing to recover"
    seqs = " ".join(f"@{seq}" for seq in sorted(standing.bad.values())[:_NAMED])
    return (
        f"every event is there, but not all text of {seqs}: restore it from a good copy with muniment recover "
        f"--from COPY -m REASON, or give it up with muniment erase {seqs} -m REASON"
    )


def _draft(ledger: Ledger, reason: str) -> Draft:
    payload, _ = ledger.screened(note_payload(reason, Provenance()), redact=False)
    return Draft("recover", {}, payload)


def _nothing_good(standing: ChainStanding) -> str:
    return f"holds no good event at all ({standing.fault or 'it is empty'})"


def _own_tip(ledger: Ledger, path: Path, standing: ChainStanding, remedy: str = NO_BEGINNING) -> ChainTip:
    """Return the newest good event, if it is of the ledger's own chain."""
    if standing.tip is None:
        raise ChainError(f"{path} {_nothing_good(standing)}: {remedy}")
    if ledger.chain.genesis not in (None, standing.tip.link.chain):
        raise ForeignChainError(f"{path} is another ledger's chain: {remedy}")
    return standing.tip


def _go_on(
    ledger: Ledger, held: Held, by: By, draft: Draft, standing: ChainStanding, *, cut: str | None = None
) -> str:
    """Append the recover event and settle the mark there, which is what makes appends possible again.

    What was erased by events that are lost now stays erased: new ones name it.
    """
    seq, id_ = standing.lost or (0, "")
    draft = draft._replace(members={"lost": {"id": id_, "seq": seq} if id_ else None, "cut": cut})
    link = held.tip.link
    key, again = key_at(ledger, link)
    built, links = list[Built](), list[Link]()
    for each in (*again, draft, *erase_drafts(list(standing.blank), Draft("erase", {}, None))):
        link, line = ledger.build(each, link, by, key)
        built.append(line)
        links.append(link)
    held.append(built, links)
    held.settle_mark()
    return built[len(again)].id


def recover_from(ledger: Ledger, backup: Path, by: By, reason: str) -> Recovered:
    """Take from a copy (a chain file) of our chain what is missing here (C-18, C-23).

    The whole of it, where ours is the shorter one; else the payloads that are damaged in ours and good in the copy.

    Raises:
        StateError: the copy is not the longer one and holds nothing that is damaged here, or does not
            continue our good part.
        ChainError: the copy is damaged or of another ledger, or ours has no good beginning.
        KeyFileError: the private key is not here, or not the one in force there; nothing was touched.
        SecretError: the reason holds a secret.
    """
    draft = _draft(ledger, reason)
    with reader.opened(backup) as theirs, ledger.chain.locked(read=False) as held:
        mark = ledger.chain.mark.read()
        ours, standing = stand(held.fd, mark), stand(theirs, mark)
        mine, tip = _own_tip(ledger, ledger.path, ours), _good_tip(ledger, backup, standing)
        if ours.mendable and tip.link.seq <= mine.link.seq:
            key_at(ledger, mine.link)
            old, good = _mend(held, theirs, mine, ours.damaged)
            id_ = _go_on(ledger, held, by, draft, ours._replace(blank={}))
            seqs = sorted(ours.damaged.items(), key=lambda item: item[1])
            mended = tuple(seq for event, seq in seqs if event in good)
            left = tuple(seq for event, seq in seqs if event not in good)
            return Recovered(id_, old, None, mended, left)
        _refuse_other(backup, theirs, mine, tip)
        key_at(ledger, tip.link)  # before a byte is touched
        kept = held.keep(0)[0]
        held.replace(_whole_lines(theirs, standing, tip))
        held.adopt(tip)
        id_ = _go_on(ledger, held, by, draft, standing)
        return Recovered(id_, kept, standing.lost)


def _mend(held: Held, theirs: int, mine: ChainTip, damaged: Collection[str]) -> tuple[Path, set[str]]:
    """Take the payloads that are damaged in ours from the equal lines of a copy; heads and links stay (C-23).

    Returns:
        Where the old bytes lie, and the events whose payload came back.
    """
    good: dict[str, bytes] = {}
    checker = LineChecker(signatures=False)
    for line in reader.lines(theirs):
        checked = checker.take(line.raw)
        if checked and checked.id in damaged and checked.state in {"ok", "none"}:
            good[checked.id] = line.raw
    if not good:
        raise StateError("the copy does not contain what is damaged here either: nothing was changed")
    kept, _ = held.keep(0)
    start = end = 0
    for raw in _lines_with(held.fd, good):
        start, end = end, end + len(raw)
    held.replace(_lines_with(held.fd, good))
    held.adopt(ChainTip(mine.link, start, end))
    return kept, set(good)


def _lines_with(fd: int, good: Mapping[str, bytes]) -> Iterator[bytes]:
    """Yield the lines of a chain whose heads are all good; take those with an id in `good` from there."""
    for line in reader.lines(fd):
        yield good.get(event_id(split_line(line.raw).head), line.raw) + b"\n"


def _whole_lines(fd: int, standing: ChainStanding, tip: ChainTip) -> Iterator[bytes]:
    yield from durable.blocks(fd, 0, tip.end)
    if standing.unended:
        yield b"\n"


def check_copy(backup: Path, standing: ChainStanding) -> ChainTip:
    """Return a copy's newest event, if all of it is good; whose chain it is, is not asked.

    Raises:
        ChainError: no event of it is good, or not all are.
    """
    if standing.tip is None:
        raise ChainError(f"{backup} {_nothing_good(standing)}: {_TAKE_ANOTHER}")
    if standing.fault:
        raise ChainError(f"the backup's chain is damaged: {standing.fault}: {_TAKE_ANOTHER}")
    return standing.tip


def _good_tip(ledger: Ledger, backup: Path, standing: ChainStanding) -> ChainTip:
    """Return a copy's newest event, if all of it is good and of the ledger's own chain."""
    check_copy(backup, standing)
    tip = _own_tip(ledger, backup, standing, _TAKE_ANOTHER)
    if standing.mark and tip.link.chain != standing.mark.genesis:
        raise ForeignChainError("the backup is of another ledger")
    return tip


def _refuse_other(backup: Path, fd: int, ours: ChainTip, tip: ChainTip) -> None:
    """Raise if a copy does not continue our good part by heads, or is not the longer one."""
    mine = ours.link
    if tip.link.chain != mine.chain:
        raise ForeignChainError(f"{backup} is of another ledger")
    if tip.link.seq <= mine.seq:
        raise StateError(
            f"the backup ends at @{tip.link.seq}, ours at @{mine.seq}: ours is not the shorter one"
        )
    if _id_at(fd, ours) != mine.id:
        raise StateError(
            f"the backup does not continue this chain: they differ before @{mine.seq}; keep both"
        )


def _id_at(fd: int, tip: ChainTip) -> str | None:
    """Return the id of the event whose line begins where that of `tip` does; all lines are known good."""
    line = next(reader.lines(fd, tip.start), None)
    aligned = tip.start == 0 or os.pread(fd, 1, tip.start - 1) == b"\n"
    return event_id(split_line(line.raw).head) if line and aligned else None
