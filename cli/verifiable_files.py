"""The kind of file that was given to `muniment verify`, and the fault of a damaged one.

Implements specs/cli.md (X-282). Any other file is read as a chain; that reports why it is not one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.errors import FormatError, UsageError
from proofs.erasing.erasure_receipt import TITLE

CHAIN, PROOF, RECEIPT = "chain", "proof", "receipt"

_CHAIN, _CHECKPOINT, _TEAM_CHECKPOINT = b'{"event":', b"muniment/", b"muniment-team/"
_BEGINS = {PROOF: b"c2sp.org/tlog-proof@", RECEIPT: f"{TITLE}\n".encode()}
_NAMES = {PROOF: "a proof", RECEIPT: "the receipt of an erasure"}


def kind_of(path: Path) -> str:
    """Return what a file is, by how it begins, else by the ending of its name.

    Raises:
        UsageError: it is a checkpoint, which is not judged by itself.
    """
    try:
        with path.open("rb") as file:
            head = file.read(max(map(len, _BEGINS.values())))
    except OSError:  # reading it as a chain reports why it cannot be one
        return CHAIN
    if head.startswith(_CHAIN):
        return CHAIN
    if head.startswith(_CHECKPOINT):
        raise UsageError(
            f"{path} is a checkpoint, which a ledger is compared with: muniment verify --checkpoint {path}"
        )
    if head.startswith(_TEAM_CHECKPOINT):
        raise UsageError(
            f"{path} is a team's checkpoint, which a team is compared with: muniment team checkpoint --check {path}"
        )
    return next(
        (kind for kind, begin in _BEGINS.items() if head.startswith(begin) or path.suffix == f".{kind}"),
        CHAIN,
    )


@contextmanager
def told(path: Path, kind: str) -> Iterator[None]:
    """Yield which file is damaged, what it looks like, and what is wrong with it.

    Raises:
        FormatError: the body did.
    """
    try:
        yield
    except FormatError as error:
        raise FormatError(error.rule, f"{path} looks like {_NAMES[kind]}: {error}", code=error.code) from None
