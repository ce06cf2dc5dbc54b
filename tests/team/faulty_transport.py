"""A transport that lies and breaks: what several machines put into one store, with seeded faults on the way and in it.

Tests specs/team.md (TM-70…TM-72). Each call may, as often as `Store.faults` says, fail before or after it did its work, give
segments twice, in another order, cut in another way, torn or altered, forget what it acknowledged, and show an old head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from ledger.event import blanked
from transports.places import check_note, checked_segments, line_count, reached, repeated
from transports.protocol import MOST_LINES, Segment, TakenError, UnreachableError

ADDRESS = "memory:store"


class Store:
    """Segments by chain and first line, and notes by kind and name.

    `faults` is how much goes wrong, from 0 to 1; `cut_off` are the machines that do not reach it meanwhile.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.faults = 0.0
        self.cut_off: set[str] = set()
        self.chains: dict[str, dict[int, bytes]] = {}
        self.notes: dict[tuple[str, str], bytes] = {}
        self.damaged: set[tuple[str, int]] = set()

    def happens(self, chance: float) -> bool:
        """Say whether a fault of this chance happens now."""
        return self.random.random() < chance * self.faults

    def copied(self) -> Store:
        """Return a store that holds the same, and draws from the same numbers."""
        other = Store(self.random)
        other.chains = {chain: dict(places) for chain, places in self.chains.items()}
        other.notes = dict(self.notes)
        return other

    def heads(self) -> dict[str, int]:
        """Return how many lines of each chain stand here without a gap."""
        spans = {
            chain: [(first, first + line_count(data)) for first, data in places.items()]
            for chain, places in self.chains.items()
        }
        return {chain: head for chain, each in spans.items() if (head := reached(each))}

    # --- what goes wrong in it by itself ---

    def decay(self) -> None:
        """Lose, alter or cut in another way what was acknowledged."""
        chain = self.random.choice(sorted(self.chains))
        places = self.chains[chain]
        if not places:
            return
        first = self.random.choice(sorted(places))
        what = self.random.choice(("tail", "tail", "one", "flipped", "torn", "overlapping", "note"))
        if what == "tail":
            for each in [each for each in places if each >= first]:
                del places[each]
        elif what == "one":
            del places[first]
        elif what == "note" and self.notes:
            del self.notes[self.random.choice(sorted(self.notes))]
        elif what in ("flipped", "torn"):
            places[first] = (flipped if what == "flipped" else torn)(places[first], self.random)
            self.damaged.add((chain, first))
        elif what == "overlapping":
            lines = self.lines(chain, first)
            begin = self.random.randrange(len(lines)) if lines else 0
            places.setdefault(first + begin, b"".join(lines[begin:MOST_LINES]))

    def lines(self, chain: str, first: int) -> list[bytes]:
        """Return the lines that follow each other from the place `first` on."""
        found: list[bytes] = []
        places = self.chains[chain]
        while first + len(found) in places:
            more = places[first + len(found)].splitlines(keepends=True)
            if not more:
                break
            found += more
        return found

    def mend(self) -> None:
        """Take away what was damaged, as whoever runs it would; what was lost stays lost."""
        for chain, first in self.damaged:
            self.chains.get(chain, {}).pop(first, None)
        self.damaged.clear()

    def take_in(self, other: Store) -> None:
        """Take what another view of the same place holds."""
        for chain, places in other.chains.items():
            self.chains[chain] = {**places, **self.chains.get(chain, {})}
        self.notes = {**other.notes, **self.notes}
        self.damaged |= other.damaged


