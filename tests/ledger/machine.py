"""A stateful machine: two writers, crashes, tampering, rollbacks, erasures; against a list of what was said.

The model is a list of events and the rules of specs/state.md written down once more. A subclass gives `view`
to run the same machine over another View.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ledger.chain import Chain
from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede, Written
from ledger.draft import Draft
from ledger.errors import ChainError, NotFoundError, RollbackError, StateError
from ledger.ledger import Ledger
from ledger.memory import Memory
from ledger.recovery import recover
from ledger.view import View, statement_key
from tests.ledger.histories import Step, command_of, steps
from tests.ledger.reference import MemoryView
from tests.ledger.world import ADA, World, flipped, lines_of, overwrite


@dataclass(frozen=True, slots=True)
class Said:
    """One event of the model. `memory` is what a create or supersede says; `carries`: it has a payload."""

    id: str
    kind: str
    targets: tuple[str, ...] = ()
    memory: Memory | None = None
    carries: bool = False


class Refused(Exception):  # noqa: N818 - the model's word for any refusal
    """The command must be refused."""


class Model:
    """The list of events that stand, and what follows from it."""

    def __init__(self, events: Sequence[Said] = ()) -> None:
        self.events = list(events)

    def status(self, id_: str) -> str | None:
        """Return the status of a memory; None where there is none with this id (S-2)."""
        memory = self.memories().get(id_)
        if memory is None:
            return None
        for kind, status in (("erase", "erased"), ("supersede", "superseded"), ("delete", "deleted")):
            if any(each.kind == kind and id_ in each.targets for each in self.events):
                return status
        confirmed = any(each.kind == "confirm" and id_ in each.targets for each in self.events)
        return "candidate" if memory.status == "candidate" and not confirmed else "active"

    def memories(self) -> dict[str, Memory]:
        """Return all memories by id."""
        return {each.id: each.memory for each in self.events if each.memory is not None}

    def same(self, memory: Memory) -> str | None:
        """Return the oldest live memory that makes the same statement (S-9)."""
        key = statement_key(memory)
        for id_, each in self.memories().items():
            if self.status(id_) in ("active", "candidate") and statement_key(each) == key:
                return id_
        return None

    def erased(self, id_: str) -> bool:
        """Say whether an erase names this event."""
        return any(each.kind == "erase" and id_ in each.targets for each in self.events)

    def to_erase(self, command: Erase) -> list[str]:
        """Return the ids that an erase has to blank, in order."""
        by_id = {each.id: each for each in self.events}
        found: set[str] = set()
        todo = [by_id[id_] for id_ in command.targets]
        while todo:
            each = todo.pop()
            if each.id in found:
                continue
            found.add(each.id)
            if command.family:
                pointing = [other for other in self.events if each.id in other.targets]
                todo += [other for other in pointing if other.kind == "supersede"]
                found |= {other.id for other in pointing if other.kind not in ("supersede", "erase")}
                todo += [by_id[target] for target in each.targets if each.kind == "supersede"]
        return [
            each.id for each in self.events if each.id in found and each.carries and not self.erased(each.id)
        ]

    def check(self, command: Command) -> None:
        """Raise Refused where a command names what cannot be named (S-8)."""
        if isinstance(command, Create):
            return
        if isinstance(command, Erase):
            if not self.to_erase(command):
                raise Refused
            return
        for id_ in command.targets:
            status = self.status(id_)
            restoring = isinstance(command, Supersede) and (status == "deleted" or command.restore)
            if status in (None, "erased") or (status in ("superseded", "deleted") and not restoring):
                raise Refused

    def carried_out(self, command: Command, id_: str, further: Sequence[str] = ()) -> list[Said]:
        """Return the events that a command comes to, given the ids that they got."""
        if isinstance(command, Create | Supersede):
            targets = command.targets if isinstance(command, Supersede) else ()
            kind = "supersede" if targets else "create"
            return [Said(id_, kind, targets, command.memory, carries=True)]
        if isinstance(command, Erase):
            blanked = self.to_erase(command)
            chunks = [tuple(blanked[at : at + 16]) for at in range(0, len(blanked), 16)]
            ids = [id_, *further]
            return [
                Said(each, "erase", chunk, None, bool(command.reason))
                for each, chunk in zip(ids, chunks, strict=True)
            ]
        kind = {Delete: "delete", Confirm: "confirm"}[type(command)]
        return [Said(id_, kind, command.targets, None, bool(command.reason))]


SHORT = steps(long=False)


class LedgerMachine(RuleBasedStateMachine):
    """Two open ledgers on one chain; every rule does something to it and knows what must come of it."""

    def view(self, world: World) -> View:  # noqa: ARG002 - an index lies beside the ledger
        """Return a new, empty view beside the ledger."""
        return MemoryView()

    @initialize()
    def found(self) -> None:
        """Begin with an empty ledger."""
        self.base = tempfile.TemporaryDirectory()
        self.world = World(Path(self.base.name))
        self.model = Model([Said(self.world.genesis, "genesis")])
        self.writers = [self.opened(), self.opened()]
        self.tail = b""
        self.set_aside: list[bytes] = []

    def teardown(self) -> None:
        """Take everything away."""
        if hasattr(self, "base"):
            self.base.cleanup()

    def opened(self) -> Ledger:
        """Open the ledger as a new process would."""
        return self.world.open(self.view(self.world))

    # --- what writers do ---

    def command(self, step: Step) -> Command | None:
        """Return the command that a step means now: an erase may name any event, all else memories."""
        known = (
            [each.id for each in self.model.events]
            if step.verb.startswith("erase")
            else list(self.model.memories())
        )
        return command_of(step, known)

    @rule(step=SHORT, writer=st.integers(0, 1))
    def write(self, step: Step, writer: int) -> None:
        """One command, by either writer."""
        command = self.command(step)
        if command is not None:
            self.carry_out(self.writers[writer], [command])

    @rule(batch=st.lists(SHORT, min_size=2, max_size=5), writer=st.integers(0, 1))
    def write_batch(self, batch: list[Step], writer: int) -> None:
        """Several commands as one: all of them, as if one after the other, or none."""
        commands = [command for step in batch if (command := self.command(step)) is not None]
        self.carry_out(self.writers[writer], commands)

    def carry_out(self, ledger: Ledger, commands: Sequence[Command]) -> None:
        """Carry commands out and expect what the model says."""
        before = self.world.path.read_bytes()
        try:
            self.foresee(commands)
        except Refused:
            with pytest.raises((StateError, NotFoundError)):
                ledger.write(commands, ADA)
            self.mended(before)
            return
        done = ledger.write(commands, ADA)
        self.mended(before)
        self.learn(commands, done)

    def foresee(self, commands: Sequence[Command]) -> None:
        """Raise Refused where one of these commands must be refused after the ones before it."""
        model, spoken = Model(self.model.events), set[str]()
        for number, command in enumerate(commands):
            if isinstance(command, Erase) and command.family and spoken & set(self.model.to_erase(command)):
                raise Refused  # what the batch itself says of it would be left standing
            model.check(command)
            if not isinstance(command, Create):
                ids = [f"{number} {part}" for part in range(1 + len(model.events) // 16)]
                count = (len(model.to_erase(command)) + 15) // 16 if isinstance(command, Erase) else 1
                model.events += model.carried_out(command, ids[0], ids[1:count])
                if not isinstance(command, Erase):
                    spoken.update(command.targets)

    def learn(self, commands: Sequence[Command], done: Sequence[Written]) -> None:
        """Take what was acknowledged into the model, and compare what was told with it."""
        stood = Model(self.model.events)
        news = [event.id for event in self.world.events()[len(self.model.events) :]]
        said: dict[str, str] = {}
        for command, written in zip(commands, done, strict=True):
            if isinstance(command, Create | Supersede):
                key = statement_key(command.memory)
                if isinstance(command, Create):
                    known = said.get(key) or stood.same(command.memory)
                    if known is not None and (known in said.values() or self.model.status(known) in LIVE):
                        assert (written.id, written.known) == (known, True)
                        continue
                said[key] = written.id
            assert not written.known
            assert written.id == news[0]
            count = (len(self.model.to_erase(command)) + 15) // 16 if isinstance(command, Erase) else 1
            if isinstance(command, Erase):
                assert list(written.erased) == self.model.to_erase(command)
            self.model.events += self.model.carried_out(command, news[0], news[1:count])
            del news[:count]
        assert news == []

    def mended(self, before: bytes) -> None:
        """Take note that a writer has been here: what a crash had left is completed or set aside."""
        if self.tail:
            self.set_aside.append(self.tail)
            self.tail = b""
        elif not before.endswith(b"\n"):
            assert self.world.path.read_bytes()[len(before) :][:1] == b"\n"

    @rule(writer=st.integers(0, 1))
    def reopen(self, writer: int) -> None:
        """A process ends, and a new one begins."""
        self.writers[writer] = self.opened()

    # --- what happens to the file ---

    @precondition(lambda self: not self.tail)
    @rule(
        cut=st.integers(1, 2000),
        garbage=st.sampled_from([b"", b"\0" * 600, b"\n", b"oops\n", b"}"]),
        step=SHORT,
    )
    def crash_in_a_write(self, cut: int, garbage: bytes, step: Step) -> None:
        """A process dies inside a write: some of the event's bytes are there, or others, or all but LF."""
        memory = step.memory or Memory("never acknowledged")
        ledger = self.opened()
        with ledger.chain.locked() as held:
            draft = Draft("create", {}, memory.to_payload())
            _, line = ledger.build(draft, held.tip.link, ADA, ledger.signing_key())
        tail = line.raw[:cut] + garbage
        with self.world.path.open("ab") as file:
            file.write(tail)
        if tail in (line.raw, line.raw + b"\n"):
            self.model.events.append(Said(line.id, "create", (), memory, carries=True))
        else:
            self.tail = tail

    @rule(slots=st.sampled_from([(0,), (1,), (0, 1)]))
    def tear_the_mark(self, slots: tuple[int, ...]) -> None:
        """A power loss takes one slot of the mark, or both."""
        if self.tail.count(b"\n"):  # without a mark only a bad last line counts as torn
            self.settle()
        path = self.world.mark.path
        data = bytearray(path.read_bytes())
        for slot in slots:
            data[slot * 1024 : slot * 1024 + 900] = bytes(900)
        path.write_bytes(data)

    @rule()
    def lose_the_line_feed(self) -> None:
        """The last byte of an acknowledged event is gone."""
        data = self.world.path.read_bytes()
        if not self.tail and data.endswith(b"\n"):
            overwrite(self.world.path, data[:-1])

    @precondition(lambda self: not self.tail)
    @rule(where=st.floats(0, 0.9999), mask=st.integers(1, 255))
    def tamper(self, where: float, mask: int) -> None:
        """A byte changes: verify says so. Then it is put back."""
        self.settle()
        data = self.world.path.read_bytes()
        overwrite(self.world.path, flipped(data, int(where * len(data)), mask))
        assert self.world.codes() != []
        overwrite(self.world.path, data)
        assert self.world.codes() == []

    @precondition(lambda self: len(self.model.events) > 2)
    @rule(lines=st.integers(1, 6), decide=st.booleans(), writer=st.integers(0, 1))
    def roll_back(self, lines: int, decide: bool, writer: int) -> None:
        """The newest lines are gone: writers are refused until the file is back or a person recovers."""
        self.settle()
        whole, mark = self.world.path.read_bytes(), self.world.mark.read()
        assert mark is not None
        kept = lines_of(self.world.path)[: max(1, len(self.model.events) - lines)]
        overwrite(self.world.path, b"".join(kept))
        for ledger in (*self.writers, self.opened()):
            with pytest.raises(RollbackError):
                ledger.write([Create(Memory("refused"))], ADA)
        assert self.world.codes() == ["rollback"] or "payload-missing" in self.world.codes()
        if not decide:
            overwrite(self.world.path, whole)
            return
        blank = [
            each.id for each in self.model.events[: len(kept)] if self.model.erased(each.id) and each.carries
        ]
        self.model.events = self.model.events[: len(kept)]
        done = recover(self.writers[writer], ADA, "rolled back")
        assert done.lost == (mark.seq, mark.id)
        self.model.events.append(Said(done.id, "recover", carries=True))
        left = tuple(id_ for id_ in blank if not self.model.erased(id_))
        for event in self.world.events()[len(self.model.events) :]:
            self.model.events.append(Said(event.id, "erase", event.targets))
        assert tuple(t for each in self.model.events[len(kept) + 1 :] for t in each.targets) == left

    @rule()
    def swap_for_another_ledger(self) -> None:
        """Someone puts a chain of their own in our place: nothing is written to it, and ours comes back."""
        data = self.world.path.read_bytes()
        with tempfile.TemporaryDirectory() as base:
            overwrite(self.world.path, World(Path(base), "two").path.read_bytes())
        for ledger in (*self.writers, self.opened()):
            with pytest.raises(ChainError):
                ledger.write([Create(Memory("refused"))], ADA)
        overwrite(self.world.path, data)

    # --- what must hold ---

    def settle(self) -> None:
        """Let a writer mend what a crash left."""
        before = self.world.path.read_bytes()
        with Chain(self.world.directory, self.world.mark, self.world.genesis).locked():
            pass
        self.mended(before)

    @invariant()
    def everything_said_stands(self) -> None:
        """The chain holds the model's events in the model's order, and nothing else, and verifies."""
        if not hasattr(self, "model") or self.tail:
            return
        events = self.world.events()
        ids = [each.id for each in self.model.events]
        if not self.world.path.read_bytes().endswith(b"\n"):
            ids = ids[: len(events)]
            codes, mark, last = self.world.codes(), self.world.mark.read(), self.model.events[-1]
            if mark is None or mark.id == last.id:
                assert codes in (["missing-lf"], ["missing-lf", "rollback"])
            elif last.kind == "erase":  # what it blanked is missing until the next write completes it
                assert set(codes) <= {"payload-missing"}
            else:  # an older mark does not name it: a write that did not finish, and no damage (V-10)
                assert codes == []
        else:
            assert self.world.codes() == []
        assert [event.id for event in events] == ids
        assert sorted(path.read_bytes() for path in self.world.torn()) == sorted(self.set_aside)

    @invariant()
    def both_writers_know_it(self) -> None:
        """Each view tells every memory's status and text."""
        if not hasattr(self, "model") or self.tail or not self.world.path.read_bytes().endswith(b"\n"):
            return
        for ledger in self.writers:
            with ledger.chain.locked() as held:
                ledger.view.follow(ledger.path, held.tip)
            for each in self.model.events:
                entry = ledger.view.entry(each.id)
                status = self.model.status(each.id)
                assert (entry.status if entry else None) == status
                if entry and each.memory and status != "erased":
                    assert entry.memory == normal(each.memory)


LIVE = ("active", "candidate")


def normal(memory: Memory) -> Memory:
    """Return a memory as it comes back from its payload."""
    return Memory.from_payload(memory.to_payload())._replace()
