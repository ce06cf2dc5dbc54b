"""Requests to join: our own, and those that came; each with the genesis whose key signs it.

Implements specs/team.md (TM-16, TM-18).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

from ledger import durable
from ledger.errors import NotFoundError, StateError
from ledger.named_tuple import NamedTuple
from team.first_event import first_event
from team.invitations import Invited
from transports.protocol import TakenError, Transport
from writers.join_request import JoinRequest, is_by_newcomer, is_invited, waiting
from writers.signatures import note_name
from writers.team_folder import TeamFolder

KIND = "join"


class Waiting(NamedTuple):
    """A request to join: under which name, and the invitation of ours that proves it, None if none does.

    The name is that of the invitation; of a request that none proves, what it says itself.
    """

    request: JoinRequest
    name: str
    invited: Invited | None


class Requests:
    """The requests of one team, in its folder."""

    def __init__(self, folder: TeamFolder) -> None:
        self._folder = folder

    def ask(self, data: bytes) -> None:
        """Note our own request, which the next exchange publishes."""
        self._keep(self._folder.genesis, data)

    def exchange(self, transport: Transport, secrets: Collection[bytes]) -> None:
        """Publish our own request, and fetch those of non-members that their chain signed.

        If there are many, those that one of the `secrets` proves come first.
        """
        own, members = self._folder.genesis, self._folder.membership().ids()
        path = self._folder.joins / own
        if path.is_file() and own not in members:
            data = path.read_bytes()
            with suppress(TakenError):  # by other bytes of the same beginning: not ours
                transport.put_note(KIND, note_name(own, data), data)
        notes = (data for _, data in transport.notes(KIND))
        for request, note, data in waiting(self._folder.settings.team, notes, secrets, members):
            event = first_event(transport, request.genesis)
            if event is not None and is_by_newcomer(request, note, bytes.fromhex(event["key"])):
                self._keep(note_name(request.genesis, data), data)

    def waiting(self, secrets: Mapping[bytes, Invited]) -> list[Waiting]:
        """Return the requests of others that wait, those that a secret of ours proves first."""
        found: dict[str, Waiting] = {}
        for each in self._folder.asking(self._folder.membership(), secrets):
            if each.genesis != self._folder.genesis:
                secret = next((secret for secret in secrets if is_invited(each, secret)), None)
                invited = secrets[secret] if secret else None
                asked = Waiting(each, invited.name if invited else each.name, invited)
                found.setdefault(each.genesis, asked)  # one that asked twice waits once
        return list(found.values())

    def _keep(self, name: str, data: bytes) -> None:
        durable.keep_file(self._folder.joins / name, data, "noting a request to join")


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
