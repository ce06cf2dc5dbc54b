"""What attacks share: a ledger of three memories, a machine that can be put back, and somebody with the key."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import muniment
from ledger.check import LineChecker, Link
from ledger.event import build_line
from ledger.keys import KeyDirectory
from ledger.signing import SigningKey
from tests.cli.driver import Result, run
from tests.ledger.world import lines_of, overwrite

TEXTS = ("Use pnpm, not npm", "Postgres listens on 5433", "Deploy with make ship")


@dataclass(frozen=True, slots=True)
class Victim:
    """A user's ledger in `home`, and the `state` of its machine."""

    home: Path
    state: Path

    @property
    def chain(self) -> Path:
        return self.home / "chain.jsonl"

    def cut_to(self, lines: int) -> None:
        """Leave so many lines of the chain."""
        overwrite(self.chain, b"".join(lines_of(self.chain)[:lines]))

    def forget(self, *names: str) -> None:
        """Take away what STATE remembers under these names."""
        for name in names:
            shutil.rmtree(self.state / name, ignore_errors=True)

    def saved(self, into: Path) -> Path:
        """Copy ledger and STATE; `back` brings them back."""
        shutil.copytree(self.home, into / "home")
        shutil.copytree(self.state, into / "state")
        return into

    def back(self, saved: Path, *, state: bool = True) -> None:
        """Put a copy in the place of the ledger, and of STATE."""
        for name, folder in (("home", self.home), ("state", self.state)):
            if name == "home" or state:
                shutil.rmtree(folder)
                shutil.copytree(saved / name, folder)

    def elsewhere(self, folder: Path) -> Mapping[str, str]:
        """Copy the ledger with its keys to another machine; return that one's environment."""
        shutil.copytree(self.home, folder / "home")
        shutil.copytree(self.state, folder / "state")
        pins = folder / "state" / "pins"
        shutil.rmtree(pins)  # the thief's folder is another
        return {"MUNIMENT_HOME": str(folder / "home"), "MUNIMENT_STATE": str(folder / "state")}

    def key(self) -> SigningKey:
        """Return the private key, as who stole it has it."""
        with muniment.open(self.home) as memory:
            return KeyDirectory(self.home / "keys").load(memory.workspace.ledger.identity.id)

    def link(self) -> Link:
        """Return what the next event is checked against."""
        checker = LineChecker()
        for line in lines_of(self.chain):
            assert checker.take(line.rstrip(b"\n")), checker.findings
        assert checker.link is not None
        return checker.link

    def forge(self, event: dict[str, Any], payload: dict[str, Any] | None, key: SigningKey) -> None:
        """Append an event that is signed by a key and judged by nobody."""
        after = self.link()
        base = {
            "v": 1,
            "seq": after.seq + 1,
            "prev": after.id,
            "ts": f"{after.ts[:4]}-12-31T23:59:59.000000Z",
            "epoch": after.epoch,
            "by": {"name": "thief", "role": "user", "via": "cli"},
        }
        line = build_line({**base, **event}, payload, os.urandom(16), key.sign)
        with self.chain.open("ab") as file:
            file.write(line.raw + b"\n")


@pytest.fixture
def victim(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Victim:
    monkeypatch.chdir(tmp_path)
    muniment.init().close()
    for text in TEXTS:
        run("add", text).ok()
    return Victim(isolated / ".muniment", muniment.home().state)


@pytest.fixture
def monday(victim: Victim, tmp_path: Path) -> Path:
    """A checkpoint of the whole of it, in somebody's mailbox."""
    path = tmp_path / "mailbox" / "monday.checkpoint"
    path.parent.mkdir()
    path.write_text(run("anchor", "checkpoint").ok().out)
    return path


def codes(done: Result) -> dict[str, list[str]]:
    """Return the codes of the findings of a `verify --json` that found something, by verdict."""
    assert done.code == 1, done.err
    found = {
        name: [each["code"] for each in done.json[name]["findings"]]
        for name in ("integrity", "completeness", "projections")
    }
    return {name: each for name, each in found.items() if each}
