"""muniment upkeep schedule: let checkpoint, curate and maintain run by themselves.

Implements specs/doors.md (G-30, G-33…G-35, G-37). What is written says `agents.schedules`; here it is shown, put in
place, and taken out again.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

import muniment
from agents import schedules
from agents.schedules import FORMATS, NAME, Runner
from cli.app import App, common_options
from cli.asking import ask
from language.printable import plain
from ledger.durable import replace_file, storage_error
from ledger.errors import (
    LedgerError,
    NoLedgerError,
    PlatformError,
    RecordError,
    StorageError,
    UsageError,
)
from ledger.location import Location

_PATIENCE = 60
_REMEDIES = {
    "systemctl": "this machine has no systemd: use --format crontab",
    "crontab": "this machine has no cron: install it, or use --format systemd",
}


@click.command("schedule", short_help="Run daily notes and upkeep on a schedule")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="Default: systemd if it is available.")
@click.option("--install", "wish", flag_value="install", help="Install the jobs.")
@click.option("--remove", "wish", flag_value="remove", help="Remove the jobs.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common_options
def command(app: App, format_: str | None, wish: str | None, yes: bool) -> None:
    """Run daily notes and upkeep on a schedule.

    Sets up three jobs: checkpoint every 30 minutes, curate weekly from Sunday 10:00 UTC, and upkeep weekly from
    Sunday 11:00 UTC. If the machine was off, they run when it is on again. Without --install, only prints the
    jobs; with it, shows what changes and asks. The jobs work on the ledger that the options select. Installing
    twice is the same as once.

    systemd: your own timers, in ~/.config/systemd/user. crontab: a block between two marks; other lines are not
    touched.

    \b
    Examples:
      muniment upkeep schedule
      muniment upkeep schedule --install
      muniment upkeep schedule --format crontab --install --yes
      muniment upkeep schedule --remove
    """
    format_ = format_ or ("systemd" if shutil.which("systemctl") else "crontab")
    place, hint = muniment.locate(app.scope, app.directory)
    if hint:
        app.note(hint)
    runner = _runner(app, place)
    if wish is None:
        _show(app, format_, runner)
        return
    if wish == "install" and not place.chain.exists():
        raise NoLedgerError(f"there is no ledger in {place.directory} yet: run muniment init to create one")
    if wish == "install" and not Path(runner.program).is_absolute():
        raise UsageError(
            f"{NAME} is not on PATH, so no schedule would find it: install it, with pipx for example"
        )
    done = (_systemd if format_ == "systemd" else _crontab)(app, runner, wish == "install", yes)
    if app.json:
        app.emit({"format": format_, "did": f"{wish}ed" if wish == "install" else "removed", "changed": done})


def _runner(app: App, place: Location) -> Runner:
    """Return how the jobs run muniment for a ledger, wherever they are started from."""
    home, usual = muniment.home(), muniment.home({"HOME": os.environ.get("HOME") or str(Path.home())})
    environment = {}
    if home.path != usual.path:
        environment["MUNIMENT_HOME"] = str(home.path)
    if home.state != usual.state:
        environment["MUNIMENT_STATE"] = str(home.state)
    if app.directory is not None:
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


# --- showing ---


def _show(app: App, format_: str, runner: Runner) -> None:
    if format_ == "systemd":
        files = {str(_folder() / name): text for name, text in schedules.units(runner).items()}
        text = "\n".join(f"# {path}\n{unit}" for path, unit in files.items())
    else:
        files, text = {}, schedules.block(runner)
    if app.json:
        app.emit({"format": format_, "files": files, "text": text})
    else:
        app.lines(text.rstrip("\n").split("\n"), verbatim=True)
    if not Path(runner.program).is_absolute():
        app.note(f"{NAME} is not on PATH: put its path there before you use this")
    else:
        app.note(f"muniment upkeep schedule --format {format_} --install puts this in place")


def _agreed(app: App, question: str, diff: Sequence[str], *, yes: bool) -> bool:
    """Show what would change, and ask; say so where nothing would."""
    if not diff:
        app.note("nothing to change: it is so already")
        return False
    if not app.json:
        app.lines(map(plain, diff), verbatim=True)
    ask(question, yes=yes)
    return True


def _diff(path: str, before: str, after: str) -> list[str]:
    old, new = ("/dev/null" if not text else path for text in (before, after))
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm=""))


# --- systemd ---


def _folder() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".config") / "systemd" / "user"


def _systemd(app: App, runner: Runner, install: bool, yes: bool) -> list[str]:
    wanted = {_folder() / name: text if install else "" for name, text in schedules.units(runner).items()}
    standing = {path: _text_of(path) for path in wanted}
    changes = {path: text for path, text in wanted.items() if standing[path] != text}
    diff = [line for path, text in changes.items() for line in _diff(str(path), standing[path], text)]
    timers = schedules.timers(runner)
    if _agreed(app, "Put these timers in place?" if install else "Take these timers out?", diff, yes=yes):
        if not install:
            _told(app, ["systemctl", "--user", "disable", "--now", *timers])
        for path, text in changes.items():
            _write(path, text)
        _told(app, ["systemctl", "--user", "daemon-reload"])
    if install and _told(app, ["systemctl", "--user", "enable", "--now", *timers]):
        app.note("they run while you are logged in; loginctl enable-linger lets them run always")
    return [str(path) for path in changes]


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


def _told(app: App, words: Sequence[str]) -> bool:
    """Tell systemd something; where it does not listen now, say what is to be typed later."""
    line = " ".join(words)
    try:
        _run(words)
    except LedgerError as error:
        app.note(f"{error}; the files are as they should be: run {line} where your session has a systemd")
        return False
    return True


# --- cron ---


def _crontab(app: App, runner: Runner, install: bool, yes: bool) -> list[str]:
    before = _crontab_now()
    after = schedules.with_block(before, runner.mark, schedules.block(runner) if install else "")
    question = "Put these jobs into your crontab?" if install else "Take these jobs out of your crontab?"
    if not _agreed(app, question, _diff("crontab", before, after), yes=yes):
        return []
    _run(["crontab", "-"] if after else ["crontab", "-r"], given=after)
    return ["crontab"]


def _crontab_now() -> str:
    """Return the person's crontab, "" where there is none yet."""
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
