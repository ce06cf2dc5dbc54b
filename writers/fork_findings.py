"""Names the writers whose chain forked, and what a person can do about it.

Implements specs/team.md (TM-40, TM-41).
"""

from __future__ import annotations

from collections.abc import Iterable

from writers.counted import label_of
from writers.join_request import JoinRequest
from writers.membership import Membership

_ANOTHERS = (
    "{writer} has two histories from @{seq} on, both signed with its key, and nothing of it counts from there: its machine went "
    "back to an older state, or two machines have its key. Run muniment team rejoin on the one that is right"
)
_OURS = (
    "this machine's own chain has two histories from @{seq} on, and nothing of it counts for the others from there: it went "
    "back to an older state, or another machine has its key. Run muniment team rejoin on the one that is right"
)


_REJOINED = (
    "{writer} has two histories from @{seq} on, and nothing of it counts from there. {who}: an admin runs muniment team "
    "members accept {name} --fingerprint {fingerprint} --role {role}"
)
_OUR_NEW_CHAIN = "This machine's new chain waits to be accepted"
_NEW_CHAIN = "A new chain asks to join under its name; compare the fingerprint with what that machine shows"


def forks_named(membership: Membership, own: str, asking: Iterable[JoinRequest]) -> list[str]:
    """Return a sentence for each chain that forked and that no roster has ended before that.

    Args:
        membership: what holds in the team.
        own: the genesis id of our own chain.
        asking: who asks to join, our own chain included.
    """
    members = {each.genesis: each for each in membership.members}
    requests = {each.name: each for each in asking}
    found = []
    for chain, seq in membership.forked:
        member = members[chain]
        writer, request = label_of(member.name, chain), requests.get(member.name)
        if chain == own:
            found.append(_OURS.format(seq=seq))
        elif request is None:
            found.append(_ANOTHERS.format(writer=writer, seq=seq))
        else:
            found.append(
                _REJOINED.format(
                    writer=writer,
                    seq=seq,
                    who=_OUR_NEW_CHAIN if request.genesis == own else _NEW_CHAIN,
                    name=member.name,
                    fingerprint=request.fingerprint,
                    role=member.role,
                )
            )
    return found
