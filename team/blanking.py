"""Blanks what was erased where a team's chains travel.

Implements specs/team.md (TM-83). Anyone who takes an erase in does it as well: the machine that erased may be away, and a
machine that did not know of it may have put the text there again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from ledger.durable import keep_file, read_file
from projections.index import Index
from team.chain_segments import ids_of, other_event, rest_of, segments
from team.compaction import alone
from transports.protocol import Segment, Transport
from writers.team_folder import TeamFolder

FILE = "blanked.json"
_ERASED = (
    "SELECT coalesce(w.id, ''), e.seq, t.seq FROM events e JOIN edges x ON x.id = e.id AND x.kind = 'erase' "
    "JOIN events t ON t.id = x.target AND t.writer = e.writer LEFT JOIN writers w ON w.number = e.writer "
    "WHERE e.kind = 'erase' ORDER BY e.n"
)


class Blanking:
    """What is still to be blanked at the transport of one team.

    Args:
        folder: what is known of the team here.
    """

    def __init__(self, folder: TeamFolder) -> None:
        self._folder = folder
        self._path = folder.path / FILE

    def is_due(self, lengths: Mapping[str, int]) -> bool:
        """Return whether a chain has events that were not looked at yet.

        Args:
            lengths: how many events each chain has here, by its genesis.
        """
        return self._noted() != lengths

    def run(self, transport: Transport, index: Index, lengths: Mapping[str, int]) -> list[str]:
        """Blank the targets of erases that came since the last time; return the transport's remarks on old bytes, each once.

        Raises:
            UnreachableError: the transport does not answer; the next sync continues.
        """
        with alone(self._folder, waits=True):
            said = self._run(transport, index)
            self._note(lengths)
        return [each for each in said if each]

    def _run(self, transport: Transport, index: Index) -> dict[str, None]:
        noted, said = self._noted(), dict[str, None]()
        wanted: dict[str, set[int]] = {}
        for writer, at, target in index.connection().execute(_ERASED):
            chain = writer or self._folder.genesis
            if at >= noted.get(chain, 0):
                wanted.setdefault(chain, set()).add(target)
        for chain, seqs in wanted.items():
            for seq in sorted(seqs):
                said.update(dict.fromkeys(self._blank(transport, chain, seq)))
        return said

    def _blank(self, transport: Transport, chain: str, seq: int) -> Iterable[str]:
        """Put our lines, which are blank, in the place of each segment that holds this one otherwise."""
        path = self._folder.path_of(chain)
        for there in list(transport.since(chain, seq)):
            if there.first > seq:
                return
            ours = b"".join(each.data for each in segments(path, there.first, there.end))
            rest = rest_of(there, there.first + ours.count(b"\n"))
            if ours + rest != there.data and other_event(ids_of(there.data), ids_of(ours)) is None:
                yield transport.blank(chain, Segment(there.first, ours + rest))

    def _noted(self) -> dict[str, int]:
        try:
            return {str(chain): int(length) for chain, length in json.loads(read_file(self._path)).items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def _note(self, lengths: Mapping[str, int]) -> None:
        keep_file(self._path, json.dumps(dict(lengths)).encode(), "noting what was blanked at the transport")
