"""One seeded history of a team in which the disk of a machine goes back, and the machine writes on before anybody knows.

Tests specs/team.md (TM-40…TM-43) with what tests/team/simulation.py tests. In the end the machine rejoins: all machines come to
the same, and have what it said on either branch, as far as anybody had that.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from ledger.check import judged
from ledger.errors import FormatError, NotFoundError, OutsideError, StateError
from ledger.memory import Memory
from team.rejoining import Rejoining
from tests.team.faulty_transport import Store
from tests.team.simulation import Device, History, ids_in
from tests.writers.machines import Machine


class ForkedHistory(History):
    """A history whose second machine goes back to an image of its disk. Arguments are those of `History`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._said = set[str]()

    @property
    def _back(self) -> Device:
        return self.devices[1]

    def _live(self, store: Store, other: Store) -> None:
        super()._live(store, other)
        disk = self._back.machine.directory.parent
        image = disk.with_name("image")
        shutil.copytree(disk, image)
        super()._live(store, other)
        self._do(self._back, self._store)
        self._do(self._back, self._sync)
        self._back.machine.close()
        shutil.rmtree(disk)
        image.rename(disk)
        self._reopen()
        self.log.append(f"{self._back.name} goes back to @{len(self._back.own()) - 1}")
        self._do(self._back, self._store)
        super()._live(store, other)

    def _reopen(self) -> None:
        """Go on with what the disk of the machine holds now."""
        before = self._back
        machine = Machine(before.machine.directory.parents[1], before.name)
        machine.clock.now = before.machine.clock.now
        self.devices[1] = Device(machine, before.store)

    def _erase(self, device: Device) -> None:
        if device is self._back:
            raise StateError("an erase that does not count is not taken back from those who have done it")
        super()._erase(device)

    def _remove(self, device: Device) -> None:
        raise StateError(f"{device.name} removes nobody: who is removed says nothing again")

    # --- quiet ---

    def _be_quiet(self, store: Store, other: Store) -> None:
        store.faults = other.faults = 0
        store.cut_off.clear()
        if other is not store:
            store.take_in(other)
        store.mend()
        now = max(device.machine.clock.now for device in self.devices)
        for device in self.devices:
            device.store, device.machine.clock.now = store, now
            device.machine.memory.documents.adopt(accept=True)
        self._come_to_know()
        if self._back.machine.genesis in self._back.team.folder.forks():
            self._rejoin()
        super()._be_quiet(store, other)

    def _come_to_know(self) -> None:
        """Everybody syncs; the machine writes once more until its chain has one history, or is known to have two."""
        chain = self._back.machine.genesis
        for _ in range(4):
            for device in (*self.devices, *self.devices):
                with suppress(OutsideError, NotFoundError):  # one may not have asked to join yet
                    device.team.sync()
            own = self._back.own()
            copies = [ids_in(path) for path in self._copies(chain)]
            if chain in self._back.team.folder.forks() or all(own[: len(copy)] == copy for copy in copies):
                return
            self._back.machine.memory.store(self._memory())

    def _copies(self, chain: str) -> list[Path]:
        paths = [device.machine.copies.path(chain) for device in self.devices]
        return [path for path in paths if path.exists()]

    def _rejoin(self) -> None:
        back, first = self._back, self.devices[0]
        index = back.machine.memory.workspace.index
        own = index.connection().execute(
            "SELECT m.id FROM memories m JOIN events e ON e.id = m.id WHERE e.writer = 0"
        )
        live = [entry for (id_,) in own.fetchall() if (entry := index.entry(id_)) is not None and entry.live]
        there = [line for _, line in back.team.other_history()]
        self._said = {entry.memory.text for entry in live} | said_in(there)
        Rejoining(back.machine.memory.scope, back.team).begin()
        back.machine.close()
        self._reopen()
        back = self._back
        done = Rejoining(back.machine.memory.scope, back.team).finish()
        self.log.append(f"{back.name} rejoins: {done}")
        first.team.sync()
        first.team.members.accept("again", back.team.fingerprint)
        first.note()
        back.stood = back.acknowledged = back.own()

    # --- what must hold ---

    def _check(self) -> None:
        super()._check()
        for device in self.devices:
            index = device.machine.memory.workspace.index
            texts = {text for (text,) in index.connection().execute("SELECT text FROM memories")}
            assert texts >= self._said, (
                f"{device.name} lacks {self._said - texts}"
            )  # whatever others did to it since


def said_in(lines: list[bytes]) -> set[str]:
    """Return the texts of memories that stand after these lines alone."""
    found: dict[str, str] = {}
    gone = set[str]()
    for line in lines:
        with suppress(FormatError):
            event = judged(line).event("", 0, 0)
            if event.kind in ("delete", "supersede", "erase"):
                gone.update(event.targets)
            if event.kind in ("create", "supersede") and event.payload is not None:
                memory = Memory.from_payload(event.payload)
                if memory.part is None or memory.part.n == 1:
                    found[event.id] = memory.text
    return {text for id_, text in found.items() if id_ not in gone}
