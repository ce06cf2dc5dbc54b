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
from cli.options import Verb, option
from ledger.errors import UsageError
from report.viewer import viewing


@click.command("view", cls=Verb)
@option(
    "--port", type=click.IntRange(1, 65535), metavar="N", help="Listen on this port (default: any free one)."
)
@option("--no-open", is_flag=True, help="Only print the address.")
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

    with _told_of_its_end() as end, viewing(memory, port or 0, decided) as viewer:
        app.line(viewer.address)
        app.note("this address shows your memory until you press Ctrl-C; give it to nobody")
        with nullcontext() if no_open else _opened(viewer.address):
            _wait_for(end)
    app.note("the page is no longer served")


@contextmanager
def _told_of_its_end() -> Iterator[int]:
    """Yield a descriptor that can be read once a person presses Ctrl-C, the terminal goes, or somebody ends the process.

    An exception instead of it can come within a finalizer, where Python drops it.
    """
    reading, writing = os.pipe()
    signals = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
    before = [signal.signal(each, lambda *_: os.write(writing, b".")) for each in signals]
    try:
        yield reading
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
        os.close(reading)
        os.close(writing)


def _wait_for(end: int) -> None:
    """Return when `end` can be read or the terminal hangs up. What is typed stays there: a passphrase may be asked for."""
    poll = select.poll()
    poll.register(end, select.POLLIN)
    poll.register(sys.stdin, 0)  # hang-ups alone
    if any(event & select.POLLNVAL for _, event in poll.poll()):
        # A system whose poll takes no terminals: SIGHUP comes there, too.
        select.select([end], [], [])


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
        # In a thread, since some browsers run until they are closed, and Ctrl-C must end this command all the same.
        threading.Thread(target=_browse, args=(file.as_uri(),), daemon=True).start()
        yield


def _browse(address: str) -> None:
    with suppress(webbrowser.Error):
        webbrowser.open(address)
