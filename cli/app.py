"""What every command shares: global options, the opened ledger, who is writing, and how results are printed.

Implements specs/cli.md (X-2, X-6…X-9). Results go to stdout, as text or (`--json`) JSON; all else to stderr.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

import muniment
from cli.options import option
from cli.progress import ProgressBar
from cli.wrapping import width_of, wrapped
from language.printable import plain, short
from ledger import actor
from ledger.actor import is_terminal, login_slug
from ledger.errors import (
    BusyError,
    KeyFileError,
    LedgerError,
    SecretError,
    StorageError,
    UsageError,
    WaitingError,
)
from ledger.event import By
from ledger.memory import SLUG
from muniment import MemoryLedger

if TYPE_CHECKING:
    from ledger.location import Location

T = TypeVar("T")

F = TypeVar("F", bound=Callable[..., Any])


SCOPES = ("user", "project", "local")
"""As in `ledger.schema`, whose import every start would pay for; a test compares the two."""

_NAMED = 8


EDITED = "edited by hand"
"""As `documents.writing.files` begins its reason for an edited document; a test compares the two."""


class PrintError(OSError):
    """The result could not be printed."""


class App:
    """The global options of one run, and the ledger that they mean."""

    def __init__(
        self, directory: Path | None = None, scope: str | None = None, *, by_name: str | None = None
    ) -> None:
        self.directory = directory
        self.scope = scope
        self.json = False
        self.by_name = by_name
        self.color: bool | None = None
        self._memory: MemoryLedger | None = None
        self._opened: list[MemoryLedger] = []
        self._mended = False

    # --- the ledger ---

    def memory(self) -> MemoryLedger:
        """Open the ledger that the options mean, once.

        Raises:
            UsageError: project or local scope outside of a bound project.
        """
        if self._memory is None:
            place, hint = muniment.locate(self.scope, self.directory)
            if hint:
                self.note(hint)
            self._memory = self._open(place)
        return self._memory

    def memory_at(self, place: Location) -> MemoryLedger:
        """Open the ledger at a place that a command found, which is meant from then on."""
        self._memory = self._open(place)
        return self._memory

    def _open(self, place: Location) -> MemoryLedger:
        opened = muniment.MemoryLedger(place, muniment.home(), by=self.by())
        opened.workspace.on_wait = lambda chain: self.note(f"waiting for another process that holds {chain}")
        opened.workspace.on_progress = ProgressBar
        if opened.workspace.by.role == "user" and is_terminal(sys.stdin) and is_terminal(sys.stderr):
            opened.workspace.on_passphrase = _asked
        self._opened.append(opened)
        return opened

    def close(self) -> None:
        """Close what was opened."""
        told = set[str]()
        while self._opened:
            memory = self._opened.pop()
            unfinished = memory.unfinished
            memory.close()
            for fault in memory.workspace.configuration_faults:
                if fault not in told:
                    self.note(plain(f"{fault}; that file's settings are not used until it is corrected"))
                told.add(fault)
            if unfinished:
                self.note(
                    f"an erasure is not finished, and index or documents may still hold what it erased ({unfinished}); "
                    "the next command tries again"
                )
            if memory.workspace.trouble and memory.workspace.is_founded:
                self.note(f"{memory.workspace.trouble}; uses are not counted")

    def mend_index(self, error: sqlite3.DatabaseError) -> None:
        """Throw an index away that SQLite met damage in, once; the command is then worth another try.

        Raises:
            BusyError: another process holds a database.
            StorageError: the disk refuses, or it was not the index.
        """
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise BusyError(
                f"another process is using the ledger's databases ({error}): try again"
            ) from error
        if damaged := "; ".join(filter(None, [each.workspace.mended() for each in self._opened])):
            self.note(f"the local state was damaged ({damaged}); it was set aside and started again")
            return
        refused = name.startswith(("SQLITE_READONLY", "SQLITE_FULL", "SQLITE_CANTOPEN", "SQLITE_IOERR"))
        self.note_what_stands()
        if self._memory is None or self._mended or refused or self._acknowledged():
            raise StorageError(
                f"a database of the ledger cannot be used ({error}): see muniment doctor"
            ) from error
        self._mended = True
        self.note(f"the index was damaged ({error}); it is rebuilt from the chain")
        self._memory.workspace.current.own.throw_away(str(error))

    def _acknowledged(self) -> list[str]:
        return [id_ for memory in self._opened for id_ in memory.workspace.acknowledged]

    def note_what_stands(self, said: str = "stored before the command stopped") -> None:
        """Name the events that a command which fails, or leaves something undone, has stored (X-4, X-311)."""
        ids = self._acknowledged()
        if ids:
            more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
            self.note(f"{said}: {' '.join(map(short, ids[:_NAMED]))}{more}; see muniment log")

    def scopes(self) -> list[MemoryLedger]:
        """Return the ledgers of all scopes that exist, the most local first; or the one that an option names.

        One whose chain is gone is among them, so that the caller reports it.

        Raises:
            UsageError: an option names project or local scope outside of a bound project.
        """
        if self.directory is not None or self.scope is not None:
            named = self.memory()
            return [named] if named.workspace.is_founded else []
        from ledger import location

        places = location.scopes_at(muniment.home(), Path())
        return [one for one in map(self._open, places) if one.workspace.is_founded]

    def by(self) -> By:
        """Return who is writing (X-7).

        Raises:
            UsageError: the given name is not a slug.
        """
        name = os.environ.get("MUNIMENT_BY") or login_slug() if self.by_name is None else self.by_name
        if not SLUG.fullmatch(name):
            raise UsageError(
                "the name of the writer (--by, MUNIMENT_BY) is not a slug: use a-z, 0-9, . _ and -, at most 64"
            )
        return By(name, actor.role(), "cli")

    # --- printing ---

    def line(self, text: str = "") -> None:
        """Print one line of the result for people."""
        self.lines([text])

    def lines(self, texts: Iterable[str], *, verbatim: bool = False) -> None:
        """Print many lines of the result for people, wrapped at a terminal's width unless they are `verbatim`."""
        width = 0 if verbatim else width_of(sys.stdout)
        for some in _batches(texts):
            put("".join(f"{wrapped(text, width)}\n" for text in some))

    def emit(self, value: Any) -> None:
        """Print one JSON document."""
        put(_json(value, orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE))

    def emit_lines(self, values: Iterable[Any]) -> None:
        """Print JSON lines, one value each."""
        for some in _batches(values):
            put(b"".join(_json(value, orjson.OPT_APPEND_NEWLINE) for value in some))

    def note(self, text: str) -> None:
        """Print something that is not part of the result, on stderr."""
        say(f"muniment: {text}", color=self.color)

    def style(self, text: str, **how: Any) -> str:
        """Return `text` styled where colours are wanted."""
        return click.style(text, **how) if self.colored else text

    @property
    def colored(self) -> bool:
        """Whether stdout gets colours: not for a pipe, --no-color, NO_COLOR or TERM=dumb."""
        return self.color is not False and is_terminal(sys.stdout)

    def report_paused(self, paused: Mapping[str, str]) -> None:
        """Name documents that were left alone, so that nobody is surprised."""
        for path, why in paused.items():
            safe = "Your text is safe there; " if why.startswith(EDITED) else ""
            self.note(f"{path} was not rewritten: {why}. {safe}run muniment status for more")


