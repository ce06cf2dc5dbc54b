"""The anchor that is made when it is due, as the person's own config.toml says.

Implements specs/anchors.md (W-70…W-72).
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from language.dates import moment
from language.printable import plain
from ledger.errors import LedgerError, NotFoundError, StorageError, UsageError
from ledger.instant import DAY, is_instant, parsed, written
from proofs.evm import CHAINS, NOWHERE, Fees
from proofs.proving import Proofs
from proofs.trusting import trust

if TYPE_CHECKING:
    from projections.workspace import Workspace
    from proofs.anchoring import Anchors

ANCHORED_AT = "anchored_at"


@dataclass(frozen=True, slots=True)
class DueAnchor:
    """What became of it: whether it was due, the sentence, the exit code, and what `--json` says beside these."""

    due: bool
    why: str
    code: int = 0
    more: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as `--json` has it."""
        return {"due": self.due, "why": self.why, **self.more}


def make(workspace: Workspace, proofs: Proofs, anchors: Anchors, *, sound: bool) -> DueAnchor:
    """Make the anchor where it is due; what hinders it is told and never raised.

    Args:
        workspace: the ledger.
        proofs: its checkpoints.
        anchors: its anchors.
        sound: whether it was just verified without findings.
    """
    settings = workspace.configuration
    method, days = settings.anchor_method, settings.anchor_every_days
    if not sound:
        return DueAnchor(False, "not made: what verify found comes first")
    last = workspace.local.fact(ANCHORED_AT)
    now = workspace.clock()
    if is_instant(last) and parsed(last) <= now and now // DAY - parsed(last) // DAY < days:
        return DueAnchor(False, f"none is due: the last was {moment(last)}, and every {days} days is one")
    try:
        if anchors.is_anchored_up_to_now(method):
            return DueAnchor(False, "not due: nothing was learned since the last one")
        why, more = _made(workspace, proofs, anchors)
    except LedgerError as error:
        # If only a checkpoint was asked for, a key that is elsewhere does not fail the weekly upkeep.
        return DueAnchor(True, f"not made: {error}", 0 if method == "checkpoint" else error.exit_code)
    with suppress(sqlite3.Error, StorageError, OSError):
        workspace.local.note(ANCHORED_AT, written(now))
    return DueAnchor(True, why, 0, {"method": method, **more})


def _made(workspace: Workspace, proofs: Proofs, anchors: Anchors) -> tuple[str, dict[str, Any]]:
    """Make it; return what was done in a sentence, and as JSON."""
    settings = workspace.configuration
    method, url = settings.anchor_method, settings.anchor_url
    if method == "checkpoint":
        signed = proofs.checkpoint()
        return _kept(signed.checkpoint.size, signed.path), {"file": str(signed.path)}
    if method == "evm":
        given, _ = anchors.export_evm(next(iter(CHAINS)), NOWHERE, Fees())
        return (
            f"{_kept(given.checkpoint.size, given.path)}; nothing was sent: your wallet signs it",
            given.to_json(),
        )
    if not url:
        raise UsageError(f"anchor.method is {method}, and your config.toml has no anchor.url to ask")
    if method == "ots":
        with suppress(NotFoundError):  # nothing may be pending there
            anchors.upgrade_ots((url,))
        given = anchors.anchor_ots((url,))
    elif method == "rfc3161":
        given = anchors.anchor_rfc3161(url, trust(workspace.home))
    else:
        given = anchors.anchor_witness(url, trust(workspace.home).witness_keys())
    return f"{_kept(given.checkpoint.size, given.path)}, from {plain(url)}", given.to_json()


def _kept(size: int, path: Path) -> str:
    return f"of {size} event{'s' if size != 1 else ''}: {plain(str(path))}"
