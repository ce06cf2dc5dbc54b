"""What a person types at a terminal, waited for so that Ctrl-C ends the wait at whatever instant it comes.

Implements specs/cli.md (X-10, X-107). Python's handler of a signal only notes it, and a read that begins right after
that blocks: Ctrl-C would be lost. So nothing here reads before `select` says that there is something, and `select`
watches a pipe too that the signal itself writes to. The modes of a terminal are put back whatever happens.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

_MOST = 4096
"""So many bytes of a line a terminal gives at once."""


def descriptor() -> int | None:
    """Return the descriptor of standard input where that is a terminal whose modes can be known."""
    import termios

    with suppress(OSError, ValueError, AttributeError, termios.error):
        fd = sys.stdin.fileno()
        termios.tcgetattr(fd)
        return fd
    return None


@contextmanager
def listening(fd: int) -> Iterator[Callable[[float | None], bool]]:
    """Give a function that waits until `fd` can be read, at most so many seconds, and says whether it can.

    Raises:
        KeyboardInterrupt: Ctrl-C, from any instant within this context on.
    """
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    before = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)

    def wait(seconds: float | None = None) -> bool:
        while True:
            ready = select.select([fd, woken], [], [], seconds)[0]
            if woken not in ready:
                return bool(ready)
            os.read(woken, _MOST)  # Python runs the signal's handler by here, which for Ctrl-C raises

    try:
        yield wait
    finally:
        signal.set_wakeup_fd(before)
        os.close(woken)
        os.close(wakes)


@contextmanager
def modes(fd: int, without: int) -> Iterator[None]:
    """Take local modes (`termios.ECHO`…) from a terminal for a while. What was typed before is thrown away.

    Without ICANON a read gives what there is, at once, and "" for nothing. No call here waits for output to drain,
    which Ctrl-C would cut off.
    """
    import termios

    before = termios.tcgetattr(fd)
    now = [*before[:6], list(before[6])]
    now[3] &= ~without
    if without & termios.ICANON:
        now[6][termios.VMIN], now[6][termios.VTIME] = 0, 0
    try:
        termios.tcsetattr(fd, termios.TCSANOW, now)
        termios.tcflush(fd, termios.TCIFLUSH)
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, before)


def read_line() -> str:
    """Return the next line of standard input, "" at its end, as `readline` does."""
    fd = descriptor()
    if fd is None:
        return sys.stdin.readline()
    typed = b""
    with listening(fd) as wait, suppress(OSError):  # OSError: the terminal is gone
        while not typed.endswith((b"\n", b"\r")) and wait(None) and (more := os.read(fd, _MOST)):
            typed += more
    return typed.decode(sys.stdin.encoding, "surrogateescape")


def answer(question: str, *, hidden: bool = False) -> str:
    """Ask a question on stderr, and return the line that is typed, without its end; `hidden` shows none of it.

    Raises:
        click.Abort: the end of input (Ctrl-D).
        KeyboardInterrupt: Ctrl-C.
    """
    fd = descriptor()
    if hidden and fd is not None:
        import termios

        with modes(fd, termios.ECHO):
            line = _asked(question)
        click.echo(err=True)  # the Return that nobody saw
    else:
        line = _asked(question)
    if not line:
        click.echo(err=True)
        raise click.Abort
    return line.rstrip("\r\n")


def _asked(question: str) -> str:
    click.echo(question, nl=False, err=True)
    return read_line()
