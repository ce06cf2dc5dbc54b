"""muniment status: how a ledger stands, and what waits for a person.

Implements specs/cli.md (X-62).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click
import orjson

from cli import team_status
from cli.app import App, common_options
from cli.examined_ledger import MISSING, STATES, TORN_ADVICE, not_as_written, set_aside, state_of
from cli.key_places import key_said, next_advice, next_said, where
from cli.remedies import BEGINNING, REMEDIES
from cli.show_entry import count_of, fields, size
from documents.foreign_files import strays_in
from language.dates import moment
from language.printable import plain, short
from ledger.errors import LedgerError, NoLedgerError, RollbackError
from ledger.founding import identity_of
from ledger.keys import KeyDirectory
from ledger.location import bound_roots
from muniment import MemoryLedger
from projections.index import Index
from projections.memory_counts import by_status, compromised, stale
from projections.query import damaged
from team.last_sync import last_sync

T = TypeVar("T")

_BULLET = "    "


@click.command("status")
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
    facts = facts_of(memory)
    if app.json:
        app.emit(facts)
    else:
        app.lines(_page(app, memory, facts))


# --- facts ---


def facts_of(memory: MemoryLedger) -> dict[str, Any]:
    """Return all findings, as `--json` has them; the overview begins with them."""
    unread = list[str]()

    def asked(what: str, question: Callable[[], T], otherwise: T) -> T:
        """Return an answer; where there is none, note why and return `otherwise` (X-62)."""
        try:
            return question()
        except (LedgerError, OSError, sqlite3.OperationalError) as error:
            unread.append(f"{what}: {error}")
            return otherwise

    index, fault, lost = _index(memory)
    try:
        identity, _ = identity_of(memory.workspace.chain)
    except (LedgerError, OSError) as error:
        identity = None
        if not fault:
            unread.append(f"the first event of the log: {error}")
    place = memory.workspace.place
    pin = memory.workspace.state.pin_of(place.directory)
    ledger_id = pin.ledger if pin else identity.id if identity else ""
    edited = asked("the documents", lambda: not_as_written(memory), dict[str, str]())
    aside = asked("what was set aside", lambda: set_aside(memory), list[Path]())
    memories = None if index is None else asked("the memories", lambda: _memories(memory), None)
    if memory.workspace.trouble:
        unread.append(f"the local state: {memory.workspace.trouble}")
    return {
        "ledger": {"id": ledger_id, "name": identity.name if identity else "", "scope": place.scope},
        "directory": str(place.directory),
        "documents": str(place.documents),
        "bound": [str(root) for root in _roots(memory)],
        "chain": _chain(memory),
        "mark": _mark(memory, ledger_id, sound=not fault, lost=lost),
        "verified": _verified(memory),
        "memories": memories,
        "keys": asked("the keys", lambda: _where(memory, ledger_id), None) if ledger_id else None,
        "edited": edited,
        "strays": [] if place.usual else [*strays_in(place.documents)],  # G-60
        "behind": index is not None and _behind(memory, index.newest()),
        "set_aside": [str(path) for path in aside],
        "damaged": [] if index is None else damaged(index),
        "unfinished_erasures": 0 if index is None else _unfinished(memory, index),
        "outbox": _outbox(memory, ledger_id),
        "team": asked("the team", lambda: team_status.facts(memory), None),
        "fault": fault or None,
        "unread": unread,
    }


def _index(memory: MemoryLedger) -> tuple[Index | None, str, bool]:
    """Return the index, else why there is none and whether the chain lost acknowledged events.

    Raises:
        LedgerError, OSError: nothing more can be reported.
    """
    try:
        return memory.workspace.index, "", False
    except (LedgerError, OSError) as error:
        if isinstance(error, NoLedgerError) or not memory.workspace.place.directory.is_dir():
            raise
        return None, str(error), isinstance(error, RollbackError) and memory.workspace.chain.exists()


def _unfinished(memory: MemoryLedger, index: Index) -> int:
    """Return how many erased events may still be stored somewhere; 1 if only documents may hold some."""
    return len(index.unfinished_erasures()) or int(memory.erasures.cleaning)


def _outbox(memory: MemoryLedger, ledger_id: str) -> int:
    """Return how many proposals are in the outbox (specs/files.md), where capture leaves what it could not write."""
    folder = memory.workspace.home.state / "outbox" / ledger_id
    return sum(1 for _ in folder.glob("*.json")) if ledger_id else 0


def _roots(memory: MemoryLedger) -> list[Path]:
    place = memory.workspace.place
    return bound_roots(memory.workspace.home.project(place.project)) if place.project else []


def _chain(memory: MemoryLedger) -> dict[str, Any]:
    try:
        length = memory.workspace.chain.stat().st_size
    except OSError:
        return {"events": 0, "bytes": 0, "newest": None}
    try:
        newest = memory.recall.event(f"@{memory.workspace.index.position()}")
    except LedgerError:
        return {"events": None, "bytes": length, "newest": None}
    return {
        "events": newest.seq + 1,
        "bytes": length,
        "newest": {"seq": newest.seq, "id": newest.id, "at": newest.at},
    }


def _mark(memory: MemoryLedger, ledger_id: str, *, sound: bool, lost: bool) -> dict[str, Any]:
    """Compare the high-water mark with the chain: equal, behind (a write moves it), lost, or missing."""
    mark = memory.workspace.state.mark_of(ledger_id).read() if ledger_id else None
    if mark is None:
        return {"state": "missing", "seq": None, "id": None}
    state = "lost" if lost else "unknown"
    if sound:  # the index has found the marked event in its place
        state = "equal" if mark.seq == memory.workspace.index.position() else "behind"
    return {"state": state, "seq": mark.seq, "id": mark.id}


def _where(memory: MemoryLedger, ledger_id: str) -> dict[str, Any]:
    """Return where the keys lie (X-250), held against the mark, which knows those in force."""
    mark = memory.workspace.state.mark_of(ledger_id).read()
    public, commitment = (mark.key, mark.next_key) if mark else ("", "")
    return where(KeyDirectory(memory.workspace.home.keys), ledger_id, public, commitment)


def _verified(memory: MemoryLedger) -> dict[str, Any] | None:
    try:
        value = orjson.loads(memory.workspace.local.fact("verified") or b"null")
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("at"), str) else None


def _memories(memory: MemoryLedger) -> dict[str, int]:
    found = by_status(memory.workspace.index)
    return {
        **{name: found.get(name, 0) for name in ("active", "candidate", "superseded", "deleted", "erased")},
        "stale": stale(memory.workspace.index, memory.recall.stale_before()),
        "compromised": compromised(memory.workspace.index),
        "archived": len(memory.workspace.local.archived()),
    }


def _behind(memory: MemoryLedger, seq: int) -> bool:
    """Return whether the documents do not show the newest changes."""
    rendering = memory.workspace.local.rendering(memory.workspace.place.documents)
    return rendering is None or rendering.id != memory.workspace.index.id_at(seq)


# --- text ---


def _page(app: App, memory: MemoryLedger, facts: dict[str, Any]) -> Iterator[str]:
    ledger, chain = facts["ledger"], facts["chain"]
    name = f"{ledger['scope']} ledger {ledger['name']}".strip()
    yield app.style(name, bold=True)
    length = f", {count_of(chain['events'], 'event')}" if chain["events"] is not None else ""
    rows = [
        ("id", ledger["id"]),
        ("in", plain(facts["directory"])),
        ("documents", plain(facts["documents"]) if facts["documents"] != facts["directory"] else ""),
        *(("bound to", _root(root)) for root in facts["bound"]),
        ("chain", f"{size(chain['bytes'])}{length}{_newest(chain['newest'])}"),
        ("memories", _standing(facts["memories"])),
        ("acknowledged", acknowledged(facts["mark"])),
        ("verified", verification(facts["verified"], chain)),
        *_keys(facts["keys"]),
        ("team", team_status.said(facts["team"], last_sync(memory.workspace.place.directory))),
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


def _keys(found: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    if found:
        yield "key", plain(key_said(found["key"]))
        advice = (
            ", where it gives no protection: run muniment key export-next FILE"
            if next_advice(found["next"])
            else ""
        )
        yield "next key", plain(f"{next_said(found['next'])}{advice}")


def _root(root: str) -> str:
    return plain(root) if Path(root).is_dir() else f"{plain(root)} (missing)"


def _newest(newest: dict[str, Any] | None) -> str:
    return f", newest @{newest['seq']} of {moment(newest['at'])}" if newest else ""


def _standing(memories: dict[str, int] | None) -> str:
    if memories is None:
        return ""
    some = [f"{memories['active']} active"]
    some += [f"{memories[name]} {name}" for name in ("candidate", "stale", "archived") if memories[name]]
    return ", ".join(some)


def acknowledged(mark: dict[str, Any]) -> str:
    """Return up to which event writes are acknowledged, and how the chain compares."""
    if mark["state"] == "missing":
        return "no high-water mark here: truncation cannot be noticed until the next write"
    words = {"equal": "the newest", "behind": "the next write moves it", "unknown": "not compared"}
    return f"up to @{mark['seq']} ({words.get(mark['state'], 'which is not in the chain')})"


def verification(verified: dict[str, Any] | None, chain: dict[str, Any]) -> str:
    """Return when the last verify ran here, and what it found."""
    if verified is None:
        return "never on this machine: run muniment verify"
    seq, newest = verified.get("seq"), chain["newest"]
    new = newest["seq"] - seq if isinstance(seq, int) and newest else 0
    later = f", {count_of(new, 'event')} since" if new > 0 else ""
    up_to = f" up to @{seq}" if isinstance(seq, int) else ""
    return f"{moment(verified['at'])}{up_to}: {'sound' if verified.get('sound') else 'with findings'}{later}"


def _findings(memory: MemoryLedger, facts: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    """Yield what waits for a person, each with the command that comes next; the gravest first."""
    mark = facts["mark"]
    if facts["fault"] and mark["state"] != "lost":
        yield [f"the chain cannot be read: {facts['fault']}"], "run muniment doctor for a fix"
    if facts["unread"]:
        lines = [f"{_BULLET}{plain(what)}" for what in facts["unread"]]
        yield ["some of it cannot be read:", *lines], "run muniment doctor for a fix"
    if mark["state"] == "lost":
        gone = f"event @{mark['seq']} ({short(mark['id'])}) was acknowledged here and is not in the chain"
        yield [gone], REMEDIES["rollback"] if facts["ledger"]["name"] else BEGINNING
    if (verified := facts["verified"]) and not verified.get("sound"):
        yield ["the last verify had findings"], "run muniment verify to see them"
    if broken := facts["damaged"]:
        text = f"{count_of(len(broken), 'memory', 'memories')} damaged: the text in the chain is not what was signed"
        yield [text], "run muniment doctor for a fix"
    if erasures := facts["unfinished_erasures"]:
        yield (
            [f"{count_of(erasures, 'erasure')} not finished: a text is still there"],
            "the next write finishes it",
        )
    yield from _waiting(facts["memories"] or {})
    yield from team_status.findings(facts["team"])
    yield from _documents(memory, facts)
    if facts["set_aside"]:
        lines = [f"{_BULLET}{plain(path)}" for path in facts["set_aside"]]
        kept = "kept and not deleted; look at them, then delete or import them"
        if any("chain.jsonl.torn-" in path for path in facts["set_aside"]):
            kept = f"{TORN_ADVICE}; delete what you no longer need"
        yield [f"{count_of(len(lines), 'file')} set aside:", *lines], kept


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


def _documents(memory: MemoryLedger, facts: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    if why := memory.documents.folder_fault():
        yield [plain(why)], "then run muniment adopt to write the documents"
        return
    for state in STATES:
        paths = {path: why for path, why in facts["edited"].items() if state_of(why) == state}
        if paths:
            lines = [_bullet(path, why, max(map(len, paths))) for path, why in paths.items()]
            yield [f"{count_of(len(paths), 'document')} {state.said}:", *lines], state.mend
    if facts["strays"]:
        lines = [f"{_BULLET}{plain(path)}" for path in facts["strays"]]
        said = f"{count_of(len(lines), 'markdown file')} beside the documents, no document by name:"
        yield [said, *lines], "run muniment import FILE to read one"
    if facts["behind"] and not facts["edited"]:
        yield ["the documents do not show the newest changes"], "run muniment replay to write them"


def _bullet(path: str, why: str, width: int) -> str:
    if why == MISSING:
        return f"{_BULLET}{plain(path)}"
    return f"{_BULLET}{plain(path):<{width}}  {plain(why)}"
