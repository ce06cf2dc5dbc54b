"""Says of which writers a chain forked.

Implements specs/team.md (TM-40).
"""

from __future__ import annotations

from writers.counted import label_of
from writers.membership import Membership

_ANOTHERS = (
    "{writer} has two histories from @{seq} on, both signed with its key, and nothing of it counts from there: its machine went "
    "back to an older state, or two machines have its key. Run muniment team rejoin on the one that is right"
)
_OURS = (
    "this machine's own chain has two histories from @{seq} on, and nothing of it counts for the others from there: it went "
    "back to an older state, or another machine has its key. Run muniment team rejoin on the one that is right"
)


def forks_named(membership: Membership, own: str) -> list[str]:
    """Return a sentence for each chain that forked and that no roster has ended before that.

    Args:
        membership: what holds in the team.
        own: the genesis id of our own chain.
    """
    names = {each.genesis: each.name for each in membership.members}
    return [
        _OURS.format(seq=seq)
        if chain == own
        else _ANOTHERS.format(writer=label_of(names.get(chain, ""), chain), seq=seq)
        for chain, seq in membership.forked
    ]
