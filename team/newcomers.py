"""Requests to join: our own, and those that came; each with the genesis whose key signs it.

Implements specs/team.md (TM-16, TM-18).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from ledger import durable
from ledger.errors import FormatError, NotFoundError, StateError
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from team.first_event import first_event
from team.invitations import Invited
from transports.protocol import TakenError, Transport
from writers.join_request import MAX_WAITING, JoinRequest, is_by_newcomer, is_invited, request_of, waiting
from writers.team_folder import JOINS

KIND = "join"
_DIGITS = 12


class Waiting(NamedTuple):
    """A request to join: under which name, and the invitation of ours that proves it, None if none does.

    The name is that of the invitation; of a request that none proves, what it says itself.
    """

    request: JoinRequest
    name: str
    invited: Invited | None


class Requests:
    """The requests of one team, in its folder."""

    def __init__(self, folder: Path, team: str) -> None:
        self._folder = folder / JOINS
        self._team = team

    def ask(self, genesis: str, data: bytes) -> None:
        """Note our own request, which the next exchange publishes."""
        self._keep(genesis, data)

    def exchange(
        self, transport: Transport, own: str, members: Collection[str], secrets: Collection[bytes]
    ) -> None:
        """Publish our own request, and fetch those of non-members that their chain signed.

        If there are many, those that one of the `secrets` proves come first.
        """
        path = self._folder / own
        if path.is_file() and own not in members:
            data = path.read_bytes()
            with suppress(TakenError):  # by other bytes of the same beginning: not ours
                transport.put_note(KIND, _name(own, data), data)
        for request, note, data in self._offered(transport, members, secrets):
            event = first_event(transport, request.genesis)
            if event is not None and is_by_newcomer(request, note, bytes.fromhex(event["key"])):
                self._keep(_name(request.genesis, data), data)

    def _offered(
        self, transport: Transport, members: Collection[str], secrets: Collection[bytes]
    ) -> list[tuple[JoinRequest, Note, bytes]]:
        found = []
        for _, data in transport.notes(KIND):
            with suppress(FormatError):
                request, note = request_of(data)
                if request.genesis not in members and request.team == self._team:
                    found.append((request, note, data))
        found.sort(key=lambda each: not any(is_invited(each[0], secret) for secret in secrets))
        return found[:MAX_WAITING]

    def waiting(self, members: Collection[str], own: str, secrets: Mapping[bytes, Invited]) -> list[Waiting]:
        """Return the requests that wait, those that a secret of ours proves first."""
        paths = sorted(path for path in self._folder.glob("*") if path.is_file())
        found: dict[str, Waiting] = {}
        for each in waiting(self._team, (path.read_bytes() for path in paths), list(secrets)):
            if each.genesis not in members and each.genesis != own:
                secret = next((secret for secret in secrets if is_invited(each, secret)), None)
                invited = secrets[secret] if secret else None
                asked = Waiting(each, invited.name if invited else each.name, invited)
                found.setdefault(each.genesis, asked)  # one that asked twice waits once
        return list(found.values())

    def _keep(self, name: str, data: bytes) -> None:
        path = self._folder / name
        durable.keep_file(path, data, "noting a request to join")


def proved(asking: Collection[Waiting], name: str, fingerprint: str) -> Waiting:
    """Return the one of those who ask under a name that an invitation proves, or a fingerprint, "" if none is given (TM-19).

    Raises:
        NotFoundError: nobody asks.
        StateError: it is not plain who asks.
    """
    if not asking:
        raise NotFoundError(
            f"nobody asks to join as {name}: run muniment team join there with the line of muniment team invite {name}"
        )
    found = [
        each
        for each in asking
        if (each.request.fingerprint == fingerprint if fingerprint else each.invited is not None)
    ]
    if len(found) == 1:
        return found[0]
    prints = ", ".join(each.request.fingerprint for each in asking)
    if fingerprint:
        raise StateError(
            f"nobody who asks as {name} has the fingerprint {fingerprint}, but {prints}: it is another machine"
        )
    raise StateError(
        f"no invitation made on this machine proves who asks as {name} ({prints}): compare that with what muniment team join "
        "showed there, and give it with --fingerprint"
    )


def _name(genesis: str, data: bytes) -> str:
    """Return under which name a request travels: one machine may ask again, with another invitation."""
    return f"{genesis}.{hashlib.sha256(data).hexdigest()[:_DIGITS]}"
