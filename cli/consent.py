"""Asks before what cannot be undone: at a terminal a question, elsewhere --yes.

Implements specs/cli.md (X-10).
"""

from __future__ import annotations

import sys

import click

from cli.terminal_input import answer
from ledger.actor import is_terminal
from ledger.errors import UsageError


def ask(question: str, *, yes: bool, remedy: str = "--yes") -> None:
    """Return if the person agrees.

    Args:
        question: what is about to happen, asked so that yes means going on.
        yes: it was agreed to on the command line.
        remedy: the option that agrees, for where nobody can be asked.

    Raises:
        UsageError: nobody is there to be asked.
        click.Abort: the person said no, or typed Ctrl-D.
        KeyboardInterrupt: Ctrl-C.
    """
    if yes:
        return
    if not is_terminal(sys.stdin):
        raise UsageError(
            f"{question} This is not a terminal, so nobody can be asked: add {remedy} to say yes"
        )
    said = None
    while said not in ("y", "yes", "n", "no", ""):
        said = answer(f"{question} [y/N]: ").strip().lower()
    if said not in ("y", "yes"):
        raise click.Abort("that was no yes: nothing was done")
