"""Verifies a chain against what this machine knows of it: the pinned genesis and the high-water mark.

Implements specs/verification.md (V-8, V-9, V-13) and specs/chain.md (C-15). The one place that chooses pin and
mark for a verifier; ledger/verify.py knows neither the state directory nor whose chain a file is.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ledger.chain import CHAIN_NAME
from ledger.errors import LedgerError, UsageError
from ledger.founding import identity_of
from ledger.mark import StateDirectory
from ledger.progress import Progress
from ledger.verify import ChainReport, Expectation, verify_chain


def known_of(chain: Path, state: StateDirectory, genesis: str | None = None) -> Expectation:
    """Return what a chain file must be by the pin of its directory and the mark of its ledger.

    The mark is that of the pinned ledger, else of the one that the chain says it is. A copy under another name has
    no pin.

    Args:
        chain: the chain file, which may be missing.
        state: where marks and pins lie.
        genesis: a genesis id from elsewhere, for a chain that this machine does not know.
    """
    pin = state.pin_of(chain.parent) if chain.name == CHAIN_NAME else None
    whose = pin.ledger if pin else None
    if whose is None:
        with suppress(LedgerError):
            whose = identity_of(chain)[0].id
    mark = state.mark_of(whose).read() if whose else None
    known = pin.genesis if pin else mark.genesis if mark else genesis
    return Expectation(known, mark=mark)


def verify_known(
    chain: Path,
    state: StateDirectory,
    *,
    since_mark: bool = False,
    genesis: str | None = None,
    progress: Progress | None = None,
) -> ChainReport:
    """Check a chain file against what this machine knows of it; with `since_mark` only what is newer than its mark.

    Raises:
        UsageError: `since_mark`, and there is no mark.
        NoLedgerError, StorageError: as `verify_chain`.
    """
    expect = known_of(chain, state, genesis)
    if since_mark and expect.mark is None:
        raise UsageError("there is no high-water mark here for this chain: leave out --since-mark")
    since = expect.mark if since_mark else None
    return verify_chain(chain, expect, since=since, progress=progress)
