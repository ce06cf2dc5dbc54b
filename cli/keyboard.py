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
_PAUSE = 0.05
"""Seconds in which the rest of a key's sequence arrives: an arrow is three bytes, of which the last reads as a letter."""


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
                if typed in answers or typed == END:
                    break
                if not single:
                    typed = next((letter for letter, word in answers.items() if word == typed), "?")
                    break
        click.echo(typed if single else "", nl=single or typed == END, err=True)
        if typed in answers or typed == END:
            return typed


@contextmanager
def _single_keys() -> Iterator[bool]:
    """Make keys arrive one by one and unseen; Ctrl-C stays what it is. Gives whether that is so."""
    import termios

    fd, before = -1, None
    with suppress(OSError, ValueError, termios.error):
        fd = sys.stdin.fileno()
        before = termios.tcgetattr(fd)
    if before is None or os.environ.get("TERM", "dumb") == "dumb":
        yield False
        return
    now = [*before[:6], list(before[6])]
    now[3] &= ~(termios.ICANON | termios.ECHO)
    now[6][termios.VMIN], now[6][termios.VTIME] = 1, 0
    termios.tcsetattr(fd, termios.TCSADRAIN, now)
    try:
        yield True
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _key() -> str:
    """Return the letter of the next key, "?" for one that has none."""
    fd = sys.stdin.fileno()
    try:
        byte = os.read(fd, 1)
        if byte == _ESCAPE:
            while select.select([fd], [], [], _PAUSE)[0] and os.read(fd, 32):
                pass
            return "?" if byte else END
    except OSError:  # the terminal is gone
        return END
    if byte in (b"", _CTRL_D):
        return END
    return byte.decode("ascii", "replace").lower()


def _line() -> str:
    line = sys.stdin.readline()
    return line.strip().lower() or "?" if line else END
