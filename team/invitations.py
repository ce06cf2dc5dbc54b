"""The invitations that this machine made: who is expected, and by which secret they prove it.

Implements specs/team.md (TM-17, TM-19). They never leave the machine but in the line that a person passes on.
"""

from __future__ import annotations

import os
from pathlib import Path

import orjson

from ledger import durable
from ledger.errors import StorageError
from ledger.instant import DAY
from ledger.named_tuple import NamedTuple
from writers.invitation import SECRET_BYTES

FILE = "invitations.json"
LIVES = 7 * DAY
"""Microseconds after which an invitation expires."""


class Invited(NamedTuple):
    """Who is expected: under which name, with which role and kind they are accepted, by which secret, and since when (µs)."""

    name: str
    role: str
    kind: str
    secret: str
    made: int


class Invitations:
    """The invitations of one team, in a file of its folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def new(self, name: str, role: str, kind: str, now: int) -> bytes:
        """Return a new secret, remembered with who is expected and the instant (µs)."""
        secret = os.urandom(SECRET_BYTES)
        self._write([*self._standing(now), Invited(name, role, kind, secret.hex(), now)])
        return secret

    def secrets(self, now: int) -> dict[bytes, Invited]:
        """Return the secrets that count at an instant (µs), each with who is expected."""
        return {bytes.fromhex(each.secret): each for each in self._standing(now)}

    def used(self, secret: bytes, now: int) -> None:
        """Forget a secret: it counts once."""
        self._write([each for each in self._standing(now) if each.secret != secret.hex()])

    def _standing(self, now: int) -> list[Invited]:
        try:
            rows = orjson.loads(durable.read_file(self._path))
            every = [Invited(*row) for row in rows]
            started = [each for each in every if now - LIVES < int(each.made)]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(f"{self._path} cannot be read ({error}): delete it and invite again") from None
        return started

    def _write(self, every: list[Invited]) -> None:
        durable.keep_file(
            self._path, orjson.dumps([list(each) for each in every]) + b"\n", "noting an invitation"
        )
