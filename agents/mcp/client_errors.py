"""What went wrong, in one line that a model can act on.

Implements specs/doors.md (G-41, G-45). The SDK says more: all lines of a validation error with what was typed, which
may be a secret, and nothing at all of an error of ours.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import traceback
from collections.abc import Iterator

from pydantic import ValidationError

from language.printable import redacted
from ledger.errors import LedgerError, NotFoundError
from ledger.view import ViewUnavailableError

_SAYS_ITSELF = (LedgerError, ViewUnavailableError, sqlite3.Error, OSError)


def sentence(error: BaseException) -> str:
    """Return what an error says, or what caused it: one line without what was typed; of a fault of ours only its class."""
    for cause in _causes(error):
        if isinstance(cause, ValidationError):
            return " ".join(redacted("; ".join(_fields(cause))).split())
        if isinstance(cause, _SAYS_ITSELF):
            return " ".join(redacted(str(cause) or type(cause).__name__).split())
    first = [*_causes(error)][-1]
    if os.environ.get("MUNIMENT_DEBUG"):
        traceback.print_exception(first, file=sys.stderr)
    return f"internal error of muniment: {type(first).__name__}; MUNIMENT_DEBUG=1 shows where on its stderr"


def is_missing(error: BaseException) -> bool:
    """Say whether what was asked for is not there."""
    return any(isinstance(cause, NotFoundError) for cause in _causes(error))


def is_wrong_argument(error: BaseException) -> bool:
    """Say whether a client gave an argument that is not taken, or of the wrong type."""
    return any(isinstance(cause, ValidationError) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    now: BaseException | None = error
    while now is not None:
        yield now
        now = now.__cause__


def _fields(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_input=False, include_url=False):
        where = ".".join(map(str, each["loc"]))
        yield f"{where}: {each['msg']}"
