"""memledger add: learn a memory."""

from __future__ import annotations

from typing import Any

import click

from cli.app import App, common_options, short
from cli.record_options import build, read_text, record_options


@click.command("add")
@click.argument("text")
@record_options
@click.option(
    "--redact", is_flag=True, help="Store [redacted:RULE] in place of a secret instead of refusing."
)
@common_options
def command(app: App, text: str, record: dict[str, Any], redact: bool) -> None:
    """Learn a memory: one line of TEXT (- reads it from standard input).

    Prints the id. A text that already stands in its section is not stored twice: you get the id that it has.

    \b
    Examples:
      memledger add "Use pnpm, not npm" --type preference
      memledger add "Postgres listens on 5433" --section "Tool Usage" --tag postgres
      memledger add "Auth flow" --topic codebase/auth --when "login or session bugs" -F notes.md
    """
    memory = app.memory()
    written = memory.store(build(record, read_text(text)), redact=redact)
    if app.json:
        app.emit({"id": written.id, "known": written.known, "redacted": list(written.redacted)})
    else:
        app.line(f"{short(written.id)}{'  known already' if written.known else ''}")
    if written.redacted:
        app.note(f"stored without what {', '.join(written.redacted)} matched")
    if memory.outcome:
        app.report_paused(memory.outcome.paused)
