"""Signs the rosters of a team with the key of this machine's chain.

Implements specs/team.md (TM-12, TM-15). The anchor that names a roster is written first: a roster without one would not
outlive its key, and an anchor without a roster says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ledger import reader
from ledger.command import Anchor
from ledger.errors import StateError
from ledger.founding import identity_of
from ledger.note import NoteSignature
from ledger.signing import SigningKey
from projections.workspace import Workspace
from team.seal_keys import SealKeys
from writers.membership import Membership
from writers.roster import ANCHOR_METHOD, Member, Roster, Signer, admins_of, signed
from writers.team_folder import TeamFolder

NOBODY: Mapping[str, bytes] = MappingProxyType({})
"""No newcomers."""


class RosterSigner:
    """Makes the rosters of one team, signs them and keeps them.

    Args:
        workspace: the ledger.
        folder: what is known of its team.
        keys: what its lines are sealed with.
    """

    def __init__(self, workspace: Workspace, folder: TeamFolder, keys: SealKeys) -> None:
        self._workspace = workspace
        self._folder = folder
        self._keys = keys

    def sign_first(self, member: Member, agents: str, *, sealed: bool) -> str:
        """Sign and keep the roster that founds a team of one member; return its hash. `agents` is its policy (TM-24)."""
        public, random = signing_key(self._workspace).public, self._workspace.ledger.random
        seal = self._keys.first_seal(public, random) if sealed else None
        team = identity_of(self._workspace.chain)[0].id
        roster = Roster(team, 0, (), 1, (self._tip_of(self._folder.genesis),), (member,), agents, seal)
        self.sign(roster)
        return roster.hash

    def sign_next(
        self, before: Membership, after: Membership, newcomers: Mapping[str, bytes] = NOBODY
    ) -> Roster:
        """Sign and keep the roster that follows all that count now, and return it.

        Args:
            before: what holds now.
            after: with the members, the threshold and the policy of the new roster.
            newcomers: the public keys of those whose chains are not here yet.

        Raises:
            StateError: it would have fewer admins than must sign the next one, or a key of the team is not known here.
        """
        admins = admins_of(after.members)
        if len(admins) < after.threshold:
            lower = (
                ", or lower the threshold with muniment team policy threshold=1"
                if before.threshold > 1
                else ""
            )
            raise StateError(
                f"each change needs the signatures of {after.threshold}, and admins would be {len(admins)}: make another "
                f"member an admin{lower}"
            )
        signers = map(self._tip_of, admins_of(before.members) | admins)
        made = self._next(before, after, signers, newcomers)
        self.sign(made)
        return made

    def sign_heir(self, before: Membership, heir: Member, public: bytes) -> None:
        """Sign, with the newest key of our own chain, which forked, the roster in which another one takes its place (TM-41).

        Nothing is appended to the old chain. The roster counts once the new one, and as many as must, have signed it too.

        Args:
            before: what holds now, which ends the membership of the chain before the fork.
            heir: the new chain.
            public: the key in its genesis.

        Raises:
            StateError: a key of the team is not known here.
        """
        own = self._folder.genesis
        place = next(each.until for each in before.members if each.genesis == own)
        assert place is not None
        signers = [Signer(own, *place), Signer(heir.genesis, 0, heir.genesis)]
        signers += map(self._tip_of, admins_of(before.members))
        after = before._replace(members=(*before.members, heir))
        made = self._next(before, after, signers, {heir.genesis: public})
        self._folder.keep_roster(signed(made, own, signing_key(self._workspace)))

    def sign(self, roster: Roster, beside: Iterable[NoteSignature] = ()) -> None:
        """Sign a roster beside the signatures that it has already, and keep it."""
        data = signed(roster, self._folder.genesis, signing_key(self._workspace), beside)
        anchor = Anchor({"method": ANCHOR_METHOD, "digest": roster.hash})
        self._workspace.ledger.write([anchor], self._workspace.by)
        self._folder.keep_roster(data)

    def _next(
        self,
        before: Membership,
        after: Membership,
        signers: Iterable[Signer],
        newcomers: Mapping[str, bytes],
    ) -> Roster:
        heads = self._folder.rosters_named(before.heads)
        readers = [each.genesis for each in after.members if each.until is None]
        seal = self._keys.next_seal(heads, readers, newcomers, self._workspace.ledger.random)
        return Roster(
            before.team,
            before.version + 1,
            before.heads,
            after.threshold,
            tuple(signers),
            after.members,
            after.agents,
            seal,
        )

    def _tip_of(self, chain: str) -> Signer:
        """Return an admin with the newest event of their chain that is known here."""
        if chain == self._folder.genesis:
            index = self._workspace.index
            seq = index.position()
            return Signer(chain, seq, index.at_seq(seq) or "")
        copies = self._folder.copies()
        newest = copies.next(chain) - 1
        if newest <= 0:
            return Signer(chain, 0, chain)
        return Signer(chain, newest, reader.id_at(copies.path(chain), newest))


def signing_key(workspace: Workspace) -> SigningKey:
    """Return the key in force, also after a rotation that a crash cut short."""
    ledger = workspace.ledger
    return ledger.signing_key(ledger.settle_keys())


def first_key(workspace: Workspace) -> SigningKey:
    """Return the key in force, which must still be that of the genesis: others know no later one of a newcomer (TM-18).

    Raises:
        StateError: it was rotated.
    """
    key = signing_key(workspace)
    if next(reader.events(workspace.chain)).head["key"] != key.public.hex():
        raise StateError(
            "the key of this chain was rotated, and a request to join is signed by its first one: run muniment team sync "
            "if this machine asked before, else join with a new chain"
        )
    return key
