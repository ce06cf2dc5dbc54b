"""muniment status: how a ledger stands, and what waits for a person.

Implements specs/cli.md (X-62).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from cli import team_status
from cli.app import App, common_options
from cli.examined_ledger import STATES, TORN_ADVICE, difference_said, state_of
from cli.key_places import key_said, next_advice, next_said, places_json
from cli.options import Verb
from cli.remedies import BEGINNING, REMEDIES
from cli.show_entry import count_of, fields, size
from documents.writing.files import MISSING
from language.dates import moment
from language.printable import plain, short
from learning.outbox import Outbox
from ledger.errors import LedgerError
from ledger.key_places import KeyPlaces
from muniment import MemoryLedger
from proofs.ledger_status import (
    BEHIND,
    EQUAL,
    LOST,
    NO_MARK,
    UNKNOWN,
    ChainExtent,
    LedgerStatus,
    MarkStanding,
)
from team.team import TeamSummary, summary_of


@click.command("status", cls=Verb)
@common_options
def command(app: App) -> None:
    """Show the state of the ledger and what is pending.

    Shows the selected ledger, its directory, what it holds and what waits for you, and the next command for
    each finding. Changes nothing, and exits with 0 whatever it finds: verify and doctor judge.

    \b
    Examples:
      muniment status
      muniment status --scope user
      muniment status --json | jq .memories
    """
    memory = app.memory()
    facts = status_facts(memory)
    if app.json:
        app.emit(as_json(memory, facts))
    else:
        app.lines(_page(app, memory, facts))


class StatusFacts(NamedTuple):
    """How a ledger stands: alone, in its team, and how many of its writes wait in the outbox.

    `unread` names what cannot be read, in the ledger or in its team.
    """

    ledger: LedgerStatus
    team: TeamSummary | None
    outbox: int
    unread: list[str]


def status_facts(memory: MemoryLedger) -> StatusFacts:
    """Return how a ledger stands; the overview begins with it."""
    found = memory.upkeep.status()
    team, unread = None, [*found.unread]
    try:
        team = summary_of(memory.scope)
    except (LedgerError, OSError, sqlite3.OperationalError) as error:
        unread.append(f"the team: {error}")
    outbox = Outbox(memory.workspace.home.state, found.id).waiting() if found.id else ()
    return StatusFacts(found, team, sum(1 for _ in outbox), unread)


def as_json(memory: MemoryLedger, facts: StatusFacts) -> dict[str, Any]:
    """Return how a ledger stands as `--json` has it."""
    found, place = facts.ledger, memory.workspace.place
    newest = found.chain.newest
    return {
        "ledger": {"id": found.id, "name": found.name, "scope": place.scope},
        "directory": str(place.directory),
        "documents": str(place.documents),
        "bound": [str(root) for root in found.bound],
        "chain": {
            "events": found.chain.events,
            "bytes": found.chain.bytes,
            "newest": {"seq": newest.seq, "id": newest.id, "at": newest.at} if newest else None,
        },
        "mark": found.mark._asdict(),
        "verified": found.verified._asdict() if found.verified else None,
        "memories": found.memories,
        "keys": places_json(found.keys) if found.keys else None,
        "edited": {path: difference_said(each) for path, each in found.differing.items()},
        "strays": found.strays,
        "behind": found.behind,
        "set_aside": [str(path) for path in found.set_aside],
        "damaged": found.damaged,
        "unfinished_erasures": found.unfinished_erasures,
        "outbox": facts.outbox,
        "team": team_status.summary_json(facts.team) if facts.team else None,
        "fault": found.fault or None,
        "unread": facts.unread,
    }


# --- text ---


def _page(app: App, memory: MemoryLedger, facts: StatusFacts) -> Iterator[str]:
    found, place = facts.ledger, memory.workspace.place
    yield app.style(f"{place.scope} ledger {found.name}".strip(), bold=True)
    rows = [
        ("id", found.id),
        ("in", plain(str(place.directory))),
        ("documents", plain(str(place.documents)) if place.documents != place.directory else ""),
        *(("bound to", _root(root)) for root in found.bound),
        ("chain", _chain(found.chain)),
        ("memories", _memories(found.memories)),
        ("acknowledged", acknowledged(found.mark)),
        ("verified", verification(found)),
        *_keys(found.keys),
        ("team", team_status.said(facts.team)),
    ]
    yield from fields(rows, "  ")
    findings = list(_findings(memory, facts))
    for text, advice in findings:
        yield ""
        yield from text
        yield app.style(f"  ({advice})", dim=True)
    if not findings:
        yield ""
        yield "nothing waits for you"


def _keys(found: KeyPlaces | None) -> Iterator[tuple[str, str]]:
    if found:
        yield "key", plain(key_said(found.current))
        advice = (
            ", where it gives no protection: run muniment key export-next FILE"
            if next_advice(found.next)
            else ""
        )
        yield "next key", plain(f"{next_said(found.next)}{advice}")


def _root(root: Path) -> str:
    return plain(str(root)) if root.is_dir() else f"{plain(str(root))} (missing)"


def _chain(chain: ChainExtent) -> str:
    length = f", {count_of(chain.events, 'event')}" if chain.events is not None else ""
    newest = f", newest @{chain.newest.seq} of {moment(chain.newest.at)}" if chain.newest else ""
    return f"{size(chain.bytes)}{length}{newest}"


def _memories(held: dict[str, int] | None) -> str:
    if held is None:
        return ""
    some = [f"{held['active']} active"]
    some += [f"{held[name]} {name}" for name in ("candidate", "stale", "archived") if held[name]]
    return ", ".join(some)


def acknowledged(mark: MarkStanding) -> str:
    """Return up to which event writes are acknowledged, and how the chain compares."""
    if mark.state == NO_MARK:
        return "no high-water mark here: truncation cannot be noticed until the next write"
    words = {EQUAL: "the newest", BEHIND: "the next write moves it", UNKNOWN: "not compared"}
    return f"up to @{mark.seq} ({words.get(mark.state, 'which is not in the chain')})"


def verification(found: LedgerStatus) -> str:
    """Return when the last verify ran here, and what it found."""
    verified, newest = found.verified, found.chain.newest
    if verified is None:
        return "never on this machine: run muniment verify"
    new = newest.seq - verified.seq if verified.seq is not None and newest else 0
    later = f", {count_of(new, 'event')} since" if new > 0 else ""
    up_to = f" up to @{verified.seq}" if verified.seq is not None else ""
    return f"{moment(verified.at)}{up_to}: {'sound' if verified.sound else 'with findings'}{later}"


def _findings(memory: MemoryLedger, facts: StatusFacts) -> Iterator[tuple[list[str], str]]:
    """Yield what waits for a person, each with the command that comes next; the gravest first."""
    found = facts.ledger
    if found.fault and found.mark.state != LOST:
        yield [f"the chain cannot be read: {found.fault}"], "run muniment doctor for a fix"
    if facts.unread:
        yield ["some of it cannot be read:", *map(_bullet, facts.unread)], "run muniment doctor for a fix"
    if found.mark.state == LOST:
        event = f"event @{found.mark.seq} ({short(found.mark.id or '')})"
        gone = f"{event} was acknowledged here and is not in the chain"
        yield [gone], REMEDIES["rollback"] if found.name else BEGINNING
    if found.verified and not found.verified.sound:
        yield ["the last verify had findings"], "run muniment verify to see them"
    if broken := found.damaged:
        text = f"{count_of(len(broken), 'memory', 'memories')} damaged: the text in the chain is not what was signed"
        yield [text], "run muniment doctor for a fix"
    if erasures := found.unfinished_erasures:
        yield (
            [f"{count_of(erasures, 'erasure')} not finished: a text is still there"],
            "the next write finishes it",
        )
    yield from _waiting(found.memories or {})
    yield from team_status.findings(facts.team)
    yield from _documents(memory, found)
    if found.set_aside:
        kept = "kept and not deleted; look at them, then delete or import them"
        if any("chain.jsonl.torn-" in str(path) for path in found.set_aside):
            kept = f"{TORN_ADVICE}; delete what you no longer need"
        yield [f"{count_of(len(found.set_aside), 'file')} set aside:", *map(_bullet, found.set_aside)], kept


def _waiting(memories: dict[str, int]) -> Iterator[tuple[list[str], str]]:
    if candidates := memories.get("candidate"):
        text = f"{count_of(candidates, 'candidate')} {'waits' if candidates == 1 else 'wait'} for you"
        yield [text], "run muniment review to decide, or list --status candidate to list them"
    if stolen := memories.get("compromised"):
        text = f"{count_of(stolen, 'memory', 'memories')} by a compromised key"
        yield (
            [text],
            "run muniment log --compromised to list what it signed; confirm, delete or revert each",
        )
    if old := memories.get("stale"):
        text = f"{count_of(old, 'memory', 'memories')} not confirmed for a long time"
        yield [text], "run muniment review to decide, or muniment list --stale to list them"


def _documents(memory: MemoryLedger, found: LedgerStatus) -> Iterator[tuple[list[str], str]]:
    if why := memory.documents.folder_fault():
        yield [plain(why)], "then run muniment adopt to write the documents"
        return
    for state in STATES:
        paths = {path: each for path, each in found.differing.items() if state_of(each.why) == state}
        width = max(map(len, paths), default=0)
        lines = [
            _bullet(path)
            if each.why == MISSING
            else f"{_bullet(f'{path:<{width}}')}  {plain(difference_said(each))}"
            for path, each in paths.items()
        ]
        if lines:
            yield [f"{count_of(len(lines), 'document')} {state.said}:", *lines], state.mend
    if found.strays:
        said = f"{count_of(len(found.strays), 'markdown file')} beside the documents, no document by name:"
        yield [said, *map(_bullet, found.strays)], "run muniment import FILE to read one"
    if found.behind and not found.differing:
        yield ["the documents do not show the newest changes"], "run muniment replay to write them"


def _bullet(what: object) -> str:
    return f"    {plain(str(what))}"
