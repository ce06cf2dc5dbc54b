"""Whether a chain file is the ledger's whose key somebody got from its owner.

Implements specs/verification.md (V-22). The caller verifies every head and link of the chain between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ledger import note, reader
from ledger.errors import LedgerError, UsageError
from ledger.event import event_id
from ledger.finding import Finding
from ledger.founding import identity_of
from ledger.note import NoteKey
from ledger.verify import ChainReport, Verdict
from proofs.checkpoint import Origin
from proofs.heads import ReadChain
from proofs.signed_checkpoints import keys_of


def genesis_of(chain: Path, named: Sequence[NoteKey]) -> str | None:
    """Return the genesis id that these keys give for the chain; of several, that of the matching one.

    Raises:
        UsageError: one of them is not a key of a ledger.
    """
    said = [_origin(key).genesis for key in named]
    with suppress(LedgerError):
        _, own = identity_of(chain)
        if own in said:
            return own
    return said[0] if said else None


def by_named_key(chain: Path, report: ChainReport, named: Sequence[NoteKey]) -> ChainReport:
    """Return the report on a chain with what the keys that somebody named add to its integrity; without keys as it is.

    Args:
        chain: the file.
        report: what verifying all of it found.
        named: the keys of ledgers.
    """
    if not named or report.link is None or report.integrity.findings:
        return report
    with reader.opened(chain) as fd:
        lines = ReadChain(fd)
        genesis = event_id(lines.head(0))
        own = {public for _, public in keys_of(lines)}
    if any(_origin(key).genesis == genesis and key.public in own for key in named):
        said = f"{report.integrity.sentence} It is the ledger whose key you named."
        return replace(report, integrity=replace(report.integrity, sentence=said))
    why = "it ends before that key came into use, or continues differently"
    if not any(_origin(key).genesis == genesis for key in named):
        why = f"its genesis is {genesis[:16]}…"
    message = f"no event brings the key that you named: {why}"
    finding = Finding("foreign-chain", "V-8", message, 1, 0, genesis)
    return replace(report, integrity=Verdict("findings", "1 finding.", (finding,)))


def _origin(key: NoteKey) -> Origin:
    origin = Origin.of(key.name)
    if origin is None or key.type != note.ED25519:
        raise UsageError(
            f"{key.name[:80]!r} is not a ledger's key: the owner sees theirs with muniment anchor checkpoint"
        )
    return origin
