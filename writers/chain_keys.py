"""Which key of a writer's chain a signature under a roster counts by.

Implements specs/team.md (TM-11, TM-40). Read from the chain itself: its genesis, rotates and anchors, which are few.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ledger import reader
from ledger.errors import ChainError, FormatError, NoLedgerError
from ledger.named_tuple import NamedTuple
from writers.forks import Fork
from writers.membership import KeyAt
from writers.roster import ANCHOR_METHOD

_RARE = (b'"kind":"genesis"', b'"kind":"rotate"', b'"kind":"anchor"')


class _Rotate(NamedTuple):
    """A change of keys: at which seq, to which key, and from which seq on it disowns what was signed before."""

    seq: int
    key: bytes
    since: int


class _Chain(NamedTuple):
    """What a chain says about its keys: its changes of keys, and in which events it named which rosters; up to its fork."""

    rotates: tuple[_Rotate, ...]
    named: tuple[tuple[int, str], ...]
    fork: int | None = None

    def key_at(self, seq: int) -> bytes:
        return [each.key for each in self.rotates if each.seq <= seq][-1]

    def is_disowned(self, seq: int) -> bool:
        return any(each.since <= seq < each.seq for each in self.rotates)

    def before(self, seq: int) -> _Chain:
        rotates = tuple(each for each in self.rotates if each.seq < seq)
        return _Chain(rotates, tuple(each for each in self.named if each[0] < seq), seq)


def keys_in(paths: Mapping[str, Path], forks: Mapping[str, Fork]) -> KeyAt:
    """Return what says by which key a signature counts, for chains by their genesis ids.

    Each chain is read once; it was verified when it came. A fork ends a key as a rotate does, and nothing after it is
    looked at, since readers may hold different branches; the newest key that its proof tells of signs in any place.
    """

    @cache
    def read(genesis: str) -> _Chain | None:
        try:
            return _read(paths[genesis])
        except (KeyError, NoLedgerError, ChainError, FormatError):
            return None

    def key_at(genesis: str, seq: int, id_: str, roster: str) -> bytes | None:
        found, fork = read(genesis), forks.get(genesis)
        if found is None:
            return None
        if fork is None:
            return _key_at(found, paths[genesis], seq, id_, roster)
        return _key_at(found.before(fork.seq), paths[genesis], seq, id_, roster) or fork.key

    return key_at


def _key_at(found: _Chain, path: Path, seq: int, id_: str, roster: str) -> bytes | None:
    if (
        (found.fork is not None and seq >= found.fork)
        or reader.id_at(path, seq) != id_
        or found.is_disowned(seq)
    ):
        return None
    ends = [each.seq for each in found.rotates if each.seq > seq]
    ends += [] if found.fork is None else [found.fork]
    named = (at for at, digest in found.named if digest == roster and not found.is_disowned(at))
    if ends and not any(seq < at < ends[0] for at in named):
        return None
    return found.key_at(seq)


def newest_key(path: Path) -> bytes | None:
    """Return the public key in force at the end of a chain, None if there is no such chain here."""
    try:
        return _read(path).rotates[-1].key
    except (NoLedgerError, ChainError, FormatError, IndexError):
        return None


def _read(path: Path) -> _Chain:
    rotates, named = list[_Rotate](), list[tuple[int, str]]()
    for event in reader.events_where(path, lambda raw: any(kind in raw for kind in _RARE)):
        if event.kind in ("genesis", "rotate"):
            rotates.append(
                _Rotate(event.seq, bytes.fromhex(event.head["key"]), event.head.get("since", event.seq))
            )
        elif event.kind == "anchor" and event.payload and event.payload.get("method") == ANCHOR_METHOD:
            named.append((event.seq, str(event.payload.get("digest", ""))))
    return _Chain(tuple(rotates), tuple(named))
