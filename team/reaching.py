"""Opens the transport of a team for a while.

Implements specs/team.md (TM-73).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from ledger.errors import OutsideError, UsageError
from ledger.extras import how_to_install
from transports.choose import MissingExtraError, opened
from transports.protocol import Transport, UnreachableError


class Connect(Protocol):
    """Returns the transport at an address; arguments and errors are those of `transports.choose.opened`."""

    def __call__(self, address: str, team: str, cache: Path, *, create: bool = False) -> Transport:
        """Return it; nothing is connected yet."""


@contextmanager
def reaching(
    address: str, team: str, folder: Path, *, create: bool = False, connect: Connect = opened
) -> Iterator[Transport]:
    """Yield the transport at an address, and close it.

    Args:
        address: as `transports.choose.opened` takes it.
        team: the team id.
        folder: the team's folder beside the chain; what the transport remembers lies in it.
        create: make a folder that does not exist, as founding and moving a team do. Otherwise a share that is not mounted
            would be taken for an empty one.
        connect: gives the transport.

    Raises:
        UsageError: the address means nothing, or needs an extra that is not installed.
        OutsideError: it cannot be reached, or refuses.
    """
    cache = folder / "transport" / hashlib.sha256(address.encode()).hexdigest()[:16]
    try:
        transport = connect(address, team, cache, create=create)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except MissingExtraError as error:
        raise UsageError(f"{error}: {how_to_install(error.extra)}") from None
    try:
        yield transport
    except UnreachableError as error:
        raise OutsideError(str(error)) from error
    finally:
        transport.close()
