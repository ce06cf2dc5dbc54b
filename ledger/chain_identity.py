"""Whether a chain file is the one that this machine knows, before anything is read from it.

Implements specs/chain.md (C-9, C-15) for readers: pin, first event, and the event under the high-water mark.
Reads a few hundred bytes, whatever the chain's length,
unless they are not what was acknowledged; verify checks the events between. The one place that reports
that a chain is gone: code that finds no file calls `gone` for what this machine knows of it.
"""

from __future__ import annotations

import os
from pathlib import Path

from ledger import reader
from ledger.check import LineChecker
from ledger.errors import ForeignChainError, FormatError, RollbackError
from ledger.event import MAX_LINE_BYTES, event_id, split_line
from ledger.mark import Mark, StateDirectory

COMES_BACK = "copy chain.jsonl back to its place, or run muniment restore BACKUP"
"""What a person does whose chain is gone."""
NO_BEGINNING = (
    f"move it to chain.jsonl.torn-1, whose good events muniment import takes afterwards, then {COMES_BACK}"
)
"""Advice for a chain without a good beginning: a copy may be older than the events after it."""


def is_gone(chain: Path, mark: Mark | None) -> str:
    """The message for a chain that is gone, with what this machine knows of it."""
    known = f"event @{mark.seq} was acknowledged here" if mark else "a ledger was founded here"
    return f"{chain} is gone, but {known}"


def gone(chain: Path, mark: Mark | None) -> RollbackError:
    """Return the error for a chain that is no longer there, though this machine knows it."""
    return RollbackError(f"{is_gone(chain, mark)}: {COMES_BACK}")


def check_standing(chain: Path, state: StateDirectory) -> None:
    """Refuse a chain that was replaced, emptied, cut or rewritten since its newest event was acknowledged here.

    A chain without a pin is not known here; nothing can be said of it.

    Raises:
        NoLedgerError: there is no file, and none was ever known here.
        ForeignChainError: its first event is not the pinned genesis.
        RollbackError: it is gone, ends before the marked event, or has another one there.
    """
    pin = state.pin_of(chain.parent)
    mark = state.mark_of(pin.ledger).read() if pin else None
    if pin is not None and not chain.exists():
        raise gone(chain, mark)
    with reader.opened(chain) as fd:
        if pin is None:
            return
        first = reader.read_at(fd, MAX_LINE_BYTES + 1, 0).partition(b"\n")[0]
        found = _id_of(first) if first else None
        if not first or (found is not None and found != pin.genesis):
            raise foreign(chain, pin.genesis, found) if found else rolled_back(chain, mark, "it is empty")
        if mark is None or mark.genesis != pin.genesis:
            return
        if os.fstat(fd).st_size < mark.end - 1:  # the LF of the last line may be lost
            raise rolled_back(chain, mark, "it ends before that event")
        if _id_of(reader.line_at(fd, mark.start, mark.end)) != mark.id and _is_rewritten(fd, mark):
            raise rolled_back(chain, mark, "another event is in its place")


def _id_of(line: bytes) -> str | None:
    """Return the id of a line; None if it is damaged, which verify and the fold name more exactly."""
    try:
        return event_id(split_line(line).head)
    except FormatError:
        return None


def _is_rewritten(fd: int, mark: Mark) -> bool:
    """Return whether good events reach the mark and beyond, but the marked one is not among them.

    Any key counts: after a rotation the thief of an older one can still make a chain that begins as ours.
    Damage before that is not a replacement; verify and the fold name it more exactly.
    """
    checker = LineChecker()
    for line in reader.lines(fd):
        checked = checker.take(line.raw)
        if checked is None:
            return False
        if checked.head["seq"] >= mark.seq:
            return checked.id != mark.id
    return True


def foreign(chain: Path, ours: str, theirs: str) -> ForeignChainError:
    """Return the error for a chain that begins with another genesis than ours."""
    return ForeignChainError(
        f"{chain} is not the chain that was made here (its genesis is {theirs[:16]}…, ours {ours[:16]}…): "
        "restore the right file (see muniment doctor)"
    )


def rolled_back(chain: Path, mark: Mark | None, why: str) -> RollbackError:
    """Return the error for a chain in which the marked event does not stand."""
    what = (
        f"event @{mark.seq} ({mark.id[:12]}) was acknowledged here" if mark else "a ledger was founded here"
    )
    return RollbackError(
        f"{chain} was rolled back: {what}, but {why}; restore the newer file, or run muniment recover"
    )
