"""Makes one memory of several that say the same: proposes first, and writes only what was agreed to.

Implements specs/projections.md (P-155, P-158). A merge is a supersede that names all that it replaces, so that
`history` shows them and `revert` brings them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from learning.merging import Merge, Proposals, proposals
from ledger.command import Supersede, Written
from ledger.errors import SecretError
from ledger.event import By
from projections.recall import Recall

if TYPE_CHECKING:
    from documents.scope import Scope
    from projections.workspace import Workspace


def proposed(workspace: Workspace) -> Proposals:
    """Return what of a ledger's memories could be merged, and what contradicts each other; nothing is written.

    A merge that redaction would refuse is none: what holds a secret is to be erased, not written again.
    """
    with workspace.on_progress("comparing memories") as progress:
        found = proposals(Recall(workspace).load_all(), progress=progress)
    return replace(found, merges=tuple(merge for merge in found.merges if _may_be_written(workspace, merge)))


def _may_be_written(workspace: Workspace, merge: Merge) -> bool:
    try:
        workspace.ledger.screened(merge.memory.to_payload(), redact=False)
    except SecretError:
        return False
    return True


def write(scope: Scope, merges: Sequence[Merge], by: By | None = None) -> list[Written]:
    """Write merges in one batch; raises as `Ledger.write` does, and a target that was replaced since is refused."""
    commands = [Supersede(tuple(entry.id for entry in merge.entries), merge.memory) for merge in merges]
    return scope.write(commands, by) if commands else []