def _batches(values: Iterable[T]) -> Iterator[list[T]]:
    """Yield the values in lists, each for one write: a write a line would cost more than the answer."""
    rest = iter(values)
    while batch := list(islice(rest, 200)):
        yield batch


def put(result: str | bytes) -> None:
    """Write all of `result` to stdout; letters that its encoding lacks are escaped, bytes go as they are.

    An unbuffered stream may take a part of what it is given and say so. Who does not listen loses the rest, on
    a full disk or a pipe that breaks, and exits with 0.

    Raises:
        BrokenPipeError: the reader is gone.
        PrintError: not all of it could be written.
    """
    ProgressBar.clear()
    stream = sys.stdout
    if stream is None:
        raise PrintError(errno.EBADF, "stdout is closed")
    try:
        stream.flush()
        data = result if isinstance(result, bytes) else result.encode(stream.encoding, "backslashreplace")
        view = memoryview(data)
        while view:
            view = view[stream.buffer.write(view) or 0 :]
        stream.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PrintError(error.errno, error.strerror) from error


def say(line: str, *, color: bool | None = None) -> None:
    """Write a line to stderr; a failure is ignored, since the work is done.

    Raises:
        BrokenPipeError: the reader is gone.
    """
    ProgressBar.clear()
    try:
        click.echo(wrapped(line, width_of(sys.stderr)), err=True, color=color)
    except BrokenPipeError:
        raise
    except OSError:
        pass  # a full disk; `main` sees to what the stream still holds


