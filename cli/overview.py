"""`muniment` without a command: one screen about the memory, or a welcome if there is no ledger.

Implements specs/cli.md (X-330, X-331).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from cli.app import App
from cli.commands.status import acknowledged, facts_of, verification
from cli.show_entry import count_of, fields
from language.printable import plain
from ledger.errors import LedgerError, NoLedgerError
from ledger.instant import DAY, written
from muniment import MemoryLedger
from projections import requests
from projections.memory_counts import week_of
from projections.proposed_deletes import proposed_deletes

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


def show(app: App) -> None:
    """Print the overview; writes no event and no document, though the index may catch up (X-330)."""
    try:
        memory = app.memory()
        facts = _facts(memory)
        facts["next"] = _with_options(app, facts["next"])
    except NoLedgerError:
        if app.directory is not None or app.scope is not None:
            raise
        if app.json:
            app.emit({"ledger": None, "next": "muniment init"})
        else:
            app.lines(_WELCOME.splitlines())
        return
    if app.json:
        app.emit(facts)
    else:
        app.lines(_page(app, facts))


def _with_options(app: App, command: str) -> str:
    """Return a command that means the same ledger: with the option that chose it."""
    chosen = f"--scope {app.scope}" if app.scope else ""
    if app.directory is not None:
        chosen = f"--ledger {shlex.quote(str(app.directory))}"
    return f"muniment {chosen}{command.removeprefix('muniment')}" if chosen else command


def _facts(memory: MemoryLedger) -> dict[str, Any]:
    """Return what `status` finds, last week's events and the next command."""
    facts = facts_of(memory)
    week, asked = {}, 0
    if facts["memories"] is not None:
        week = week_of(memory.workspace.index, written(memory.workspace.clock() - 7 * DAY))
        try:
            asked = len(requests.waiting(memory.workspace, requests.DELETE, *requests.COMMANDS))
            asked += len(proposed_deletes(memory.workspace.index))
        except (LedgerError, OSError) as error:
            facts["unread"].append(f"the requests: {error}")
    facts |= {"week": week, "requests": asked}
    return {**facts, "next": _next(facts)}


def _next(facts: dict[str, Any]) -> str:
    """Return the one command that helps most now, the gravest finding first."""
    held = facts["memories"] or {}
    edited = any(why != "missing" for why in facts["edited"].values())
    verified = facts["verified"]
    steps = (
        (_troubles(facts), "muniment doctor"),
        (verified and not verified.get("sound"), "muniment verify"),
        (facts["requests"] or held.get("candidate"), "muniment review"),
        (edited, "muniment adopt"),
        (facts["edited"] or facts["behind"], "muniment replay"),
        (facts["set_aside"] or facts["outbox"] or facts["unfinished_erasures"], "muniment status"),
        (not held.get("active"), 'muniment add "Use pnpm, not npm"'),
        (verified is None, "muniment verify"),
    )
    return next((command for finding, command in steps if finding), 'muniment search "WORDS"')


def _page(app: App, facts: dict[str, Any]) -> Iterator[str]:
    held = facts["memories"] or {"active": 0}
    yield app.style(f"{facts['ledger']['scope']} ledger {facts['ledger']['name']}".strip(), bold=True)
    week = sorted(facts["week"].items(), key=lambda item: (-item[1], item[0]))
    rows = [
        ("in", plain(facts["directory"])),
        ("holds", count_of(held["active"], "memory", "memories")),
        ("last week", ", ".join(f"{n} {_DONE.get(kind, kind)}" for kind, n in week if kind != "genesis")),
        ("waiting", ", ".join(_waiting(facts)) or "nothing"),
        ("last write", acknowledged(facts["mark"])),
        ("verified", verification(facts["verified"], facts["chain"])),
        *(("trouble", plain(what)) for what in _troubles(facts)),
    ]
    yield from fields(rows, "  ")
    yield f"Next: {app.style(facts['next'], bold=True)}"


def _troubles(facts: dict[str, Any]) -> list[str]:
    """Return what keeps the ledger from being read or written."""
    key = facts["keys"]["key"]["fault"] if facts["keys"] else None
    damaged = len(facts["damaged"])
    found = [facts["fault"], *facts["unread"], key]
    found.append(f"{count_of(damaged, 'memory', 'memories')} damaged" if damaged else None)
    return [str(what) for what in found if what]


def _waiting(facts: dict[str, Any]) -> Iterator[str]:
    held = facts["memories"] or {}
    missing = sum(why == "missing" for why in facts["edited"].values())
    for n, one, many in (
        (held.get("candidate", 0), "candidate", "candidates"),
        (facts["requests"], "request", "requests"),
        (held.get("stale", 0), "stale memory", "stale memories"),
        (len(facts["edited"]) - missing, "changed document", "changed documents"),
        (missing, "missing document", "missing documents"),
        (facts["unfinished_erasures"], "unfinished erasure", "unfinished erasures"),
        (facts["outbox"], "failed write", "failed writes"),
        (len(facts["set_aside"]), "file set aside", "files set aside"),
    ):
        if n:
            yield count_of(n, one, many)
    if facts["behind"] and not facts["edited"]:
        yield "documents that are behind the log"
