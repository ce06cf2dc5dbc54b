"""The team of one ledger: create it, ask to join it, exchange; `members` manages the members.

Implements specs/team.md (TM-12, TM-18, TM-71). Everything is done here first and published by a sync, so a
unreachable transport blocks nothing, and the next sync completes a run that died.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from documents.scope import Scope
from ledger.command import Supersede, Written
from ledger.errors import KeyFileError, NotFoundError, OutsideError, StateError, StorageError
from ledger.fold import Entry
from ledger.founding import identity_of
from ledger.location import is_joining
from ledger.steps import reached
from projections.binding import keep_out_of_git
from projections.rivals import rivals
from projections.turns import takes_turns
from team.agent_requests import publish_requests
from team.chain_states import ChainState, chain_states
from team.exchanging import exchange, was_removed
from team.fork_notes import ForkNotes, other_lines
from team.holders import Holder, HolderReceipts
from team.last_sync import LastSync, last_sync, note
from team.member_list import Members, slug
from team.reaching import Connect, reaching
from team.seal_keys import INVITED, SealKeys
from team.sealed_transport import SealedTransport
from team.signed_rosters import RosterSigner, first_key, signing_key
from team.syncing import Exchanged, own_chain_there
from transports.choose import opened
from writers.counted import TEAM_FOLDER, label_of
from writers.invitation import Invitation
from writers.join_request import requested
from writers.roster import Member
from writers.team_folder import SETTINGS, Settings, TeamFolder


class TeamSummary(NamedTuple):
    """Where a team is, how many members it has, and whether this machine is one.

    Counted are also who waits to be accepted, and the memories in conflict.
    """

    address: str
    members: int
    member: bool
    waiting: int
    conflicts: int
    last_sync: LastSync | None


def summary_of(scope: Scope) -> TeamSummary | None:
    """Return what is known here of a ledger's team, None if there is none; the address is not asked."""
    directory = scope.workspace.place.directory
    if not (directory / TEAM_FOLDER / SETTINGS).exists():
        return None
    team = Team(scope)
    return TeamSummary(
        team.settings.address,
        sum(each.until is None for each in team.members.all().members),
        team.is_member,
        len(team.members.waiting()),
        len(team.conflicts()),
        last_sync(directory),
    )


