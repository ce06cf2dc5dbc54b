"""What a roster says of the keys that lines are sealed with: whom it brings the present one, and when there is a new one.

Implements specs/team.md (TM-61, TM-63).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ledger.errors import StateError
from ledger.ledger import Random
from team.seal_keys import SealKeys
from writers.chain_keys import newest_key
from writers.roster import Roster
from writers.seal import Seal, SealKey, new_key, roster_seal
from writers.team_folder import TeamFolder


def first_seal(folder: TeamFolder, keys: SealKeys, public: bytes, random: Random) -> Seal:
    """Return what the first roster of a team says: a new key, for the machine with this public key."""
    key = new_key(random=random)
    keys.keep(key)
    return roster_seal(key, (), [(folder.genesis, public)])


def next_seal(
    folder: TeamFolder,
    keys: SealKeys,
    before: Sequence[Roster],
    *,
    readers: Collection[str],
    newcomers: Mapping[str, bytes],
    random: Random,
) -> Seal | None:
    """Return what the roster that follows others says; None in a team that is not sealed.

    The key is a new one if they have different ones, or a box for somebody who is to read no longer.

    Args:
        folder: what is known of the team here.
        keys: its keys.
        before: the rosters that it follows.
        readers: the genesis ids of all members whose membership has not ended.
        newcomers: the public keys of those among them whose chains are not here yet.
        random: gives random bytes.

    Raises:
        StateError: a key of theirs is not known here.
    """
    seals = [each.seal for each in before if each.seal]
    if not seals:
        return None
    names = {seal.key for seal in seals}
    known = [_known(keys, name) for name in sorted(names.union(*(dict(seal.was) for seal in seals)))]
    boxed = {genesis for seal in seals for genesis, _ in seal.boxes}
    is_same = len(names) == 1 and boxed <= set(readers)
    key = _known(keys, *names) if is_same else new_key(random=random)
    keys.keep(key)
    publics = {each: newcomers.get(each) or newest_key(folder.path_of(each)) for each in readers}
    return roster_seal(key, known, [(each, public) for each, public in publics.items() if public])


def _known(keys: SealKeys, name: str) -> SealKey:
    key = keys.named(name)
    if key is None:
        raise StateError(
            f"this machine does not have the key {name[:8]} of the team, so it cannot pass it on: run muniment team "
            "sync, and if that does not help, muniment team join with a new invitation"
        )
    return key
