"""Machines that write one memory: each has a home, a key and a chain of its own, and copies of the others' chains."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ledger import founding, location
from ledger.event import By
from ledger.keys import KeyDirectory
from ledger.ledger import Identity, Random
from ledger.location import Home
from ledger.mark import StateDirectory
from muniment import MemoryLedger
from tests.projections.house import Clock
from writers.copies import Added, Copies
from writers.invitation import invitation_of

TEAM = Identity("ab" * 16, "team", "project")


class Machine:
    """One machine of a team, below `root`, with a clock that begins `ahead` µs later than the others'.

    It is founded, with what `random` gives, if it does not stand there already.
    """

    def __init__(
        self, root: Path, name: str, ahead: int = 0, identity: Identity = TEAM, random: Random = os.urandom
    ) -> None:
        self.name = name
        self._home = home = Home(root / name / "home", root / name / "state")
        self.directory = home.path
        self.state = StateDirectory(home.state)
        self._by = by = By(name, "user", "cli")
        self.clock = Clock()
        self.clock.now += ahead
        if not self.chain.exists():
            founding.found(
                self.directory,
                identity,
                by,
                KeyDirectory(home.keys),
                self.state,
                clock=self.clock,
                random=random,
            )
        self.genesis = founding.identity_of(self.chain)[1]
        self.memory = self._opened()
        self.copies = Copies(self.directory, self.state, identity.id)
        self._members: dict[str, str] = {}
        self._waits: dict[str, int] = {}

    def _opened(self) -> MemoryLedger:
        memory = MemoryLedger(location.explicit(self.directory), self._home, by=self._by, clock=self.clock)
        memory.workspace.embed_with(None)
        return memory

    def reopen(self) -> None:
        """Go on as another process would."""
        self.close()
        self.memory = self._opened()

    @property
    def chain(self) -> Path:
        """The chain of this machine."""
        return self.directory / "chain.jsonl"

    def fetch(self, other: Machine) -> Added:
        """Take what another machine wrote since; it counts as a member, as if a roster said so."""
        known = self.copies.next(other.genesis)
        lines = other.chain.read_bytes().splitlines(keepends=True)
        added = self.copies.add(other.genesis, known, b"".join(lines[known:]))
        self._members[other.genesis] = other.name
        self._note_members()
        return added

    def know_that(self, other: Machine, waits: int) -> None:
        """Take what a machine writes from the seq `waits` on as proposals (TM-25), as if rosters said so."""
        self._waits[other.genesis] = waits
        self._note_members()

    def _note_members(self) -> None:
        rows = [
            {"id": id_, "name": name, "until": -1, "waits": self._waits.get(id_, -1)}
            for id_, name in sorted(self._members.items())
        ]
        value = {"waits": self._waits.get(self.genesis, -1), "counted": rows}
        path = self.directory / "team" / "members.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))

    def close(self) -> None:
        """Close the ledger."""
        self.memory.close()


def exchange(machines: list[Machine]) -> None:
    """Give everybody what the others wrote."""
    for one in machines:
        for other in machines:
            if one is not other:
                one.fetch(other)


def joined(first: MemoryLedger, machine: Machine, role: str = "writer", kind: str = "person") -> Machine:
    """Let a machine join the team of a ledger, and be accepted."""
    machine.memory.team.ask(invitation_of(first.team.members.invite(machine.name, role, kind)))
    first.team.sync()
    first.team.members.accept(machine.name)
    machine.memory.team.sync()
    return machine
