"""`muniment` without a command: one screen about the memory, or a welcome where there is no ledger.

Implements specs/cli.md (X-330, X-331).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli.app import App
from cli.commands.status import acknowledged, facts_of, verification
from cli.show_entry import count_of, fields
from language.printable import plain
from ledger.errors import LedgerError, NoLedgerError
from ledger.instant import DAY, written
from muniment import MemoryLedger
from projections import requests
from projections.memory_counts import standing_by, week_of

_DONE = {
    "create": "added",
    "supersede": "replaced",
    "delete": "deleted",
    "confirm": "confirmed",
    "erase": "erased",
    "import": "imported",
}
"""What the commonest kinds of event do, in a word; another kind is named as `log --kind` takes it."""

_SHOWN, _LONGEST = 4, 200

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
    """Return what `status` finds, what the memory holds, last week's events and the next command."""
    facts = facts_of(memory)
    sections, types, week, asked = {}, {}, {}, 0
    if facts["memories"] is not None:
        index = memory.workspace.index
        sections, types = standing_by(index, "section"), standing_by(index, "type")
        week = week_of(index, written(memory.workspace.clock() - 7 * DAY))
        try:
            asked = len(requests.waiting(memory.workspace, requests.DELETE, *requests.COMMANDS))
        except (LedgerError, OSError) as error:
            facts["unread"].append(f"the requests: {error}")
    facts |= {"sections": sections, "types": types, "week": week, "requests": asked}
    return {**facts, "next": _next(facts)}


def _next(facts: dict[str, Any]) -> str:
    """Return the one command that helps most now, the gravest finding first."""
    held = facts["memories"] or {}
    edited = any(why != "missing" for why in facts["edited"].values())
    verified = facts["verified"]
    grave = facts["fault"] or facts["unread"] or facts["damaged"] or _key_fault(facts)
    steps = (
        (grave, "muniment doctor"),
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
    held = facts["memories"]
    where = _from_home(facts["directory"])
    yield app.style(f"{facts['ledger']['scope']} ledger {facts['ledger']['name']}".strip(), bold=True)
    rows = [("in", plain(where))]
    if held is not None:
        rows += [
            ("holds", count_of(held["active"], "memory", "memories")),
            ("sections", _most(facts["sections"])),
            ("types", _most(facts["types"])),
            ("last week", _week(facts["week"])),
        ]
    nothing = "" if facts["fault"] else "nothing"
    yield from fields([*rows, ("waiting", ", ".join(_waiting(facts)) or nothing)], "  ")
    yield ""
    if facts["fault"]:
        yield f"The log cannot be read: {plain(facts['fault'])}"
    else:
        index = "current" if facts["memories"] is not None else "cannot be read"
        damaged = len(facts["damaged"])
        rows = [
            ("last write", acknowledged(facts["mark"])),
            ("index", index),
            ("unreadable", _cut("; ".join(facts["unread"]))),
            ("key", _cut(_key_fault(facts))),
            ("damaged", count_of(damaged, "memory", "memories") if damaged else ""),
            ("verified", verification(facts["verified"], facts["chain"])),
        ]
        yield from fields(rows, "  ")
    yield ""
    yield f"Next: {app.style(facts['next'], bold=True)}"


def _key_fault(facts: dict[str, Any]) -> str:
    """Say why nothing can be signed here, "" where something can."""
    return str((facts["keys"] or {"key": {"fault": ""}})["key"]["fault"] or "")


def _cut(text: str) -> str:
    shown = plain(text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _most(counts: dict[str, int]) -> str:
    """Name the largest groups, and how many more there are."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{plain(name)[:30]} {n}" for name, n in ordered[:_SHOWN]]
    return ", ".join([*named, f"{len(ordered) - _SHOWN} more"] if len(ordered) > _SHOWN else named)


def _week(week: dict[str, int]) -> str:
    """Say what happened in a week, the most frequent first; that the ledger began is no news."""
    ordered = sorted(week.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{n} {_DONE.get(kind, kind)}" for kind, n in ordered if kind != "genesis") or "nothing"


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


def _from_home(path: str) -> str:
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path
