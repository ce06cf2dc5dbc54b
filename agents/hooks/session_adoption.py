"""Takes in at a session's start what was edited since: then a person has typed it, as far as anybody knows.

Implements specs/doors.md (G-3) for specs/editing.md (D-81, D-86). Where nothing was edited it costs a look at each document; what
takes edits in is loaded only where something was.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from documents.targets import located
from ledger import location
from ledger.errors import LedgerError
from ledger.path_names import name_of

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from agents.hooks.folder_scopes import Told

PATIENCE = 0.25
"""So many seconds a ledger is waited for; then the edits wait for the next session."""
BY_AGENT = "taken in by an agent"
"""As in `documents.adopting.adoption_summary`, whose import a session would pay for; a test compares the two."""
_SETTLED = """SELECT path, (SELECT changed FROM settled s WHERE s.folder = r.folder AND s.path = r.path
    ORDER BY n DESC LIMIT 1) FROM rendered r WHERE folder = ?"""


def taken_in(scopes: Sequence[Told], source: str) -> str:
    """Record the edits in the documents of these ledgers; return the line that reports it, or "".

    In the middle of a session (`source` is compact) nothing is recorded: the agent was just at work.
    """
    due = [
        scope
        for scope in scopes
        if scope.has_facts(BY_AGENT) or (source != "compact" and any(_touched(scope)))
    ]
    if not due:
        return ""
    from documents.adopting import adoption_summary

    counts: dict[str, list[int]] = {}
    held: list[str] = []
    for scope in due:
        with suppress(LedgerError, OSError, sqlite3.Error):
            for each in _of(scope, held, adopts=source != "compact"):
                for path, (taken, waits) in each.items():
                    before = counts.get(path, [0, 0])
                    counts[path] = [before[0] + taken, before[1] + waits]
    return adoption_summary.sentence(counts, held)


def _of(scope: Told, held: list[str], *, adopts: bool) -> Iterator[dict[str, list[int]]]:
    """Yield earlier imports by agents into one ledger, then those made now; append whatever must wait to `held`."""
    import muniment
    from documents.adopting import adoption_summary
    from ledger.actor import login_slug
    from ledger.event import By

    with muniment.MemoryLedger(scope.place, scope.home, by=By(login_slug(), "user", "hook")) as memory:
        memory.workspace.wait_at_most(PATIENCE)
        yield adoption_summary.noted(memory.workspace)
        if not adopts:
            return
        with memory.workspace.ledger.chain.locked(PATIENCE):
            pass  # nobody writes just now
        done = memory.documents.adopt(asked=False)
        held += [each.path for each in done if each.paused]
        yield adoption_summary.counted(done)


def _touched(scope: Told) -> Iterator[str]:
    """Yield documents that are not the files that were left there, or that came (D-13, D-36); it may be no edit."""
    try:
        folder = located(scope.place).documents
    except (LedgerError, OSError):
        return
    known = dict(scope.rows(location.LOCAL_NAME, _SETTLED, name_of(folder)) or ())
    if not known:
        return  # nothing was rendered there yet: a command does it
    for path, changed in known.items():
        try:
            if os.stat(folder / path).st_mtime_ns == changed:
                continue
        except FileNotFoundError:
            pass
        except OSError:
            continue
        yield str(path)
    from documents.foreign_files import documents_in

    yield from (path for path in documents_in(Path(folder)) if path not in known)
