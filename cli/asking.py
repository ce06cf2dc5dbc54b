"""Asks a person at a terminal: for a yes, for one of a few letters, or for a line. Each answer ends with Return.

Implements specs/cli.md (X-10, X-107). Questions go to stderr; what was typed before one is thrown away.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress

import click

from cli.wrapping import width_of, wrapped
from ledger.actor import is_terminal
from ledger.errors import UsageError

_ROOM = 8
"""So many columns are left for the answer."""
END = ""
"""What `choose` returns at the end of input."""


def ask(question: str, *, yes: bool) -> None:
    """Return if the person agrees.

    Args:
        question: what is about to happen, asked so that yes means going on.
        yes: it was agreed to on the command line.

    Raises:
        UsageError: nobody is there to be asked.
        click.Abort: the person said no, or typed Ctrl-D.
        KeyboardInterrupt: Ctrl-C.
    """
    if yes:
        return
    if not is_terminal(sys.stdin):
        raise UsageError(f"{question} This is not a terminal, so nobody can be asked: add --yes to say yes")
    said = None
    while said not in ("y", "yes", "n", "no", ""):
        said = answer(f"{question} [y/N]: ").strip().lower()
    if said not in ("y", "yes"):
        raise click.Abort("that was not a yes: nothing was done")


def choose(question: str, answers: Mapping[str, str]) -> str:
    """Ask until one of the letters, or its word, is typed; return the letter, or END.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    while True:
        line = _line(f"{question} ")
        said = line.strip().lower()
        for letter, word in answers.items():
            if said in (letter, word):
                return letter
        if not line:
            click.echo(err=True)
            return END


def answer(question: str, *, hidden: bool = False) -> str:
    """Return the line that a person types, without its end; `hidden` shows none of it.

    Raises:
        click.Abort: the end of input (Ctrl-D).
        KeyboardInterrupt: Ctrl-C.
    """
    if hidden:
        from getpass import getpass

        with suppress(EOFError):
            return getpass(question, stream=sys.stderr)
    elif line := _line(question):
        return line.rstrip("\r\n")
    click.echo(err=True)
    raise click.Abort


def _line(question: str) -> str:
    import termios

    with suppress(OSError, ValueError, termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    width = width_of(sys.stderr)
    click.echo(f"{wrapped(question.rstrip(), max(width - _ROOM, 0))} ", nl=False, err=True)
    return sys.stdin.readline()
