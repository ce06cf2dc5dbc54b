"""The outbox: proposals that could not be written, kept outside of the ledger until they can.

Implements specs/capture.md (K-73). One file a proposal, named for what it says and where it was said, so that the same
one twice is one file; each is complete and synced before it counts as kept. What holds a secret is never kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from capture.proposal import Proposal
from learning import kept
from ledger.durable import storage_error
from ledger.errors import RecordError
from ledger.memory import Memory
from ledger.redaction import default_redactor, refusal

OUTBOX = "outbox"
"""The folder of all outboxes in the state directory."""
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Waiting:
    """One file of the outbox: the proposal that it holds, or what is wrong with it."""

    path: Path
    proposal: Proposal | None
    fault: str = ""


class Outbox:
    """The proposals that wait for one ledger.

    Args:
        state: the user's state directory.
        ledger: the ledger's id.
    """

    def __init__(self, state: Path, ledger: str) -> None:
        self.folder = state / OUTBOX / ledger

    def keep(self, proposal: Proposal) -> Path:
        """Keep a proposal; return once it is on disk.

        Raises:
            SecretError: it holds a secret.
            StorageError: the disk refused this too.
        """
        value = _as_json(proposal)
        if found := default_redactor().findings(value):
            raise refusal(found, can_be_cut=False)
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        try:
            return kept.put(self.folder, data)
        except OSError as error:
            path = kept.path_of(self.folder, data)
            raise storage_error(error, "keeping a proposal", path, left="it is lost") from error

    def waiting(self) -> Iterator[Waiting]:
        """Give what waits, the oldest first; a file that cannot be read stays and is named."""
        for path in kept.oldest_first(self.folder):
            try:
                with path.open("rb") as stream:
                    yield Waiting(path, _from_json(orjson.loads(stream.read(kept.MOST_BYTES))))
            except FileNotFoundError:
                continue  # another process took it in
            except (OSError, ValueError, TypeError, KeyError, AttributeError, RecordError) as error:
                yield Waiting(path, None, f"it cannot be read: {error}")

    def done(self, path: Path) -> None:
        """Forget a proposal that was dealt with."""
        path.unlink(missing_ok=True)


def _as_json(proposal: Proposal) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "action": proposal.action,
        "memory": proposal.memory.to_payload() if proposal.memory else None,
        "targets": list(proposal.targets),
        "reason": proposal.reason,
        "date": proposal.date,
        "scope": proposal.scope,
        "about": proposal.about,
        "basis": proposal.basis,
    }


def _from_json(value: dict[str, Any]) -> Proposal:
    if value["version"] != _VERSION:
        raise ValueError(f"it is of version {value['version']!r}")
    memory = Memory.from_payload(value["memory"]) if value["memory"] else None
    if memory is not None:
        memory.to_payload()  # raises where it breaks the format
    return Proposal(
        value["action"],
        memory,
        tuple(map(str, value["targets"])),
        str(value["reason"]),
        str(value["date"]),
        str(value["scope"]),
        str(value["about"]),
        value["basis"],
    )
