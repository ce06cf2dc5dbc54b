"""When this machine exchanged chains last, and what came of it: for who asks, and for hooks, which do it now and then.

Implements specs/team.md (TM-80). Light to import: an agent waits for its hooks.
"""

from __future__ import annotations

import json
from pathlib import Path

from ledger.durable import replace_file
from ledger.named_tuple import NamedTuple

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

_FOLDER, _SETTINGS, _FILE = "team", "transport.json", "last-sync.json"


class LastSync(NamedTuple):
    """When it was (µs since 1970), events sent and received, the findings, and why it failed, or ""."""

    at: int
    sent: int = 0
    received: int = 0
    findings: tuple[str, ...] = ()
    fault: str = ""


def last_sync(directory: Path) -> LastSync | None:
    """Return the last sync of the ledger in a directory; None before the first."""
    try:
        value: dict[str, Any] = json.loads((directory / _FOLDER / _FILE).read_bytes())
        return LastSync(
            int(value["at"]),
            int(value["sent"]),
            int(value["received"]),
            tuple(value["findings"]),
            value["fault"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def note(directory: Path, done: LastSync) -> None:
    """Note a sync. It is bookkeeping of this machine: what cannot be noted now hinders nothing."""
    try:
        replace_file(directory / _FOLDER / _FILE, json.dumps(done._asdict()).encode(), 0o600, sync=False)
    except OSError:
        return


def is_due(directory: Path, interval: int, now: float) -> bool:
    """Return whether a ledger has a team and was not synced for so many seconds; 0 means never in the background.

    It is due, too, if the last sync is dated later than now: the clock was ahead then.

    Args:
        directory: where chain.jsonl lies.
        interval: seconds between two syncs.
        now: seconds since 1970, by the clock of the file system.
    """
    folder = directory / _FOLDER
    if not interval or not (folder / _SETTINGS).exists():
        return False
    try:
        return not 0 <= now - (folder / _FILE).stat().st_mtime < interval
    except OSError:
        return True
