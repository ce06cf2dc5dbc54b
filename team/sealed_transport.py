"""A transport whose host cannot read what travels: lines are sealed on their way out, and opened on their way in.

Implements specs/team.md (TM-60, TM-61, TM-70). Anyone who uses it sees lines as they stand in chains. The first line of a chain,
its genesis, travels as it is: it says whose chain it is, and who asks to join has no key yet. A line that no known key
opens comes as it stands there, and passes as no event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from team.chain_segments import cut
from team.seal_keys import SealKeys
from transports.protocol import Segment, TakenError, Transport
from writers.seal import LineSeal, SealKey


class SealedTransport:
    """The transport of one team, as its members see it.

    In a team that is not sealed lines travel as they are.

    Args:
        inner: where what is sealed travels.
        team: the team id.
        keys: opens and seals.
    """

    def __init__(self, inner: Transport, team: str, keys: SealKeys) -> None:
        self._inner = inner
        self._team = team
        self._keys = keys
        self.address, self.heads = inner.address, inner.heads  # no line is opened to count lines
        self.notes, self.put_note = inner.notes, inner.put_note
        self.wait, self.close = inner.wait, inner.close

    @property
    def remark(self) -> str:
        """That of the transport."""
        return self._inner.remark

    @property
    def may_send(self) -> bool:
        """Whether more than the first line of a chain may be put here (TM-60)."""
        return self._keys.may_send

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Yield segments with their lines opened."""
        for segment in self._inner.since(chain, seq):
            yield self._opened(chain, segment)

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Put segments sealed, split if one would be too large.

        Raises:
            TakenError: other lines are at one of the places; it carries them opened.
        """
        try:
            self._inner.put(chain, self._sealed(chain, segments))
        except TakenError as taken:
            there = self._opened(chain, Segment(taken.first, taken.data))
            raise TakenError(taken.chain, taken.first, there.data) from None

    def blank(self, chain: str, segment: Segment) -> str:
        """Put a segment sealed in place of another; return what the transport says of each piece."""
        said = dict.fromkeys(self._inner.blank(chain, piece) for piece in self._sealed(chain, [segment]))
        return " ".join(each for each in said if each)

    def compact(self, chain: str, segment: Segment) -> None:
        """Put a segment, sealed, in place of shorter ones; nothing is done for those that another key sealed."""
        for piece in self._sealed(chain, [segment]):
            self._inner.compact(chain, piece)

    def _opened(self, chain: str, segment: Segment) -> Segment:
        seal, keys = LineSeal(self._team, chain), self._keys.with_id
        lines = segment.data.split(b"\n")
        opened = [
            seal.opened(keys, segment.first + at, line) if line else line for at, line in enumerate(lines)
        ]
        return Segment(segment.first, b"\n".join(opened))

    def _sealed(self, chain: str, segments: Sequence[Segment]) -> list[Segment]:
        if not self._keys.is_sealed:
            return list(segments)
        key = self._keys.current()
        found: list[Segment] = []
        for segment in segments:
            lines = segment.data.split(b"\n")[:-1]
            found += cut(segment.first, self._lines(chain, segment.first, lines, key))
        return found

    def _lines(self, chain: str, first: int, lines: Sequence[bytes], key: SealKey | None) -> Iterator[bytes]:
        seal, id_ = LineSeal(self._team, chain), key.id if key else b""
        for seq, line in enumerate(lines, first):
            if seq == 0:
                yield line + b"\n"
            elif key is None:
                raise ValueError(f"the key for line {seq} of {chain} is not known here")
            else:
                yield seal.sealed(key, id_, seq, line) + b"\n"
