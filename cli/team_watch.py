"""Syncs a team again and again, until Ctrl-C.

Implements specs/cli.md (X-345).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from cli import write_notices
from cli.app import App
from cli.show_entry import count_of
from language.dates import moment
from language.printable import plain
from ledger.errors import BusyError, OutsideError
from ledger.instant import written
from muniment import MemoryLedger

if TYPE_CHECKING:
    from team.syncing import Exchanged

INTERVAL = 10
"""Seconds between two looks."""
_LONGEST = 600
"""Seconds between two looks at an address that does not answer."""


def watch(app: App, memory: MemoryLedger, interval: int) -> None:
    """Sync every `interval` seconds, and when the transport tells of something new, until Ctrl-C.

    Each exchange that did something is shown as one line.
    An address that does not answer is named once, and looked at less and less often until it answers.
    """
    said = ""
    failures = 0
    app.note(f"syncing every {count_of(interval, 'second')}; Ctrl-C ends it")
    with suppress(KeyboardInterrupt), memory.team.listening() as wait:
        while True:
            fault = _once(app, memory)
            if fault != said:
                app.note(plain(fault) if fault else f"{plain(memory.team.settings.address)} answers again")
            said, failures = fault, failures + 1 if fault else 0
            wait(min(interval * 2**failures, max(_LONGEST, interval)))


def _once(app: App, memory: MemoryLedger) -> str:
    """Sync once; return why it failed, "" if it did not."""
    try:
        done = memory.team.sync()
    except (OutsideError, BusyError) as error:
        return str(error)
    if done.sent or done.received or done.findings:
        if app.json:
            at = written(memory.workspace.clock())
            app.emit_lines(
                [{"at": at, "sent": done.sent, "received": done.received, "findings": done.findings}]
            )
        else:
            app.line(f"{moment(written(memory.workspace.clock()))}  {told(done)}")
        for each in done.findings:
            app.note(plain(each))
    if memory.documents.adopted:
        write_notices.say(app, memory)
        memory.documents.adopted = []
    return ""


def told(done: Exchanged) -> str:
    """Print what a sync did."""
    if not done.sent and not done.received:
        return "nothing new"
    return f"sent {count_of(done.sent, 'event')}, received {count_of(done.received, 'event')}"
