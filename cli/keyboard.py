"""Asks a person at a terminal for one of a few letters: by a single key where the terminal can, else with Enter.

Implements specs/cli.md (X-107). A terminal that is dumb, or whose modes cannot be set, gives lines. The modes are set
while one key is waited for, and put back whatever happens.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import click

END = ""
"""What is answered where nothing more is typed: end of input."""

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
        with _single_keys() as single:
            click.echo(f"{question} ", nl=False, err=True)
            while True:
                typed = _key() if single else _line()
                if typed in answers or typed == END or (len(typed) > 1 and single):
                    break
                if not single:
                    typed = next((letter for letter, word in answers.items() if word == typed), "?")
                    break
        click.echo(typed if single and typed in answers else "", nl=single or typed == END, err=True)
        if typed in answers or typed == END:
            return typed


@contextmanager
def _single_keys() -> Iterator[bool]:
    """Make keys arrive one by one and unseen; Ctrl-C stays what it is. Gives whether that is so.

    What was typed before is thrown away: it answered no question that anybody saw.
    """
    import termios

    fd, before = -1, None
    with suppress(OSError, ValueError, termios.error):
        fd = sys.stdin.fileno()
        before = termios.tcgetattr(fd)
    if before is None or os.environ.get("TERM", "dumb") == "dumb":
        if before is not None:
            termios.tcflush(fd, termios.TCIFLUSH)
        yield False
        return
    now = [*before[:6], list(before[6])]
    now[3] &= ~(termios.ICANON | termios.ECHO)
    now[6][termios.VMIN], now[6][termios.VTIME] = 1, 0
    termios.tcsetattr(fd, termios.TCSAFLUSH, now)
    try:
        yield True
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _key() -> str:
    """Return the letter of the next key; more than one character is what is no key of ours, or several in one go."""
    fd = sys.stdin.fileno()
    try:
        typed = os.read(fd, 1)
        if typed in (b"", _CTRL_D):
            return END
        pause = _PAUSE_IN_SEQUENCE if typed == _ESCAPE else _PAUSE
        while select.select([fd], [], [], pause)[0] and (more := os.read(fd, 1024)):
            typed += more
    except OSError:  # the terminal is gone
        return END
    return typed.decode("ascii", "replace").rstrip("\r\n") or "\n"


def _line() -> str:
    line = sys.stdin.readline()
    return line.strip().lower() or "?" if line else END
