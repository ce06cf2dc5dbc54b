"""Where the private keys of a ledger lie, and whether they are the right ones.

Implements specs/cli.md (X-250). Looks at the key files and opens none: nobody is asked for a passphrase.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ledger.errors import KeyFileError
from ledger.event import next_key_commitment
from ledger.keys import COMING, KEY, NEXT, KeyDirectory, environment_key

HERE, MISSING, WRONG, ELSEWHERE, ENVIRONMENT = "here", "missing", "wrong", "elsewhere", "environment"

_AHEAD = (
    "is the chain's next key, not its current one: restore the right one, or, "
    "where the chain went back behind a rotation, make that again with muniment key rotate --lost"
)


class KeyPlace(NamedTuple):
    """Where one key lies or belongs, in which state, and what is wrong with it.

    `same_disk` says of the next key whether it lies on the disk of the current one.
    """

    path: Path
    state: str
    passphrase: bool = False
    same_disk: bool = False
    fault: str | None = None


class KeyPlaces(NamedTuple):
    """Where both keys of a ledger lie."""

    current: KeyPlace
    next: KeyPlace


def key_places(keys: KeyDirectory, ledger_id: str, public: str = "", commitment: str = "") -> KeyPlaces:
    """Return where both keys lie.

    Args:
        keys: the keys' folder.
        ledger_id: the ledger.
        public: the key in force (hex), where the chain is known.
        commitment: the commitment to the next one.
    """
    return KeyPlaces(_current(keys, ledger_id, public, commitment), _next(keys, ledger_id, commitment))


def _current(keys: KeyDirectory, ledger_id: str, public: str, commitment: str) -> KeyPlace:
    found = KeyPlace(keys.path_of(ledger_id), MISSING)
    try:
        if (ours := environment_key()) is not None and ours.public.hex() == public:
            return found._replace(state=ENVIRONMENT)
        stored = keys.stored(ledger_id, KEY)
        found = found._replace(state=HERE, passphrase=stored.sealed)
        if public:
            keys.check(ledger_id, bytes.fromhex(public), commitment)
        if public not in ("", stored.public.hex()) and not keys.rotating(ledger_id):
            found = found._replace(state=WRONG, fault=f"{found.path} {_AHEAD}")
    except KeyFileError as error:
        found = found._replace(state=WRONG if _may_lie(found.path) else MISSING, fault=str(error))
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


def _next(keys: KeyDirectory, ledger_id: str, commitment: str) -> KeyPlace:
    found = KeyPlace(keys.path_of(ledger_id, NEXT), ELSEWHERE)
    for name in (NEXT, COMING):  # a rotation that was cut short has the next one under the other name
        try:
            stored = keys.stored(ledger_id, name)
        except KeyFileError as error:
            if name == NEXT and _may_lie(found.path):
                found = found._replace(state=WRONG, fault=str(error))
            continue
        if commitment and next_key_commitment(stored.public) != commitment:
            if name == NEXT:
                fault = f"{stored.path} is not the key that the chain committed to"
                found = found._replace(state=WRONG, fault=fault)
            continue
        same = stored.path.stat().st_dev == _device(keys.path_of(ledger_id))
        return KeyPlace(found.path, HERE, stored.sealed, same)
    return found


def _device(path: Path) -> int:
    try:
        return path.stat().st_dev
    except OSError:
        return path.parent.stat().st_dev
