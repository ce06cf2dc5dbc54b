"""Writers for tests: chains of which only the ids, keys, rotates and anchors are there, and rosters that they sign."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ledger.fold import is_disowned
from ledger.note import NoteSignature
from ledger.signing import SigningKey
from writers.roster import Member, Roster, Signer, parse, signed

TEAM = "0123456789abcdef" * 2


def sha(text: str) -> str:
    """Return 64 hex digits that stand for `text`."""
    return hashlib.sha256(text.encode()).hexdigest()


class Writer:
    """A chain in memory. It says what TM-11 asks of a chain, in the plainest way."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ids: list[str] = []
        self.keys: list[SigningKey] = []
        self.rotates: list[int] = []
        self.disowned: list[tuple[int, int]] = []
        self.anchors: dict[str, int] = {}
        self._key = SigningKey(hashlib.sha256(name.encode()).digest())
        self.append()

    @property
    def genesis(self) -> str:
        """The writer's id."""
        return self.ids[0]

    @property
    def key(self) -> SigningKey:
        """The key that is in force now."""
        return self.keys[-1]

    def append(self) -> int:
        """Append an event and return its seq."""
        self.ids.append(sha(f"{self.name} {len(self.ids)}"))
        self.keys.append(self._key)
        return len(self.ids) - 1

    def anchor(self, roster: Roster) -> None:
        """Append the anchor event that publishes a roster."""
        self.anchors[roster.hash] = self.append()

    def rotate(self, since: int | None = None) -> None:
        """Go on with another key; `since` is the first seq that the owner disowns."""
        self._key = SigningKey(hashlib.sha256(self._key.seed).digest())
        seq = self.append()
        self.rotates.append(seq)
        if since is not None:
            self.disowned.append((since, seq))

    def signer(self, seq: int = -1) -> Signer:
        """Return the line for the roster, of the newest event or another."""
        seq %= len(self.ids)
        return Signer(self.genesis, seq, self.ids[seq])

    def member(
        self, role: str = "writer", kind: str = "person", until: tuple[int, str] | None = None
    ) -> Member:
        """Return the line that makes this writer a member."""
        return Member(self.genesis, self.name, kind, role, until)

    def key_at(self, seq: int, id_: str, digest: str) -> bytes | None:
        """Return the key by which a signature at this event counts for the roster with this hash."""
        if seq >= len(self.ids) or self.ids[seq] != id_ or is_disowned(seq, self.disowned):
            return None
        ended = min((each for each in self.rotates if each > seq), default=None)
        if ended is not None:
            anchor = self.anchors.get(digest, ended)
            if anchor >= ended or is_disowned(anchor, self.disowned):
                return None
        return self.keys[seq].public


class Chains:
    """All the chains that a reader has."""

    def __init__(self, *writers: Writer) -> None:
        self.writers = {each.genesis: each for each in writers}

    def key_at(self, genesis: str, seq: int, id_: str, digest: str) -> bytes | None:
        """Answer as `writers.membership.KeyAt` asks."""
        found = self.writers.get(genesis)
        return found.key_at(seq, id_, digest) if found else None


def roster(
    members: Iterable[Member],
    signers: Iterable[Writer],
    prev: Iterable[Roster] = (),
    threshold: int = 1,
    team: str = TEAM,
) -> Roster:
    """Return the roster that follows `prev`."""
    before = tuple(prev)
    version = 1 + max((each.version for each in before), default=-1)
    return Roster(
        team,
        version,
        tuple(sorted(each.hash for each in before)),
        threshold,
        tuple(sorted(each.signer() for each in signers)),
        tuple(sorted(members, key=lambda each: each.genesis)),
    )


def by(made: Roster, *writers: Writer) -> bytes:
    """Return the roster as a note that these admins signed with the keys that they have now."""
    data, beside = b"", tuple[NoteSignature, ...]()
    for each in writers:
        data = signed(made, each.genesis, each.key, beside)
        beside = parse(data)[1].signatures
    return data
