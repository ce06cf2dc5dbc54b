"""Who belongs to the team: invite, accept, remove, change roles and policies, sign.

Implements specs/team.md (TM-12, TM-14…TM-19, TM-24). A change is signed and kept here first, and published by a sync.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, suppress

from ledger import reader
from ledger.errors import NotFoundError, OutsideError, StateError, UsageError
from ledger.memory import SLUG
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from projections.workspace import Workspace
from team.invitations import Invitations, Invited
from team.newcomers import Requests, Waiting, proved
from team.roster_difference import differences
from team.seal_keys import INVITED, SealKeys
from team.signed_rosters import NOBODY, RosterSigner, signing_key
from transports.protocol import TakenError, Transport
from writers.counted import label_of
from writers.invitation import Invitation, line_of
from writers.membership import Membership
from writers.roster import NEVER, Member, Roster, admins_of
from writers.seal import invited_name, invited_note
from writers.signatures import is_signed
from writers.team_folder import TeamFolder


class Changed(NamedTuple):
    """What a change of the team did.

    Attributes:
        member: to which member.
        lacks: which signatures it lacks.
        fault: why it could not be published yet.
        void: how many changes that waited for signatures can no longer count.
    """

    member: Member | None
    lacks: str = ""
    fault: str = ""
    void: int = 0


class PendingChange(NamedTuple):
    """A roster that waits for signatures, in its note: which it lacks, and what it would change."""

    roster: Roster
    note: Note
    lacks: str
    changes: tuple[str, ...]


class VoidChange(NamedTuple):
    """A roster that waited for signatures and no longer counts, since the team changed; and what it would have changed."""

    roster: Roster
    changes: tuple[str, ...]


class Members:
    """The members of one ledger's team.

    Args:
        workspace: the ledger.
        folder: what is known of its team.
        keys: what its lines are sealed with.
        signer: signs its rosters.
        publish: exchanges everything with the transport; raises OutsideError where that cannot be reached.
        reach: gives the transport for a while; raises as `publish` does.
    """

    def __init__(
        self,
        workspace: Workspace,
        folder: TeamFolder,
        keys: SealKeys,
        signer: RosterSigner,
        *,
        publish: Callable[[], object],
        reach: Callable[[], AbstractContextManager[Transport]],
    ) -> None:
        self._workspace = workspace
        self._folder = folder
        self._keys = keys
        self._signer = signer
        self._publish = publish
        self._reach = reach
        self._invitations = Invitations(folder.path)
        self._requests = Requests(folder)

    def all(self) -> Membership:
        """Return what holds in the team, after all rosters that are known here."""
        return self._folder.membership()

    # --- asking ---

    def ask(self, request: bytes) -> None:
        """Note our own request to join, which the next exchange publishes."""
        self._requests.ask(request)

    def exchange_requests(self, transport: Transport) -> None:
        """Publish our own request and the team's key for who is invited, and take the requests of others."""
        secrets = self._invitations.secrets(self._workspace.clock())
        self._bring_key(transport, secrets)
        self._requests.exchange(transport, secrets)

    def waiting(self) -> list[Waiting]:
        """Return the requests to join that came with the last sync."""
        return self._requests.waiting(self._invitations.secrets(self._workspace.clock()))

    # --- changing who belongs ---

    def invite(self, name: str, role: str = "writer", kind: str = "person") -> str:
        """Return the line by which another machine or person may join, and remember its secret for seven days.

        Args:
            name: how they are called in the team.
            role: with which role they are accepted.
            kind: whether it is a person's machine or an agent's.

        Raises:
            UsageError: the name is not a slug, or the address cannot be part of a line.
            StateError: a member has this name, or this machine may not accept anybody, or lacks the team's key.
            OutsideError: the transport cannot be reached, which has to bring the team's key to who is invited.
        """
        settings = self._folder.settings
        if slug(name) in {each.name for each in self.all().members if each.until is None}:
            raise StateError(f"a member is named {name} already: give another name")
        self._check_admin()
        secret = self._invitations.new(name, role, kind, self._workspace.clock())
        line = line_of(Invitation(settings.address, settings.team, settings.first, secret))
        if self._keys.is_sealed:
            if self._keys.current() is None:
                raise StateError("this machine does not have the team's key yet: run muniment team sync")
            with self._reach() as transport:
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

    def accept(self, name: str, fingerprint: str = "", *, role: str = "", kind: str = "") -> Changed:
        """Make who asked to join under a name a member, and publish that.

        Args:
            name: the name in the invitation, or in the request; with a fingerprint any, which the member has from then on.
            fingerprint: what a person compared; "" if an invitation made here proves the request.
            role: what the member may do; by default what the invitation says, else writer.
            kind: the same for the kind, which is the request's else.

        Raises:
            NotFoundError: nobody asks under this name.
            OutsideError: so far as is known here, and the transport cannot be reached.
            StateError: it is not plain who asks, they are a member, or this machine may not accept.
        """
        self._catch_up(needed=not self._asking(name, fingerprint))
        if not (asking := self._asking(name, fingerprint)) and name in {
            each.name for each in self.all().members
        }:
            self._check_counts(self.member(name))
            raise StateError(f"{name} is a member already: see muniment team members")
        request, known_as, invited = proved(asking, name, fingerprint)
        member = Member(
            request.genesis,
            slug(name) if fingerprint else known_as,
            kind or (invited.kind if invited else request.kind),
            role or (invited.role if invited else "writer"),
        )
        before = self.all()
        after = before._replace(members=(*before.members, member))
        return self._change(after, member, invited, {request.genesis: bytes.fromhex(request.key)})

    def remove(self, name: str, until: int | None = None) -> Changed:
        """End a membership, by place (TM-14).

        Args:
            name: who, as `member` takes it.
            until: the seq of the last event that counts; by default the newest that can be fetched. -1: none counts.

        Raises:
            NotFoundError: no member has this name, or their chain has no event with that seq here.
            StateError: it ended already, too few admins would be left, or this machine is not an admin.
        """
        self._catch_up()
        member = self.member(name)
        if member.until is not None and until is None:
            raise StateError(
                f"{name} is no longer a member: give --last or --stolen to end it at another event"
            )
        own = member.genesis == self._folder.genesis
        last = until
        if last is None:
            newest = self._folder.copies().next(member.genesis) - 1
            last = self._workspace.index.position() if own else newest
        place = NEVER
        if last >= 0:
            path = self._folder.path_of(member.genesis)
            id_ = reader.id_at(path, last) if path.exists() else ""
            if not id_:
                raise NotFoundError(f"the chain of {name} has no event @{last} here: run muniment team sync")
            place = (last, id_)
        return self._replace(member._replace(until=place))

    def set_role(self, name: str, role: str) -> Changed:
        """Return a member another role.

        Raises:
            NotFoundError: no member has this name.
            StateError: their membership ended, too few admins would be left, or this machine is not an admin.
        """
        self._catch_up()
        member = self.member(name)
        self._check_counts(member)
        return self._replace(member._replace(role=role))

    def set_policy(self, agents: str = "", threshold: int = 0) -> Changed:
        """Change what members of kind agent write, or how many admins sign the next roster; "" and 0 leave it.

        Raises:
            StateError: there are fewer admins, or this machine is none.
        """
        self._catch_up()
        before = self.all()
        return self._change(
            before._replace(agents=agents or before.agents, threshold=threshold or before.threshold)
        )

    def pending(self) -> list[PendingChange]:
        """Return the rosters that wait for more signatures, and what each would change."""
        now = self.all()
        faults, rosters = dict(now.refused), self._folder.read_rosters()
        return [
            PendingChange(roster, note, faults[digest], tuple(differences(now, roster)))
            for digest in now.pending
            for roster, note in [rosters[digest]]
        ]

    def void(self) -> list[VoidChange]:
        """Return the rosters that waited when the newest one came, and what of each does not hold now."""
        now = self.all()
        found = []
        for roster in self._folder.rosters_named(now.void):
            before = self._folder.rosters_named(roster.prev)[0]
            changes = set(differences(before, roster)).intersection(differences(now, roster))
            if changes:
                found.append(VoidChange(roster, tuple(sorted(changes))))
        return found

    def sign(self, digits: str = "") -> Changed:
        """Sign a roster that waits.

        Args:
            digits: the first of its hash; "" where only one waits.

        Raises:
            NotFoundError: none waits, or none that begins so.
            StateError: several do, this machine signed it, or may not.
        """
        self._check_admin()
        if not (found := [each for each in self.pending() if each.roster.hash.startswith(digits)]):
            raise NotFoundError("no change of the team waits for a signature: see muniment team members")
        if len(found) > 1:
            named = ", ".join(each.roster.hash[:8] for each in found)
            raise StateError(
                f"several changes wait ({named}): choose one with muniment team members sign HASH"
            )
        roster, note, *_ = found[0]
        if is_signed(note, self._folder.genesis, signing_key(self._workspace).public):
            raise StateError("this machine signed it already: another admin must sign")
        before = self.all()
        self._signer.sign(roster, note.signatures)
        return self._published(roster, before)

    def member(self, name: str) -> Member:
        """Return the member with this name, or this label, as desk or desk/3f9c12ab.

        Raises:
            NotFoundError: nobody is called so.
            StateError: several are.
        """
        called, _, digits = name.partition("/")
        found = [
            each for each in self.all().members if each.name == called and each.genesis.startswith(digits)
        ]
        found = [each for each in found if each.until is None] or found
        if not found:
            raise NotFoundError(f"nobody in the team is called {name}: see muniment team members")
        if len(found) > 1:
            named = ", ".join(label_of(each.name, each.genesis) for each in found)
            raise StateError(f"{name} is {named}: say which")
        return found[0]

    def _replace(self, member: Member) -> Changed:
        before = self.all()
        others = [each for each in before.members if each.genesis != member.genesis]
        return self._change(before._replace(members=(*others, member)), member)

    def _change(
        self,
        after: Membership,
        member: Member | None = None,
        invited: Invited | None = None,
        newcomers: Mapping[str, bytes] = NOBODY,
    ) -> Changed:
        before = self.all()
        roster = self._signer.sign_next(before, after, newcomers)
        if invited is not None:
            self._invitations.used(bytes.fromhex(invited.secret), self._workspace.clock())
        return self._published(roster, before, member)

    def _published(self, roster: Roster, before: Membership, member: Member | None = None) -> Changed:
        fault = ""
        try:
            self._publish()
        except OutsideError as error:
            fault = str(error)
        now = self.all()
        lacks = dict(now.refused)[roster.hash] if roster.hash in now.pending else ""
        void = {*before.pending} - {*now.pending, roster.hash}
        return Changed(member, lacks, fault, len(void))

    def _asking(self, name: str, fingerprint: str) -> list[Waiting]:
        return [
            each
            for each in self.waiting()
            if name in (each.name, each.request.name) or each.request.fingerprint == fingerprint
        ]

    def _catch_up(self, *, needed: bool = False) -> None:
        """Take what others changed and wrote, where that can be reached, so that one roster follows the other (TM-13).

        Raises:
            StateError: this machine is not an admin, or is none any more.
            OutsideError: the transport cannot be reached, and is `needed`.
        """
        self._check_admin()
        try:
            self._publish()
        except OutsideError:
            if needed:
                raise
        self._check_admin()

    def _check_counts(self, member: Member) -> None:
        if member.until is not None:
            raise StateError(
                f"{label_of(member.name, member.genesis)} is no longer a member, and that chain cannot come back: "
                "invite another machine, or accept the new chain of one that rejoined"
            )

    def _check_admin(self) -> None:
        if self._folder.genesis not in admins_of(self.all().members):
            raise StateError("this machine is not an admin of the team: ask an admin to do it")


def slug(name: str) -> str:
    """Return a member's name.

    Raises:
        UsageError: it is not a slug.
    """
    if not SLUG.fullmatch(name):
        raise UsageError(f"the name {name!r} is not a slug: use a-z, 0-9, . _ and -, at most 64")
    return name
