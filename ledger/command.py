"""What a caller may ask of the ledger: one value a verb.

Implements specs/state.md (S-8). Pure values; `ledger.ledger` validates and signs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.memory import Memory, Provenance
from ledger.named_tuple import NamedTuple


class Create(NamedTuple):
    """Learn a memory; `reason` says why, where that is worth a word."""

    memory: Memory
    reason: str = ""


class Supersede(NamedTuple):
    """Replace memories (1–16 full ids) by a new one.

    `restore` allows targets that were superseded or deleted already.
    """

    targets: tuple[str, ...]
    memory: Memory
    restore: bool = False
    reason: str = ""


class Delete(NamedTuple):
    """Take memories out of every view; their text stays in the log."""

    targets: tuple[str, ...]
    reason: str = ""
    provenance: Provenance = Provenance()


class Confirm(NamedTuple):
    """Confirm that memories are still true."""

    targets: tuple[str, ...]
    reason: str = ""
    provenance: Provenance = Provenance()


class Erase(NamedTuple):
    """Blank the payloads of events, with all versions, parts and reasons where `family` is true."""

    targets: tuple[str, ...]
    reason: str = ""
    family: bool = True
    provenance: Provenance = Provenance()


OfTargets = Supersede | Delete | Confirm
"""What is said of memories that are not erased."""

Command = Create | OfTargets | Erase
"""What concerns memories."""


class Anchor(NamedTuple):
    """Note that somebody outside was given a checkpoint; the members are those of its payload (E-24)."""

    payload: Mapping[str, Any]


class Written(NamedTuple):
    """What became of a command.

    The id of its event (of its first, where it needed several), or, `known`, the id that stood already.
    """

    id: str
    known: bool = False
    redacted: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
