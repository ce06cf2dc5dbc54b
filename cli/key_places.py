"""Where the private keys of a ledger lie, in words and as JSON: for status and key.

Implements specs/cli.md (X-250); `ledger.key_places` finds them.
"""

from __future__ import annotations

from typing import Any

from ledger.key_places import ELSEWHERE, ENVIRONMENT, HERE, KeyPlace, KeyPlaces
from ledger.keys import VARIABLE

BOTH_HERE = "anyone with access to this disk has both keys, so the next key gives no protection"
TAKE_OFF = "run muniment key export-next FILE to move it to a USB stick or a safe"


def places_json(found: KeyPlaces) -> dict[str, Any]:
    """Return where both keys lie as a JSON-ready object."""
    key, following = ({**each._asdict(), "path": str(each.path)} for each in found)
    del key["same_disk"]
    return {"key": key, "next": following}


def key_said(found: KeyPlace) -> str:
    """Return where the key in use lies, as people read it."""
    if found.state == ENVIRONMENT:
        return f"in {VARIABLE}"
    return found.fault or f"{found.path}{', under a passphrase' if found.passphrase else ''}"


def next_said(found: KeyPlace) -> str:
    """Return where the next key lies, as people read it."""
    if found.fault:
        return found.fault
    if found.state == ELSEWHERE:
        return "not here: a rotation needs it (muniment key import-next FILE)"
    disk = ", on the same disk as the key" if found.same_disk else ""
    return f"{found.path}{disk}{', under a passphrase' if found.passphrase else ''}"


def next_advice(found: KeyPlace) -> list[str]:
    """Return what a person should know of a next key that lies beside the key; [] of one that does not."""
    return [BOTH_HERE, TAKE_OFF] if found.state == HERE and found.same_disk else []
