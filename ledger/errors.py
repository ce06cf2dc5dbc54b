"""The one error tree: every failure a person can meet, each with its exit code.

Implements specs/cli.md (X-1…X-4). A message says what happened, where (line, seq, path), and what to do next,
in one line. Library callers catch `LedgerError` or the one class they can act on; the command line prints the
message and exits with the class's code, so no person ever sees a traceback for bad input.
"""

from __future__ import annotations


class LedgerError(Exception):
    """Base of every error that muniment raises on purpose."""

    exit_code = 10


class UsageError(LedgerError):
    """The request itself is malformed: an unknown value, an impossible combination of options."""

    exit_code = 2


class NotFoundError(LedgerError):
    """Nothing has the id, name or path that was asked for."""

    exit_code = 3


class AmbiguousIdError(NotFoundError):
    """An id prefix matches several events; `candidates` lists their full ids."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class StateError(LedgerError):
    """The command does not fit the target's present state (already deleted, erased, superseded)."""

    exit_code = 4


class WaitingError(StateError):
    """Only a person may do this, and none is here: it waits for one."""

    exit_code = 15


class RecordError(LedgerError):
    """A memory record or event breaks the format: too long, wrong type, not encodable."""

    exit_code = 5


class FormatError(LedgerError):
    """Stored bytes are not a well-formed event line; `rule` is the id of the spec rule that they break."""

    exit_code = 5

    def __init__(self, rule: str, message: str, *, code: str = "malformed") -> None:
        super().__init__(message)
        self.rule = rule
        self.code = code


class SecretError(LedgerError):
    """Redaction refused a write; `rules` names the rules that matched. The text itself is never echoed.

    `can_be_cut` tells whether the write can continue with the secret cut out, on request.
    """

    exit_code = 6

    def __init__(self, message: str, rules: tuple[str, ...] = (), *, can_be_cut: bool = False) -> None:
        super().__init__(message)
        self.rules = rules
        self.can_be_cut = can_be_cut


class ChainError(LedgerError):
    """The chain on disk cannot be continued as it is; use `recover` or `restore`."""

    exit_code = 7


class RollbackError(ChainError):
    """The chain is shorter than its high-water mark, or differs at it."""


class ForeignChainError(ChainError):
    """The chain was made by another ledger or another key than the one pinned here."""


class KeyFileError(LedgerError):
    """A key is missing, unreadable, has a wrong mode or belongs to another ledger."""

    exit_code = 8


class StorageError(LedgerError):
    """The disk refused: full, read-only, failed sync, permission."""

    exit_code = 9


class LedgerExistsError(LedgerError):
    """`init` or `restore` found a ledger where it would have made one."""

    exit_code = 11


class NoLedgerError(NotFoundError):
    """There is no ledger at this place yet; `init` creates one."""


class PlatformError(LedgerError):
    """This platform lacks flock or durable sync as the chain needs them."""

    exit_code = 12


class BusyError(LedgerError):
    """Another process holds the ledger for longer than we were told to wait."""

    exit_code = 13


class OutsideError(LedgerError):
    """Somebody outside who was asked did not answer, refused, or answered what does not hold."""

    exit_code = 14
