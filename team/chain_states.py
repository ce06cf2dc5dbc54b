"""How far each chain of a team is here, and at the transport.

Implements specs/cli.md (X-346) and specs/team.md (TM-71).
"""

from __future__ import annotations

from collections.abc import Mapping

from ledger.named_tuple import NamedTuple
from writers.counted import label_of
from writers.membership import Membership
from writers.team_folder import TeamFolder


class ChainState(NamedTuple):
    """How many events of one writer's chain are here and at the transport, None if that was not asked."""

    name: str
    id: str
    here: int
    there: int | None
    own: bool

    @property
    def label(self) -> str:
        """How the writer is shown (TM-2)."""
        return label_of(self.name, self.id)


def chain_states(
    membership: Membership, folder: TeamFolder, own_next: int, own_name: str, heads: Mapping[str, int] | None
) -> list[ChainState]:
    """Return all chains of a team, our own first, then by name.

    Args:
        membership: who belongs to the team.
        folder: what is known of it here.
        own_next: the seq that follows the newest acknowledged event of our own chain.
        own_name: the name of this machine if it is not a member yet.
        heads: how many events of each chain are at the transport; None if it was not asked.
    """
    copies = folder.copies()
    names = {each.genesis: each.name for each in membership.members}
    found = []
    for id_ in {folder.genesis, *membership.chains}:
        own = id_ == folder.genesis
        here = own_next if own else copies.next(id_)
        there = None if heads is None else heads.get(id_, 0)
        found.append(ChainState(names.get(id_, own_name if own else "?"), id_, here, there, own))
    return sorted(found, key=lambda each: (not each.own, each.name, each.id))
