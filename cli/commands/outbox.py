"""muniment upkeep retry: what was learned and could not be written yet.

Implements specs/cli.md (X-160…X-163, X-183) and specs/capture.md (K-73, K-119).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import learning_run, write_notices
from cli.app import App, reading_options
from language.printable import plain, redacted
from learning.authorship import home_of
from learning.outbox import Outbox, Waiting
from learning.outcome import WAITING
from learning.waiting_files import OUTBOX
from learning.writer import ledger_id
from ledger.errors import BusyError, UsageError
from muniment import MemoryLedger

if TYPE_CHECKING:
    from learning.intake import Taken, Taking
    from learning.waiting_windows import WaitingWindow, WaitingWindows


@click.command("outbox", short_help="Retry writes that failed earlier")
@click.option("--list", "only_list", is_flag=True, help="Only show what waits.")
@reading_options
@click.option("--by", "by_name", metavar="NAME", help="Who is writing (default: capture).")
def command(app: App, only_list: bool) -> int:
    """Try again to write what was learned while the ledger was locked, full or read-only.

    Such proposals wait, synced to disk, outside of the ledger. Each is decided on anew, so what was said again in the
    meantime is not stored twice. It happens by itself before the next automatic write, too.

    Parts of conversations that a language model gave no answer for (capture --extractor llm) wait here as well: it
    is asked again.

    \b
    Examples:
      muniment upkeep retry --list
      muniment upkeep retry
      muniment upkeep retry --json
    """
    scopes = learning_run.ledgers(app)
    windows = learning_run.waiting_windows(scopes)
    if only_list:
        _show(app, _waiting(scopes), list(windows.waiting()))
        return 0
    told = []
    taking = learning_run.taking(app, scopes)
    for taken in taking.retry():
        told.append(taken)
        if not app.json:
            app.line(learning_run.line_of(app, taken))
    done = sum(taken.outcome not in WAITING for taken in told)
    proposals = len(told)
    for taken in _asked_again(app, windows, taking):
        told.append(taken)
        if not app.json:
            app.line(learning_run.line_of(app, taken))
    left = _waiting(scopes)
    parts = list(windows.waiting())
    if app.json:
        app.emit(
            {
                "taken": [learning_run.json_of(taken) for taken in told],
                "waiting": [*map(_as_json, left), *map(_part_as_json, parts)],
            }
        )
    for path, fault in [(one.path, one.fault) for one in left] + [(one.path, one.fault) for one in parts]:
        if fault:
            app.note(f"{plain(str(path))}: {plain(fault)}; it stays there until you remove it")
    for memory in scopes.values():
        write_notices.say(app, memory)
    still = sum(not each.fault for each in left)
    unanswered = sum(not each.fault for each in parts)
    if not app.json:
        app.note(_summary(done, still, len(told) - proposals, unanswered))
    _name_others(app, scopes)
    return BusyError.exit_code if still or unanswered else 0


def _asked_again(app: App, windows: WaitingWindows, taking: Taking) -> Iterator[Taken]:
    """Ask the models again, where something waits for one; say why there is no answer (X-183)."""
    if next(windows.waiting(), None) is None:
        return
    from learning.detection.language_model import ModelError
    from learning.waiting_windows import ask_again

    try:
        yield from ask_again(windows, cache(learning_run.language_model), taking)
    except (ModelError, UsageError) as error:
        app.note(f"no answer of the model: {redacted(str(error))}")


def _waiting(scopes: dict[str, MemoryLedger]) -> list[Waiting]:
    return [
        each
        for memory in scopes.values()
        for each in Outbox(memory.workspace.home.state, ledger_id(memory.scope)).waiting()
    ]


def _show(app: App, waiting: list[Waiting], parts: list[WaitingWindow]) -> None:
    if app.json:
        app.emit_lines([*map(_as_json, waiting), *map(_part_as_json, parts)])
        return
    for each in waiting:
        said = learning_run.text_of(each.proposal) if each.proposal is not None else plain(each.fault)
        app.line(f"{each.path.stem[:8]}  {said}")
    for part in parts:
        said = plain(part.fault) or f"a part of a conversation, for the model {plain(part.model)}"
        app.line(f"{part.path.stem[:8]}  {said}")
    app.note("nothing waits" if not waiting and not parts else "muniment upkeep retry tries again")


def _as_json(each: Waiting) -> dict[str, Any]:
    proposal = each.proposal
    return {
        "file": str(each.path),
        "text": learning_run.text_of(proposal) if proposal is not None else None,
        "action": proposal.action if proposal is not None else None,
        "basis": proposal.basis if proposal is not None else None,
        "fault": each.fault or None,
    }


def _part_as_json(each: WaitingWindow) -> dict[str, Any]:
    empty = dict.fromkeys(("text", "action", "basis"))
    return {"file": str(each.path), **empty, "fault": each.fault or None, "model": each.model or None}


def _summary(done: int, still: int, learned_of: int, unanswered: int) -> str:
    parts = "1 part of a conversation" if unanswered == 1 else f"{unanswered} parts of conversations"
    said = (
        f"{done} dealt with" if done else "",
        f"{learned_of} proposed by the model" if learned_of else "",
        f"{still} still waiting" if still else "",
        f"{parts} still waiting for the model" if unanswered else "",
    )
    return ", ".join(part for part in said if part) or "nothing waits"


def _name_others(app: App, scopes: dict[str, MemoryLedger]) -> None:
    """Say that proposals wait for ledgers that are not looked at from here."""
    memory: MemoryLedger = home_of(scopes)
    own = {ledger_id(each.scope) for each in scopes.values()}
    folder: Path = memory.workspace.home.state / OUTBOX
    try:
        others = [one for one in folder.iterdir() if one.name not in own and next(one.glob("*.json"), None)]
    except OSError:
        return
    if others:
        ledgers = "1 other ledger" if len(others) == 1 else f"{len(others)} other ledgers"
        app.note(f"more waits for {ledgers}: run it in their projects, or with --ledger")
