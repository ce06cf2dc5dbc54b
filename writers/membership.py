"""Who the members of a team are, after all the rosters that are known.

Implements specs/team.md (TM-11…TM-13). What counts is a function of the set of notes, whatever their order and
however often each came. A note that does not count takes nothing away, and is listed with the reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ledger.errors import FormatError
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from writers import proposals
from writers.forks import Fork
from writers.roster import KINDS, ROLES, STANDINGS, Member, Roster, admins_of, parse
from writers.seal import Seal
from writers.signatures import is_signed

KeyAt = Callable[[str, int, str, str], bytes | None]
"""Returns the key by which a signature counts (TM-11): `(genesis, seq, event id, roster's hash)` to a public key of 32 bytes.

It is the key in force at that event of the signer's chain. It is None if that event is not known, or if a rotate
disowns it. It is also None if a later rotate ended that key, unless an anchor event before that rotate names the roster
(TM-15) and no rotate disowns the anchor: otherwise a found old key could sign rosters forever.
"""


class Membership(NamedTuple):
    """What holds in a team.

    Args:
        team: its id.
        members: sorted by genesis, those whose membership ended included; empty while roster 0 does not count.
        threshold: how many admins must sign the next roster; 0 while roster 0 does not count.
        heads: the hashes of the rosters that no other follows, sorted; two or more are a finding (TM-13).
        version: the highest version that counts.
        chains: all chains that may be fetched (TM-16): who is or was a member, and who would be after a roster that
            the admins before it signed. The key of a new admin is known only after their chain came.
        pending: the hashes of those of them that follow the heads and that an admin signed, but too few admins.
        void: the same of those beside the heads, which were faster.
        agents: whether events of members of kind agent take effect, or wait for a person (TM-24).
        refused: each roster that does not count, sorted, by its hash, or by that of its bytes where it cannot be
            read; and why.
        forked: the chains that forked, and at which seq, as long as no roster ends them before it (TM-40).
    """

    team: str
    members: tuple[Member, ...]
    threshold: int
    heads: tuple[str, ...]
    version: int
    chains: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    forked: tuple[tuple[str, int], ...] = ()
    pending: tuple[str, ...] = ()
    agents: str = STANDINGS[0]
    seals: tuple[str, ...] = ()
    void: tuple[str, ...] = ()

    def ids(self) -> list[str]:
        """Return the ids of all who are or were members."""
        return [each.genesis for each in self.members]

    def waits_of(self, member: Member) -> int:
        """Return from which seq on a member's events are proposals, -1 if none is (TM-25)."""
        return proposals.ALL if member.kind == "agent" and self.agents == "waits" else proposals.NEVER


def membership_of(value: Any) -> Membership:
    """Return a membership as JSON spells it: an array of its members, in order.

    Raises:
        TypeError, ValueError: it is none.
    """
    if len(value) != len(Membership._fields):
        raise ValueError("a membership has other members")
    found = Membership(*_frozen(value))
    return found._replace(members=tuple(Member(*each) for each in found.members))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def in_force(team: str, first: str, notes: Iterable[bytes], key_at: KeyAt) -> Membership:
    """Return what holds in the team whose roster 0 has the hash `first`, after `notes`, each of a roster."""
    rosters, refused = read_rosters(notes)
    valid: dict[str, Roster] = {}
    chains: set[str] = set()
    short: dict[str, Roster] = {}
    for digest, (roster, found) in sorted(rosters.items(), key=lambda each: (each[1][0].version, each[0])):
        if fault := _misplaced(digest, roster, team, first, valid):
            refused[digest] = fault
            continue
        signers = _signers(digest, roster, found, key_at)
        fault = _lacks(signers, {each: valid[each].threshold for each in roster.prev}, valid)
        if not fault:
            chains |= {each.genesis for each in roster.members}
            own = roster.threshold if roster.prev else max(roster.threshold, len(admins_of(roster.members)))
            fault = _lacks(signers, {digest: own}, {digest: roster})
        if fault:
            refused[digest] = fault
            if all(signers & admins_of(valid[each].members) for each in roster.prev):
                short[digest] = roster
            continue
        valid[digest] = roster
    return _held(team, valid, chains, refused, short)


