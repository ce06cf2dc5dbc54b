"""Puts the jobs of `agents.schedules` into systemd or cron, and takes them out again.

Implements specs/doors.md (G-33…G-35, G-37). Nobody is asked here: a change is planned, shown, and then made.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import muniment
from agents import schedules
from agents.schedules import NAME, Runner
from language.printable import plain
from ledger.durable import replace_file, storage_error
from ledger.errors import LedgerError, PlatformError, RecordError, StorageError
from ledger.location import Location

_PATIENCE = 60
_REMEDIES = {
    "systemctl": "this machine has no systemd: use --format crontab",
    "crontab": "this machine has no cron: install it, or use --format systemd",
}
_CRONTAB = "crontab"


class ScheduleChange(NamedTuple):
    """What putting jobs in place, or taking them out, changes: the texts before and after, by their paths or `crontab`."""

    format: str
    runner: Runner
    install: bool
    texts: Mapping[str, tuple[str, str]]

    def diff(self) -> list[str]:
        """Return the lines of a unified diff."""
        found = list[str]()
        for path, (before, after) in self.texts.items():
            old, new = ("/dev/null" if not text else path for text in (before, after))
            found += difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm="")
        return found


def usual_format() -> str:
    """Return the format of the scheduler that this machine has."""
    return "systemd" if shutil.which("systemctl") else _CRONTAB


def runner_of(place: Location, *, by_directory: bool) -> Runner:
    """Return how the jobs run muniment for a ledger, wherever they are started from.

    `by_directory`: the ledger was given as a directory, and not as a scope.
    """
    home, usual = muniment.home(), muniment.home({"HOME": os.environ.get("HOME") or str(Path.home())})
    environment = {}
    if home.path != usual.path:
        environment["MUNIMENT_HOME"] = str(home.path)
    if home.state != usual.state:
        environment["MUNIMENT_STATE"] = str(home.state)
    if by_directory:
        directory = str(place.directory)
        mark = hashlib.sha256(os.fsencode(directory)).hexdigest()[:8]
        return Runner(_program(), ("--ledger", directory), environment, mark=mark)
    options = ("--scope", place.scope)
    if place.root is None:
        return Runner(_program(), options, environment)
    mark = place.project[:8] + ("-local" if place.scope == "local" else "")
    return Runner(_program(), options, environment, folder=place.root, mark=mark)


def _program() -> str:
    """Return the path of the program that runs now, else of the one on PATH, else its bare name."""
    own = Path(sys.argv[0])
    if own.name == NAME and os.access(own, os.X_OK) and own.is_file():
        return str(own.absolute())
    found = shutil.which(NAME)
    return str(Path(found).absolute()) if found else NAME


def texts_of(format_: str, runner: Runner) -> dict[str, str]:
    """Return what a scheduler is given: files by their paths, or the block of a crontab."""
    if format_ == _CRONTAB:
        return {_CRONTAB: schedules.block(runner)}
    return {str(_folder() / name): text for name, text in schedules.units(runner).items()}


def planned(format_: str, runner: Runner, *, install: bool) -> ScheduleChange:
    """Return what installing or removing the jobs would change.

    Raises:
        PlatformError, StorageError, RecordError: what is there now cannot be read, or has no place for them.
    """
    if format_ == _CRONTAB:
        before = _crontab_now()
        after = schedules.with_block(before, runner.mark, schedules.block(runner) if install else "")
        texts = {_CRONTAB: (before, after)}
    else:
        wanted = texts_of(format_, runner)
        texts = {path: (_text_of(Path(path)), text if install else "") for path, text in wanted.items()}
    changed = {path: both for path, both in texts.items() if both[0] != both[1]}
    return ScheduleChange(format_, runner, install, changed)


def carry_out(change: ScheduleChange) -> Iterator[str]:
    """Make a change, and give a sentence on each thing that a person has to know or do.

    Raises:
        PlatformError, StorageError: the scheduler is not here, or refused.
    """
    if change.format == _CRONTAB:
        for _, after in change.texts.values():
            _run(["crontab", "-"] if after else ["crontab", "-r"], given=after)
        return
    timers = schedules.timers(change.runner)
    if change.texts:
        if not change.install:
            yield from _told(["systemctl", "--user", "disable", "--now", *timers])
        for path, (_, after) in change.texts.items():
            _write(Path(path), after)
        yield from _told(["systemctl", "--user", "daemon-reload"])
    if change.install:
        later = list(_told(["systemctl", "--user", "enable", "--now", *timers]))
        yield from later or ["they run while you are logged in; loginctl enable-linger lets them run always"]


# --- systemd ---


def _folder() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".config") / "systemd" / "user"


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "backslashreplace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from error


def _write(path: Path, text: str) -> None:
    try:
        if text:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, text.encode())
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, "writing", path) from None


def _told(words: Sequence[str]) -> Iterator[str]:
    """Tell systemd something; where it does not listen now, give what is to be typed later."""
    line = " ".join(words)
    try:
        _run(words)
    except LedgerError as error:
        yield f"{error}; the files are as they should be: run {line} where your session has a systemd"


# --- cron ---


def _crontab_now() -> str:
    """Return the person's crontab, "" if there is none yet."""
    try:
        return _run(["crontab", "-l"], env={"LC_ALL": "C"})
    except StorageError as error:
        if "no crontab for" in str(error):
            return ""
        raise


# --- other programs ---


def _run(words: Sequence[str], given: str = "", env: Mapping[str, str] | None = None) -> str:
    """Run a scheduler's own program and return what it prints.

    Raises:
        PlatformError: it is not on this machine.
        StorageError: it refused; its last line says why.
        RecordError: it prints what is not UTF-8.
    """
    if shutil.which(words[0]) is None:
        raise PlatformError(_REMEDIES[words[0]])
    line = " ".join(words[:3])
    try:
        done = subprocess.run(
            words,
            input=given.encode(),
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=_PATIENCE,
            check=False,
        )
        printed = done.stdout.decode()
    except UnicodeDecodeError:
        raise RecordError(f"{line} prints what is not UTF-8; nothing was changed") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StorageError(f"{line} could not be run: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or printed.strip() or "without a word"
        raise StorageError(f"{line} failed ({done.returncode}): {plain(said.splitlines()[-1])}")
    return printed
