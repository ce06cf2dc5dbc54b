"""muniment revert: undo what events did, with new events.

Implements specs/cli.md (X-24…X-27, X-292, X-293); the work is `documents.reverting`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from cli import person_only, write_notices
from cli.app import App, common_options
from cli.word_marks import minus_line, plus_line
from documents.left_to_a_person import persons_part
from documents.reverting import Undone, planned
from language.printable import plain, short
from ledger.errors import NotFoundError, UsageError
from muniment import MemoryLedger
from projections.query import LogFilter
from projections.requests import REVERT
from projections.revert import UNDOABLE, Plan


@click.command("revert")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--session", metavar="ID", help="Everything that was learned or done in this session.")
@click.option(
    "--conversation", metavar="ID", help="Everything that was learned or done in this conversation."
)
@click.option("-m", "--reason", metavar="REASON", default="", help="Why; it stays with the deletions.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
@common_options
def command(  # noqa: PLR0917 - click passes them by name
    app: App,
    ids: tuple[str, ...],
    session: str | None,
    conversation: str | None,
    reason: str,
    dry_run: bool,
) -> None:
    """Undo events.

    Give event ids as `muniment log` shows them, or a whole session or conversation. What these events created is
    deleted; what they replaced, merged or deleted comes back; a candidate that they promoted is a candidate again.
    All of this is new signed events, so the history keeps both. If later events build on them, nothing is done and
    those are named. Erased text cannot be brought back. If an agent reverts what a person did, the request waits in
    muniment review.

    \b
    Examples:
      muniment revert 3f2a9c81
      muniment revert @41 @42 -m "wrong branch"
      muniment revert --session 2026-11-20-refactor --dry-run
    """
    if sum(map(bool, (ids, session, conversation))) != 1:
        raise UsageError("give ids, or --session, or --conversation")
    memory = app.memory()
    left: dict[str, str] = {}
    if ids:
        events = list(dict.fromkeys(map(memory.recall.resolve, ids)))
    else:
        events, left = _of_origin(memory, session or "", conversation or "")
    reason = reason or _reason(session, conversation)
    done = Undone(planned(memory.workspace, events, reason))
    if done.plan.commands and not dry_run:
        if (what := persons_part(memory.workspace, done.plan.commands)) and person_only.is_nobody(app):
            person_only.file(app, memory, REVERT, *events)
            person_only.wait(app, what)
        done = memory.revert(events, reason)
    skipped = {**done.plan.skipped, **left}
    if app.json:
        app.emit(_as_json(done.plan, skipped, done.events, dry_run=dry_run))
    else:
        _print(app, memory, done.plan, skipped, done.events)
    if done.events:
        app.note(f"to take it back: muniment revert {' '.join(map(short, done.events))}")
        write_notices.say(app, memory)


def _of_origin(memory: MemoryLedger, session: str, conversation: str) -> tuple[list[str], dict[str, str]]:
    """Return what came from a session or conversation, and what of it cannot be undone, with the reason."""
    rows = memory.log(LogFilter(session=session, conversation=conversation))
    if not rows:
        where = f"session {session!r}" if session else f"conversation {conversation!r}"
        raise NotFoundError(f"no event came from {where}: muniment log shows where events came from")
    left = {row.id: f"{row.kind} cannot be undone" for row in rows if row.kind not in UNDOABLE}
    return [row.id for row in rows if row.id not in left], left


def _reason(session: str | None, conversation: str | None) -> str:
    if session:
        return f"revert of session {session}"
    return f"revert of conversation {conversation}" if conversation else ""


def _restored(plan: Plan, written: Sequence[str]) -> list[tuple[str | None, str]]:
    """Return new id (None before it has one) and old id of what comes back; it is written first."""
    new = dict(enumerate(written))
    return [(new.get(number), old) for number, old in enumerate(plan.restored)]


def _print(
    app: App, memory: MemoryLedger, plan: Plan, skipped: Mapping[str, str], written: Sequence[str]
) -> None:
    """Print what became of each memory, then what was left alone."""
    would = "" if written else "would be "
    for id_, old in _restored(plan, written):
        app.line(
            plus_line(app, f"{would}restored  {short(id_ or old)}  {plain(memory.entry(old).memory.text)}")
        )
    for id_ in plan.deleted:
        app.line(minus_line(app, f"{would}deleted  {short(id_)}  {plain(memory.entry(id_).memory.text)}"))
    for id_, why in skipped.items():
        app.line(f"skipped  {short(id_)}  {why}")
    if not plan.commands:
        app.note("nothing is left to undo; nothing was stored")


def _as_json(
    plan: Plan, skipped: Mapping[str, str], written: Sequence[str], *, dry_run: bool
) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "events": list(written),
        "undone": list(plan.undone),
        "restored": [{"id": id_, "was": old} for id_, old in _restored(plan, written)],
        "deleted": list(plan.deleted),
        "skipped": dict(skipped),
    }