class FaultyTransport:
    """The way of one machine to a store; see transports.protocol.Transport."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name

    @property
    def address(self) -> str:
        """Where it is."""
        return ADDRESS

    @property
    def remark(self) -> str:
        """Nothing: it keeps things as usual."""
        return ""

    def _reach(self) -> None:
        if self._store.faults and (self._name in self._store.cut_off or self._store.happens(0.03)):
            raise UnreachableError(f"{ADDRESS} does not answer")

    def heads(self) -> dict[str, int]:
        """Give heads; old ones, or too high ones."""
        self._reach()
        found = self._store.heads()
        for chain in sorted(found):
            if self._store.happens(0.1):
                found[chain] = self._store.random.randrange(found[chain] + 1)
            elif self._store.happens(0.03):
                found[chain] += self._store.random.randrange(1, 5)
        return found

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Give segments, not all of them as they stand."""
        self._reach()
        places = self._store.chains.get(chain, {})
        found = [Segment(first, data) for first, data in sorted(places.items()) if line_count(data)]
        found = [each for each in found if each.end > seq]
        if self._store.happens(0.1):
            self._store.random.shuffle(found)
        for each in found:
            if self._store.happens(0.02):
                self._reach()
                raise UnreachableError(f"{ADDRESS} stopped answering")
            if not self._store.happens(0.05):
                yield from self._on_its_way(chain, each)

    def _on_its_way(self, chain: str, segment: Segment) -> Iterator[Segment]:
        random, store = self._store.random, self._store
        if store.happens(0.05):
            yield segment
        if store.happens(0.05):
            lines = store.lines(chain, segment.first)
            begin = random.randrange(len(lines))
            yield Segment(segment.first + begin, b"".join(lines[begin : begin + random.randrange(1, 9)]))
        if store.happens(0.05):
            segment = segment._replace(data=flipped(segment.data, random))
        if store.happens(0.04):
            segment = segment._replace(data=torn(segment.data, random))
        if store.happens(0.04):
            segment = segment._replace(data=without_payload(segment.data, random))
        if store.happens(0.02):
            segment = segment._replace(first=max(0, segment.first + random.choice((-1, 1))))
        if store.happens(0.02):
            other = store.chains[random.choice(sorted(store.chains))]
            segment = Segment(segment.first, random.choice([segment.data, *other.values()]))
        yield segment

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Put segments, or only some of them, or none; say so or not."""
        self._reach()
        places = self._store.chains.setdefault(chain, {})
        for first, data in checked_segments(chain, segments):
            if self._store.happens(0.05):
                continue  # acknowledged and lost
            if self._store.happens(0.02):
                raise UnreachableError(f"{ADDRESS} stopped answering")
            if places.setdefault(first, data) != data:
                raise TakenError(chain, first, places[first])
        if self._store.happens(0.05):
            raise UnreachableError(f"the answer of {ADDRESS} was lost")

    def blank(self, chain: str, segment: Segment) -> str:
        """Put a segment in place of another."""
        self._reach()
        self._store.chains.setdefault(chain, {})[segment.first] = segment.data
        return ""

    def compact(self, chain: str, segment: Segment) -> None:
        """Put a segment in place of shorter ones, or die on the way."""
        self._reach()
        places = self._store.chains.get(chain, {})
        pieces = repeated(segment, [Segment(first, data) for first, data in sorted(places.items())])
        for first in pieces[:1]:
            places[first] = segment.data
        for first in pieces[1:]:
            if self._store.happens(0.05):
                raise UnreachableError(f"{ADDRESS} stopped answering")
            del places[first]

    def put_note(self, kind: str, name: str, data: bytes) -> None:
        """Put a note, or lose it."""
        check_note(kind, name, data)
        self._reach()
        if not self._store.happens(0.05) and self._store.notes.setdefault((kind, name), data) != data:
            raise TakenError(f"{kind}/{name}", 0, self._store.notes[kind, name])
        if self._store.happens(0.05):
            raise UnreachableError(f"the answer of {ADDRESS} was lost")

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Give the notes, some of them altered."""
        self._reach()
        for (found, name), data in sorted(self._store.notes.items()):
            if found == kind and not self._store.happens(0.05):
                yield name, flipped(data, self._store.random) if self._store.happens(0.05) else data

    def wait(self, seconds: float) -> bool:
        """Return at once: tests of it have no clock."""
        return seconds < 0

    def close(self) -> None:
        """Nothing is open."""


def flipped(data: bytes, random: Random) -> bytes:
    """Return these bytes with one of them changed, but for line feeds."""
    at = random.choice([at for at, byte in enumerate(data) if byte != 10])
    byte = random.choice([each for each in range(256) if each not in (10, data[at])])
    return data[:at] + bytes([byte]) + data[at + 1 :]


def without_payload(data: bytes, random: Random) -> bytes:
    """Return these lines with the payload of one blanked, as an erase would have left it."""
    lines = data.splitlines(keepends=True)
    at = random.randrange(len(lines))
    head, payload, _ = lines[at].partition(b',"payload":')
    if payload:
        size = len(lines[at]) - len(head) - len(payload) - len(b"}\n")
        lines[at] = head + payload + blanked(size) + b"}\n"
    return b"".join(lines)


def torn(data: bytes, random: Random) -> bytes:
    """Return the beginning of these bytes: whole lines and half of one, which a line feed may end."""
    return data[: random.randrange(1, len(data))] + random.choice((b"", b"\n"))
