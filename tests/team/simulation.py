"""One seeded history of a team: machines that write, edit, die and exchange through a transport that lies; then quiet.

Tests specs/team.md as a whole (TM-1…TM-7, TM-70…TM-72). `History(seed, …).run()` raises AssertionError where the machines do
not come to the same, or anything acknowledged is missing. Everything is drawn from the seed.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple
from unittest import mock

from documents.drift import index_findings
from ledger import reader
from ledger.command import Create
from ledger.errors import NotFoundError, OutsideError, StateError, StorageError, UsageError
from ledger.event import event_id, split_line
from ledger.fold import Entry
from ledger.founding import open_ledger
from ledger.instant import DAY
from ledger.memory import Memory
from ledger.rotation import rotate
from team.team import Team
from tests.observing import STEPS, DeathError, observed
from tests.projections.house import tree
from tests.team.faulty_transport import ADDRESS, FaultyTransport, Store
from tests.writers.machines import Machine
from transports.protocol import Transport
from writers.invitation import invitation_of
from writers.membership import Membership
from writers.roster import NEVER

NAMES = ("ada", "bob", "cleo", "dan", "eve", "fay", "gil", "hal")
SIZES = (2, 2, 2, 3, 3, 3, 4, 7)
YEARS = 3652 * DAY
"""Ten years: so far the clocks are apart from the right time."""
MOST_ROUNDS = 8
"""In so many rounds everybody must have everything."""
DEATHS = [
    step
    for step in STEPS
    if step.split(".")[0] in ("append", "copy", "erase", "index", "rotate", "file", "team")
]
"""Where a machine may die."""
REFUSED = (StateError, NotFoundError, UsageError)
"""What may be refused: a target that is gone, or that another machine wrote."""

Step = Callable[["Device"], None]


class Device:
    """A machine that knows what it acknowledged, and the way to the team's store."""

    def __init__(self, machine: Machine, store: Store) -> None:
        self.machine = machine
        self.store = store
        self.stood = self.own()
        self.acknowledged = self.own()
        self.deaths = 0
        self._open()

    def _open(self) -> None:
        self.team = Team(self.machine.memory.scope, self._connect)

    def _connect(self, address: str, team: str, cache: Path, *, create: bool = False) -> Transport:  # noqa: ARG002
        return FaultyTransport(self.store, self.name)

    @property
    def name(self) -> str:
        """The machine's name."""
        return self.machine.name

    def own(self) -> list[str]:
        """Return the ids of the events in this machine's own chain."""
        return ids_in(self.machine.chain)

    def note(self) -> None:
        """Note what was acknowledged; the chain must have it, after what stood before."""
        self._note_acknowledged()
        own = self.own()
        assert own[: len(self.stood)] == self.stood, f"{self.name} lost what stood in its own chain"
        order = iter(own)
        assert all(id_ in order for id_ in self.acknowledged), f"{self.name} lost what it had acknowledged"
        self.stood = own

    def _note_acknowledged(self) -> None:
        known = set(self.acknowledged)
        every = self.machine.memory.workspace.acknowledged
        self.acknowledged += [id_ for id_ in every if id_ not in known]

    def die(self) -> None:
        """Go on as another process, after the one before died."""
        self._note_acknowledged()
        self.deaths += 1
        self.machine.reopen()
        self._open()


def ids_in(chain: Path) -> list[str]:
    """Return the ids of the whole lines of a chain file."""
    lines = chain.read_bytes().split(b"\n")[:-1]
    return [event_id(split_line(line).head) for line in lines]


class Founded(NamedTuple):
    """A team: the folder of its machines, what its store holds, and a line that invites one more."""

    folder: Path
    store: Store
    line: str


def founded(root: Path, count: int) -> Founded:
    """Make a team below `root` through the real service: so many members, and one machine that does not belong to it."""
    store = Store(Random(count))
    drawn = store.random.randbytes
    with mock.patch.dict(open_ledger.__kwdefaults__, random=drawn):
        machines = [Machine(root, name, -YEARS - 30 * DAY, random=drawn) for name in NAMES[: count + 1]]
        return Founded(root, store, _join(machines[:-1], store))


def _join(machines: Sequence[Machine], store: Store) -> str:
    first, *others = devices = [Device(machine, store) for machine in machines]
    first.team.init(ADDRESS)
    for number, other in enumerate(others):
        kind = "agent" if len(others) > 1 and number % 2 == 0 else "person"
        other.team.ask(invitation_of(first.team.members.invite(other.name, kind=kind)))
    first.team.sync()
    for other in others:
        first.team.members.accept(other.name)
    line = first.team.members.invite("late")
    for device in devices:
        device.machine.close()
    return line


