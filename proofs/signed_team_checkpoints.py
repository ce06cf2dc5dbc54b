"""Signs what a team holds here, and compares it with what another machine signed.

Implements specs/team.md (TM-50, TM-51).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ledger import reader
from ledger.errors import FormatError, StateError
from ledger.named_tuple import NamedTuple
from ledger.note import Note
from proofs.heads import ReadChain
from proofs.signed_checkpoints import epoch_at, keys_of
from proofs.team_checkpoint import ChainRoot, TeamCheckpoint, parse, sign, signers_of
from writers import roster
from writers.counted import label_of
from writers.signatures import is_signed
from writers.team_folder import TeamFolder

if TYPE_CHECKING:
    from projections.workspace import Workspace

SAME, AHEAD, BEHIND, DIFFERS = "same", "ahead", "behind", "differs"
_GRAVITY = (SAME, AHEAD, BEHIND, DIFFERS)


class ComparedChain(NamedTuple):
    """A chain here beside that in a checkpoint: whose, how many events each has, and what ours is beside the other."""

    name: str
    id: str
    here: int
    there: int
    state: str

    @property
    def label(self) -> str:
        """How the writer is shown (TM-2)."""
        return label_of(self.name, self.id)


class Compared(NamedTuple):
    """What is here beside a checkpoint: who signed that, how rosters and chains compare, and the gravest of it."""

    signer: str
    rosters: str
    chains: tuple[ComparedChain, ...]

    @property
    def state(self) -> str:
        """`same`, `ahead`, `behind` or `differs`, the last that anything is."""
        return max([self.rosters, *(each.state for each in self.chains)], key=_GRAVITY.index)


class TeamCheckpoints:
    """The checkpoints of one ledger's team.

    Args:
        folder: what is known of the team here.
        workspace: the ledger.

    Raises:
        NotFoundError: there is no team.
    """

    def __init__(self, folder: TeamFolder, workspace: Workspace) -> None:
        self._folder, self._workspace = folder, workspace
        self._team = folder.settings.team
        membership, copies = folder.membership(), folder.copies()
        self._rosters = membership.heads
        self._names: Mapping[str, str] = {each.genesis: each.name for each in membership.members}
        mark = workspace.state.mark_of(self._team).read()
        own = mark.seq + 1 if mark else 0
        sizes = {each: own if each == folder.genesis else copies.next(each) for each in self._names}
        self._sizes = {genesis: size for genesis, size in sizes.items() if size}

    def signed(self) -> bytes:
        """Return a checkpoint of all members' chains as they are here, signed by this machine.

        Raises:
            StateError: this machine is not a member.
            ChainError: a chain is not linked, or our own cannot be continued.
        """
        if self._folder.genesis not in self._names:
            raise StateError(
                "no member accepted this machine yet, so its signature says nothing to the others: they run muniment team "
                "members accept"
            )
        self._workspace.check_standing()
        chains = []
        for genesis in self._sizes:
            with self._reading(genesis) as chain:
                size = self._sizes[genesis]
                chains.append(ChainRoot(genesis, epoch_at(chain, size - 1), size, chain.tree.root(size)))
        made = TeamCheckpoint(self._team, self._rosters, tuple(chains))
        ledger = self._workspace.ledger
        return sign(made, self._folder.genesis, ledger.signing_key(ledger.settle_keys()))

    def compared(self, data: bytes) -> Compared:
        """Return what is here beside the checkpoint in a note.

        Raises:
            FormatError: it is not of this team, or no member whose chain is here signed it.
            ChainError: a chain here is not linked.
        """
        made, found = parse(data)
        if made.team != self._team:
            raise FormatError("TM-50", f"it is a checkpoint of another team, {made.team}", code="team")
        there = {each.genesis: each for each in made.chains}
        signer = self._signer(found, there)
        every = sorted({*there, *self._sizes}, key=lambda genesis: (self._names.get(genesis, ""), genesis))
        chains = tuple(self._beside(genesis, there.get(genesis)) for genesis in every)
        return Compared(label_of(self._names[signer], signer), self._rosters_beside(made), chains)

    def _signer(self, found: Note, there: Mapping[str, ChainRoot]) -> str:
        """Return who signed, by the key in force at the end of their chain there, as far as it is here."""
        for genesis in signers_of(found):
            if genesis not in self._sizes or genesis not in there:
                continue
            with self._reading(genesis) as chain:
                keys = [key for seq, key in keys_of(chain) if seq < there[genesis].size]
            if is_signed(found, genesis, keys[-1]):
                return genesis
        raise FormatError(
            "TM-50", "no member whose chain is here signed the checkpoint", code="note-unknown-key"
        )

    def _beside(self, genesis: str, there: ChainRoot | None) -> ComparedChain:
        name, here = self._names.get(genesis, ""), self._sizes.get(genesis, 0)
        if there is None:
            return ComparedChain(name, genesis, here, 0, AHEAD)
        if there.size > here:
            return ComparedChain(name, genesis, here, there.size, BEHIND)
        with self._reading(genesis) as chain:
            ours = ChainRoot(
                genesis, epoch_at(chain, there.size - 1), there.size, chain.tree.root(there.size)
            )
        state = DIFFERS if ours != there else SAME if here == there.size else AHEAD
        return ComparedChain(name, genesis, here, there.size, state)

    def _rosters_beside(self, made: TeamCheckpoint) -> str:
        if set(made.rosters) == set(self._rosters):
            return SAME
        known = set()
        for data in self._folder.rosters().values():
            try:
                known.add(roster.parse(data)[0].hash)
            except FormatError:
                continue
        return AHEAD if known.issuperset(made.rosters) else BEHIND

    @contextmanager
    def _reading(self, genesis: str) -> Iterator[ReadChain]:
        with reader.opened(self._path(genesis)) as fd:
            yield ReadChain(fd)

    def _path(self, genesis: str) -> Path:
        own = genesis == self._folder.genesis
        return self._workspace.chain if own else self._folder.copies().path(genesis)
