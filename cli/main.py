"""The command `memledger`: finds a subcommand, runs it, and turns every failure into one line and an exit code.

Implements specs/cli.md (X-1…X-9). Commands are imported when they are called, so that none pays for another.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

import memledger
from cli.app import App, common_options
from ledger.errors import LedgerError

COMMANDS: dict[str, tuple[str, ...]] = {
    "Start": ("init", "import"),
    "Remember": ("add", "edit", "supersede", "confirm", "delete", "revert", "erase"),
    "Look": ("list", "show", "history", "search", "inject", "log", "status", "stats", "export"),
    "Trust": ("verify", "replay", "recover", "backup", "restore", "doctor"),
    "Tidy": ("gc", "unarchive", "completion"),
}
"""All commands, in the groups in which `--help` shows them."""

ALIASES = {"forget": "delete", "audit": "log"}

_MODULES = {name: f".{name}" for names in COMMANDS.values() for name in names} | {
    "import": ".import_",
    "list": ".list_",
}


class Commands(click.Group):
    """Loads a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the order of the help."""
        return [name for names in COMMANDS.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name or alias."""
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in _MODULES:
            return None
        command: click.Command = import_module(_MODULES[name], f"{__package__}.commands").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the ones that are spelled like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

            near = get_close_matches(args[0], [*_MODULES, *ALIASES], n=2)
            hint = f"did you mean {' or '.join(near)}?" if near else "memledger --help lists them"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their groups."""
        for title, names in COMMANDS.items():
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                if command is not None:
                    aliases = [alias for alias, of in ALIASES.items() if of == name]
                    shown = f"{name} ({', '.join(aliases)})" if aliases else name
                    rows.append((shown, command.get_short_help_str(72)))
            with formatter.section(title):
                formatter.write_dl(rows)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Start with `memledger init`, then `memledger add "Use pnpm, not npm"`. Each command explains itself: memledger add --help.',
)
@click.version_option(memledger.__version__, prog_name="memledger", message="%(prog)s %(version)s")
@common_options
def cli(app: App) -> None:
    """Keep what AI agents learn: every memory a signed event that can be read, edited, traced and verified."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; the code tells the class of a failure (specs/cli.md X-4)."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        result: Any = cli.main(arguments, prog_name="memledger", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except LedgerError as error:
        return _fail(str(error), error.exit_code)
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "memledger"
        message = error.format_message().rstrip(".")
        help_ = "" if "--help" in message or "did you mean" in message else f"; see {where} --help"
        return _fail(f"{message}{help_}", 2)
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _fail("stopped; what was not acknowledged was not stored", 130)
    except click.exceptions.Exit as error:
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        return _fail(f"{error.strerror or error}{where}", 9)
    except Exception as error:
        if os.environ.get("MEMLEDGER_DEBUG"):
            raise
        return _fail(f"internal error: {type(error).__name__}: {error}; MEMLEDGER_DEBUG=1 shows where", 70)


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    click.echo(f"memledger: {line}", err=True)
    return code
