"""The three jobs that keep a ledger in order by themselves, as each scheduler wants them written.

Implements specs/doors.md (G-30…G-35). Texts only: nothing is run and no file is read or written.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.install import marked_block
from ledger.errors import UsageError

NAME = "muniment"
FORMATS = ("systemd", "crontab")

_MAX_CRON_COMMAND = 990
"""Cron takes at most 1,000 characters of a command (crontab(5))."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job: what is run, what for, and when: as a calendar of systemd's, and for cron."""

    name: str
    words: tuple[str, ...]
    does: str
    calendar: str
    cron: str


JOBS = (
    Job(
        "checkpoint",
        ("daily", "checkpoint"),
        "daily notes of the session buffer, every 30 minutes",
        "*:0/30",
        "*/30 * * * *",
    ),
    Job(
        "curate",
        ("daily", "curate", "--if-due"),
        "what lasts of a week's notes, Sundays 10:00 UTC",
        "Sun *-*-* 10:00:00 UTC",
        "0 * * * *",
    ),
    Job(
        "maintain",
        ("upkeep", "run", "--if-due"),
        "verify, stats, anchor when due, Sundays 11:00 UTC",
        "Sun *-*-* 11:00:00 UTC",
        "0 * * * *",
    ),
)
"""The jobs (G-30). Cron has no time zone of its own, so it asks hourly, and `--if-due` says when (G-31)."""


@dataclass(frozen=True, slots=True)
class Runner:
    """How muniment is run for one ledger.

    `program` is its absolute path; `options` say which ledger; `environment` holds what a scheduler would not have;
    `folder` is where it runs, where that says which ledger. `mark` tells the jobs of several ledgers apart, "" for
    the user's own.
    """

    program: str
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    mark: str = ""

    def __post_init__(self) -> None:
        """Refuse what no scheduler can hold.

        Raises:
            UsageError: a path has a line end.
        """
        for text in (self.program, *self.options, *self.environment.values(), str(self.folder or "")):
            if any(ord(character) < 32 for character in text):
                raise UsageError(f"a path with a control character cannot be scheduled: {text!r}")

    def words(self, job: Job) -> list[str]:
        """Return the argument list of a job."""
        return [self.program, *self.options, *job.words]

    def name(self, job: Job) -> str:
        """Return the name by which a scheduler knows a job."""
        return f"{NAME}-{job.name}{self.mark and f'-{self.mark}'}"


# --- systemd ----------------------------------------------------------------------------------------------------------


def units(runner: Runner) -> dict[str, str]:
    """Return the files of the user's timers, by name: a service and a timer for each job.

    Raises:
        UsageError: systemd cannot run the program.
    """
    files = {}
    for job in JOBS:
        lines = [f"Environment={_quoted(f'{name}={value}')}" for name, value in runner.environment.items()]
        if runner.folder is not None:
            lines.append(f"WorkingDirectory={str(runner.folder).replace('%', '%%')}")
        program, *words = runner.words(job)
        if set(program) & set("\"'\\"):
            raise UsageError(
                f"systemd runs no program with quotes in its path: use --format crontab ({program})"
            )
        # In the program's own path systemd replaces no variables (systemd.service(5)).
        lines.append(f"ExecStart={' '.join([_quoted(program), *map(_word, words)])}")
        said = f"[Unit]\nDescription={NAME}: {job.does}\n\n"
        files[f"{runner.name(job)}.service"] = f"{said}[Service]\nType=oneshot\n" + "\n".join(lines) + "\n"
        files[f"{runner.name(job)}.timer"] = (
            f"{said}[Timer]\nOnCalendar={job.calendar}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
        )
    return files


def timers(runner: Runner) -> list[str]:
    """Return the names of the timers."""
    return [f"{runner.name(job)}.timer" for job in JOBS]


def _word(word: str) -> str:
    """Write a word of ExecStart: `$` and `%` would be replaced there (systemd.service(5))."""
    return _quoted(word.replace("$", "$$"))


def _quoted(text: str) -> str:
    text = text.replace("%", "%%")
    if re.fullmatch(r"[\w@%+=:,./$-]+", text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# --- cron -------------------------------------------------------------------------------------------------------------


def block(runner: Runner) -> str:
    """Return the crontab block: what a job says is mailed where it fails, and only there.

    Raises:
        UsageError: a command is longer than cron takes.
    """
    begin, end = _marks(runner.mark)
    lines = [
        begin,
        "# asked hourly, curate and maintain do their work once a week: from Sunday 10:00 and 11:00 UTC",
    ]
    for job in JOBS:
        words = shlex.join(runner.words(job))
        set_ = "".join(f"{name}={shlex.quote(value)} " for name, value in runner.environment.items())
        before = f"cd {shlex.quote(str(runner.folder))} && " if runner.folder is not None else ""
        command = f'{before}out=$({set_}{words} 2>&1) || echo "$out"'.replace("%", "\\%")
        if len(command) > _MAX_CRON_COMMAND:
            raise UsageError("the paths are too long for a line of cron's: use --format systemd")
        lines.append(f"{job.cron} {command}")
    return "\n".join([*lines, end, ""])


def with_block(crontab: str, mark: str, new: str) -> str:
    """Return a crontab with the block of this mark replaced by `new`, "" to take it out; all else as it stands.

    Raises:
        RecordError: a mark stands alone, or twice.
    """
    place = marked_block.found(crontab, *_marks(mark))
    if place is None:
        gap = "\n" if crontab and not crontab.endswith("\n") and new else ""
        return f"{crontab}{gap}{new}"
    return crontab[: place[0]] + new + crontab[place[1] :]


def _marks(mark: str) -> tuple[str, str]:
    of = f" {mark}" if mark else ""
    return f"# {NAME}: begin{of}; `{NAME} upkeep schedule` writes what stands here", f"# {NAME}: end{of}"
