"""One exchange with a transport: chains and rosters, requests to join, what was erased, and what is wrong with the team.

Implements specs/team.md (TM-13, TM-14, TM-40, TM-43, TM-83).
"""

from __future__ import annotations

from collections.abc import Iterator

from projections.workspace import Workspace
from team.blanking import Blanking
from team.member_list import Members
from team.sealed_transport import SealedTransport
from team.syncing import Exchanged, Sync
from team.unseen_heads import unseen_findings
from writers.fork_findings import forks_named
from writers.membership import Membership
from writers.roster import admins_of
from writers.team_folder import TeamFolder

_MERGED = (
    "the next change by an admin merges the rosters; who asks to join again in muniment team members is accepted with "
    "--fingerprint"
)
_FROZEN = (
    "too few admins are left, and nobody can change this team any more. Begin a new one: muniment export -o FILE here, and "
    "muniment import FILE in a new memory, which muniment team init turns into a team"
)


def exchange(
    transport: SealedTransport, workspace: Workspace, folder: TeamFolder, own_next: int, members: Members
) -> Exchanged:
    """Exchange everything once; index and documents are not brought up to date.

    Args:
        transport: where to.
        workspace: the ledger.
        folder: what is known of its team.
        own_next: the seq that follows the newest acknowledged event of our own chain.
        members: who belongs to the team.

    Raises:
        UnreachableError: the transport does not answer; what came before stands.
        StorageError: the disk refused.
    """
    done = Sync(transport, folder, own_next).run()
    held = members.all()
    members.exchange_requests(transport)
    done.findings += forks_named(held, folder.genesis, folder.asking(held))
    _take_in_erases(transport, workspace, folder, own_next, done)
    done.findings += unseen_findings(folder, transport, workspace.index, done.received)
    done.findings += _of_members(held, folder.genesis)
    return done


def was_removed(held: Membership, own: str) -> bool:
    """Return whether an admin, rather than a fork, ended the membership of a chain."""
    ended = {each.genesis for each in held.members if each.until is not None}
    return own in ended.difference(dict(held.forked))


def _of_members(held: Membership, own: str) -> Iterator[str]:
    """Yield what a person should know about who belongs to the team."""
    if was_removed(held, own):
        yield (
            "this machine is no longer a member of the team and cannot read what was written since. "
            "Run muniment team rejoin to ask for a membership with a new chain"
        )
    if len(held.heads) > 1:
        yield (
            "two admins changed the team at once (TM-13), and only what both say counts: "
            + (_MERGED if _has_admins(held) else _FROZEN)
        )


def _has_admins(held: Membership) -> bool:
    """Return whether the admins that are left can sign a roster; one whose chain forked signs its new one in (TM-41)."""
    forked = dict(held.forked)
    whole = (each._replace(until=None) if each.genesis in forked else each for each in held.members)
    return len(admins_of(whole)) >= held.threshold


def _take_in_erases(
    transport: SealedTransport, workspace: Workspace, folder: TeamFolder, own_next: int, done: Exchanged
) -> None:
    """Blank at the transport what came to be erased, and have our own pages cleaned of it (TM-83)."""
    copies = folder.copies()
    lengths = {chain: copies.next(chain) for chain in copies.chains()} | {folder.genesis: own_next}
    blanking = Blanking(folder)
    if not blanking.is_due(lengths) or not transport.may_send:
        return
    index = workspace.index
    if ids := index.erased_by_others():
        workspace.local.erasures.note_cleaning(ids, index.first_of(ids))
    done.residue = blanking.run(transport, index, lengths)
    done.findings += done.residue
