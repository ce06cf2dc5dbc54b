"""What every command shares: global options, the opened ledger, who is writing, and how results are printed.

Implements specs/cli.md (X-2, X-5…X-9). Results go to stdout, as text or (`--json`) as JSON; everything else goes to stderr.
"""

from __future__ import annotations

import functools
import getpass
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

import memledger
from ledger.errors import UsageError
from ledger.event import By
from ledger.memory import SLUG
from ledger.schema import SCOPES

if TYPE_CHECKING:
    from memledger import MemoryLedger

F = TypeVar("F", bound=Callable[..., Any])

SHORT = 12
"""How many digits of an id are printed for people; any 8 or more can be typed."""

AGENT_VARIABLES = (
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "OPENCLAW_AGENT",
    "OPENCLAW_SESSION_KEY",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "AI_AGENT",
    "AGENT",
)
"""Variables by which coding agents are known; any that is set makes the writer an agent."""


def short(id_: str) -> str:
    """Return an id as it is shown to people."""
    return id_[:SHORT]


@dataclass(slots=True)
class App:
    """The global options of one run, and the ledger that they mean."""

    directory: Path | None = None
    scope: str | None = None
    json: bool = False
    by_name: str | None = None
    color: bool | None = None
    _memory: MemoryLedger | None = None
    _mended: bool = False

    # --- the ledger ---

    def memory(self) -> MemoryLedger:
        """Open the ledger that the options mean, once.

        Raises:
            UsageError: project or local scope outside of a bound project.
        """
        if self._memory is None:
            place, hint = memledger.locate(self.scope, self.directory)
            if hint:
                self.note(hint)
            self._memory = memledger.MemoryLedger(place, memledger.home(), by=self.by())
        return self._memory

    def mend_index(self, error: sqlite3.DatabaseError) -> bool:
        """Throw an index away that SQLite met damage in; return whether the command is worth another try."""
        if self._memory is None or self._mended:
            return False
        self._mended = True
        self.note(f"the index was damaged ({error}); it is made again from the chain")
        self._memory.throw_index_away(str(error))
        return True

    def scopes(self) -> list[MemoryLedger]:
        """Return the ledgers that exist of all scopes, the most local first; one alone where an option names it."""
        if self.directory is not None or self.scope is not None:
            return [self.memory()]
        from ledger import location  # noqa: PLC0415

        home = memledger.home()
        project = location.find_project(home, Path())
        places = [location.user(home)]
        if project is not None and project.bound:
            places = [
                location.in_project(home, project.root, project.id, scope) for scope in ("local", "project")
            ] + places
        opened = [memledger.MemoryLedger(place, home, by=self.by()) for place in places]
        return [one for one in opened if one.chain.exists()] or [self.memory()]

    def by(self) -> By:
        """Return who is writing: a user only at a terminal and without an agent's environment (X-7)."""
        name = self.by_name or os.environ.get("MEMLEDGER_BY") or login_slug()
        if not SLUG.fullmatch(name):
            raise UsageError(f"--by {name!r} is no slug: use a-z, 0-9, . _ and -, at most 64")
        agent = any(os.environ.get(variable) for variable in AGENT_VARIABLES)
        return By(name, "user" if sys.stdin.isatty() and not agent else "agent", "cli")

    # --- printing ---

    def line(self, text: str = "") -> None:
        """Print one line of the result for people."""
        click.echo(text, color=self.color)

    def emit(self, value: Any) -> None:
        """Print one JSON document."""
        click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode())

    def emit_lines(self, values: Iterable[Any]) -> None:
        """Print JSON lines, one value each."""
        for value in values:
            click.echo(orjson.dumps(value).decode())

    def note(self, text: str) -> None:
        """Say something that is not part of the result, on stderr."""
        click.echo(f"memledger: {text}", err=True, color=self.color)

    def style(self, text: str, **how: Any) -> str:
        """Return `text` styled where colours are wanted."""
        return click.style(text, **how) if self.colored else text

    @property
    def colored(self) -> bool:
        """Whether stdout gets colours: not for a pipe, --no-color, NO_COLOR or TERM=dumb."""
        return self.color is not False and sys.stdout.isatty()

    def report_paused(self, paused: Mapping[str, str]) -> None:
        """Name documents that were left alone, so that nobody is surprised."""
        for path, why in paused.items():
            self.note(f"{path} was not rewritten: {why}. Your text is safe there; memledger status says more")


def login_slug() -> str:
    """Return the login name as a slug."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._")[:64]
    return slug or "somebody"


def common_options(function: F) -> F:
    """Add the global options to a command or the group, before or after the command's name, and pass the App as first argument."""

    @click.option(
        "--ledger",
        "directory",
        type=click.Path(path_type=Path, file_okay=False),
        help="Use the ledger in this directory.",
    )
    @click.option(
        "--scope", type=click.Choice(SCOPES), help="Whose memory: project inside a bound project, else user."
    )
    @click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
    @click.option("--by", "by_name", metavar="NAME", help="Who is writing (default: your login name).")
    @click.option("--no-color", is_flag=True, help="No colours (as with NO_COLOR).")
    @click.pass_context
    @functools.wraps(function)
    def wrapped(
        ctx: click.Context,
        /,
        *args: Any,
        directory: Path | None,
        scope: str | None,
        as_json: bool,
        by_name: str | None,
        no_color: bool,
        **kwargs: Any,
    ) -> Any:
        app = ctx.ensure_object(App)
        app.directory = directory or app.directory
        app.scope = scope or app.scope
        if app.directory is not None and app.scope is not None:
            raise UsageError("give --ledger or --scope, not both")
        app.json = as_json or app.json
        app.by_name = by_name or app.by_name
        if no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            app.color = False
        try:
            return function(app, *args, **kwargs)
        except sqlite3.DatabaseError as error:
            if not app.mend_index(error):
                raise
            return function(app, *args, **kwargs)

    return wrapped  # type: ignore[return-value]
