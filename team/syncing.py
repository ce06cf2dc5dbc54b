"""Exchanges chains and rosters with a transport, which is never trusted.

Implements specs/team.md (TM-6, TM-14, TM-16, TM-40, TM-44, TM-71, TM-72). Each side gets what it lacks. Each received line
is verified before it is kept; lines that the transport lost are put there again, whoever wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ledger.durable import replace_file
from team.chain_segments import (
    AT_ONCE,
    gathered,
    ids_of,
    is_unopened,
    joined,
    may_erase,
    other_event,
    segments,
)
from team.compaction import join_closed
from team.fork_notes import ForkNotes
from team.sealed_transport import SealedTransport
from transports.protocol import Segment, TakenError, Transport
from writers.copies import Copies, ForkError
from writers.roster import NEVER
from writers.team_folder import TeamFolder

OWN_THERE = "own-chain-there.jsonl"
"""The file, in the folder of the team, with what a transport has of our own chain and we have not."""
_UNOPENED = "no key that this machine knows opens it: it is sealed for others, or damaged"
_NO_KEY = (
    "the team seals with a new key that this machine does not have, so what was written since cannot be read here: it comes when "
    "an admin accepts this machine, or with muniment team join and a new invitation"
)
_LOOKS = 8
"""How often the members are read again in one sync: each roster may name chains that the next one needs."""


@dataclass
class Exchanged:
    """The result of a sync: events sent and received, and findings as sentences for a person.

    `unsaid` are the erases of which this machine's receipt is missing, and `residue` where the old bytes may still be (TM-64).
    """

    sent: int = 0
    received: int = 0
    findings: list[str] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list, repr=False)
    residue: list[str] = field(default_factory=list, repr=False)


def own_chain_there(transport: Transport, folder: TeamFolder, length: int) -> Path:
    """Write what the transport holds of our own chain, so many lines, into a file, and return its path (TM-44)."""
    lines: dict[int, bytes] = {}
    for segment in transport.since(folder.genesis, 0):
        whole = segment.data.splitlines(keepends=True)
        lines.update({segment.first + at: line for at, line in enumerate(whole)})
    path = folder.path / OWN_THERE
    replace_file(path, b"".join(lines[seq] for seq in range(length) if seq in lines), 0o600)
    return path


class Sync:
    """One exchange of chains, rosters and fork proofs.

    Args:
        transport: where to.
        folder: what is known of the team here.
        own_next: the seq that follows the newest acknowledged event of our own chain.
    """

    def __init__(self, transport: SealedTransport, folder: TeamFolder, own_next: int) -> None:
        self._transport = transport
        self._folder = folder
        self._copies: Copies = folder.copies()
        self._forks = ForkNotes(folder)
        self._own_next = own_next
        self._done = Exchanged()
        self._heads: dict[str, int] = {}

    def run(self) -> Exchanged:
        """Exchange everything once.

        Raises:
            UnreachableError: the transport does not answer; what came before stands.
            StorageError: the disk refused.
        """
        self._heads = self._transport.heads()  # it fetches; what follows may answer from that
        self._exchange_rosters()
        self._exchange_forks()
        for _ in range(_LOOKS):
            known = self._done.received
            for chain in self._folder.membership().chains:
                if chain != self._folder.genesis:
                    self._exchange(chain)
            if self._done.received == known:
                break
        self._exchange(self._folder.genesis)  # last: by now it is known for whom it is sealed
        if self._forks.found_one:
            self._exchange_forks()
        self._done.findings = [*dict.fromkeys(self._done.findings)]  # a chain may be looked at several times
        return self._done

    def _exchange_forks(self) -> None:
        chains = self._folder.membership().chains
        self._forks.exchange(
            self._transport, chains, {chain: self._folder.path_of(chain) for chain in chains}
        )

    # --- rosters ---

    def _exchange_rosters(self) -> None:
        there = dict(self._transport.notes("roster"))
        for data in there.values():
            self._folder.keep_roster(data)
        for name, data in self._folder.rosters().items():
            if there.get(name) != data:
                try:
                    self._transport.put_note("roster", name, data)
                except TakenError:
                    self._done.findings.append(
                        f"{self._transport.address} holds another note under the name of a roster"
                    )

    # --- one chain ---

    def _exchange(self, chain: str) -> None:
        there, is_own = self._heads.get(chain, 0), chain == self._folder.genesis
        if not is_own:
            self._copies.finish(chain)
        here = self._own_next if is_own else self._copies.next(chain)
        try:
            if there and here and (is_own or there < here):
                mends = is_own and there <= here and self._transport.may_send
                look = self._after if mends else self._compared
                for segment in self._transport.since(chain, min(there, here) - 1):
                    look(chain, segment, here)
            if is_own and there > here:
                self._done.findings.append(self._went_back(there))
            elif there > here:
                self._take(chain)
            self._give(chain, there, self._own_next if is_own else self._copies.next(chain))
            if is_own and self._transport.may_send:
                join_closed(self._transport, self._folder, range(there, self._own_next))
        except ForkError as error:
            self._note_fork(chain, str(error))

    def _note_fork(self, chain: str, fault: str) -> None:
        """Prove that a chain has two histories, unless that is known; a fork of a non-member is a plain finding."""
        is_fork = chain in self._folder.forks() or self._forks.prove(
            self._transport, chain, self._folder.path_of(chain)
        )
        if is_fork and chain in self._folder.membership().ids():
            return
        self._done.findings.append(fault)

    def _went_back(self, there: int) -> str:
        """Keep what the transport has of our own chain, and return what a person can do with it (TM-44)."""
        path = own_chain_there(self._transport, self._folder, there)
        return (
            f"{self._transport.address} has {there} events of this machine's own chain, which holds {self._own_next}: it "
            "went back, or another machine writes with its key. Before anything is added here, run muniment recover "
            f"--from {path}"
        )

    def _take(self, chain: str) -> None:
        fault, waiting = "", None
        for segment in gathered(self._transport.since(chain, self._copies.next(chain))):
            offered = joined(waiting, segment) if waiting else segment
            if waiting and not may_erase(segment):
                waiting = offered
                continue
            added = self._copies.add(chain, *offered)
            waiting = offered if added.waits else None
            self._done.received += added.new
            fault = (_UNOPENED if is_unopened(offered, added.next) else added.fault) or fault
            if offered.end <= added.next:
                fault = ""  # another segment has the same lines, whole
        if waiting and not fault:
            fault = "it is blanked, and no erase says why"
        if not fault or self._is_over(chain):
            return
        if fault == _UNOPENED and not self._transport.may_send:
            self._done.findings.append(_NO_KEY)
        else:
            fault = (
                f"{self._transport.address}: the chain {chain[:8]} continues with an invalid line ({fault})"
            )
            self._note_fork(chain, fault)

    def _is_over(self, chain: str) -> bool:
        """Return whether all that counts of a chain is here: its writer, who could repair the rest, is no longer a member (TM-14)."""
        ends = [
            each.until for each in self._folder.membership().members if each.genesis == chain and each.until
        ]
        return any(end == NEVER or self._copies.next(chain) > end[0] for end in ends)

    def _give(self, chain: str, there: int, end: int) -> None:
        """Put what the transport lacks of a chain: the lines from the seq `there` up to the one before `end`.

        While the key for them is not known here, that is the first line alone.
        """
        if there < end and not self._transport.may_send:
            end = min(end, 1)
        while there < end:
            try:
                each = self._segments(chain, there, end)
                while some := list(islice(each, AT_ONCE)):
                    self._transport.put(chain, some)
                    self._done.sent += some[-1].end - there
                    there = some[-1].end
            except TakenError as taken:
                there = self._after(chain, Segment(taken.first, taken.data), end)

    def _segments(self, chain: str, first: int, end: int) -> Iterator[Segment]:
        return segments(self._folder.path_of(chain), first, end)

    def _after(self, chain: str, taken: Segment, end: int) -> int:
        """Return up to which seq the transport holds the same lines as we do in this segment.

        Half a file that a full disk left there is replaced by ours, and then both are the same.

        Raises:
            ForkError: they are other events.
        """
        theirs, ours = self._compared(chain, taken, end)
        is_whole = taken.data.endswith(b"\n") and None not in theirs[: len(ours)]
        if not ours or is_whole:  # what lies beyond our end is not ours to judge
            return taken.first + min(len(theirs), len(ours))
        whole = next(self._segments(chain, taken.first, end))
        self._transport.blank(chain, whole)
        return whole.end

    def _compared(self, chain: str, taken: Segment, end: int) -> tuple[list[str | None], list[str | None]]:
        """Return the ids of the events of a segment, and of ours in their places; lines that are not events do not differ.

        Raises:
            ForkError: they are other events.
        """
        theirs = ids_of(taken.data)
        last = min(end, taken.first + max(len(theirs), 1))
        ours = ids_of(b"".join(each.data for each in self._segments(chain, taken.first, last)))
        if (other := other_event(theirs, ours)) is not None:
            raise ForkError(
                f"the chain {chain[:8]} has two events @{taken.first + other}: {self._transport.address} holds another than is "
                "known here"
            )
        return theirs, ours
