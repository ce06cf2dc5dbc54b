"""The command `muniment`: finds a subcommand, runs it, and turns any failure into one line and an exit code.

Implements specs/cli.md (X-1…X-9). Commands are imported when they are called, so that none pays for another.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

import click

import muniment
from cli.app import App, PrintError, common_options, say
from cli.catalogue import ALIASES, COMMANDS, EVERY, EVERYDAY
from cli.command_group import CommandGroup
from cli.options import option
from cli.wrapping import WIDEST, HelpPage, help_width
from ledger.errors import LedgerError
from ledger.lazy_pattern import lazy_pattern

PROGRAM = "muniment"
COMPLETE = "_MUNIMENT_COMPLETE"
"""The variable by which a shell asks for completions."""

INTERRUPTED, CUT_OFF, INTERNAL, STORAGE = 130, 141, 70, 9
"""Exit codes besides those of the errors: Ctrl-C; the reader of stdout is gone; an internal error; the disk."""

_SHORTEST_SECRET = 6
_ID = lazy_pattern("@?[0-9a-fA-F]{1,64}")

_LISTED = [name for group in COMMANDS.values() for name in group]
_MODULES = {name: f".{name}" for name in _LISTED} | {"import": ".import_", "list": ".list_"}


class Commands(CommandGroup):
    """Loads a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names that are listed, in the order of the help."""
        return _LISTED

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command with this name or alias."""
        name, _, verb = ALIASES.get(cmd_name, cmd_name).partition(" ")
        if name not in _MODULES:
            return None
        command: click.Command = import_module(_MODULES[name], f"{__package__}.commands").command
        return command.commands[verb] if verb and isinstance(command, click.Group) else command

    def known_as(self, ctx: click.Context) -> list[str]:
        """Return all names and aliases."""
        return [*self.list_commands(ctx), *ALIASES]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the everyday commands in their groups, or with `help --all` every one; none is imported for it."""
        every = ctx.meta.get(EVERY, False)
        width = max(map(len, _LISTED))
        for title, commands in COMMANDS.items():
            shown = {name: does for name, does in commands.items() if every or name in EVERYDAY}
            if shown:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), does) for name, does in shown.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say where more help is; `help --all` does not name itself."""
        more = "" if ctx.meta.get(EVERY, False) else ", and `muniment help --all` for every command"
        formatter.write_paragraph()
        formatter.write_text(f"Run `muniment help COMMAND` for one command{more}.")


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"{PROGRAM} {muniment.__version__}", color=ctx.color)
        ctx.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
    invoke_without_command=True,
)
@option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@common_options
def cli(app: App) -> None:
    """Keep what AI agents learn: each memory is a signed event that you can read, edit, trace and verify.

    Without a command, shows an overview of the memory.
    """
    if click.get_current_context().invoked_subcommand is None:
        from cli.overview import show  # `add` and the hooks do not pay for it

        show(app)


def main(arguments: list[str] | None = None, do: Callable[[list[str]], int] | None = None) -> NoReturn:
    """Run the command line and exit; the code tells the class of a failure (specs/cli.md X-4).

    `do` runs the arguments in place of `invoke`.
    """
    _fill_closed_streams()
    code = run(arguments, do)
    gc.freeze()  # everything is closed: looking for garbage once more would cost a hook 8 ms
    sys.exit(code)


def _fill_closed_streams() -> None:
    """Put the null device where a standard stream was closed, so that no file of a ledger gets its number."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(fd)


def run(arguments: list[str] | None = None, do: Callable[[list[str]], int] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        code = _code(sys.argv[1:] if arguments is None else arguments, do or invoke)
    except BrokenPipeError:  # stderr is gone as well
        code = CUT_OFF
    return _flushed(code)


def _code(arguments: list[str], do: Callable[[list[str]], int]) -> int:
    """Run a command; turn what it raises into a line on stderr and a code."""
    try:
        return do(arguments)
    except click.exceptions.Exit as stop:  # --help and --version
        return stop.exit_code
    except LedgerError as error:
        return _fail(_without_secrets(str(error), arguments), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:  # a group alone, as the program alone
        click.echo(error.format_message())
        return 0
    except click.UsageError as error:
        return _fail(_without_secrets(_usage(error), arguments), error.exit_code)
    except click.ClickException as error:
        return _fail(_without_secrets(error.format_message(), arguments), error.exit_code)
    except (click.Abort, KeyboardInterrupt) as stop:
        return _fail(str(stop) or "stopped; what was not acknowledged was not stored", INTERRUPTED)
    except BrokenPipeError:
        return CUT_OFF
    except UnicodeEncodeError:
        return _fail("an argument is not valid UTF-8; see muniment --help", 2)
    except PrintError as error:
        return _fail(f"the result cannot be printed: {error.strerror}; what was done is stored", STORAGE)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        return _fail(f"{error.strerror or error}{where}; see muniment doctor", STORAGE)
    except Exception as error:
        if os.environ.get("MUNIMENT_DEBUG"):
            raise
        return _fail(
            f"internal error: {type(error).__name__}: {error}; MUNIMENT_DEBUG=1 shows where", INTERNAL
        )


def invoke(arguments: list[str]) -> int:
    """Run a command, or without arguments the overview; what it raises goes through."""
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, PROGRAM, COMPLETE, os.environ[COMPLETE])
    # Besides this, click's own main would exit, where we report what happened.
    click.Context.formatter_class = HelpPage
    with cli.make_context(PROGRAM, list(arguments), terminal_width=help_width()) as context:
        result: object = cli.invoke(context)
    return result if isinstance(result, int) else 0


def _without_secrets(message: str, arguments: list[str]) -> str:
    """Return a message in which no argument that redaction would refuse is repeated (X-1)."""
    for argument in arguments:
        for said in (argument, argument.partition("=")[2]):
            shown = repr(said)[1:-1]  # as messages show it, whatever signs are in it
            if (
                len(said) < _SHORTEST_SECRET
                or _ID.fullmatch(said)
                or not (said in message or shown in message)
            ):
                continue
            from ledger.redaction import redact

            if (redacted := redact(said)) != said:
                message = message.replace(said, redacted).replace(shown, redacted)
    return message


def _usage(error: click.UsageError) -> str:
    """Return a message of click's in our own form, with the way to the help."""
    message = error.format_message().rstrip(".")
    message = message[:1].lower() + message[1:]
    for said in (". (Did you mean", ". Did you mean"):
        message = message.replace(said, "; did you mean").replace("?)", "?")
    message = message.replace("is not a valid integer range", "is not a whole number")
    if "--help" in message or "did you mean" in message:
        return message
    where = error.ctx.command_path if error.ctx else PROGRAM
    if "unexpected extra argument" in message and where.endswith((" add", " supersede", " search")):
        message = f'a text of several words needs quotes: {where} "TEXT"'
    return f"{message}; see {where} --help"


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    say(f"{PROGRAM}: {line}")
    return code


def _flushed(code: int) -> int:
    """Flush both streams, even if a reader is gone; return the code, or that of a full disk."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError as error:
            # The interpreter flushes once more at its end; that must find something that takes it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                code = code or _fail(f"the result could not be written: {error.strerror}", STORAGE)
    return code
