"""What `muniment team status` and `muniment status` say of a team.

Implements specs/cli.md (X-62, X-346).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cli.app import App
from cli.show_entry import count_of, fields
from language.dates import moment
from language.printable import plain, short
from ledger.errors import NotFoundError, OutsideError
from ledger.fold import Entry
from ledger.instant import written
from muniment import MemoryLedger
from team.last_sync import LastSync, last_sync
from writers.fork_findings import forks_named

if TYPE_CHECKING:
    from team.chain_states import ChainState
    from team.team import Team, TeamSummary


def show(app: App, memory: MemoryLedger) -> None:
    """Print where the team is, this machine, each chain and the last sync."""
    team = memory.team
    remark = fault = ""
    try:
        chains, remark = team.chains()
    except OutsideError as error:
        chains, fault = team.chains_here(), str(error)
    last = last_sync(memory.workspace.place.directory)
    waiting, rivals = team.members.waiting(), team.conflicts()
    held, void = team.members.all(), len(team.members.void())
    forks = forks_named(held, team.genesis, team.folder.asking(held))
    if app.json:
        app.emit(
            {
                "team": team.identity.id,
                "address": team.settings.address,
                "remark": remark or None,
                "sealed": team.keys.is_sealed,
                "fault": fault or None,
                "id": team.genesis,
                "member": team.is_member,
                "chains": [_chain_json(each) for each in chains],
                "waiting": len(waiting),
                "void": void,
                "forks": forks,
                "conflicts": [[each.id for each in group] for group in rivals],
                "last_sync": _last_json(last),
            }
        )
        return
    rows = [
        ("at", plain(team.settings.address)),
        ("", plain(remark)),
        ("", "" if team.keys.is_sealed else "not sealed: anyone who runs it can read everything"),
        ("this machine", team.label + _standing(team)),
        ("last sync", _last(last)),
        ("asking to join", f"{len(waiting)}: muniment team members shows them" if waiting else ""),
        ("void", f"{count_of(void, 'change')}: muniment team members shows more" if void else ""),
        ("unreachable", plain(fault)),
    ]
    app.lines(fields(rows))
    app.line()
    app.lines(_table(chains))
    app.lines(plain(each) for each in forks)
    app.lines(_conflicts(rivals))


def show_receipts(app: App, memory: MemoryLedger, typed: str) -> None:
    """Print for each machine of the team what its receipt of an erase says."""
    team = memory.team
    _ = team.settings  # no team: said before the id is looked for
    event = memory.recall.event(typed)
    if event.kind != "erase":
        raise NotFoundError(
            f"{plain(typed)} is not an erase event: run muniment log --kind erase to list them"
        )
    holders = team.holders(event.id)
    if app.json:
        app.emit({"erase": event.id, "machines": [each._asdict() for each in holders]})
        return
    app.lines(fields([(plain(each.label), each.state) for each in holders]))
    app.lines(dict.fromkeys(plain(said) for each in holders for said in each.residue))


def _standing(team: Team) -> str:
    """Return how much of this machine's writing counts, "" if all of it (TM-14, TM-25)."""
    held = team.members.all()
    if not held.members:
        return ", and the next sync says whether it is a member"  # after a restore
    own = next((each for each in held.members if each.genesis == team.genesis), None)
    if own is None:
        return (
            ", which no member accepted yet: an admin runs muniment team members accept NAME --fingerprint "
            f"{team.fingerprint}"
        )
    if own.until is not None:
        return ", which is no longer a member: what it writes does not count on other machines; muniment team rejoin asks to come back"
    if own.role == "reader":
        return ", a reader: what it writes does not count on other machines"
    return ", an agent's: a person confirms what it writes" if held.waits_of(own) >= 0 else ""


def _conflicts(found: Iterable[Sequence[Entry]]) -> Iterator[str]:
    for group in found:
        yield ""
        yield "in conflict, changed on several machines at once; muniment team resolve ID keeps one:"
        yield from (f"  {short(each.id)}  {plain(each.memory.text)}" for each in group)


def _table(chains: Sequence[ChainState]) -> Iterator[str]:
    width = max(len(each.label) for each in chains)
    for each in chains:
        said = f"{count_of(each.here, 'event')} here"
        if each.there is not None:
            said += f", {each.there} there{_behind(each.here, each.there)}"
        yield f"{each.label:<{width}}  {said}"


def _behind(here: int, there: int) -> str:
    if here == there:
        return ""
    return f"; {here - there} to send" if here > there else f"; {there - here} to fetch"


def _chain_json(each: ChainState) -> dict[str, Any]:
    return {"name": each.name, "id": each.id, "here": each.here, "there": each.there, "own": each.own}


def _last(last: LastSync | None) -> str:
    """Return when the last sync was, and what came of it."""
    if last is None:
        return "never: run muniment team sync"
    if last.fault:
        return plain(f"{moment(written(last.at))}, failed: {last.fault}")
    found = f", {count_of(len(last.findings), 'finding')}: run muniment team sync" if last.findings else ""
    return f"{moment(written(last.at))}, sent {last.sent}, received {last.received}{found}"


def _last_json(last: LastSync | None) -> dict[str, Any] | None:
    if last is None:
        return None
    return {**last._asdict(), "at": written(last.at), "fault": last.fault or None}


def summary_json(found: TeamSummary) -> dict[str, Any]:
    """Return what `status` says of the team as a JSON-ready object (X-62)."""
    return {**found._asdict(), "last_sync": _last_json(found.last_sync)}


def findings(found: TeamSummary | None) -> Iterator[tuple[list[str], str]]:
    """Yield what of the team waits for a person, each with the command that comes next."""
    if found is not None and found.conflicts:
        text = (
            f"{count_of(found.conflicts, 'memory was', 'memories were')} changed on several machines at once"
        )
        yield [text], "muniment team status shows them, and muniment team resolve ID keeps one"


def said(found: TeamSummary | None) -> str:
    """Return the line of `status` on the team, "" if there is none."""
    if found is None:
        return ""
    asking = f", {found.waiting} asking to join" if found.waiting else ""
    who = count_of(found.members, "member") + ("" if found.member else ", without this machine")
    return f"{plain(found.address)}: {who}{asking}; last sync {_last(found.last_sync)}"
