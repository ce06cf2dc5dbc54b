"""muniment revert: undo what events did, with new events.

Implements specs/cli.md (X-24…X-27, X-292, X-293) and specs/report.md (H-53); the work is `documents.reverting`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from cli import asking, person_only, write_notices
from cli.app import App, common_options
from cli.options import Verb, option
from cli.word_marks import minus_line, plus_line
from documents.left_to_a_person import persons_part
from documents.reverting import Reached, Undone, planned, reached_by
from language.printable import ERASED, plain, short, who
from ledger.errors import UsageError
from muniment import MemoryLedger
from projections.radius import EventSource, Radius, parsed
from projections.requests import REVERT
from projections.revert import Plan


@click.command("revert", cls=Verb)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@option("--session", metavar="ID", help="Everything that was learned or done in this session.")
@option("--conversation", metavar="ID", help="Everything that was learned or done in this conversation.")
@option(
    "--from",
    "source",
    metavar="SOURCE",
    help="Everything from this source, and what was built on it: conversation:ID, session:ID, file:PATH, author:NAME, "
    "tool:NAME, agent:NAME, since:WHEN, until:WHEN; several with a comma must all hold.",
)
@option("-m", "--reason", metavar="REASON", default="", help="Why; it stays with the deletions.")
@option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
@option("--yes", is_flag=True, help="Do not ask what --from asks.")
@common_options
def command(  # noqa: PLR0917 - click passes them by name
    app: App,
    ids: tuple[str, ...],
    session: str | None,
    conversation: str | None,
    source: str | None,
    reason: str,
    dry_run: bool,
    yes: bool,
) -> None:
    """Undo events.

    Give event ids as `muniment log` shows them, or a whole session or conversation. What these events created is
    deleted; what they replaced, merged or deleted comes back; a candidate that they promoted is a candidate again.
    All of this is new signed events, so the history keeps both. If later events build on them, nothing is done and
    those are named; --from undoes them too, and asks first. Erased text cannot be brought back. If an agent reverts
    what a person did, the request waits in muniment review.

    \b
    Examples:
      muniment revert 3f2a9c81
      muniment revert @41 @42 -m "wrong branch"
      muniment revert --session 2026-11-20-refactor --dry-run
      muniment revert --from file:docs/setup.md
      muniment revert --from agent:codex,since:yesterday
    """
    if sum(map(bool, (ids, session, conversation, source))) != 1:
        raise UsageError("give ids, or one of --from, --session and --conversation")
    memory = app.memory()
    reached = Reached()
    if ids:
        events = list(dict.fromkeys(map(memory.recall.resolve, ids)))
    else:
        meant = (
            parsed(source) if source else EventSource(session=session or "", conversation=conversation or "")
        )
        reason = reason or f"revert of {str(meant).replace(':', ' ', 1)}"
        reached = reached_by(memory.scope, meant, built=bool(source), dry=dry_run)
        events = [*reached.undoable]
    done = Undone(planned(memory.workspace, events, reason))
    skipped = {**done.plan.skipped, **reached.left}
    if source and not app.json:
        _show(app, memory, reached.radius)
    if done.plan.commands and not dry_run:
        if (what := persons_part(memory.workspace, done.plan.commands)) and person_only.is_nobody(app):
            person_only.file(app, memory, REVERT, *events)
            person_only.wait(app, what)
        if source and not yes:
            _print(app, memory, done.plan, skipped, ())
            asking.ask(f"Undo these {len(done.plan.undone)} events?", yes=yes)
        done = memory.revert(events, reason)
    if app.json:
        app.emit(_as_json(done.plan, skipped, done.events, reached.radius, dry_run=dry_run))
    else:
        _print(app, memory, done.plan, skipped, done.events)
    if done.events:
        app.note(f"to undo it: muniment revert {' '.join(map(short, done.events))}")
        write_notices.say(app, memory)


def _show(app: App, memory: MemoryLedger, reached: Radius) -> None:
    """Show what came from a source and what was built on it, before anything is undone."""
    for heading, ids in (("came from it", reached.came), ("built on it", reached.built)):
        app.line(f"{len(ids)} {heading}{':' if ids else ''}")
        for row in map(memory.recall.event, ids):
            by = who(row.name, row.role, row.via)
            app.line(f"  {row.kind:<9}  {short(row.id)}  {by}  {ERASED if row.erased else plain(row.what)}")


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
    plan: Plan, skipped: Mapping[str, str], written: Sequence[str], reached: Radius, *, dry_run: bool
) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "came": list(reached.came),
        "built": list(reached.built),
        "events": list(written),
        "undone": list(plan.undone),
        "restored": [{"id": id_, "was": old} for id_, old in _restored(plan, written)],
        "deleted": list(plan.deleted),
        "skipped": dict(skipped),
    }