def read_rosters(notes: Iterable[bytes]) -> tuple[dict[str, tuple[Roster, Note]], dict[str, str]]:
    """Return the rosters by their hashes, with all signatures under the same text, and what is none, with the reason."""
    rosters: dict[str, tuple[Roster, Note]] = {}
    refused: dict[str, str] = {}
    for data in notes:
        try:
            roster, found = parse(data)
        except FormatError as error:
            refused[hashlib.sha256(data).hexdigest()] = str(error)
            continue
        digest = roster.hash
        before = rosters[digest][1].signatures if digest in rosters else ()
        rosters[digest] = (roster, Note(found.text, tuple({*before, *found.signatures})))
    return rosters, refused


def _misplaced(digest: str, roster: Roster, team: str, first: str, valid: Mapping[str, Roster]) -> str:
    """Return why a roster follows none of this team's, or nothing (TM-12)."""
    if roster.team != team:
        return f"it is of another team, {roster.team}"
    if not roster.prev:
        return "" if digest == first else "it founds another team than the one that is known here"
    if missing := [each for each in roster.prev if each not in valid]:
        return f"a roster that it follows is missing or does not count: {missing[0]}"
    highest = max(valid[each].version for each in roster.prev)
    if roster.version != highest + 1:
        return f"its version is {roster.version} and follows version {highest}"
    return ""


def _signers(digest: str, roster: Roster, found: Note, key_at: KeyAt) -> frozenset[str]:
    """Return whose signatures count (TM-11); each counts once."""
    keys = {each.genesis: key_at(each.genesis, each.seq, each.id, digest) for each in roster.signers}
    return frozenset(genesis for genesis, key in keys.items() if key and is_signed(found, genesis, key))


def _lacks(signers: Collection[str], needed: Mapping[str, int], rosters: Mapping[str, Roster]) -> str:
    """Return which roster too few admins signed, or ""; `needed` maps each to the number needed."""
    for digest, need in needed.items():
        roster = rosters[digest]
        have = len(admins_of(roster.members).intersection(signers))
        if have < need:
            return f"it has {have} of the {need} signatures that admins of version {roster.version} must give"
    return ""


def _held(
    team: str,
    valid: Mapping[str, Roster],
    chains: Collection[str],
    refused: Mapping[str, str],
    short: Mapping[str, Roster],
) -> Membership:
    heads = sorted(valid.keys() - {each for roster in valid.values() for each in roster.prev})
    named = [{member.genesis: member for member in valid[each].members} for each in heads]
    everywhere = set(named[0]).intersection(*named[1:]) if named else set()
    members = tuple(_least([each[genesis] for each in named]) for genesis in sorted(everywhere))
    version = max((valid[each].version for each in heads), default=0)
    return Membership(
        team,
        members,
        max((valid[each].threshold for each in heads), default=0),
        tuple(heads),
        version,
        tuple(sorted(chains)),
        tuple(sorted(refused.items())),
        pending=tuple(
            sorted(digest for digest, roster in short.items() if heads and sorted(roster.prev) == heads)
        ),
        agents=min((valid[each].agents for each in heads), key=STANDINGS.index, default=STANDINGS[0]),
        seals=_seals([seal for each in heads if (seal := valid[each].seal)]),
        void=tuple(sorted(digest for digest, roster in short.items() if roster.version == version)),
    )


def _seals(found: Sequence[Seal]) -> tuple[str, ...]:
    earlier = {name for seal in found for name, _ in seal.was}
    return tuple(sorted({seal.key for seal in found} - earlier))


def _least(same: list[Member]) -> Member:
    """Return one member as several heads name it, with the least of what they give."""
    return Member(
        same[0].genesis,
        min(each.name for each in same),
        min((each.kind for each in same), key=KINDS.index),
        min((each.role for each in same), key=ROLES.index),
        min((each.until for each in same if each.until), default=None),
    )


def cut_at_forks(found: Membership, forks: Mapping[str, Fork]) -> Membership:
    """Return a membership in which no member counts from the seq on at which their chain forked (TM-40)."""
    members, forked = [], []
    for each in found.members:
        fork = forks.get(each.genesis)
        if fork is None or (each.until is not None and each.until[0] < fork.seq):
            members.append(each)
            continue
        members.append(each._replace(until=(fork.seq - 1, fork.before)))
        forked.append((each.genesis, fork.seq))
    return found._replace(members=tuple(members), forked=tuple(forked))