class Teams:
    """Teams that were founded once, by their size; each history begins with a copy of one."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._founded: dict[int, Founded] = {}
        self._number = itertools.count()

    @contextmanager
    def copied(self, count: int, random: Random) -> Iterator[Founded]:
        """Give a team with so many members that nobody has used."""
        if count not in self._founded:
            self._founded[count] = founded(self._root / f"founded-{count}", count)
        folder, store, line = self._founded[count]
        here = self._root / f"history-{next(self._number)}"
        shutil.copytree(folder, here)
        copy = store.copied()
        copy.random = random
        yield Founded(here, copy, line)
        shutil.rmtree(here)


class History:
    """One history, drawn from a seed.

    Args:
        seed: the number that everything is drawn from.
        teams: where the machines come from.
        length: how many steps there are, beside two for each machine.
    """

    def __init__(self, seed: int, teams: Teams, length: int = 12) -> None:
        self.seed = seed
        self.random = Random(seed)
        self._teams = teams
        self._length = length
        self._texts = itertools.count()
        self._gone: dict[str, int] = {}
        self._removes = self.random.random() < 0.5
        self.log: list[str] = []

    def run(self) -> None:
        """Live it.

        Raises:
            AssertionError: something acknowledged is missing, or the machines do not come to the same.
        """
        count = self.random.choice(SIZES)
        with (
            mock.patch.dict(open_ledger.__kwdefaults__, random=self.random.randbytes),
            self._teams.copied(count, self.random) as team,
        ):
            store, self._line = team.store, team.line
            other = store.copied() if self.random.random() < 0.25 else store
            names = NAMES[: count + (self.random.random() < 0.3)]
            machines = [Machine(team.folder, name, self.random.randint(-YEARS, YEARS)) for name in names]
            self.devices = [Device(machine, self.random.choice((store, other))) for machine in machines]
            self._live(store, other)
            self._be_quiet(store, other)
            self._check()
            for device in self.devices:
                device.machine.close()

    # --- what happens ---

    def _live(self, store: Store, other: Store) -> None:
        store.faults = other.faults = self.random.choice((0.2, 0.5, 1.0))
        steps: Sequence[tuple[Step, int]] = (
            (self._sync, 12),
            (self._store, 4),
            (self._store_two, 1),
            (self._supersede, 5),
            (self._delete, 1),
            (self._confirm, 2),
            (self._erase, 1),
            (self._edit, 2),
            (self._rotate, 1 - self._removes),  # a box for a key that was rotated out opens no longer (TM-61)
            (self._join, 3),
            (self._policy, 3),
            (self._remove, 2 * self._removes),
            (self._decay, 1),
            (self._cut_off, 1),
        )
        every, weights = [step for step, _ in steps], [weight for _, weight in steps]
        for _ in range(self._length + 2 * len(self.devices)):
            device = self.random.choice(self.devices)
            [step] = self.random.choices(every, weights)
            self._do(device, step)

    def _do(self, device: Device, step: Step) -> None:
        death = self.random.choice(DEATHS) if self.random.random() < 0.5 else ""
        self.log.append(f"{device.name} {step.__name__[1:]}")

        def die(reached: str) -> None:
            nonlocal death
            if reached == death:
                death = ""
                self.log[-1] += f", dies at {reached}"
                raise DeathError

        device.machine.clock.now += self.random.randrange(1, DAY)
        with observed(die):
            try:
                step(device)
            except DeathError:
                device.die()
            except REFUSED as error:
                self.log[-1] += f", refused: {error}"
        device.note()

    def _sync(self, device: Device) -> None:
        try:
            done = device.team.sync()
        except (OutsideError, StorageError) as error:
            self.log[-1] += f": {error}"
        else:
            self.log[-1] += f": {done}"

    def _join(self, device: Device) -> None:
        """The last machine asks to join, if it does not belong to the team yet; the first one accepts it."""
        late, first = self.devices[-1], self.devices[0]
        with suppress(OutsideError):
            if device is first and late.name in {each.name for each in first.team.members.waiting()}:
                first.team.members.accept(late.name, late.team.fingerprint)
            elif not late.team.folder.exists or not late.team.is_member:
                late.team.ask(invitation_of(self._line))

    def _policy(self, device: Device) -> None:
        """The first machine, the one admin, lets stand or wait what agents write (TM-24)."""
        device.team.members.set_policy(self.random.choice(("waits", "stands")))

    def _remove(self, device: Device) -> None:
        """It ends the membership of another one, at its newest event, at an earlier one, or before the first (TM-14)."""
        other = self.random.choice(self.devices[1:])
        known = device.machine.copies.next(other.machine.genesis)
        until = self.random.choice((None, None, self.random.randrange(-1, max(known, 1))))
        device.team.members.remove(other.name, until)

    def _rotate(self, device: Device) -> None:
        """The next key takes over; who signs rosters disowns no event, since those would count no more."""
        workspace = device.machine.memory.workspace
        if not device.team.folder.exists or not device.team.is_member:
            raise StateError("its first key has to sign its request to join")
        stolen = device is not self.devices[0] and self.random.random() < 0.5
        since = self.random.randrange(1, len(device.stood) + 1) if stolen else None
        device.acknowledged.append(rotate(workspace.ledger, workspace.by, since=since).id)

    def _memory(self) -> Memory:
        random = self.random
        text = f"{random.choice(('Use tabs', 'Answer in French', 'The port is 5432', 'Größe'))} {next(self._texts)}"
        if random.random() < 0.1:
            text = "Use tabs everywhere"
        return Memory(
            text,
            topic=random.choice(("", "", "a", "b")),
            status=random.choice(("active", "active", "candidate")),
            body="a long line of a body\n" * 3000 if random.random() < 0.02 else "",
        )

    def _store(self, device: Device) -> None:
        device.machine.memory.store(self._memory())

    def _store_two(self, device: Device) -> None:
        device.machine.memory.write([Create(self._memory()), Create(self._memory())])

    def _target(self, device: Device, of: str = "") -> str:
        index = device.machine.memory.workspace.index
        rows = index.connection().execute(
            "SELECT m.id FROM memories m JOIN events e ON e.id = m.id "
            f"WHERE status IN ('active', 'candidate') {of} ORDER BY m.ts, m.id"
        )
        every = [id_ for (id_,) in rows]
        if not every:
            raise NotFoundError("nothing is there yet")
        return str(self.random.choice(every))

    def _supersede(self, device: Device) -> None:
        of = self.random.choice(("", "AND e.writer > 0"))
        device.machine.memory.supersede([self._target(device, of)], self._memory())

    def _delete(self, device: Device) -> None:
        device.machine.memory.delete([self._target(device)], "no longer")

    def _confirm(self, device: Device) -> None:
        of = self.random.choice(("", "AND status = 'candidate'"))
        device.machine.memory.confirm([self._target(device, of)], "still")

    def _erase(self, device: Device) -> None:
        target = self._target(device, "AND e.writer = 0")
        device.machine.memory.erasures.erase([target], "wrong place", family=False)

    def _edit(self, device: Device) -> None:
        path = device.machine.directory / "MEMORY.md"
        lines = path.read_text().splitlines() if path.exists() else []
        bullets = [at for at, line in enumerate(lines) if line.startswith("- ")]
        if not bullets:
            raise NotFoundError("there is nothing to edit")
        if not device.machine.memory.workspace.local.has_shown(path.parent, path.name):
            raise NotFoundError(
                "a machine died at its first rendering: an edit of that waits for import (D-10)"
            )
        at = self.random.choice(bullets)
        what = self.random.choice(("changed", "added", "gone" if len(bullets) > 8 else "added"))
        if what == "gone":
            del lines[at]
        elif what == "changed":
            lines[at] += f" since {next(self._texts)}"
        else:
            lines.insert(at, f"- Typed by hand {next(self._texts)}")
        path.write_text("\n".join(lines) + "\n")
        if self.random.random() < 0.5:
            device.machine.memory.documents.adopt()

    def _decay(self, device: Device) -> None:
        device.store.decay()

    def _cut_off(self, device: Device) -> None:
        device.store.cut_off ^= {device.name}

    # --- quiet ---

    def _be_quiet(self, store: Store, other: Store) -> None:
        """Faults end, what was damaged is taken away, clocks are put right; everybody syncs until nothing moves."""
        store.faults = other.faults = 0
        if other is not store:
            store.take_in(other)
        store.mend()
        self._leave_out()
        if len(self.devices) > 2 and self.random.random() < 0.4:
            self._lose(store)
        now = max(device.machine.clock.now for device in self.devices)
        for device in self.devices:
            device.store = store
            device.machine.clock.now = now
            device.machine.memory.documents.adopt(accept=True)
        late, first = self.devices[-1], self.devices[0]
        if late.machine.genesis not in {each.genesis for each in first.team.members.all().members}:
            for device in (late, late, first, first):  # asks and publishes it, hears of it and accepts
                with suppress(*REFUSED):
                    self._join(device)
                device.team.sync()
        for _ in range(MOST_ROUNDS):
            for device in self.devices:
                self.log.append(f"{device.name} quiet sync: {device.team.sync()}")
            if all(self._has_all(device) for device in self.devices):
                break
        device = self.random.choice(self.devices)
        done = device.team.sync()
        assert (done.sent, done.received, done.findings) == (0, 0, []), f"{device.name} goes on: {done}"
        for device in self.devices:
            device.note()

    def _lose(self, store: Store) -> None:
        """A machine is lost, and the store loses its chain: what another one has of it must reach all."""
        lost = self.devices.pop(self.random.randrange(1, len(self.devices) - 1))
        self.log.append(f"{lost.name} is lost")
        store.chains.pop(lost.machine.genesis, None)
        chain = lost.machine.genesis
        holder = max(self.devices, key=lambda device: device.machine.copies.next(chain))
        self._gone[chain] = holder.machine.copies.next(chain)
        lost.machine.close()

    def _leave_out(self) -> None:
        """Who was removed goes; what counts of their chains must reach all, and nothing behind it."""
        for member in self._held().members:
            if member.until is not None:
                self._gone[member.genesis] = 0 if member.until == NEVER else member.until[0] + 1
        for device in [each for each in self.devices if each.machine.genesis in self._gone]:
            self.log.append(f"{device.name} was removed")
            self.devices.remove(device)
            device.machine.close()

    def _has_all(self, device: Device) -> bool:
        copies = device.machine.copies
        wanted = {other.machine.genesis: len(other.own()) for other in self.devices if other is not device}
        wanted |= self._gone
        return all(copies.next(chain) >= events for chain, events in wanted.items())

    # --- what must hold ---

    def _check(self) -> None:
        wanted = self._modelled()
        state, documents = [], []
        for device in self.devices:
            assert device.team.is_member, f"{device.name} is no member"
            self._check_chains(device)
            machine = device.machine
            assert index_findings(machine.directory, machine.chain) == [], device.name
            assert shown(machine) == wanted, f"{device.name} does not show what the model says"
            state.append(rows(machine))
            documents.append(tree(machine.directory))
        for device, its, texts in zip(self.devices, state, documents, strict=True):
            assert its == state[0], f"{device.name} and {self.devices[0].name} have different rows"
            assert texts == documents[0], f"{device.name} and {self.devices[0].name} have different documents"

    def _check_chains(self, device: Device) -> None:
        for other in self.devices:
            if other is not device:
                copy = device.machine.copies.path(other.machine.genesis)
                assert ids_in(copy) == other.own(), f"{device.name} has not all that {other.name} wrote"
                assert copy.read_bytes() == other.machine.chain.read_bytes(), f"{device.name}: {other.name}"
        assert self._has_all(device), f"{device.name} lacks what others have of who was lost"
        invented = set(device.own()) - set(device.acknowledged)
        assert not invented or device.deaths, f"{device.name} has what nobody acknowledged"

    def _modelled(self) -> list[Entry]:
        from tests.ledger.reference import fold

        chains = [device.machine.chain for device in self.devices]
        chains += [
            self.devices[0].machine.copies.path(chain) for chain, events in self._gone.items() if events
        ]
        held = self._held()
        last = {
            each.genesis: each.until[0] if each.until[1] != "-" else -1 for each in held.members if each.until
        }
        agents = [each.genesis for each in held.members if each.kind == "agent"]
        every = itertools.chain.from_iterable(reader.events(chain) for chain in chains)
        counting = (event for event in every if event.seq <= last.get(event.chain, event.seq))
        waits = dict.fromkeys(agents if held.agents == "waits" else (), 0)
        return [entry._replace(n=0, writer=0) for entry in fold(counting, waits=waits).entries()]

    def _held(self) -> Membership:
        return self.devices[0].team.members.all()


def shown(machine: Machine) -> list[Entry]:
    """Return all memories as a machine's index has them, but for what depends on whose index it is."""
    index = machine.memory.workspace.index
    ids = index.connection().execute("SELECT id FROM memories ORDER BY order_ts, order_id, ts, id").fetchall()
    entries = [entry for (id_,) in ids if (entry := index.entry(id_))]
    return [entry._replace(n=0, writer=0) for entry in entries]


def rows(machine: Machine) -> list[tuple[object, ...]]:
    """Return the rows of memories but for the order in which they came."""
    index = machine.memory.workspace.index
    with closing(index.connection().execute("SELECT * FROM memories ORDER BY id")) as found:
        names = [name for name, *_ in found.description]
        return [tuple(v for name, v in zip(names, row, strict=True) if name != "n") for row in found]
