"""muniment capture: learn from transcripts of conversations, or from a project's files.

Implements specs/cli.md (X-150…X-153, X-155, X-157, K-78); what is read and remembered of it is in specs/capture.md
(K-5…K-17, K-74, K-76…K-78).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agents.hooks import fault_log
from cli import learning_run
from cli.app import App, PrintError, reading_options
from cli.capture_report import Run
from cli.extractor_options import asks_a_model, extractor_options
from cli.options import Verb, option
from cli.progress import ProgressBar
from cli.show_entry import count_of
from language.printable import redacted
from learning.authorship import home_of, project_of
from learning.conversations import Conversations, Heard, in_order, turns_of
from learning.episodes import Gathered
from learning.intake import Taking
from learning.listening import Detector
from learning.outcome import WRITTEN
from learning.project_facts import learned
from ledger.errors import UsageError
from ledger.location import find_project, git_root
from ledger.redaction import redact
from muniment import MemoryLedger

if TYPE_CHECKING:
    from learning.detection.language_model import LanguageModel


@click.command("capture", cls=Verb)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, allow_dash=True), metavar="[FILE]...")
@option(
    "--project", is_flag=True, help="Also learn from the files of this checkout: scripts, tools, versions."
)
@option("--dry-run", is_flag=True, help="Show what would be learned, and change nothing.")
@option("--explain", is_flag=True, help="Show the features for and against each proposal.")
@extractor_options("What proposes: rules and a small linear model")
@option("--anew", is_flag=True, help="Read each file again from the beginning.")
@reading_options
@option("--by", "by_name", metavar="NAME", help="Author to record (default: capture).")
def command(  # noqa: PLR0917 - click passes them by name
    app: App,
    files: tuple[Path, ...],
    project: bool,
    dry_run: bool,
    explain: bool,
    extractor: str,
    model: str,
    anew: bool,
) -> int:
    """Learn from transcripts of conversations.

    FILE is a transcript of Claude Code, a rollout of Codex, a session of Gemini CLI or Copilot CLI, a trajectory or session of
    OpenClaw, or a list of messages with role and content (JSON or JSON lines); - reads standard input. Each file
    is read from where the last run stopped; several files are processed in chronological order.

    Facts about you, the project or this machine go to the ledger of that scope; with --scope or --ledger all go
    to one.

    Prints a line for each proposal: outcome, id, confidence, text. Certain ones are stored at once; the others
    become candidates for `muniment review`. What you wrote yourself is never replaced automatically. Limits: 10
    memories for each conversation and 25 an hour (limits.per_conversation, limits.per_hour). When an agent runs
    this command, the agent is recorded as the author and candidates always wait for a person, no matter how
    often they are repeated.

    With --extractor llm, what people say is sent to the model that you name, with secrets removed, wherever its
    provider is.

    \b
    Examples:
      muniment capture --dry-run --explain ~/.claude/projects/*/*.jsonl
      muniment capture session.jsonl
      muniment capture --project
      muniment capture --extractor llm --model NAME session.jsonl
      my-agent --print-messages | muniment capture -
    """
    by_model = asks_a_model(extractor, model)
    if not files and not project:
        raise UsageError("name the transcripts to learn from, or give --project; see muniment capture --help")
    scopes = learning_run.ledgers(app)
    home = home_of(scopes)
    if not home.workspace.configuration.enabled:
        app.note("muniment is switched off: enabled = false in config.toml")
        return 0
    run = Run(app, dry_run=dry_run, explain=explain)
    ask = learning_run.language_model(model or home.workspace.configuration.model) if by_model else None
    taking = learning_run.taking(app, scopes, dry=dry_run)
    for taken in taking.take_up():
        if taken.outcome in WRITTEN:
            run.told(taken)
    if project:
        here = Path.cwd()
        found = find_project(home.workspace.home, here)
        for taken in learned(taking, found.root if found else git_root(here) or here):
            run.told(taken)
    if files:
        _read(run, scopes, files, taking, ask, anew=anew)
    return run.end(scopes.values())


def _read(
    run: Run,
    scopes: dict[str, MemoryLedger],
    files: Sequence[Path],
    taking: Taking,
    ask: LanguageModel | None,
    *,
    anew: bool,
) -> None:
    home, project = home_of(scopes), project_of(scopes)
    streamed = Gathered()
    detector, faults = _detector(run, home, ask)
    conversations = Conversations(
        taking,
        detector,
        home.workspace.local,
        dry=run.dry_run,
        anew=anew,
        on_taken=run.told,
        on_turn=streamed.hear,
        progress=ProgressBar("reading turns"),
        on_fault=lambda error: fault_log.note("muniment", "capture", fault_log.said_of(error)),
    )
    for path in in_order(files):
        heard = _read_one(run, conversations, path)
        if heard is None or not heard.turns:
            continue
        said = streamed if heard.stream else _told_in(run, path)
        timeout = taking.writer.patience(project.scope)
        if said:
            run.remember(said, project, path, timeout=timeout, stream=heard.stream)
        streamed.clear()
    _tell_of_faults(run, faults)
    if conversations.trouble and not run.dry_run:
        run.app.note(f"{conversations.trouble}: the same text will be read again")


def _told_in(run: Run, path: Path) -> Gathered | None:
    """Return what was said in a file from its beginning; None if it went away since."""
    whole = Gathered()
    try:
        for turn in turns_of(path):
            whole.hear(turn)
    except FileNotFoundError:
        return None  # renamed since
    except OSError as error:
        run.unread(path, error)
        return None
    return whole


def _read_one(run: Run, conversations: Conversations, path: Path) -> Heard | None:
    """Learn from a file; None if it could not be read."""
    if str(path) == "-":
        import hashlib

        stream = sys.stdin.buffer
        begin = stream.peek(4096)[:4096] if hasattr(stream, "peek") else b""
        name = f"stdin-{hashlib.blake2b(begin, digest_size=6).hexdigest()}"
        heard = conversations.stream(stream, name)
        run.read(heard)
        return heard
    try:
        heard = conversations.file(path)
        run.read(heard)
    except IsADirectoryError:
        run.unread(path, IsADirectoryError(21, "it is a folder: give its files"))
    except (BrokenPipeError, PrintError):
        raise  # what is wrong is where it is told, not what is read
    except OSError as error:
        if error.filename is not None and Path(error.filename) != path:
            raise
        run.unread(path, error)
    else:
        return heard
    return None


def _detector(run: Run, home: MemoryLedger, ask: LanguageModel | None) -> tuple[Detector, Sequence[str]]:
    """Return what proposes, and the list of a model's faults, which it fills."""
    from learning.detection.detector import LearningDetector

    most = home.workspace.configuration.detector_max_per_turn
    rules = LearningDetector(max_per_turn=most, explain=run.explain)
    if ask is None:
        return rules, ()
    from learning.model_detector import ModelDetector

    name = ask.name if run.explain else ""
    model = ModelDetector(rules, ask, redact, name=name, max_per_turn=most)
    return model, model.faults


def _tell_of_faults(run: Run, faults: Sequence[str]) -> None:
    """Print how many windows the model gave no answer for (X-182)."""
    if faults:
        windows = f"{count_of(len(faults), 'part')} of the conversation ({redacted(faults[0])})"
        fate = "" if run.dry_run else "; run muniment capture --anew to ask it again"
        run.app.note(f"the model gave no answer for {windows}: the rules were used{fate}")
