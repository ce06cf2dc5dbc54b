"""muniment view: the report's page of a ledger, served on this machine while the command runs.

Implements specs/report.md (H-20, H-21, H-24).
"""

from __future__ import annotations

import os
import select
import signal
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path

import click

from cli import person_only, write_notices
from cli.app import App, common_options
from ledger.errors import UsageError
from report.viewer import viewing


@click.command("view")
@click.option(
    "--port", type=click.IntRange(1, 65535), metavar="N", help="Listen on this port (default: any free one)."
)
@click.option("--no-open", is_flag=True, help="Only print the address.")
@common_options
def command(app: App, *, port: int | None, no_open: bool) -> None:
    """View memories in your browser, and review pending items.

    Serves the page of `muniment report` on this machine alone until Ctrl-C, prints its address and opens it in your browser.
    A reload shows what is new. Under Review you confirm, edit and delete what waits, as in `muniment review`.

    The address is a secret: while the command runs, anyone who has it can read the memory and decide.

    \b
    Examples:
      muniment view
      muniment view --port 8080 --no-open
    """
    if not person_only.is_at_terminal():
        raise UsageError(
            "this is not a person's terminal, and the page decides in a person's name: run muniment report to write it to a file"
        )
    memory = app.memory()

    def decided(said: str) -> None:
        app.note(said)
        write_notices.say(app, memory)
        memory.documents.adopted = []

    with _interrupted_by_its_end(), viewing(memory, port or 0, decided) as viewer:
        app.line(viewer.address)
        app.note("this address shows your memory until you press Ctrl-C; give it to nobody")
        with nullcontext() if no_open else _opened(viewer.address):
            _wait_for_the_terminal_to_go()
    app.note("the page is no longer served")


@contextmanager
def _interrupted_by_its_end() -> Iterator[None]:
    """End the block where a person presses Ctrl-C, the terminal goes, or somebody ends the process."""
    signals = (signal.SIGHUP, signal.SIGTERM)
    before = [signal.signal(each, signal.default_int_handler) for each in signals]
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


def _wait_for_the_terminal_to_go() -> None:
    """Return when the terminal hangs up. What is typed is left there: a passphrase may be asked for meanwhile."""
    poll = select.poll()
    poll.register(sys.stdin, 0)  # hang-ups alone
    [(_, event)] = poll.poll()
    if event & select.POLLNVAL:  # a system whose poll takes no terminals: SIGHUP comes there, too
        threading.Event().wait()


@contextmanager
def _opened(address: str) -> Iterator[None]:
    """Open an address in the browser where there is a desktop.

    By a file that only its owner reads, and that is deleted again: every user of the machine can see the arguments of a
    browser's process.
    """
    if not (sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="muniment-") as folder:
        file = Path(folder) / "view.html"
        file.write_text(f'<meta http-equiv="refresh" content="0; url={escape(address)}">', "utf-8")
        with suppress(webbrowser.Error):
            webbrowser.open(file.as_uri())
        yield
