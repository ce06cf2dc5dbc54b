"""`muniment` without a command: one screen about the memory, or a welcome if there is no ledger.

Implements specs/cli.md (X-330, X-331).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from cli.app import App
from cli.commands.status import StatusFacts, acknowledged, as_json, status_facts, verification
from cli.show_entry import count_of, fields
from documents.writing.files import MISSING
from language.printable import plain
from ledger.errors import LedgerError, NoLedgerError
from ledger.instant import DAY, written
from muniment import MemoryLedger
from projections.memory_counts import week_of
from proofs.ledger_status import LedgerStatus

_DONE = {
    "create": "added",
    "supersede": "replaced",
    "delete": "deleted",
    "confirm": "confirmed",
    "erase": "erased",
    "import": "imported",
}
"""What the commonest kinds of event do, in a word; another kind is named as `log --kind` takes it."""

_WELCOME = """\
Keep what AI agents learn, in a signed log that you can read, edit and verify.

There is no ledger here yet. Begin with:

  muniment init
  muniment add "Use pnpm, not npm"

Then connect an agent with muniment install. See muniment --help for all of it.
"""


class Overview(NamedTuple):
    """How a ledger stands, how many events of each kind last week had, and how many requests wait."""

    facts: StatusFacts
    week: dict[str, int]
    requests: int


def show(app: App) -> None:
    """Print the overview; writes no event and no document, though the index may catch up (X-330)."""
    try:
        memory = app.memory()
        found = _overview(memory)
    except NoLedgerError:
        if app.directory is not None or app.scope is not None:
            raise
        if app.json:
            app.emit({"ledger": None, "next": "muniment init"})
        else:
            app.lines(_WELCOME.splitlines())
        return
    command = _with_options(app, _next(found))
    if app.json:
        facts = as_json(memory, found.facts)
        app.emit({**facts, "week": found.week, "requests": found.requests, "next": command})
    else:
        app.lines(_page(app, memory, found, command))


def _with_options(app: App, command: str) -> str:
    """Return a command that means the same ledger: with the option that chose it."""
    chosen = f"--scope {app.scope}" if app.scope else ""
    if app.directory is not None:
        chosen = f"--ledger {shlex.quote(str(app.directory))}"
    return f"muniment {chosen}{command.removeprefix('muniment')}" if chosen else command


def _overview(memory: MemoryLedger) -> Overview:
    """Return what `status` finds, last week's events, and how many requests wait."""
    facts, week, asked = status_facts(memory), dict[str, int](), 0
    if facts.ledger.memories is not None:
        week = week_of(memory.workspace.index, written(memory.workspace.clock() - 7 * DAY))
        try:
            asked = memory.review.asked()
        except (LedgerError, OSError) as error:
            facts.unread.append(f"the requests: {error}")
    return Overview(facts, week, asked)


def _next(found: Overview) -> str:
    """Return the one command that helps most now, the gravest finding first."""
    ledger = found.facts.ledger
    held, verified = ledger.memories or {}, ledger.verified
    edited = len(ledger.differing) > _missing(ledger)
    steps = (
        (_troubles(found), "muniment doctor"),
        (verified and not verified.sound, "muniment verify"),
        (found.requests or held.get("candidate"), "muniment review"),
        (edited, "muniment adopt"),
        (ledger.differing or ledger.behind, "muniment replay"),
        (ledger.set_aside or found.facts.outbox or ledger.unfinished_erasures, "muniment status"),
        (not held.get("active"), 'muniment add "Use pnpm, not npm"'),
        (verified is None, "muniment verify"),
    )
    return next((command for finding, command in steps if finding), 'muniment search "WORDS"')


def _page(app: App, memory: MemoryLedger, found: Overview, command: str) -> Iterator[str]:
    ledger, place = found.facts.ledger, memory.workspace.place
    held = ledger.memories or {"active": 0}
    yield app.style(f"{place.scope} ledger {ledger.name}".strip(), bold=True)
    week = sorted(found.week.items(), key=lambda item: (-item[1], item[0]))
    rows = [
        ("in", plain(str(place.directory))),
        ("holds", count_of(held["active"], "memory", "memories")),
        ("last week", ", ".join(f"{n} {_DONE.get(kind, kind)}" for kind, n in week if kind != "genesis")),
        ("waiting", ", ".join(_waiting(found)) or "nothing"),
        ("last write", acknowledged(ledger.mark)),
        ("verified", verification(ledger)),
        *(("trouble", plain(what)) for what in _troubles(found)),
    ]
    yield from fields(rows, "  ")
    yield f"Next: {app.style(command, bold=True)}"


def _troubles(found: Overview) -> list[str]:
    """Return what keeps the ledger from being read or written."""
    ledger = found.facts.ledger
    key = ledger.keys.current.fault if ledger.keys else None
    damaged = len(ledger.damaged)
    said = [ledger.fault, *found.facts.unread, key]
    said.append(f"{count_of(damaged, 'memory', 'memories')} damaged" if damaged else None)
    return [what for what in said if what]


def _missing(ledger: LedgerStatus) -> int:
    """Return how many documents are missing."""
    return sum(each.why == MISSING for each in ledger.differing.values())


def _waiting(found: Overview) -> Iterator[str]:
    ledger = found.facts.ledger
    held, missing = ledger.memories or {}, _missing(ledger)
    for n, one, many in (
        (held.get("candidate", 0), "candidate", "candidates"),
        (found.requests, "request", "requests"),
        (held.get("stale", 0), "stale memory", "stale memories"),
        (len(ledger.differing) - missing, "changed document", "changed documents"),
        (missing, "missing document", "missing documents"),
        (ledger.unfinished_erasures, "unfinished erasure", "unfinished erasures"),
        (found.facts.outbox, "failed write", "failed writes"),
        (len(ledger.set_aside), "file set aside", "files set aside"),
    ):
        if n:
            yield count_of(n, one, many)
    if ledger.behind and not ledger.differing:
        yield "documents that are behind the log"
