"""Makes one memory of several that say the same: proposes first, and writes only what was agreed to.

Implements specs/projections.md (P-155, P-158). A merge is a supersede that names all that it replaces, so that
`history` shows them and `revert` brings them back. A part of the composition root beside opening.py
(specs/adr/0001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from learning.merging import Merge, Proposals, proposals
from ledger.command import Supersede, Written
from ledger.errors import SecretError

if TYPE_CHECKING:
    from keeping import Keeping
    from ledger.event import By


def proposed(memory: Keeping) -> Proposals:
    """Return what of a ledger's memories could be merged, and what contradicts each other; nothing is written.

    A merge that redaction would refuse is none: what holds a secret is to be erased, not written again.
    """
    found = proposals(memory.load_all())
    return replace(found, merges=tuple(merge for merge in found.merges if _may_be_written(memory, merge)))


def _may_be_written(memory: Keeping, merge: Merge) -> bool:
    try:
        memory.ledger.screened(merge.memory.to_payload(), redact=False)
    except SecretError:
        return False
    return True


def write(memory: Keeping, merges: Sequence[Merge], by: By | None = None) -> list[Written]:
    """Write merges in one batch; raises as `Ledger.write` does, and a target that was replaced since is refused."""
    commands = [Supersede(tuple(entry.id for entry in merge.entries), merge.memory) for merge in merges]
    return memory.write(commands, by) if commands else []
