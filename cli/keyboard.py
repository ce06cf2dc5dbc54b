"""Asks a person at a terminal for one of a few letters: by a single key where the terminal can, else with Enter.

Implements specs/cli.md (X-107). A terminal that is dumb, or whose modes cannot be set, gives lines. The modes are set
while one key is waited for, and put back whatever happens.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

import click

from cli.terminal_input import descriptor, listening, modes, read_line
from cli.wrapping import width_of, wrapped

END = ""
"""What is answered where nothing more is typed: end of input."""

_ROOM = 2
"""Columns behind a question, for what is typed."""
_ESCAPE, _CTRL_D = b"\x1b", b"\x04"
_PAUSE = 0.03
"""Seconds in which the rest of what was pasted, or typed in one go, arrives."""
_PAUSE_IN_SEQUENCE = 0.3
"""Seconds between the bytes of a key's sequence on a slow line: of an arrow's three the last reads as a letter."""


def ask(question: str, answers: Mapping[str, str]) -> str:
    """Ask until one of the letters is typed, and return it; END where nobody types any more.

    Args:
        question: what stands before the cursor.
        answers: the letters, each with its word, which may be typed instead where answers are lines.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    while True:
        fd = descriptor()
        if fd is not None and os.environ.get("TERM", "dumb") != "dumb":
            typed = _key(fd, question, answers)
            click.echo(typed if typed in answers else "", err=True)
        else:
            typed = _word(fd, question, answers)
            click.echo(nl=typed == END, err=True)
        if typed in answers or typed == END:
            return typed


def _key(fd: int, question: str, answers: Mapping[str, str]) -> str:
    """Ask, and return the letter or END that is typed; several characters are what was typed in one go.

    Other keys are unseen, and do nothing.
    """
    import termios

    with modes(fd, termios.ICANON | termios.ECHO), listening(fd) as wait:
        _put(question)
        while True:
            typed = _pressed(fd, wait)
            if typed in answers or typed == END or len(typed) > 1:
                return typed


def _pressed(fd: int, wait: Callable[[float | None], bool]) -> str:
    """Return the letter of the next key; more than one character is what is no key of ours, or several in one go."""
    try:
        wait(None)
        typed = os.read(fd, 1)
        if typed in (b"", _CTRL_D):
            return END
        pause = _PAUSE_IN_SEQUENCE if typed == _ESCAPE else _PAUSE
        while wait(pause) and (more := os.read(fd, 1024)):
            typed += more
    except OSError:  # the terminal is gone
        return END
    return typed.decode("ascii", "replace").rstrip("\r\n") or "\n"


def _put(question: str) -> None:
    width = width_of(sys.stderr)
    click.echo(f"{wrapped(question, width and width - _ROOM)} ", nl=False, err=True)


def _word(fd: int | None, question: str, answers: Mapping[str, str]) -> str:
    """Ask, and return the letter that is typed, or whose word is, with Return; "?" where it is none."""
    if fd is not None:
        import termios

        termios.tcflush(fd, termios.TCIFLUSH)
    _put(question)
    line = read_line()
    if not line:
        return END
    said = line.strip().lower()
    return said if said in answers else next((each for each, word in answers.items() if word == said), "?")
