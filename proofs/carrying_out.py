"""Carries out what an agent or a script asked for, once a person agreed.

Implements specs/cli.md (X-290) for the commands on a ledger; an uninstall is `agents.install`'s. Asks nobody.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from documents import reverting
from documents.reverting import Undone
from documents.scope import Scope
from ledger.archive import chain_of
from ledger.command import Written
from ledger.errors import UsageError
from ledger.event import By
from ledger.recovery import Recovered
from ledger.rotation import Rotated
from projections import requests
from projections.requests import ERASE, RECOVER, REVERT, ROTATE, Request

if TYPE_CHECKING:
    from proofs.erasing.erasures import Erasures
    from proofs.upkeep import Upkeep

Carried = Written | Undone | Rotated | Recovered
"""What came of an erase, a revert, a rotation of the key, or a recovery."""


def carry_out(
    request: Request, scope: Scope, erasures: Erasures, upkeep: Upkeep, by: By | None = None
) -> Carried:
    """Do what a person agreed to, and settle the request; one that fails still waits.

    Raises:
        UsageError: it is no command on a ledger; otherwise as the service that does it.
    """
    options, reason = request.options, f"asked for by {request.by}; a person agreed"
    done: Carried
    if request.verb == ERASE:
        done = erasures.erase(request.targets, reason, by, family=bool(options["family"]))
    elif request.verb == REVERT:
        done = reverting.revert(scope, request.targets, reason, by)
    elif request.verb == ROTATE:
        done = upkeep.rotate_key(by, lost=bool(options["lost"]), since=options["since"])
    elif request.verb == RECOVER:
        with chain_of(backup_of(request)) as copy:
            found = upkeep.examine(copy)
            found.question(backup_of(request))  # raises if there is nothing to decide
            done = upkeep.recover(reason, by, backup=copy, behind=bool(found.contradicted))
    else:
        raise UsageError(f"a request to {request.verb} is not carried out on the ledger")
    requests.settle(scope.workspace, request)
    return done


def backup_of(request: Request) -> Path | None:
    """Return the copy that a request to recover names."""
    return Path(request.options["backup"]) if request.options["backup"] else None
