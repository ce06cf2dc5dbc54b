"""Who belongs to the team: invite, see who asks, accept.

Implements specs/team.md (TM-12, TM-15…TM-19). A change is signed and kept here first, and published by a sync.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress

from ledger.errors import OutsideError, StateError, UsageError
from ledger.memory import SLUG
from ledger.named_tuple import NamedTuple
from projections.workspace import Workspace
from team.invitations import Invitations
from team.newcomers import Requests, Waiting, proved
from team.seal_keys import INVITED, SealKeys
from team.signed_rosters import sign_next
from transports.protocol import TakenError, Transport
from writers.invitation import Invitation, line_of
from writers.membership import Membership
from writers.roster import Member, admins_of
from writers.seal import invited_name, invited_note
from writers.team_folder import TeamFolder


class Accepted(NamedTuple):
    """Who was accepted, and why that could not be published yet, "" where it was."""

    member: Member
    fault: str = ""


class Members:
    """The members of one ledger's team.

    Args:
        workspace: the ledger.
        folder: what is known of its team.
        team: its id.
        keys: what its lines are sealed with.
        publish: exchanges everything with the transport; raises OutsideError where that cannot be reached.
        reach: gives the transport for a while; raises as `publish` does.
    """

    def __init__(
        self,
        workspace: Workspace,
        folder: TeamFolder,
        team: str,
        keys: SealKeys,
        *,
        publish: Callable[[], object],
        reach: Callable[[], AbstractContextManager[Transport]],
    ) -> None:
        self._workspace = workspace
        self._folder = folder
        self._keys = keys
        self._publish = publish
        self._reach = reach
        self._invitations = Invitations(folder.path)
        self._requests = Requests(folder.path, team)

    def all(self) -> Membership:
        """Return what holds in the team, after all rosters that are known here."""
        return self._folder.membership()

    def ids(self) -> list[str]:
        """Return the ids of all who are or were members."""
        return [each.genesis for each in self.all().members]

    # --- asking ---

    def ask(self, request: bytes) -> None:
        """Note our own request to join, which the next exchange publishes."""
        self._requests.ask(self._folder.genesis, request)

    def exchange_requests(self, transport: Transport) -> None:
        """Publish our own request and the team's key for who is invited, and take the requests of others."""
        secrets = self._invitations.secrets(self._workspace.clock())
        self._bring_key(transport, secrets)
        self._requests.exchange(transport, self._folder.genesis, self.ids(), tuple(secrets))

    def waiting(self) -> list[Waiting]:
        """Return the requests to join that came with the last sync."""
        secrets = self._invitations.secrets(self._workspace.clock())
        return self._requests.waiting(self.ids(), self._folder.genesis, secrets)

    # --- changing who belongs ---

    def invite(self, name: str) -> str:
        """Return the line by which another machine or person may join, and remember its secret for seven days.

        Raises:
            UsageError: the name is no slug, or the address cannot stand in a line.
            StateError: a member has this name, or this machine may not accept anybody, or has not got the team's key.
            OutsideError: the transport cannot be reached, which has to bring the team's key to who is invited.
        """
        settings = self._folder.settings
        if slug(name) in {each.name for each in self.all().members if each.until is None}:
            raise StateError(f"a member is named {name} already: give another name")
        self._check_admin()
        secret = self._invitations.new(name, self._workspace.clock())
        line = line_of(Invitation(settings.address, settings.team, settings.first, secret))
        if self._keys.is_sealed:
            if self._keys.current() is None:
                raise StateError("this machine has not got the team's key yet: run muniment team sync")
            with self._reach() as transport:
                transport.heads()  # some know only then what stands there
                self._bring_key(transport, [secret])
        return line

    def _bring_key(self, transport: Transport, secrets: Collection[bytes]) -> None:
        """Put the team's key for who knows one of our invitations' secrets, if it is not there (TM-62)."""
        if not secrets or (key := self._keys.current()) is None:
            return
        there = dict(transport.notes(INVITED))
        for secret in secrets:
            if (name := invited_name(secret)) not in there:
                with suppress(TakenError):  # another sync has put it meanwhile
                    transport.put_note(INVITED, name, invited_note(key, self._folder.settings.team, secret))

    def accept(self, name: str, fingerprint: str = "", *, role: str = "admin") -> Accepted:
        """Make who asked to join under a name a member, and publish that.

        Args:
            name: the name in the invitation, or in the request; with a fingerprint any, which the member has from then on.
            fingerprint: what a person compared; "" where an invitation made here proves the request.
            role: what the member may do.

        Raises:
            NotFoundError: nobody asks under this name.
            OutsideError: so far as is known here, and the transport cannot be reached.
            StateError: it is not plain who asks, they are a member, or this machine may not accept.
        """
        self._check_admin()
        if not self._asking(name, fingerprint):
            self._publish()
        if not (asking := self._asking(name, fingerprint)) and name in {
            each.name for each in self.all().members
        }:
            raise StateError(f"{name} is a member already: muniment team members shows who is")
        request, known_as, secret = proved(asking, name, fingerprint)
        member = Member(request.genesis, slug(name) if fingerprint else known_as, request.kind, role)
        before, newcomer = self.all(), {request.genesis: bytes.fromhex(request.key)}
        sign_next(
            self._workspace, self._folder, self._keys, before, [*before.members, member], newcomers=newcomer
        )
        if secret is not None:
            self._invitations.used(secret, self._workspace.clock())
        try:
            self._publish()
        except OutsideError as error:
            return Accepted(member, str(error))
        return Accepted(member)

    def _asking(self, name: str, fingerprint: str) -> list[Waiting]:
        return [
            each
            for each in self.waiting()
            if name in (each.name, each.request.name) or each.request.fingerprint == fingerprint
        ]

    def _check_admin(self) -> None:
        if self._folder.genesis not in admins_of(self.all().members):
            raise StateError("this machine is no admin of the team: ask one who is to do it")


def slug(name: str) -> str:
    """Return a member's name.

    Raises:
        UsageError: it is no slug.
    """
    if not SLUG.fullmatch(name):
        raise UsageError(f"the name {name!r} is no slug: use a-z, 0-9, . _ and -, at most 64")
    return name
