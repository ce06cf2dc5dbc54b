"""The verdict *members*: do the copies of other writers' chains verify, and does what is derived from the rosters equal them?

Implements specs/verification.md (V-43) and specs/team.md (TM-5, TM-6, TM-13, TM-40). Reads only. What is wrong with another
writer's chain says nothing about our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ledger.errors import ForeignChainError, NotFoundError, StorageError, UsageError
from ledger.finding import MAX_FINDINGS, Finding
from ledger.mark import StateDirectory
from ledger.named_tuple import NamedTuple
from ledger.progress import Progress
from ledger.verify import Verdict
from projections.event_names import EventWriter
from writers.copies import Copies
from writers.counted import MEMBERS, label_of, others_of
from writers.fork_findings import forks_named
from writers.membership import Membership
from writers.team_folder import SETTINGS, TeamFolder


class MembersReport(NamedTuple):
    """The verdict, and the writers whose copies are not known to be sound, as a person names them."""

    verdict: Verdict
    damaged: tuple[str, ...] = ()


def judge_members(
    directory: Path, state: StateDirectory, ledger_id: str, genesis: str, progress: Progress | None = None
) -> MembersReport | None:
    """Judge the team of a ledger, None if it has none.

    Args:
        directory: where chain.jsonl lies, which was found sound.
        state: the folder of marks and pins.
        ledger_id: the ledger's id, which is the team's.
        genesis: the id of our own chain.
        progress: told of the bytes read.
    """
    folder = TeamFolder(directory, state, genesis)
    others = others_of(directory)
    if not (folder.exists or folder.is_pinned(ledger_id) or others):
        return None
    if fault := _fault_of_settings(folder, ledger_id):
        unverified = tuple(label_of(other.name, other.id) for other in others)
        return MembersReport(_verdict([Finding("team-folder", "TM-5", fault)], ""), unverified)
    membership, copies = folder.judged(), folder.copies()
    names = _names(directory, membership)
    found, damaged = list[Finding](), list[str]()
    for chain in copies.known():
        if chain == genesis:
            continue
        writer = EventWriter(0, chain, names.get(chain, ""))
        wrong = list(_findings_of(copies, chain, writer, progress))
        found += wrong
        damaged += [str(writer)] if wrong else []
    if damaged:  # it may say which keys sign rosters
        return MembersReport(_verdict(found, _FETCH_ANEW), tuple(damaged))
    if not membership.heads and not copies.chains():
        return MembersReport(Verdict("not checked", _NOTHING_HERE))
    return MembersReport(
        _verdict(
            [*_of_rosters(folder, membership), *_of_forks(folder, membership)],
            "",
            _said(membership, copies, genesis),
        )
    )


_NOTHING_HERE = "The other members' chains are not here yet: run muniment team sync."
_FETCH_ANEW = " Our own chain is not concerned. To fetch a copy again, delete it and run muniment team sync."


def _fault_of_settings(folder: TeamFolder, ledger_id: str) -> str:
    """Return why it cannot be known which team this ledger has, or "" (TM-5)."""
    if not folder.exists and not folder.is_pinned(ledger_id):
        return f"{folder.path / MEMBERS} names other writers, but this machine joined no team: delete {folder.path}"
    if not folder.exists:
        return f"this machine belongs to a team, but {folder.path / SETTINGS} is gone: run muniment team join LINE again"
    try:
        team = folder.settings.team
    except (ForeignChainError, NotFoundError, UsageError) as error:
        return str(error)
    return "" if team == ledger_id else f"{folder.path / SETTINGS} is of another ledger, {team}"


def _names(directory: Path, membership: Membership) -> dict[str, str]:
    """Return the names of writers by their ids: by the rosters, else by what was derived of them before."""
    named = {other.id: other.name for other in others_of(directory)}
    return named | {member.genesis: member.name for member in membership.members}


def _findings_of(
    copies: Copies, chain: str, writer: EventWriter, progress: Progress | None
) -> Iterator[Finding]:
    """Give what is wrong with one copy (TM-6)."""
    try:
        report = copies.verified(chain, progress)
    except StorageError as error:
        yield Finding("copy-unreadable", "TM-6", f"{writer}: {error}")
        return
    if not copies.has_mark(chain):
        yield Finding("copy-unmarked", "TM-5", f"{writer}: the mark of its copy is missing")
    for finding in (*report.integrity.findings, *report.completeness.findings):
        yield finding._replace(message=f"{writer}: {finding.message}")


def _of_rosters(folder: TeamFolder, membership: Membership) -> Iterator[Finding]:
    """Yield what is wrong with the rosters, and with what was derived of them (TM-7, TM-13)."""
    if not membership.heads:
        why = "; ".join(f"{id_[:12]}: {reason}" for id_, reason in membership.refused)
        yield Finding(
            "team-rosters", "TM-12", f"no roster counts{f' ({why})' if why else ''}: run muniment team sync"
        )
    if len(membership.heads) > 1:
        named = ", ".join(head[:12] for head in membership.heads)
        message = f"rosters {named} are in parallel: the next roster that an admin signs merges them"
        yield Finding("team-rosters", "TM-13", message)
    if not folder.is_noted(membership):
        path = folder.path / MEMBERS
        message = f"{path} is not what the rosters say: delete it and run muniment team sync"
        yield Finding("team-members", "TM-13", message)


def _of_forks(folder: TeamFolder, membership: Membership) -> Iterator[Finding]:
    """Yield the chains that forked (TM-40)."""
    for message in forks_named(membership, folder.genesis, folder.asking(membership)):
        yield Finding("chain-forked", "TM-40", message)


def _said(membership: Membership, copies: Copies, genesis: str) -> str:
    """Return the sentence of a sound verdict."""
    here = set(copies.chains()) - {genesis}
    lacking = set(membership.chains) - here - {genesis}
    members = len(membership.members)
    said = f"{members} member{'s' if members != 1 else ''} by version {membership.version} of the roster; "
    said += f"{len(here)} cop{'ies' if len(here) != 1 else 'y'} of other chains verified"
    if lacking:
        said += f", {len(lacking)} not here yet: run muniment team sync"
    if not any(member.genesis == genesis for member in membership.members):
        said += ". This machine is not accepted yet"
    return f"{said}."


def _verdict(findings: Sequence[Finding], remedy: str, sound: str = "") -> Verdict:
    if not findings:
        return Verdict("sound", sound)
    count = f"{len(findings)} finding{'s' if len(findings) != 1 else ''}."
    more = len(findings[MAX_FINDINGS:])
    return Verdict("findings", f"{count}{remedy}", tuple(findings[:MAX_FINDINGS]), more)
