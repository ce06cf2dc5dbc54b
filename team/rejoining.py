"""Leaves a chain that forked, or whose membership ended: a new chain takes its place and says again what it said since.

Implements specs/team.md (TM-41). Order, so that a run that dies is completed by the next: the new chain and its keys are
made beside; what is to be said is noted; under the lock of the old chain, which is kept beside, the new one takes its
place; keys, mark and pin follow. From there on only `finish` is left: the old chain becomes a copy up to the fork, what
was noted is said, and the machine asks to join.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress

from documents.scope import Scope
from ledger import durable, founding
from ledger.check import LineChecker
from ledger.errors import LedgerExistsError, OutsideError, StateError
from ledger.keys import COMING, KEY, NEXT, KeyDirectory
from ledger.mark import Pin, StateDirectory
from ledger.named_tuple import NamedTuple
from ledger.steps import reached
from ledger.tail import ChainTip
from team.fork_notes import keys_of_both
from team.member_list import PendingChange
from team.restatement import Said, other_branch, own_branch, said_of, say
from team.second_machine import taken_as_copy, uninvited
from team.syncing import OWN_THERE, Exchanged
from team.team import Team
from writers.chain_keys import newest_key
from writers.roster import admins_of
from writers.team_folder import TeamFolder

_FOLDER = "rejoin"
_PLAN, _OLD = "plan.json", "old-chain.jsonl"


class _Plan(NamedTuple):
    """The old chain, its name in the team, the first seq that does not count, how many events it had, and what is to be said."""

    chain: str
    name: str
    first: int
    events: int
    said: list[Said]


class Rejoined(NamedTuple):
    """What a rejoin did: how much was said again, how much of it could not be, what the sync found, and why it failed, or ""."""

    said: int
    unsaid: int
    findings: list[str]
    fault: str


class Rejoining:
    """One machine's way out of a chain that no longer counts from some event on.

    Args:
        scope: the ledger: `begin` and `finish` each take a freshly opened one.
        team: its team.
    """

    def __init__(self, scope: Scope, team: Team) -> None:
        self._scope = scope
        self._team = team
        self._workspace = scope.workspace
        self._folder = team.folder.path / _FOLDER
        self._home = scope.workspace.home

    def begin(self) -> None:
        """Put a new chain in the place of the old one; nothing is done if a run that died has done so.

        Raises:
            StateError: the old one counts to its end.
            OutsideError: the transport cannot be reached, which holds the other branch.
        """
        plan = self._noted()
        if plan is None or plan.chain == self._team.genesis:
            self._team.sync()
            _first_lost(self._team.folder)
            self._make()
            self._sign_heir()
            while not self._placed(self._planned()):
                continue
        self._settle()

    def finish(self) -> Rejoined:
        """Write the noted events again, and ask to join; a sync publishes that if the transport cannot be reached."""
        plan = self._noted()
        if plan is None:
            raise StateError("there is nothing to finish: run muniment team rejoin")
        folder = self._team.folder
        taken_as_copy(folder.copies(), plan.chain, self._folder / _OLD, plan.first)
        folder.membership()
        unsaid = sum(not say(self._workspace, each) for each in plan.said)
        reached("rejoin.said")
        changes = self._signed(self._team.genesis)
        for change in changes:
            self._team.signer.sign(change.roster, change.note.signatures)
        findings, fault = list[str](), ""
        try:
            findings = self._asked(plan, is_signed=bool(changes)).findings
        except OutsideError as error:  # the request is noted by then
            self._scope.documents.bring_up_to_date()
            fault = str(error)
        (folder.path / OWN_THERE).unlink(missing_ok=True)
        shutil.rmtree(self._keys.path, ignore_errors=True)
        shutil.rmtree(self._folder, ignore_errors=True)
        return Rejoined(len(plan.said), unsaid, findings, fault)

    def _asked(self, plan: _Plan, *, is_signed: bool) -> Exchanged:
        if is_signed or self._team.is_member:
            return self._team.sync()
        return self._team.ask(uninvited(self._team.settings), plan.name)

    # --- what is noted ---

    def _noted(self) -> _Plan | None:
        try:
            chain, name, first, events, said = json.loads(durable.read_file(self._folder / _PLAN))
            return _Plan(chain, name, first, events, [said_of(each) for each in said])
        except FileNotFoundError:
            return None

    def _planned(self) -> _Plan:
        """Note what is to be said."""
        team, chain = self._team, self._workspace.chain
        there = team.other_history()
        first = _first_lost(team.folder)
        events = self._workspace.index.position() + 1
        others = other_branch(
            (line for seq, line in there if seq >= first), keys_of_both(chain, first, there, team.identity.id)
        )
        plan = _Plan(
            team.genesis, team.label.partition("/")[0], first, events, own_branch(chain, first) + others
        )
        durable.replace_file(self._folder / _PLAN, json.dumps(plan).encode(), 0o600)
        reached("rejoin.planned")
        return plan

    # --- the new chain ---

    @property
    def _keys(self) -> KeyDirectory:
        """Where the keys of the new chain lie until it stands."""
        return KeyDirectory(self._home.keys / f"{self._team.identity.id}.rejoin")

    def _make(self) -> None:
        """Make the new chain and its keys beside the old ones; those that a run which died has made are taken."""
        state = StateDirectory(self._folder / "state")
        with suppress(LedgerExistsError):
            founding.found(
                self._folder,
                self._team.identity,
                self._workspace.by,
                self._keys,
                state,
                clock=self._workspace.clock,
            )

    def _sign_heir(self) -> None:
        """Make the new chain an admin in the place of the old one if without it too few are left: nobody could accept it.

        A twin that did so before has ended the old chain with its roster.
        """
        held = self._team.members.all()
        old = next((each for each in held.members if each.genesis == self._team.genesis), None)
        made = self._folder / "chain.jsonl"
        (_, genesis), public = founding.identity_of(made), newest_key(made)
        if old is None or old.role != "admin" or not public:
            return
        if len(admins_of(held.members)) >= held.threshold:
            return
        if old.genesis in dict(held.forked) and not self._signed(genesis):
            heir = old._replace(genesis=genesis, until=None)
            self._team.signer.sign_heir(held, heir, public)
            reached("rejoin.signed")

    def _signed(self, genesis: str) -> list[PendingChange]:
        """Return the rosters with a chain as a member that wait for its signature."""
        pending = self._team.members.pending()
        return [change for change in pending if genesis in admins_of(change.roster.members)]

    def _placed(self, plan: _Plan) -> bool:
        """Put the new chain in the place of the old one, which is kept, if nothing was appended since; say whether."""
        made, kept = self._folder / "chain.jsonl", self._folder / _OLD
        with self._workspace.ledger.chain.locked() as held:
            if held.tip.link.seq + 1 != plan.events:
                return False
            kept.unlink(missing_ok=True)
            durable.write_new(kept, durable.blocks(held.fd))
            held.replace([made.read_bytes()])
        reached("rejoin.placed")
        return True

    def _settle(self) -> None:
        """Put keys, mark and pin of the new chain in place; the pin, which comes last, says that it was done."""
        team, made = self._team.identity.id, self._folder / "chain.jsonl"
        directory, (_, genesis) = self._workspace.place.directory, founding.identity_of(made)
        if self._workspace.state.pin_of(directory) == Pin(team, genesis):
            return
        keys = KeyDirectory(self._home.keys)
        for name in (KEY, NEXT):
            keys.put(keys.path_of(team, name), self._keys.path_of(team, name).read_bytes())
        keys.path_of(team, COMING).unlink(missing_ok=True)
        reached("rejoin.keyed")
        raw = made.read_bytes()
        checker = LineChecker()
        checker.take(raw.removesuffix(b"\n"))
        assert checker.link is not None
        self._workspace.state.mark_of(team).replace(ChainTip(checker.link, 0, len(raw)).mark)
        self._workspace.state.pin(directory, Pin(team, genesis))
        reached("rejoin.pinned")


def _first_lost(folder: TeamFolder) -> int:
    """Return the first seq of our own chain that does not count.

    Raises:
        StateError: it did not fork, and nobody ended its membership.
    """
    fork = folder.forks().get(folder.genesis)
    own = next((each for each in folder.membership().members if each.genesis == folder.genesis), None)
    if own is not None and own.until is not None:
        return own.until[0] + 1
    if fork is None:
        raise StateError(
            "this machine's chain has one history, and was not removed, as far as is known here: run muniment team sync to "
            "look again"
        )
    return fork.seq
