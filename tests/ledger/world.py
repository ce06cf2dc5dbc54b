"""Ledgers for tests: a place, keys, a clock and randomness of which every test decides."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ledger import reader
from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede, Written
from ledger.errors import LedgerError
from ledger.event import By, Event
from ledger.founding import found, open_ledger
from ledger.instant import parsed
from ledger.keys import KeyDirectory
from ledger.ledger import Identity, Ledger
from ledger.mark import MarkFile, StateDirectory
from ledger.memory import Memory
from ledger.verify import ChainReport, Expectation, verify_chain
from ledger.view import View
from tests.forking import run_python
from tests.ledger.reference import MemoryView

ROOT = Path(__file__).resolve().parents[2]
ADA = By("ada", "user", "cli")
START = parsed("2026-11-20T15:00:00.000000Z")
SECRET = f"AK{'IA'}Q3EGRHXZ7T5WKLMN"
"""Has the form of an AWS key id and is none; in two pieces, lest a scanner of sources stumble over it."""

IDENTITY = Identity("0123456789abcdef" * 2, "work", "user")


class Clock:
    """A clock that stands at `now` (microseconds since 1970) and moves by `step` each time it is read."""

    def __init__(self, now: int = START, step: int = 1_000_000) -> None:
        self.now, self.step = now, step

    def __call__(self) -> int:
        self.now += self.step
        return self.now


def random_of(seed: str) -> Callable[[int], bytes]:
    """Return a source of bytes that is the same in every run."""
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.shake_256(f"{seed} {count}".encode()).digest(size)

    return draw


class Spoken(Ledger):
    """A ledger that does one thing a call: tests read better so."""

    @classmethod
    def of(cls, ledger: Ledger) -> Spoken:
        """Return the same ledger, with the verbs."""
        made = cls.__new__(cls)
        made.__dict__.update(ledger.__dict__)
        return made

    def create(self, memory: Memory, by: By, *, redact: bool = False) -> Written:
        """Learn a memory."""
        return self.write([Create(memory)], by, redact=redact)[0]

    def supersede(self, targets: Sequence[str], memory: Memory, by: By, *, redact: bool = False) -> Written:
        """Replace the memories with these full ids by a new one."""
        return self.write([Supersede(tuple(targets), memory)], by, redact=redact)[0]

    def delete(self, targets: Sequence[str], by: By, reason: str = "", *, redact: bool = False) -> Written:
        """Take the memories with these full ids out of every view."""
        return self.write([Delete(tuple(targets), reason)], by, redact=redact)[0]

    def confirm(self, targets: Sequence[str], by: By, reason: str = "", *, redact: bool = False) -> Written:
        """Say that the memories with these full ids are still true."""
        return self.write([Confirm(tuple(targets), reason)], by, redact=redact)[0]

    def erase(self, targets: Sequence[str], by: By, reason: str = "", *, family: bool = True) -> Written:
        """Blank what these events say, for good."""
        return self.write([Erase(tuple(targets), reason, family)], by)[0]


class World:
    """One ledger below `base`, founded already, and all that belongs to it.

    Args:
        base: an empty directory.
        seed: decides keys, nonces and salts.
        identity: what its genesis says.
        directory: where the chain lies, if not below `base`.
    """

    def __init__(
        self, base: Path, seed: str = "one", identity: Identity = IDENTITY, *, directory: Path | None = None
    ) -> None:
        self.directory = directory or base / "ledger"
        self.path = self.directory / "chain.jsonl"
        self.keys = KeyDirectory(base / "keys")
        self.state = StateDirectory(base / "state")
        self.identity = identity
        self.clock = Clock()
        self.random = random_of(seed)
        self.genesis = found(
            self.directory, identity, ADA, self.keys, self.state, clock=self.clock, random=self.random
        )

    @property
    def mark(self) -> MarkFile:
        """The high-water mark, read anew."""
        return self.state.mark_of(self.identity.id)

    def open(self, view: View | None = None) -> Spoken:
        """Open the ledger as a new process would."""
        return Spoken.of(
            open_ledger(
                self.directory,
                self.keys,
                self.state,
                view=view or MemoryView(),
                clock=self.clock,
                random=self.random,
            )
        )

    def fill(self, *texts: str) -> list[str]:
        """Learn these texts, each in an append of its own; return their ids."""
        ledger = self.open()
        return [ledger.create(Memory(text), ADA).id for text in texts]

    def verify(self) -> ChainReport:
        """Verify the chain against its pin and its mark."""
        return verify_chain(self.path, Expectation(genesis=self.genesis, mark=self.mark.read()))

    def codes(self) -> list[str]:
        """Return the codes of all findings of `verify`."""
        report = self.verify()
        return [f.code for f in (*report.integrity.findings, *report.completeness.findings)]

    def events(self) -> list[Event]:
        """Return all events of the chain, checked."""
        return list(reader.events(self.path))

    def texts(self) -> list[str]:
        """Return the texts of all live memories, in order, as a new process sees them."""
        return texts_of(self.open())

    def goes_on(self, *texts: str) -> None:
        """Assert that an append works, that these texts and the new one live, and that the chain is sound."""
        self.open().create(Memory("more"), ADA)
        assert self.texts() == [*texts, "more"]
        assert self.codes() == []
        assert self.verify().completeness.state == "sound"

    def torn(self) -> list[Path]:
        """Return the files of bytes set aside, oldest first."""
        return sorted(self.directory.glob("chain.jsonl.torn-*"))


def texts_of(ledger: Ledger) -> list[str]:
    """Return the texts of all live memories of a ledger's in-memory view, brought up to the chain first."""
    with ledger.chain.locked() as held:
        ledger.view.follow(ledger.path, held.tip)
    assert isinstance(ledger.view, MemoryView)
    return [entry.memory.text for entry in ledger.view.state.entries() if entry.live]


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a file, each with its LF."""
    return path.read_bytes().splitlines(keepends=True)


def overwrite(path: Path, data: bytes) -> None:
    """Give a file other bytes without giving it another inode."""
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


def flipped(data: bytes, at: int, mask: int = 0x01) -> bytes:
    """Return `data` with some bits of the byte at `at` changed."""
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def spied(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, tell: Callable[..., object]) -> None:
    """Tell of each call of a function, which is then carried out as ever."""
    real = getattr(owner, name)

    def spy(*arguments: Any) -> Any:
        tell(*arguments)
        return real(*arguments)

    monkeypatch.setattr(owner, name, spy)


def run_child(code: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own, in the repository's root; its arguments are `sys.argv[1:]`."""
    done = run_python(["-c", code, *arguments], cwd=ROOT)
    assert not check or done.returncode == 0, done.stderr
    return done


@contextlib.contextmanager
def mounted(path: Path, *options: str) -> Iterator[Path]:
    """Mount a tmpfs with these options at `path`; skips the test where that is not allowed."""
    path.mkdir(parents=True, exist_ok=True)
    mount(path, "-t", "tmpfs", "-o", ",".join(options), "tmpfs")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def mount(path: Path, *arguments: str) -> None:
    """Run mount(8) on `path`; skips the test where that is not allowed."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root and mount(8), for a file system of its own")
    done = subprocess.run(["mount", *arguments, str(path)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")


def memories(*texts: str) -> Sequence[Memory]:
    """Return memories that say these texts."""
    return [Memory(text) for text in texts]


def refused(
    world: World, ledger: Ledger, commands: Sequence[Command], kind: type[LedgerError], words: str
) -> None:
    """Assert that nothing of these commands is done, with this error, in one line."""
    before = world.path.read_bytes()
    with pytest.raises(kind, match=words) as caught:
        ledger.write(commands, ADA)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert world.path.read_bytes() == before