def _json(value: Any, options: int) -> bytes:
    """Return a value as JSON; bytes of paths that are not UTF-8 become "?" (F-24)."""
    try:
        return orjson.dumps(value, option=options)
    except TypeError:
        from dataclasses import asdict  # hardly ever needed: an answer that orjson refuses

        text = json.dumps(value, ensure_ascii=False, default=asdict).encode("utf-8", "replace")
        return orjson.dumps(orjson.loads(text), option=options)


def _asked(question: str) -> str:
    """Ask a person for a passphrase; what is typed is not shown.

    Raises:
        KeyFileError: the answer was empty.
    """
    from getpass import getpass

    try:
        given = getpass(question, stream=sys.stderr)
    except EOFError:
        given = ""
    if not given:
        raise KeyFileError("no passphrase was given; nothing was done")
    return given


class _Directory(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":  # a variable that is not set: never the present folder
            self.fail("it is empty", param, ctx)
        return super().convert(value, param, ctx)


def common_options(function: F) -> F:
    """Add the global options to a command or the group, and pass the App as first argument.

    So each of them may be given before or after the command's name.
    """
    by = option("--by", "by_name", metavar="NAME", help="Author to record (default: your login name).")
    return reading_options(by(function))


def reading_options(function: F) -> F:
    """Add the global options without `--by`, for a command that states its own default for it."""

    @option(
        "--ledger",
        "directory",
        type=_Directory(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Use the ledger in this directory.",
    )
    @option(
        "--scope",
        type=click.Choice(SCOPES),
        help="Which ledger to use (default: the project's inside a bound project, otherwise your own).",
    )
    @option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
    @option("--no-color", is_flag=True, help="Disable colours (same as NO_COLOR=1).")
    @click.pass_context
    @functools.wraps(function)
    def wrapped(
        ctx: click.Context,
        /,
        *args: Any,
        directory: Path | None,
        scope: str | None,
        as_json: bool,
        no_color: bool,
        by_name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        app = ctx.ensure_object(App)
        ctx.find_root().call_on_close(app.close)
        app.directory = directory or app.directory
        app.scope = scope or app.scope
        if app.directory is not None and app.scope is not None:
            raise UsageError("give --ledger or --scope, not both")
        app.json = as_json or app.json
        app.by_name = app.by_name if by_name is None else by_name
        _texts_of(ctx).encode()  # what is not UTF-8 is a usage error before anything is done
        if no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            app.color = False
        return _once_more_if_mended(app, ctx, lambda: function(app, *args, **kwargs))

    return wrapped  # type: ignore[return-value]


def _once_more_if_mended(app: App, ctx: click.Context, run: Callable[[], Any]) -> Any:
    """Run a command; once more where the index was damaged, and is made again."""
    try:
        return run()
    except SecretError as error:
        raise _with_advice(error, ctx) from None
    except WaitingError:
        raise  # it did not fail, and names what it stored
    except sqlite3.DatabaseError as error:
        app.mend_index(error)
    except (LedgerError, OSError):
        app.note_what_stands()
        raise
    try:
        return run()
    except sqlite3.DatabaseError as error:
        return app.mend_index(error)


def _with_advice(error: SecretError, ctx: click.Context) -> SecretError:
    """Return a refusal that names --redact where the command has it and it would help."""
    if not error.can_be_cut or not any("--redact" in each.opts for each in ctx.command.params):
        return error
    return SecretError(f"{error}; --redact stores [redacted:RULE] in its place", error.rules)


def _texts_of(ctx: click.Context) -> str:
    values = (value if isinstance(value, tuple) else (value,) for value in ctx.params.values())
    return "".join(each for some in values for each in some if isinstance(each, str))
