"""What a hook heard of a person at once, so that the transcript's reader passes it over.

Implements specs/doors.md (G-7). Kept in the local state as digests under its secret: they say nothing of the words.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3

from learning.turn import Turn
from ledger.errors import StorageError
from muniment import MemoryLedger
from projections.local_erasure import BEFORE, HEARD

_FACT = HEARD
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
        with contextlib.suppress(StorageError, sqlite3.Error, OSError):
            known = self._known(session)
            known.append([self._digest(session, text), message, *([] if done else [_BEGUN])])
            self._local.note(_FACT + session, json.dumps(known[-_MOST:]))
            return True
        return False

    def done(self, session: str, text: str) -> None:
        """Note that all of a prompt was heard."""
        with contextlib.suppress(StorageError, sqlite3.Error, OSError):
            digest = self._digest(session, text)
            known = [one[:2] if one[0] == digest else one for one in self._known(session)]
            self._local.note(_FACT + session, json.dumps(known))

    def still_to_hear(self, turn: Turn) -> Turn | None:
        """Return a turn as the transcript's reader is to hear it, None where a hook has heard it; each counts once.

        A prompt is known by the program's id of it, else by its words. One that a hook began to hear, and did not end,
        as when the program killed it, is heard as that message: so what was learned of it then is known (K-220).
        """
        if turn.role != "user" or not turn.conversation:
            return turn
        try:
            known = self._known(turn.conversation)
            if not known:
                return turn
            digest = self._digest(turn.conversation, turn.text)
            found = next(
                (one for one in known if one[0] == digest or (one[1] and one[1] == turn.message)), None
            )
            if found is None and any(_is_before(turn, one[0]) for one in known):
                return None
            if found is None:
                return turn
            known.remove(found)
            self._local.note(_FACT + turn.conversation, json.dumps(known) if known else "")
        except (StorageError, sqlite3.Error, OSError):
            return turn
        return turn._replace(message=found[1]) if found[2:] else None

    def withdraw(self, session: str, text: str) -> None:
        """Take a note back: nothing came of the prompt, and the transcript's reader is to hear it."""
        with contextlib.suppress(StorageError, sqlite3.Error, OSError):
            digest = self._digest(session, text)
            known = [one for one in self._known(session) if one[0] != digest]
            self._local.note(_FACT + session, json.dumps(known) if known else "")

    def forget(self, session: str) -> None:
        """Forget a session whose transcript was read to its end."""
        with contextlib.suppress(StorageError, sqlite3.Error, OSError):
            if self._local.fact(_FACT + session):
                self._local.note(_FACT + session, "")

    def _known(self, session: str) -> list[list[str]]:
        try:
            value = json.loads(self._local.fact(_FACT + session) or "[]")
        except ValueError:
            return []
        return (
            [one for one in value if isinstance(one, list) and one[2:] in ([], [_BEGUN]) and len(one) >= 2]
            if isinstance(value, list)
            else []
        )

    def _digest(self, session: str, text: str) -> str:
        said = f"{session}\n{' '.join(text.split())}".encode("utf-8", "replace")
        return hashlib.blake2b(said, key=self._local.secret(), digest_size=16).hexdigest()


def _is_before(turn: Turn, noted: str) -> bool:
    """Say whether a prompt was said before an erase, at which it was forgotten which prompts were heard (Z-30)."""
    return noted.startswith(BEFORE) and turn.at[:19] <= noted.removeprefix(BEFORE)[:19]
