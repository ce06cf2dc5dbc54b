"""What a hook heard of a person at once, so that the transcript's reader passes it over.

Implements specs/doors.md (G-7). Kept in the local state as digests under its secret: they say nothing of the words.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable

from blake3 import blake3

from learning.turn import Turn
from ledger.errors import LedgerError, StorageError
from ledger.redaction import redact
from ledger.view import ViewUnavailableError
from muniment import MemoryLedger
from projections.local_erasure import BEFORE, HEARD

HINDERED = (LedgerError, ViewUnavailableError, sqlite3.Error, OSError)
"""What a ledger raises that cannot be read or written now."""
_UNREADABLE = (StorageError, sqlite3.Error, OSError, ValueError)
_BEGUN = "begun"
"""What the note of a prompt has behind it that is not wholly heard yet."""
_MOST = 200
"""So many are remembered of a session; a transcript is read long before."""


class HeardAtOnce:
    """The prompts that were heard at once, by session."""

    def __init__(self, home: MemoryLedger) -> None:
        self._local = home.workspace.local

    def note(self, session: str, text: str, message: str, *, done: bool = False) -> bool:
        """Note a prompt, before anything is learned from it; say whether that could be. With `done` nothing is left to be."""
        more = [message] if done else [message, _BEGUN]
        return self._change(session, lambda known: [*known, [self._digest(session, text), *more]])

    def done(self, session: str, text: str) -> None:
        """Note that all of a prompt was heard."""
        self._change(
            session,
            lambda known: [one[:2] if one[0] == self._digest(session, text) else one for one in known],
        )

    def withdraw(self, session: str, text: str) -> None:
        """Take a note back: nothing came of the prompt, and the transcript's reader is to hear it."""
        self._change(session, lambda known: [one for one in known if one[0] != self._digest(session, text)])

    def forget(self, session: str) -> None:
        """Forget a session whose transcript was read to its end."""
        self._change(session, lambda _: [])

    def still_to_hear(self, turn: Turn) -> Turn | None:
        """Return a turn as the transcript's reader is to hear it, None if a hook has heard it; each counts once.

        A prompt is known by the program's id of it, else by its words. One that a hook began to hear, and did not end,
        as when the program killed it, is heard as that message: so what was learned of it then is known (K-220).
        """
        if turn.role != "user" or not turn.conversation:
            return turn
        try:
            known = self._known(turn.conversation)
            digest = self._digest(turn.conversation, turn.text) if known else ""
        except _UNREADABLE:
            return turn
        found = next((one for one in known if one[0] == digest or (one[1] and one[1] == turn.message)), None)
        if found is None:
            return None if any(_is_before(turn, one[0]) for one in known) else turn
        known.remove(found)
        if not self._change(turn.conversation, lambda _: known):
            return turn
        return turn._replace(message=found[1]) if found[2:] else None

    def _change(self, session: str, change: Callable[[list[list[str]]], list[list[str]]]) -> bool:
        """Update the notes of a session; return whether they could be written."""
        with contextlib.suppress(*_UNREADABLE):
            before = self._known(session)
            if (known := change(before)) != before:
                self._local.note(HEARD + _named(session), json.dumps(known[-_MOST:]) if known else "")
            return True
        return False

    def _known(self, session: str) -> list[list[str]]:
        return list(json.loads(self._local.fact(HEARD + _named(session)) or "[]"))

    def _digest(self, session: str, text: str) -> str:
        said = f"{_named(session)}\n{' '.join(text.split())}".encode("utf-8", "replace")
        return blake3(said, key=self._local.secret()).hexdigest(length=16)


def _named(session: str) -> str:
    """Return a session's name without secrets: the local state keeps it."""
    return redact(session)


def _is_before(turn: Turn, noted: str) -> bool:
    """Return whether a prompt was said before an erase, at which it was forgotten which prompts were heard (Z-30)."""
    return noted.startswith(BEFORE) and turn.at[:19] <= noted.removeprefix(BEFORE)[:19]
