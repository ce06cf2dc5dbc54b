"""The outbox: keeps proposals outside the ledger that could not be written yet.

Implements specs/capture.md (K-73, K-158, K-226). Each proposal is one file named by the digest of its bytes, so that the same
proposal twice is one file. It counts as kept once it is complete and synced. A proposal with a secret is never kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import orjson

from documents.proposal import Action, Basis, Proposal
from ledger import redaction
from ledger.durable import open_file, private_folder, storage_error, write_new
from ledger.errors import RecordError
from ledger.event import By
from ledger.memory import SLUG, Memory
from ledger.named_tuple import NamedTuple
from ledger.schema import MEMORY_KINDS, SCOPES, VIAS

OUTBOX = "outbox"
"""The folder of all outboxes in the state directory."""
MOST_BYTES = 1 << 20
"""A larger file is not read."""
_VERSION = 1
_MEMBERS = frozenset(
    ("version", "action", "memory", "targets", "reason", "date", "scope", "about", "basis", "by")
)


class WaitingProposal(NamedTuple):
    """One file of the outbox: its proposal and the author, or why it is invalid."""

    path: Path
    proposal: Proposal | None
    fault: str = ""
    by: By | None = None


class Outbox:
    """The proposals that wait for one ledger.

    Args:
        state: the user's state directory.
        ledger: the ledger's id.
    """

    def __init__(self, state: Path, ledger: str) -> None:
        self.folder = state / OUTBOX / ledger

    def keep(self, proposal: Proposal, by: By | None = None) -> Path:
        """Keep a proposal and its author; return once it is on disk.

        Raises:
            SecretError: it contains a secret.
            StorageError: the disk refused this too.
        """
        value = {
            **proposal._asdict(),
            "version": _VERSION,
            "memory": proposal.memory.to_payload() if proposal.memory else None,
            "by": {"name": by.name, "role": by.role, "via": by.via} if by is not None else None,
        }
        del value["why"]
        if found := redaction.findings(value):
            raise redaction.refusal(found, can_be_cut=False)
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        import hashlib  # as in documents.proposal

        path = self.folder / f"{hashlib.sha256(data).hexdigest()[:32]}.json"
        try:
            private_folder(self.folder)
            with suppress(FileExistsError):
                write_new(path, data)
        except OSError as error:
            raise storage_error(error, "keeping a proposal", path, left="it is not kept") from error
        return path

    def waiting(self) -> Iterator[WaitingProposal]:
        """Yield the waiting proposals, the oldest first; an unreadable file stays, and is yielded with its fault."""
        found = []
        with suppress(OSError):
            for path in self.folder.glob("*.json"):
                with suppress(FileNotFoundError):  # another process dealt with it
                    found.append((path.lstat().st_mtime_ns, path))
        for _, path in sorted(found):
            try:
                value = _read(path)
                yield WaitingProposal(path, _proposal(value), by=_by(value["by"]))
            except FileNotFoundError:
                continue  # another process wrote it
            except (TypeError, KeyError, AttributeError):
                yield WaitingProposal(path, None, "it cannot be read: it is not a proposal")
            except (OSError, ValueError, RecordError) as error:
                why = (error.strerror if isinstance(error, OSError) else "") or str(error)
                yield WaitingProposal(path, None, f"it cannot be read: {why}")

    def done(self, path: Path) -> None:
        """Remove a proposal that was processed; if that fails, processing it again has no further effect."""
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _read(path: Path) -> Any:
    """Return the JSON value of a regular file; do not open a pipe, a link or a folder."""
    descriptor = open_file(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if os.fstat(descriptor).st_size > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES} bytes")
        return orjson.loads(os.read(descriptor, MOST_BYTES))
    finally:
        os.close(descriptor)


def _proposal(value: Any) -> Proposal:
    """Return the proposal that `keep` wrote, and refuse anything else.

    Raises:
        ValueError, TypeError, KeyError, AttributeError, RecordError: it is invalid.
    """
    memory = Memory.from_payload(value["memory"]) if value["memory"] else None
    if memory is not None:
        memory.to_payload()  # raises if it breaks the format
    texts = [value[name] for name in ("reason", "date", "about")]
    targets, action = value["targets"], value["action"]
    good = (
        value.keys() == _MEMBERS
        and value["version"] == _VERSION
        and isinstance(targets, list)
        and all(isinstance(each, str) for each in (*texts, *targets))
        and action in get_args(Action)
        and value["basis"] in get_args(Basis)
        and value["scope"] in ("", *SCOPES)
        and (memory is not None) == (action in MEMORY_KINDS)
        and (memory is not None or bool(targets))
    )
    if not good:
        raise ValueError("it is not a proposal")
    reason, date, about = texts
    return Proposal(action, memory, tuple(targets), reason, date, value["scope"], about, value["basis"])


def _by(value: Mapping[str, Any] | None) -> By | None:
    """Return the author: an agent or a program, never a person (X-151). Raises as `_proposal`."""
    if value is None:
        return None
    by = By(**value)
    if by.role not in ("agent", "system") or by.via not in VIAS or not SLUG.fullmatch(by.name):
        raise ValueError("by names nobody")
    return by
