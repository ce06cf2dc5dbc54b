"""What every command says after it has written: secrets that were cut out, documents that were left alone.

Implements specs/cli.md (X-9, X-22, X-23). Printed on stderr, behind the result.
"""

from __future__ import annotations

from collections.abc import Iterable

from cli.app import App, plain
from memledger import MemoryLedger


def say(app: App, memory: MemoryLedger, redacted: Iterable[str] = ()) -> None:
    """Name the rules by which secrets were cut out, and the documents that a person edited."""
    if rules := ", ".join(dict.fromkeys(redacted)):
        app.note(f"stored with [redacted:RULE] in place of what {rules} matched; if it was real, rotate it")
    if memory.adopted:
        from cli.commands.adopt import hint, told

        for each in memory.adopted:
            if not each.paused:
                app.note(f"taken in from {plain(each.path)}, which was edited: {told(each)}{hint(each)}")
    if memory.outcome:
        app.report_paused(memory.outcome.paused)
