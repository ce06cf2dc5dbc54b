"""What `capture` prints of what it heard, and how its run ends.

Implements specs/cli.md (X-152, X-153, X-164, X-187, X-200).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cli import learning_run, write_notices
from cli.app import App
from cli.show_entry import count_of
from language.printable import plain, redacted, short
from ledger.errors import LedgerError, StorageError
from muniment import MemoryLedger

if TYPE_CHECKING:
    from learning.conversations import Heard
    from learning.episodes import Gathered
    from learning.intake import Taken
    from learning.turn import Turn


@dataclass(slots=True)
class Run:
    """What was printed so far, and how the run ends."""

    app: App
    dry_run: bool
    explain: bool
    again: str = "muniment capture --anew FILE"
    """The command that reads the same again."""
    code: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    wrote: bool = False
    limited: dict[str, None] = field(default_factory=dict)
    """The commands that learn what a limit refused."""

    def told(self, taken: Taken, turn: Turn | None = None) -> None:
        """Print what became of a proposal, at once."""
        if taken.outcome == "unwritten":
            self.code = StorageError.exit_code
        self.counts[taken.outcome] = self.counts.get(taken.outcome, 0) + 1
        if taken.outcome == "refused" and "limits." in taken.why:
            self.limited["muniment capture --project" if turn is None else self.again] = None
        self.wrote = self.wrote or bool(taken.id)
        if self.app.json:
            why = {"features": [list(each) for each in taken.proposal.why]} if self.explain else {}
            when = taken.proposal.date or (turn.at if turn is not None else "")
            at = {"at": when} if when or turn is not None else {}
            self.app.emit_lines([learning_run.json_of(taken, dry_run=self.dry_run, **at, **why)])
            return
        lines = [learning_run.line_of(self.app, taken)]
        if self.explain:
            lines += learning_run.why_lines(taken.proposal)
        self.app.lines(lines)

    def read(self, heard: Heard) -> None:
        """Print the faults of reading a file, on stderr."""
        if heard.nothing_new:
            self.app.note(f"{plain(heard.name)}: nothing new")
            return
        if heard.stopped:
            self._stopped(heard)
            return
        if not heard.kind:
            self.app.note(f"{plain(heard.name)}: no conversation of a known format{_faults(heard)}")
            self.code = self.code or UNKNOWN
            return
        turns = count_of(heard.turns, "new turn")
        self.app.note(f"{plain(heard.name)}: {heard.kind}, {turns}{_faults(heard)}")

    def _stopped(self, heard: Heard) -> None:
        """Print what to do if not even the outbox could keep something (X-187)."""
        if heard.stream:
            mend = "what is marked unwritten is lost: keep the input, and give it again when there is room"
        else:
            mend = "reading stops there, and the next capture continues from there; nothing is lost"
        self.app.note(f"{plain(heard.name)}: {redacted(heard.stopped)}: {mend}")

    def unread(self, path: Path, error: OSError) -> None:
        """Name a file that cannot be read."""
        self.app.note(f"{plain(str(path))} cannot be read: {error.strerror or error}")
        self.code = StorageError.exit_code

    def remember(
        self, said: Gathered, memory: MemoryLedger, path: Path, *, timeout: float, stream: bool
    ) -> None:
        """Write the episodes of what was said, and print them (X-164)."""
        try:
            quiet = float("inf") if stream else time.time() - path.stat().st_mtime
            done = said.remember(
                memory.scope,
                learning_run.writer(self.app),
                quiet_for=quiet,
                dry=self.dry_run,
                timeout=timeout,
            )
        except (LedgerError, sqlite3.Error, OSError) as error:
            later = "" if stream else "; muniment capture --anew makes it"
            self.app.note(f"{plain(str(path))}: no episode could be written ({plain(str(error))}){later}")
            if stream:
                self.code = self.code or getattr(error, "exit_code", StorageError.exit_code)
            return
        for each in done:
            if each.outcome not in ("created", "superseded"):
                continue
            self.wrote = True
            self.counts["episode"] = self.counts.get("episode", 0) + 1
            if self.app.json:
                text = each.memory.text
                self.app.emit_lines([{"outcome": "episode", "id": each.id or None, "text": text}])
            else:
                self.app.line(f"{'episode':<10}  {short(each.id):<12}        {plain(each.memory.text)}")

    def end(self, ledgers: Iterable[MemoryLedger]) -> int:
        """Print what a write has to say, and how many proposals had which outcome; return the exit code."""
        for memory in ledgers if self.wrote and not self.dry_run else ():
            write_notices.say(self.app, memory)
        self._sum_up()
        return self.code

    def _sum_up(self) -> None:
        if self.app.json:
            return
        told = ", ".join(f"{count} {outcome}" for outcome, count in self.counts.items()) or "nothing to learn"
        self.app.note(f"would be: {told}" if self.dry_run and self.counts else told)
        if self.counts.get("candidate") and not self.dry_run:
            self.app.note("run muniment review to decide on candidates")
        if self.counts.get("queued"):
            self.app.note("run muniment upkeep retry to retry what could not be written")
        if self.limited:
            commands = " and ".join(self.limited)
            self.app.note(
                f"what a limit refused will be learned by {commands} when there is room again, "
                "or under higher limits in config.toml"
            )


UNKNOWN = 5
"""The exit code where a file holds no conversation of a known format (X-4: a format)."""


def _faults(heard: Heard) -> str:
    said = []
    if heard.failed:
        said.append(
            f"{count_of(heard.failed, 'turn')} skipped after an internal error; run muniment doctor to see it"
        )
    if heard.broken_count:
        places = f"{', '.join(map(str, heard.broken[:3]))}{', …' if heard.broken_count > 3 else ''}"
        said.append(f"{count_of(heard.broken_count, 'broken line')} (at byte {places})")
    if heard.torn:
        said.append("the last line is not complete yet")
    return "".join(f"; {each}" for each in said)
