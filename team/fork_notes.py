"""Finds where a transport shows another history of a chain, proves it, and exchanges the proofs.

Implements specs/team.md (TM-40).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ledger import reader
from ledger.check import judged
from ledger.errors import FormatError, NoLedgerError, RecordError
from ledger.event import event_id, split_line
from team.chain_segments import ids_of
from transports.protocol import TakenError, Transport
from writers.forks import Fork, checked, keys_along, proof, with_keys
from writers.signatures import note_name
from writers.team_folder import TeamFolder

KIND = "fork"
_RARE = (b'"kind":"genesis"', b'"kind":"rotate"')


class ForkNotes:
    """The proofs of one team's forks.

    Args:
        folder: what is known of the team here.
    """

    def __init__(self, folder: TeamFolder) -> None:
        self._folder = folder
        self.found_one = False
        """Whether `prove` proved a fork, so that its proof is still to be put."""

    def exchange(self, transport: Transport, chains: Collection[str], paths: Mapping[str, Path]) -> None:
        """Keep the proofs that say more than those known here, and put ours where they are missing.

        Args:
            transport: where to.
            chains: whose proofs are kept.
            paths: where the chains lie that are here.
        """
        there = dict(transport.notes(KIND))
        for name, data in there.items():
            if name.split(".")[0] in chains:
                with suppress(FormatError):
                    self._keep(checked(data, self._folder.settings.team), paths)
        for fork in self._folder.forks().values():
            if (name := note_name(fork.chain, fork.data)) not in there:
                with suppress(TakenError):
                    transport.put_note(KIND, name, fork.data)

    def prove(self, transport: Transport, chain: str, path: Path) -> Fork | None:
        """Compare a chain with what the transport has of it, and keep the proof of the first fork, if there is one.

        What no key of the chain signed proves nothing: it is damage, or a lie.
        """
        for seq, line in other_lines(transport, chain, path):
            ours = reader.numbered(path, seq) or reader.numbered(path, seq - 1)
            if ours is None:
                return None
            with suppress(FormatError, RecordError):
                fork = checked(proof(_keys_of(path), ours.raw, line), self._folder.settings.team)
                self._keep(fork, {chain: path})
                self.found_one = True
                return fork
        return None

    def _keep(self, fork: Fork, paths: Mapping[str, Path]) -> None:
        """Keep a proof if it says more than the one that is known; the keys that are known here are added."""
        known = self._folder.forks().get(fork.chain)
        first = fork if known is None or fork.outdoes(known) else known
        here = _keys_of(paths[fork.chain]) if fork.chain in paths else ()
        longest = max((fork.keys, known.keys if known else (), here), key=len)
        best = with_keys(first, longest, self._folder.settings.team)
        if known is None or best.data != known.data:
            self._folder.keep_fork(best)


def other_lines(transport: Transport, chain: str, path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a transport that a chain file does not have in their places, each with its seq, the first ones first."""
    try:
        with reader.opened(path) as fd:
            ours = [event_id(split_line(line.raw).head) for line in reader.lines(fd) if line.ended]
    except (FormatError, NoLedgerError):
        return
    found = []
    for segment in transport.since(chain, 0):
        lines = segment.data.split(b"\n")
        for seq, (id_, line) in enumerate(zip(ids_of(segment.data), lines, strict=False), segment.first):
            if id_ is not None and id_ not in ours[seq : seq + 1]:
                found.append((seq, line))
    yield from sorted(found)


def keys_of_both(path: Path, first: int, there: Iterable[tuple[int, bytes]], team: str) -> list[bytes]:
    """Return the public keys of a chain file, and of its other branch, which begins with the seq `first`: it may have rotated."""
    own = _keys_of(path)
    other = [line for line in own if judged(line).head["seq"] < first]
    for line in (line for _, line in there if _RARE[1] in line):
        with suppress(FormatError):  # it stands there twice, or is damaged
            keys_along([*other, line], team)
            other.append(line)
    return [*keys_along(own, team), *keys_along(other, team)]


def _keys_of(path: Path) -> tuple[bytes, ...]:
    """Return the lines of a chain's genesis and rotates."""
    with suppress(NoLedgerError), reader.opened(path) as fd:
        return tuple(line.raw for line in reader.lines(fd) if any(kind in line.raw for kind in _RARE))
    return ()
