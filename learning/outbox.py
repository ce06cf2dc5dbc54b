"""The outbox: proposals that could not be written, kept outside of the ledger until they can.

Implements specs/capture.md (K-73, K-226). One file a proposal, named for what it says and where it was said, so that the same
one twice is one file; each is complete and synced before it counts as kept. What holds a secret is never kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import orjson

from documents.proposal import Action, Basis, Proposal
from learning import waiting_files
from ledger.durable import storage_error
from ledger.errors import RecordError
from ledger.event import By
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import SLUG, Memory
from ledger.named_tuple import NamedTuple
from ledger.redaction import default_redactor, refusal
from ledger.schema import MEMORY_KINDS, SCOPES, VIAS

_VERSION = 1
_BY = "by"
"""Who proposed it; files of before have no such member."""
_MEMBERS = frozenset(("version", "action", "memory", "targets", "reason", "date", "scope", "about", "basis"))
_ID = lazy_pattern(r"[0-9a-f]{64}")


class WaitingProposal(NamedTuple):
    """One file of the outbox: the proposal that it holds and who proposed it, or what is wrong with it."""

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
        self.folder = state / waiting_files.OUTBOX / ledger

    def keep(self, proposal: Proposal, by: By | None = None) -> Path:
        """Keep a proposal, and who proposed it; return once it is on disk.

        Raises:
            SecretError: it holds a secret.
            StorageError: the disk refused this too.
        """
        value = _as_json(proposal)
        if by is not None:
            value[_BY] = {"name": by.name, "role": by.role, "via": by.via}
        if found := default_redactor().findings(value):
            raise refusal(found, can_be_cut=False)
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        try:
            return waiting_files.put(self.folder, data)
        except OSError as error:
            path = waiting_files.path_of(self.folder, data)
            raise storage_error(error, "keeping a proposal", path, left="it is not kept") from error

    def waiting(self) -> Iterator[WaitingProposal]:
        """Give what waits, the oldest first; a file that cannot be read stays and is named."""
        for path in waiting_files.oldest_first(self.folder):
            try:
                value = waiting_files.read(path)
                yield WaitingProposal(path, _from_json(value), by=_by_of(value))
            except FileNotFoundError:
                continue  # another process took it in
            except (TypeError, KeyError, AttributeError):
                yield WaitingProposal(path, None, "it cannot be read: it is no proposal")
            except (OSError, ValueError, RecordError) as error:
                yield WaitingProposal(path, None, f"it cannot be read: {waiting_files.why(error)}")

    def done(self, path: Path) -> None:
        """Forget a proposal that was dealt with."""
        waiting_files.done(path)


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


def _from_json(value: Any) -> Proposal:
    """Return the proposal that `_as_json` made such a value of; nothing that it could not have made is believed.

    Raises:
        ValueError, TypeError, KeyError, AttributeError, RecordError: it is none.
    """
    if value["version"] != _VERSION:
        raise ValueError(f"it is of version {value['version']!r}")
    if set(value) - {_BY} != _MEMBERS:
        raise ValueError("its members are others")
    texts = {name: _text(value[name], name) for name in ("reason", "date", "scope", "about")}
    memory = Memory.from_payload(value["memory"]) if value["memory"] else None
    if memory is not None:
        memory.to_payload()  # raises where it breaks the format
    targets = value["targets"]
    if not isinstance(targets, list) or not all(
        isinstance(id_, str) and _ID.fullmatch(id_) for id_ in targets
    ):
        raise ValueError("targets is no list of ids")
    proposal = Proposal(
        _one_of(value["action"], get_args(Action), "action"),
        memory,
        tuple(targets),
        texts["reason"],
        texts["date"],
        _one_of(texts["scope"], ("", *SCOPES), "scope"),
        texts["about"],
        _one_of(value["basis"], get_args(Basis), "basis"),
    )
    if (memory is None) == (proposal.action in MEMORY_KINDS) or (memory is None and not targets):
        raise ValueError(f"a {proposal.action} is not like that")
    return proposal


def _by_of(value: Any) -> By | None:
    """Return who proposed it: an agent or a program, never a person (X-151).

    Raises:
        ValueError, TypeError, KeyError: it is nobody.
    """
    if _BY not in value:
        return None
    by = value[_BY]
    name = _text(by["name"], "by")
    if set(by) != {"name", "role", "via"} or not SLUG.fullmatch(name):
        raise ValueError("by names nobody")
    return By(name, _one_of(by["role"], ("agent", "system"), "by"), _one_of(by["via"], VIAS, "by"))


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")  # noqa: TRY004 - one kind of fault for all of them
    return value


def _one_of(value: Any, known: tuple[str, ...], name: str) -> Any:
    if value not in known:
        raise ValueError(f"{name} is {str(value)[:40]!r}")
    return value
