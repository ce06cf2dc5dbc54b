"""Signs the rosters of a team with the key of this machine's chain.

Implements specs/team.md (TM-12, TM-15). The anchor that names a roster is written first: a roster without one would not
outlive its key, and an anchor without a roster says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger import reader
from ledger.command import Anchor
from ledger.errors import StateError
from ledger.signing import SigningKey
from projections.workspace import Workspace
from team.roster_seals import first_seal, next_seal
from team.seal_keys import SealKeys
from writers.membership import Membership
from writers.roster import ANCHOR_METHOD, Member, Roster, Signer, parse, signed
from writers.team_folder import TeamFolder


def sign_first(
    workspace: Workspace, folder: TeamFolder, team: str, member: Member, keys: SealKeys | None
) -> str:
    """Sign and keep the roster that founds a team of one member, sealed if there are `keys`; return its hash."""
    public, random = signing_key(workspace).public, workspace.ledger.random
    seal = first_seal(folder, keys, public, random) if keys else None
    return _keep(workspace, folder, Roster(team, 0, (), 1, (_tip(workspace, folder),), (member,), seal))


def sign_next(
    workspace: Workspace,
    folder: TeamFolder,
    keys: SealKeys,
    before: Membership,
    members: Iterable[Member],
    *,
    newcomers: Mapping[str, bytes],
) -> None:
    """Sign and keep the roster that follows all that count now.

    Args:
        workspace: the ledger.
        folder: what is known of its team.
        keys: what its lines are sealed with.
        before: what holds now.
        members: who belongs to the team from then on.
        newcomers: the public keys of those whose chains are not here yet.

    Raises:
        StateError: more than one admin must sign it, or a key of the team is not known here.
    """
    if before.threshold > 1:
        raise StateError(f"{before.threshold} admins must sign the next roster, which cannot be done yet")
    signers = (_tip(workspace, folder),)
    version, heads, everybody = before.version + 1, before.heads, tuple(members)
    readers = [each.genesis for each in everybody if each.until is None]
    seal = next_seal(
        folder,
        keys,
        folder.rosters_named(heads),
        readers=readers,
        newcomers=newcomers,
        random=workspace.ledger.random,
    )
    _keep(workspace, folder, Roster(before.team, version, heads, before.threshold, signers, everybody, seal))


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
            "if this machine asked before, else join with a chain that begins anew"
        )
    return key


def _keep(workspace: Workspace, folder: TeamFolder, roster: Roster) -> str:
    data = signed(roster, folder.genesis, signing_key(workspace))
    digest = parse(data)[0].hash
    workspace.ledger.write([Anchor({"method": ANCHOR_METHOD, "digest": digest})], workspace.by)
    folder.keep_roster(data)
    return digest


def _tip(workspace: Workspace, folder: TeamFolder) -> Signer:
    seq = workspace.index.position()
    return Signer(folder.genesis, seq, workspace.index.at_seq(seq) or "")
