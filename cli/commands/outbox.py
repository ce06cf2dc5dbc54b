"""muniment upkeep retry: what was learned and could not be written yet.

Implements specs/cli.md (X-160, X-161, X-183) and specs/capture.md (K-73, K-119).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from cli import learning_run, write_notices
from cli.app import App, reading_options
from language.printable import plain, redacted
from learning import retrying
from learning.detection.language_model import ModelError
from learning.intake import Taken, Taking
from learning.outbox import WaitingProposal
from learning.outcome import WAITING
from learning.waiting_windows import WaitingWindow
from ledger.errors import BusyError, UsageError


@click.command("outbox", short_help="Retry writes that failed earlier")
@click.option("--list", "only_list", is_flag=True, help="Only list what waits.")
@reading_options
@click.option("--by", "by_name", metavar="NAME", help="Author to record (default: capture).")
def command(app: App, only_list: bool) -> int:
    """Retry writes that failed earlier.

    Memories that could not be written because the ledger was locked, full or read-only wait on disk, outside
    the ledger. Each is decided on again, so that nothing repeated in the meantime is stored twice. The next
    automatic write retries them, too.

    Parts of conversations that a language model did not answer (capture --extractor llm) also wait here: the
    model is asked again.

    \b
    Examples:
      muniment upkeep retry --list
      muniment upkeep retry
      muniment upkeep retry --json
    """
    ledgers = learning_run.ledgers(app)
    scopes = learning_run.opened(ledgers)
    if only_list:
        _show(app, retrying.left(scopes))
        return 0
    told = []
    taking = learning_run.taking(app, ledgers)
    for taken in taking.retry():
        told.append(taken)
        if not app.json:
            app.line(learning_run.line_of(app, taken))
    done = sum(taken.outcome not in WAITING for taken in told)
    proposals = len(told)
    for taken in _asked_again(app, taking):
        told.append(taken)
        if not app.json:
            app.line(learning_run.line_of(app, taken))
    left = retrying.left(scopes)
    if app.json:
        app.emit(
            {
                "taken": [learning_run.json_of(taken) for taken in told],
                "waiting": _as_json(left),
            }
        )
    for path, fault in left.unreadable:
        app.note(f"{plain(str(path))}: {plain(fault)}; it stays there until you remove it")
    for memory in ledgers.values():
        write_notices.say(app, memory)
    if not app.json:
        app.note(_summary(done, left.unwritten, len(told) - proposals, left.unanswered))
    if others := retrying.other_ledgers(scopes):
        named = "1 other ledger" if others == 1 else f"{others} other ledgers"
        app.note(f"more waits for {named}: run it in their projects, or with --ledger")
    return BusyError.exit_code if left.unwritten or left.unanswered else 0


def _asked_again(app: App, taking: Taking) -> Iterator[Taken]:
    """Ask the models again; say why there is no answer (X-183)."""
    try:
        yield from retrying.asked_again(taking, learning_run.language_model)
    except (ModelError, UsageError) as error:
        app.note(f"no answer of the model: {redacted(str(error))}")


def _show(app: App, left: retrying.Left) -> None:
    if app.json:
        app.emit_lines(_as_json(left))
        return
    for each in left.proposals:
        said = learning_run.text_of(each.proposal) if each.proposal is not None else plain(each.fault)
        app.line(f"{each.path.stem[:8]}  {said}")
    for part in left.windows:
        said = plain(part.fault) or f"a part of a conversation, for the model {plain(part.model)}"
        app.line(f"{part.path.stem[:8]}  {said}")
    app.note("muniment upkeep retry tries again" if left.proposals or left.windows else "nothing waits")


def _as_json(left: retrying.Left) -> list[dict[str, Any]]:
    return [*map(_proposal_as_json, left.proposals), *map(_part_as_json, left.windows)]


def _proposal_as_json(each: WaitingProposal) -> dict[str, Any]:
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