@takes_turns
class Team:
    """One ledger's team.

    Args:
        scope: the ledger, which must stand.
        connect: gives the transport at an address.
    """

    def __init__(self, scope: Scope, connect: Connect = opened) -> None:
        self._scope = scope
        self._connect = connect
        self._workspace = scope.workspace
        self.turn = scope.workspace.turn
        self.identity, self.genesis = identity_of(self._workspace.chain)
        self.folder = TeamFolder(self._workspace.place.directory, self._workspace.state, self.genesis)
        self.keys = SealKeys(
            self.folder,
            self._workspace.state.seals_of(self.identity.id),
            lambda: signing_key(self._workspace),
        )
        self.signer = RosterSigner(self._workspace, self.folder, self.keys)
        self._receipts = HolderReceipts(self.folder, self._workspace)
        self.members = Members(
            self._workspace,
            self.folder,
            self.keys,
            self.signer,
            publish=self.sync,
            reach=lambda: self._transport(self.settings.address),
        )

    @property
    def settings(self) -> Settings:
        """Where the team is; raises as `TeamFolder.settings` does."""
        return self.folder.settings

    # --- founding and joining ---

    def init(self, address: str, name: str = "", agents: str = "waits", *, sealed: bool = True) -> Exchanged:
        """Make a team of this one machine, and publish what it knows.

        Args:
            address: where the transport is, as `transports.choose.opened` takes it.
            name: this machine's or person's; the writer's own by default.
            agents: whether what members of kind agent write `stands` or `waits` for a person (TM-24).
            sealed: whether the transport's host may not read what travels.

        Raises:
            StateError: the ledger has a team.
            UsageError: the address is invalid, or the name is not a slug.
            OutsideError: the transport cannot be reached; nothing was noted.
        """
        if self.folder.exists:
            raise StateError(
                f"this memory has a team already, at {self.settings.address}: see muniment team status"
            )
        me = Member(self.genesis, slug(name or self._workspace.by.name), "person", "admin")
        keep_out_of_git(self._workspace.home)
        with self._transport(address, create=True) as transport:
            transport.heads()  # whether it answers, before anything is noted
            first = self.signer.sign_first(me, agents, sealed=sealed)
            reached("team.signed")
            self.folder.settle(Settings(self.identity.id, first, transport.address))
        return self.sync()

    def move(self, address: str) -> Exchanged:
        """Exchange through another transport from now on, and put there whatever it lacks; the old one keeps what it has.

        Each machine moves separately; meanwhile, a machine that knows both addresses passes on what the others wrote.

        Raises:
            UsageError: the address means nothing.
            OutsideError: it cannot be reached; nothing was changed.
        """
        with self._transport(address, create=True) as transport:
            transport.heads()
            self.folder.settle(self.settings._replace(address=transport.address))
        return self.sync()

    def ask(self, invitation: Invitation, name: str = "") -> Exchanged:
        """Pin the team of an invitation, publish our request to join it, and take what it knows.

        If its lines are sealed and no key came with the invitation, nothing can be read before this machine is accepted
        (`keys.is_awaited`), and the same call continues then. In a project that is joined, its documents are read once all
        memories of the team are known, so that their entries are recognised.

        Args:
            invitation: what the line says.
            name: this machine's or person's; the writer's own by default.

        Raises:
            StateError: the ledger has another team, is another memory's, its key was rotated, or this machine is a member.
            UsageError: the name is not a slug.
            OutsideError: the transport cannot be reached, or lacks the founder's chain; what was done is kept, and the same
                call continues.
        """
        self._check_invitation(invitation)
        own = slug(name or self._workspace.by.name)
        is_member = self.folder.exists and self.is_member  # who has not got the team's key yet
        data = (
            b""
            if is_member
            else requested(invitation, self.genesis, own, "person", first_key(self._workspace))
        )
        with self._transport(invitation.address) as transport:  # nothing is connected: as people may see it
            settings = Settings(invitation.team, invitation.first, transport.address)
        self.folder.settle(settings)
        reached("team.settled")
        if data:
            self.members.ask(data)
        reached("team.asked")
        self._workspace.check_standing()
        self._workspace.ledger.finish_erasures()  # as `sync` does
        done = self._exchanged(invitation.secret)
        reached("team.exchanged")
        if self.keys.is_awaited:
            done.findings.clear()  # that nothing can be read yet
            return done
        if not self.members.all().members:
            raise OutsideError(
                f"{self.settings.address} lacks a part of the team, so memories cannot be read here: run muniment team sync "
                "on the machine that made it, then this again"
            )
        self._scope.documents.join()
        self._scope.documents.bring_up_to_date()
        return done

    def _check_invitation(self, invitation: Invitation) -> None:
        if invitation.team != self.identity.id:
            raise StateError(
                f"the invitation is to the memory {invitation.team[:8]}, and this one is {self.identity.id[:8]}: "
                "run muniment team join where that memory belongs"
            )
        if not self.folder.exists:
            return
        if self.settings.first != invitation.first:
            raise StateError(
                f"this memory has another team, at {self.settings.address}: see muniment team status"
            )
        if was_removed(self.members.all(), self.genesis):
            raise StateError(
                "this machine was removed from that team, and its chain cannot come back: run muniment team rejoin to ask for a "
                "membership with a new chain"
            )
        if self.is_member and self.keys.may_send and not is_joining(self._workspace.place.directory):
            raise StateError(
                f"this machine is a member of that team already, as {self.label}: run muniment team sync to fetch what is new"
            )

    @property
    def fingerprint(self) -> str:
        """What a person compares who accepts this machine (TM-19)."""
        return self.genesis[:16]

    @property
    def is_member(self) -> bool:
        """Whether this machine's own events count for the others."""
        return self.genesis in self.members.all().ids()

    @property
    def label(self) -> str:
        """How this machine is shown: its name in the team, and the first digits of its id (TM-2)."""
        names = {each.genesis: each.name for each in self.members.all().members}
        return label_of(names.get(self.genesis, self._workspace.by.name), self.genesis)

    # --- conflicts ---

    def conflicts(self) -> list[tuple[Entry, ...]]:
        """Return the memories in conflict, because machines changed one without knowing of each other (TM-31)."""
        return rivals(self._workspace.index)

    def resolve(self, id_: str, text: str = "") -> Written:
        """Let one memory take the place of all that are in conflict with each other (TM-32).

        Args:
            id_: the full id of one of them.
            text: what the new one says; what that one says by default.

        Raises:
            NotFoundError: it is in conflict with nothing.
        """
        group = next((group for group in self.conflicts() if id_ in {each.id for each in group}), None)
        if group is None:
            raise NotFoundError(f"{id_[:12]} has no conflict: run muniment team status to list conflicts")
        chosen = next(each for each in group if each.id == id_)
        memory = chosen.memory.with_changes(text=text) if text else chosen.memory
        command = Supersede(tuple(each.id for each in group), memory, reason="resolves a conflict")
        return self._scope.write([command])[0]

    # --- exchanging ---

    def sync(self) -> Exchanged:
        """Exchange everything with the transport once, and bring index and documents up to date.

        Raises:
            OutsideError: the transport cannot be reached.
        """
        self._workspace.check_standing()
        self._scope.documents.take_in([])
        self._workspace.ledger.finish_erasures()  # of a process that died: it acknowledges what that wrote
        publish_requests(self._workspace)
        done = self._exchanged()
        self._scope.documents.bring_up_to_date()
        self._send_receipts(done)
        return done

    def _exchanged(self, secret: bytes = b"") -> Exchanged:
        directory, now = self._workspace.place.directory, self._workspace.clock()
        try:
            done = self._exchange(secret)
        except (OutsideError, StorageError) as error:
            note(directory, LastSync(now, fault=str(error)))
            raise
        note(directory, LastSync(now, done.sent, done.received, tuple(done.findings)))
        return done

    def _exchange(self, secret: bytes) -> Exchanged:
        with self._transport(self.settings.address) as transport:
            if secret:
                self.keys.take_invited(transport.notes(INVITED), self.identity.id, secret)
            done = exchange(transport, self._workspace, self.folder, self._own_next(), self.members)
            if self.is_member and transport.may_send:
                done.unsaid = self._receipts.missing(transport)
        done.findings += [self.keys.fault] if self.keys.fault else []
        return done

    def _send_receipts(self, done: Exchanged) -> None:
        """Sign what is gone here, once our own pages are clean of it; otherwise a later sync does (TM-64)."""
        if done.unsaid and self._receipts.may_send:
            with suppress(KeyFileError, OutsideError), self._transport(self.settings.address) as transport:
                self._receipts.send(transport, done.unsaid, done.residue)

    def holders(self, erase: str) -> list[Holder]:
        """Return who of the team has gone what an erase event took, as the receipts at the transport say (TM-64).

        Raises:
            OutsideError: the transport cannot be reached.
        """
        with self._transport(self.settings.address) as transport:
            return self._receipts.holders(transport, erase)

    def chains(self) -> tuple[list[ChainState], str]:
        """Ask the transport how far each chain of the team is there and here; our own first, then by name.

        Returns:
            The chains, and one sentence about how the transport keeps them, or "".

        Raises:
            OutsideError: the transport cannot be reached.
        """
        with self._transport(self.settings.address) as transport:
            heads = transport.heads()
            return self._states(heads), transport.remark

    @contextmanager
    def listening(self) -> Iterator[Callable[[float], bool]]:
        """Yield `wait` of the transport (see `transports.protocol`)."""
        with self._transport(self.settings.address) as transport:
            yield transport.wait

    def lines_of_ours(self, have: int) -> Path | None:
        """Return the file with all that the transport holds of our own chain, None if that is at most `have` events.

        Raises:
            OutsideError: the transport cannot be reached.
        """
        with self._transport(self.settings.address) as transport:
            there = transport.heads().get(self.genesis, 0)
            return own_chain_there(transport, self.folder, there) if there > have else None

    def other_history(self) -> list[tuple[int, bytes]]:
        """Return the lines, each with its seq, that the transport has of our own chain and we have not; prove the fork (TM-40).

        Raises:
            OutsideError: the transport cannot be reached.
        """
        with self._transport(self.settings.address) as transport:
            ForkNotes(self.folder).prove(transport, self.genesis, self._workspace.chain)
            return list(other_lines(transport, self.genesis, self._workspace.chain))

    def chains_here(self) -> list[ChainState]:
        """Return what `chains` does without the transport, which is asked nothing."""
        return self._states(None)

    def _states(self, heads: Mapping[str, int] | None) -> list[ChainState]:
        return chain_states(self.members.all(), self.folder, self._own_next(), self._workspace.by.name, heads)

    def _own_next(self) -> int:
        mark = self._workspace.state.mark_of(self.identity.id).read()
        return mark.seq + 1 if mark else 0

    @contextmanager
    def _transport(self, address: str, *, create: bool = False) -> Iterator[SealedTransport]:
        with reaching(
            address, self.identity.id, self.folder.path, create=create, connect=self._connect
        ) as transport:
            yield SealedTransport(transport, self.identity.id, self.keys)
