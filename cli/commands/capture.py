"""memledger capture: learn from transcripts of conversations, or from a project's files.

Implements specs/cli.md (X-150…X-159); what is read and remembered of it is in specs/capture.md (K-5…K-17, K-74…K-78).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import afterwards, learned
from cli.app import App, common_options, plain, short
from cli.extractor_options import asks_a_model, extractor_options
from cli.where_transcripts_lie import places
from ledger.errors import StorageError, UsageError

if TYPE_CHECKING:
    from capture.language_model import LanguageModel
    from capture.turn import Turn
    from learning.conversations import Conversations, Heard
    from learning.episodes import Gathered
    from learning.listening import Detector
    from learning.taking import Taken, Taking
    from memledger import MemoryLedger

_POLL_SECONDS = 0.5


@click.command("capture")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, allow_dash=True), metavar="[FILE]...")
@click.option(
    "--project", is_flag=True, help="Also learn from the files of this checkout: scripts, tools, versions."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be learned.")
@click.option("--explain", is_flag=True, help="Name the features that spoke for and against each proposal.")
@extractor_options("What proposes: rules and a small linear model")
@click.option(
    "--anew", is_flag=True, help="Begin at the first byte of each file, whatever was read of it before."
)
@click.option("--follow", is_flag=True, help="Wait for the files to grow, until Ctrl-C.")
@click.option(
    "--for",
    "seconds",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="With --follow: stop after so long.",
)
@common_options
def command(  # noqa: PLR0917 - click passes them by name
    app: App,
    files: tuple[Path, ...],
    project: bool,
    dry_run: bool,
    explain: bool,
    extractor: str,
    model: str,
    anew: bool,
    follow: bool,
    seconds: float | None,
) -> int:
    """Learn what is worth remembering from transcripts of conversations.

    FILE is a transcript of Claude Code, a rollout of Codex, a trajectory or session of OpenClaw, or a list of
    messages with role and content (JSON or JSON lines); - reads standard input. Each file is read from where
    it was read last. Without FILE it says where transcripts usually lie.

    Each proposal is one line: what became of it, id, confidence, text. Sure ones are stored at once, others
    become candidates for `memledger review`; what you wrote yourself is never replaced by itself.

    With --extractor llm what people say goes to the model that you name, secrets cut out, wherever its provider is.

    \b
    Examples:
      memledger capture --dry-run --explain ~/.claude/projects/*/*.jsonl
      memledger capture session.jsonl
      memledger capture --project
      memledger capture --follow session.jsonl
      memledger capture --extractor llm --model NAME session.jsonl
      my-agent --print-messages | memledger capture -
    """
    if seconds is not None and not follow:
        raise UsageError("--for goes with --follow")
    by_model = asks_a_model(extractor, model)
    if follow and (not files or Path("-") in files):
        raise UsageError("--follow needs files that can grow")
    if not files and not project:
        return _say_where(app)
    scopes = learned.ledgers(app)
    home = learned.home_of(scopes)
    if not home.configuration.enabled:
        app.note("memledger is switched off: enabled = false in config.toml")
        return 0
    run = _Run(app, dry_run=dry_run, explain=explain)
    ask = learned.language_model(model or home.configuration.model) if by_model else None
    taking = learned.taking(app, scopes, dry=dry_run)
    if project:
        from capture.project_facts import proposals

        for taken in taking.take(proposals(_root(home))):
            run.told(taken)
    if files:
        _read(run, scopes, files, taking, _Wish(ask, anew, follow, seconds))
    if not dry_run and run.wrote:
        for memory in scopes.values():
            afterwards.say(app, memory)
    run.sum_up()
    return run.code


@dataclass(frozen=True, slots=True)
class _Wish:
    """How the files are to be read."""

    ask: LanguageModel | None
    anew: bool
    follow: bool
    seconds: float | None


@dataclass(slots=True)
class _Run:
    """What was printed so far, and how the run ends."""

    app: App
    dry_run: bool
    explain: bool
    code: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    wrote: bool = False
    _missing: set[Path] = field(default_factory=set)

    def told(self, taken: Taken, turn: Turn | None = None) -> None:
        """Print what became of a proposal, at once: a run that follows files has no end."""
        self.counts[taken.outcome] = self.counts.get(taken.outcome, 0) + 1
        self.wrote = self.wrote or bool(taken.id)
        if self.app.json:
            why = {"features": [list(each) for each in taken.proposal.why]} if self.explain else {}
            when = taken.proposal.date or (turn.at if turn is not None else "")
            at = {"at": when} if when or turn is not None else {}
            self.app.emit_lines([learned.json_of(taken, dry_run=self.dry_run, **at, **why)])
            return
        lines = [learned.line_of(self.app, taken)]
        if self.explain:
            lines += learned.why_lines(taken.proposal)
        self.app.lines(lines)

    def read(self, heard: Heard, *, again: bool) -> None:
        """Say what reading a file came to, on stderr; of one that is followed only what is new."""
        if heard.nothing_new or (again and not (heard.turns or heard.skipped or heard.broken_count)):
            if not again:
                self.app.note(f"{plain(heard.name)}: nothing new")
            return
        if not heard.kind:
            self.app.note(f"{plain(heard.name)}: no conversation of a known format{_faults(heard)}")
            self.code = self.code or UNKNOWN
            return
        turns = "1 new turn" if heard.turns == 1 else f"{heard.turns} new turns"
        self.app.note(f"{plain(heard.name)}: {heard.kind}, {turns}{_faults(heard)}")

    def unread(self, path: Path, error: OSError) -> None:
        """Name a file that cannot be read, once."""
        if path not in self._missing:
            self._missing.add(path)
            self.app.note(f"{plain(str(path))} cannot be read: {error.strerror or error}")
            self.code = StorageError.exit_code

    def remember(self, said: Gathered, memory: MemoryLedger, path: Path) -> None:
        """Write the episodes of what was said, and print them (X-164)."""
        quiet = time.time() - path.stat().st_mtime if path.is_file() else float("inf")
        for each in said.remember(memory, learned.writer(self.app), quiet_for=quiet, dry=self.dry_run):
            if each.outcome not in ("created", "superseded"):
                continue
            self.wrote = True
            self.counts["episode"] = self.counts.get("episode", 0) + 1
            if self.app.json:
                text = each.memory.text
                self.app.emit_lines([{"outcome": "episode", "id": each.id or None, "text": text}])
            else:
                self.app.line(f"{'episode':<10}  {short(each.id):<12}        {plain(each.memory.text)}")

    def sum_up(self) -> None:
        """Say how many proposals came to what, where people read it."""
        if self.app.json:
            return
        told = ", ".join(f"{count} {outcome}" for outcome, count in self.counts.items()) or "nothing to learn"
        self.app.note(f"would be: {told}" if self.dry_run and self.counts else told)
        if self.counts.get("candidate") and not self.dry_run:
            self.app.note("memledger review decides on candidates")
        if self.counts.get("queued"):
            self.app.note("memledger outbox tries again what could not be written")


UNKNOWN = 5
"""The exit code where a file holds no conversation of a known format (X-4: a format)."""


def _faults(heard: Heard) -> str:
    said = []
    if heard.skipped:
        kinds = sorted(heard.skipped.items(), key=lambda each: (-each[1], each[0]))
        named = ", ".join(f"{plain(kind)} {count}" for kind, count in kinds[:5])
        more = f" and {len(kinds) - 5} more types" if len(kinds) > 5 else ""
        said.append(f"records of unknown types skipped: {named}{more}")
    if heard.broken_count:
        lines = "1 broken line" if heard.broken_count == 1 else f"{heard.broken_count} broken lines"
        said.append(
            f"{lines} (at byte {', '.join(map(str, heard.broken[:3]))}{', …' if heard.broken_count > 3 else ''})"
        )
    if heard.torn:
        said.append("the last line is not complete yet")
    return "".join(f"; {each}" for each in said)


def _read(
    run: _Run, scopes: dict[str, MemoryLedger], files: tuple[Path, ...], taking: Taking, wish: _Wish
) -> None:
    from learning.conversations import Conversations
    from learning.episodes import Gathered

    home = learned.home_of(scopes)
    said = Gathered()
    detector = _detector(run, scopes, wish.ask)
    conversations = Conversations(
        taking, detector, home.local, dry=run.dry_run, anew=wish.anew, on_taken=run.told,
        on_turn=said.hear if Path("-") in files else None,
    )  # fmt: skip
    try:
        for again in _rounds(wish):
            for path in files:
                if _read_one(run, conversations, path, again=again, more=wish.follow):
                    run.remember(_told_in(path, said), learned.project_of(scopes), path)
    except KeyboardInterrupt:
        if not wish.follow:
            raise
        run.app.note("stopped; what was read is noted")
    conversations.settle()
    if wish.ask is not None:
        _tell_of_faults(run, detector)
    if conversations.trouble and not run.dry_run:
        run.app.note(f"{conversations.trouble}: the same will be read again")


def _rounds(wish: _Wish) -> Iterator[bool]:
    """Give False for the first round, and True for each later one while files are followed."""
    yield False
    end = time.monotonic() + wish.seconds if wish.seconds is not None else None
    while wish.follow and (end is None or time.monotonic() < end):
        left = _POLL_SECONDS if end is None else min(_POLL_SECONDS, max(0.0, end - time.monotonic()))
        time.sleep(left)
        yield True


def _told_in(path: Path, said: Gathered) -> Gathered:
    """Return what was said in a file from its beginning, or on standard input."""
    from capture.transcripts import read
    from learning.conversations import name_of
    from learning.episodes import Gathered

    if str(path) == "-":
        return said
    whole = Gathered()
    with path.open("rb") as stream:
        for turn, _ in read(stream, name=name_of(path)):
            whole.hear(turn)
    return whole


def _read_one(run: _Run, conversations: Conversations, path: Path, *, again: bool, more: bool) -> bool:
    """Learn from a file; say whether there was anything new in it."""
    if str(path) == "-":
        import hashlib

        stream = sys.stdin.buffer
        begin = stream.peek(4096)[:4096] if hasattr(stream, "peek") else b""
        name = f"stdin-{hashlib.blake2b(begin, digest_size=6).hexdigest()}"
        heard = conversations.stream(stream, name)
        run.read(heard, again=again)
        return heard.turns > 0
    try:
        heard = conversations.file(path, more=more)
        run.read(heard, again=again)
        return heard.turns > 0
    except IsADirectoryError:
        run.unread(path, IsADirectoryError(21, "it is a folder: name its files"))
    except OSError as error:
        if error.filename is not None and Path(error.filename) != path:
            raise
        run.unread(path, error)
    return False


def _detector(run: _Run, scopes: dict[str, MemoryLedger], ask: LanguageModel | None) -> Detector:
    from capture.detector import LearningDetector
    from learning.conversations import corrections_of

    home = learned.home_of(scopes)
    most = home.configuration.detector_max_per_turn
    rules = LearningDetector(
        corrections_of(home.local),
        max_per_turn=most,
        history_limit=home.configuration.detector_history,
        explain=run.explain,
    )
    if ask is None:
        return rules
    from learning.model_detector import ModelDetector
    from ledger.redaction import default_redactor

    waiting = learned.waiting_windows(scopes)
    return ModelDetector(
        rules,
        ask,
        default_redactor().redact,
        keep=None if run.dry_run else lambda window: waiting.keep(window, ask.name),
        name=ask.name if run.explain else "",
        max_per_turn=most,
    )


def _tell_of_faults(run: _Run, detector: Any) -> None:
    """Say which windows the model gave no answer for, and what became of them (X-182)."""
    faults: list[str] = detector.faults
    if not faults:
        return
    windows = "1 part" if len(faults) == 1 else f"{len(faults)} parts"
    fate = "" if run.dry_run else "; memledger outbox asks again"
    if detector.lost:
        fate += f", but for {detector.lost} that could not be kept"
    why = learned.redacted(faults[0])
    run.app.note(f"the model gave no answer for {windows} of the conversation ({why}): the rules spoke{fate}")


def _root(home: MemoryLedger) -> Path:
    """Return the root of the project that the present folder lies in, of its repository, or else this folder."""
    from ledger.location import find_project

    here = Path.cwd()
    if (project := find_project(home.home, here)) is not None:
        return project.root
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _say_where(app: App) -> int:
    """Say where transcripts usually lie, and how many there are."""
    found = places()
    if app.json:
        app.emit([place.as_json() for place in found])
        return 0
    width = max(len(place.agent) for place in found)
    for place in found:
        app.line(f"{place.agent:<{width}}  {place.pattern}  ({place.said})")
    app.note("name the files to learn from: memledger capture --dry-run FILE shows first what it would learn")
    return 0
