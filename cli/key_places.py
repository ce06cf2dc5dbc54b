"""Where the private keys of a ledger lie, in words: for init, status and key.

Implements specs/cli.md (X-250). Looks at the key files and opens none: nobody is asked for a passphrase.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ledger.errors import KeyFileError
from ledger.event import next_key_commitment
from ledger.keys import COMING, KEY, NEXT, VARIABLE, KeyDirectory, environment_key

HERE, MISSING, WRONG, ELSEWHERE, ENVIRONMENT = "here", "missing", "wrong", "elsewhere", "environment"

_AHEAD = (
    "is the chain's next key, not its current one: restore the right one, or, "
    "where the chain went back behind a rotation, make that again with muniment key rotate --lost"
)
BOTH_HERE = "anyone with access to this disk has both keys, so the next key gives no protection"
TAKE_OFF = "run muniment key export-next FILE to move it to a USB stick or a safe"


def where(keys: KeyDirectory, ledger_id: str, public: str = "", commitment: str = "") -> dict[str, Any]:
    """Return where both keys lie.

    Args:
        keys: the keys' folder.
        ledger_id: the ledger.
        public: the key in force (hex), where the chain is known.
        commitment: the commitment to the next one.
    """
    return {
        "key": _key(keys, ledger_id, public, commitment),
        "next": _next(keys, ledger_id, commitment),
    }


def _key(keys: KeyDirectory, ledger_id: str, public: str, commitment: str) -> dict[str, Any]:
    path = keys.path_of(ledger_id)
    found: dict[str, Any] = {"path": str(path), "state": MISSING, "passphrase": False, "fault": None}
    try:
        if (ours := environment_key()) is not None and ours.public.hex() == public:
            return {**found, "state": ENVIRONMENT}
        stored = keys.stored(ledger_id, KEY)
        found |= {"state": HERE, "passphrase": stored.sealed}
        if public:
            keys.check(ledger_id, bytes.fromhex(public), commitment)
        if public not in ("", stored.public.hex()) and not keys.rotating(ledger_id):
            found |= {"state": WRONG, "fault": f"{path} {_AHEAD}"}
    except KeyFileError as error:
        found |= {"state": WRONG if _may_lie(path) else MISSING, "fault": str(error)}
    return found


def _may_lie(path: Path) -> bool:
    """Return whether a file is there, or in a folder that does not let us look."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def _next(keys: KeyDirectory, ledger_id: str, commitment: str) -> dict[str, Any]:
    path = keys.path_of(ledger_id, following=True)
    found: dict[str, Any] = {
        "path": str(path), "state": ELSEWHERE, "passphrase": False, "same_disk": False, "fault": None
    }  # fmt: skip
    for name in (NEXT, COMING):  # a rotation that was cut short has the next one under the other name
        try:
            stored = keys.stored(ledger_id, name)
        except KeyFileError as error:
            if name == NEXT and _may_lie(path):
                found |= {"state": WRONG, "fault": str(error)}
            continue
        if commitment and next_key_commitment(stored.public) != commitment:
            fault = f"{stored.path} is not the key that the chain committed to"
            found |= {} if name == COMING else {"state": WRONG, "fault": fault}
            continue
        same = stored.path.stat().st_dev == _device(keys.path_of(ledger_id))
        return {**found, "state": HERE, "passphrase": stored.sealed, "same_disk": same, "fault": None}
    return found


def _device(path: Path) -> int:
    try:
        return path.stat().st_dev
    except OSError:
        return path.parent.stat().st_dev


def key_said(found: dict[str, Any]) -> str:
    """Return where the key in use lies, as people read it."""
    if found["state"] == ENVIRONMENT:
        return f"in {VARIABLE}"
    if found["fault"]:
        return str(found["fault"])
    return f"{found['path']}{', under a passphrase' if found['passphrase'] else ''}"


def next_said(found: dict[str, Any]) -> str:
    """Return where the next key lies, as people read it."""
    if found["fault"]:
        return str(found["fault"])
    if found["state"] == ELSEWHERE:
        return "not here: a rotation needs it (muniment key import-next FILE)"
    disk = ", on the same disk as the key" if found["same_disk"] else ""
    return f"{found['path']}{disk}{', under a passphrase' if found['passphrase'] else ''}"


def next_advice(found: dict[str, Any]) -> list[str]:
    """Return what a person should know of a next key that lies beside the key; [] of one that does not."""
    return [BOTH_HERE, TAKE_OFF] if found["state"] == HERE and found["same_disk"] else []
