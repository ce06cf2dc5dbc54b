"""Which kind of file somebody gave `muniment verify`, and what is wrong with one that is damaged.

Implements specs/cli.md (X-282). A chain is what nothing else is: whoever reads it as one says why it is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from ledger.errors import FormatError, NotFoundError, UsageError
from proofs.erasing.erasure_receipt import TITLE

CHAIN, PROOF, RECEIPT, CHECKPOINT, OUTSIDE = "chain", "proof", "receipt", "checkpoint", "outside"
"""The kinds; OUTSIDE is what a calendar, an authority or a wallet gave for a checkpoint."""

_BEGINS = MappingProxyType({
    CHAIN: b'{"event":',
    PROOF: b"c2sp.org/tlog-proof@",
    RECEIPT: f"{TITLE}\n".encode(),
    CHECKPOINT: b"muniment/",
})  # fmt: skip
_ENDS = MappingProxyType({
    ".proof": PROOF,
    ".receipt": RECEIPT,
    ".checkpoint": CHECKPOINT,
    ".ots": OUTSIDE,
    ".tsr": OUTSIDE,
    ".evm.json": OUTSIDE,
})  # fmt: skip
_NAMES = MappingProxyType({PROOF: "a proof", RECEIPT: "the receipt of an erasure"})
_LONGEST = max(map(len, _BEGINS.values()))


def kind_of(path: Path) -> str:
    """Return what a file is: by how it begins, else by its name, else by what is left where it was cut that early."""
    head = _head(path)
    for kind, begin in _BEGINS.items():
        if head.startswith(begin):
            return kind
    for ending, kind in _ENDS.items():
        if path.name.endswith(ending):
            return kind
    cut = (kind for kind, begin in _BEGINS.items() if head and begin.startswith(head))
    return next(cut, CHAIN)


def refuse_what_is_missing(path: Path) -> None:
    """Raise NotFoundError for a proof, receipt or the like that is not there; a chain's marks may say that one was."""
    if not path.exists() and kind_of(path) != CHAIN:
        raise NotFoundError(f"there is no file {path}")


def refuse_what_is_compared(path: Path, kind: str) -> None:
    """Raise UsageError for what is not judged by itself, naming the command that is meant."""
    if kind == CHECKPOINT:
        raise UsageError(
            f"{path} is a checkpoint, which a ledger is compared with: muniment verify --checkpoint {path}"
        )
    if kind == OUTSIDE:
        raise UsageError(
            f"{path} was given for a checkpoint: muniment verify judges what lies beside that under anchors/"
        )


@contextmanager
def told(path: Path, kind: str) -> Iterator[None]:
    """Say of a file that is damaged which one it is, what it looks like and why, and what is wrong with it.

    Raises:
        FormatError: the body did, or the file ends before anything but its kind could be told.
    """
    head, begin = _head(path), _BEGINS[kind]
    looks = (
        f"{path} looks like {_NAMES[kind]} (by {'how it begins' if head.startswith(begin) else 'its name'})"
    )
    if begin.startswith(head) and head != begin:
        what = f"it ends after {len(head)} bytes, in its first line" if head else "it is empty"
        looks = looks if path.name.endswith(f".{kind}") else f"{path} may be {_NAMES[kind]} that was cut off"
        raise FormatError("X-282", f"{looks}: {what}")
    try:
        yield
    except FormatError as error:
        raise FormatError(error.rule, f"{looks}: {error}", code=error.code) from None


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except OSError:  # whoever reads it as a chain says why it cannot be
        return b""
