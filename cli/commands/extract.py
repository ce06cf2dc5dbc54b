"""muniment extract: file what an agent's closing report is worth as candidates.

Implements specs/cli.md (X-172, X-173, X-184); what is worth a topic says specs/capture.md (K-107…K-109).
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
import orjson

from cli import learning_run, write_notices
from cli.app import App, common_options
from cli.extractor_options import asks_a_model, extractor_options
from cli.options import Verb, option
from language.printable import redacted
from learning.authorship import home_of
from learning.detection.closing import ClosingReport, Extract
from learning.detection.language_model import ModelError
from learning.detection.model_reports import reader
from learning.extracting import agent_of, by_rules, file_report, report_of, report_of_transcript
from ledger.errors import NotFoundError, RecordError, StorageError, UsageError
from ledger.redaction import redact
from muniment import MemoryLedger

_MOST_BYTES = 8 << 20


@click.command("extract", cls=Verb)
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@option("--dry-run", is_flag=True, help="Show what would be stored, and change nothing.")
@extractor_options("What reads the report: rules")
@common_options
def command(app: App, file: Path | None, dry_run: bool, extractor: str, model: str) -> None:
    """Save what is worth keeping from an agent's report.

    Reads a finished transcript, or from standard input a JSON object with agent, task, output, result (success,
    failure, partial) and error. At most three findings in the final report, about the code's structure,
    patterns and constraints, or failures and what did not work, become candidates of the agent, each in a
    topic. They wait for `muniment review`. Work that was merely done is not stored.

    \b
    Examples:
      muniment extract ~/.claude/projects/app/session.jsonl
      muniment extract --dry-run < report.json
      muniment extract --extractor llm --model NAME session.jsonl
    """
    by_model = asks_a_model(extractor, model)
    scopes = learning_run.ledgers(app)
    using = _model(app, scopes, model) if by_model else by_rules
    report = _report(file)
    done = file_report(
        learning_run.opened(scopes), report, agent_of(report, app.by().name), using=using, dry=dry_run
    )
    if app.json:
        app.emit({"dry_run": dry_run, "proposals": [learning_run.record_json(taken) for taken in done]})
    else:
        app.lines(learning_run.line_of(app, taken) for taken in done)
        if not done:
            app.note("nothing in it is worth a topic")
    if not dry_run:
        for memory in scopes.values():
            write_notices.say(app, memory)


def _report(file: Path | None) -> ClosingReport:
    """Return the report of a transcript, else that on standard input."""
    if file is None or str(file) == "-":
        return report_of(_json_of_stdin())
    try:
        with file.open("rb") as stream:
            return report_of_transcript(stream, str(file))
    except FileNotFoundError:
        raise NotFoundError(
            f"{file} does not exist: give a transcript, or the report on standard input"
        ) from None
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}") from error


def _model(app: App, scopes: dict[str, MemoryLedger], name: str) -> Extract:
    """Return what reads a report with a model, and says so where the rules did it instead (X-184)."""

    def failed(error: ModelError) -> None:
        said = redacted(str(error))
        app.note(f"the model gave no answer ({said}): the rules read the report; run it again to ask again")

    ask = learning_run.language_model(name or home_of(scopes).workspace.configuration.model)
    return reader(ask, redact, by_rules, failed)


def _json_of_stdin() -> object:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("give a transcript, or the report as a JSON object on standard input")
    data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise RecordError(f"the report has more than {_MOST_BYTES >> 20} MiB: give its closing part")
    try:
        return orjson.loads(data)
    except ValueError as error:
        raise RecordError(
            f"standard input is not JSON ({error}): give agent, task, output, result and error"
        ) from None
