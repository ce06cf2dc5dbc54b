"""Each file call of a command that writes fails once: by an I/O error, by a disk that stays full, by a kill.

Tests specs/cli.md (X-310, X-311) and specs/chain.md (C-5…C-20). Afterwards every id that was printed is in the chain; no event is in the
chain that the command did not tell of, unless it was killed; and once the disk works again and another command has run, `verify` finds
everything sound. `make test` takes one call of each kind for each command, and over all commands each kind fails by each cause;
`make soak` takes every call.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ledger.errors import LedgerExistsError
from ledger.event import event_id, split_line
from tests.cli.driver import run
from tests.faults.server import HOWS, KINDS, Done, Server

_ID = re.compile(r"\b[0-9a-f]{12}\b")
_SIGKILL = -9
_TOLD = re.compile(r"1 new")
"""How adopt tells of an event without its id."""


@dataclass(frozen=True, slots=True)
class Case:
    """A command: its arguments and what is piped into it; {ID} is the first memory's, {BACKUP} an archive."""

    arguments: tuple[str, ...]
    given: str = ""


PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt_id": "p1", "transcript_path": ""}
CASES = {
    "add": Case(("add", "The build needs Node 22")),
    "adopt": Case(("adopt",)),
    "erase": Case(("erase", "{ID}", "--yes", "-m", "not ours")),
    "hook": Case(
        ("hook", "claude"), json.dumps({**PROMPT, "prompt": "Remember that the staging port is 5433."})
    ),
    "restore": Case(("restore", "{BACKUP}", "--yes")),
}


class Scene:
    """A home with a ledger of a few memories, which each run gets as it was."""

    def __init__(self, server: Server, home: Path, away: Path, name: str) -> None:
        self.server, self.home, self.away = server, home, away
        self.chain = home / ".muniment" / "chain.jsonl"
        run("init", "--scope", "user").ok()
        self.first = run("add", "Use pnpm, not npm").ok().id
        for text in ("Postgres listens on 5433", "The office closes at six"):
            run("add", text).ok()
        backup = away / "backup.tar.gz"
        run("backup", backup).ok()
        case = CASES[name]
        places = {"{ID}": self.first, "{BACKUP}": str(backup)}
        self.arguments = [places.get(each, each) for each in case.arguments]
        self.given = case.given
        if name == "restore":
            keys = home / ".muniment" / "keys"
            shutil.move(keys, away / "keys")
            shutil.rmtree(home)
            shutil.copytree(away / "keys", keys)
        if name == "adopt":
            memory = home / ".muniment" / "MEMORY.md"
            memory.write_text(
                memory.read_text().replace("- Use pnpm", "- Lint before each push\n- Use pnpm", 1)
            )
        self.files = {path: (path.read_bytes(), path.stat()) for path in home.rglob("*") if path.is_file()}
        self.before = self.ids()

    def ids(self) -> set[str]:
        """Return the ids of all events of the chain, as they are printed."""
        lines = self.chain.read_bytes().splitlines() if self.chain.exists() else []
        return {event_id(split_line(line).head)[:12] for line in lines if line.endswith(b"}")}

    def set_back(self) -> None:
        """Put every file back as it was; one that stands keeps its place on the disk."""
        for path in [path for path in self.home.rglob("*") if path.is_file() or path.is_symlink()]:
            if path not in self.files:
                path.unlink()
        for path, (data, status) in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if (
                not path.exists()
                or path.read_bytes() != data
                or path.stat().st_mtime_ns != status.st_mtime_ns
            ):
                path.write_bytes(data)
                path.chmod(status.st_mode)
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def run(self, fault: tuple[str, int, str] | None = None) -> Done:
        """Run the command on the files as they were."""
        self.set_back()
        return self.server.run(*self.arguments, home=self.home, cwd=self.away, given=self.given, fault=fault)

    def check(self, done: Done, what: str) -> None:
        """Hold what was printed against the chain, and have the next command and verify run."""
        new = self.ids() - self.before
        said = done.out + done.err
        printed = set(_ID.findall(done.out))
        lost = printed - self.before - new
        assert not lost, f"{what}: {lost} was printed and is not in the chain: {said}"
        if done.code != _SIGKILL and self.before:
            silent = [id_ for id_ in new if id_ not in said and not _TOLD.search(said)]
            assert not silent, f"{what}: {silent} is in the chain, exit {done.code}, and it said: {said}"
        assert done.code != 70, f"{what}: {said}"
        if not self.before:
            again = self.server.run(*self.arguments, home=self.home, cwd=self.away)
            assert again.code in {0, LedgerExistsError.exit_code}, f"{what}: then {again.err}"
        after = self.server.run("add", "Deploys happen on Mondays", home=self.home, cwd=self.away)
        assert after.code == 0, f"{what}: then {after.err}"
        verified = self.server.run("verify", home=self.home, cwd=self.away)
        assert verified.code == 0, f"{what}: {said}then {after.err}{verified.out}{verified.err}"


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled shim."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler")
    made = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made


@pytest.fixture(scope="session")
def server(shim: Path) -> Iterator[Server]:
    """The process that runs commands."""
    started = Server(shim)
    yield started
    started.close()


def _faults(name: str, calls: dict[str, int]) -> Iterator[tuple[str, int, str]]:
    """Give one fault of each kind of call; another command gets the next cause, at another of its calls."""
    turn = list(CASES).index(name)
    for at, kind in enumerate(KINDS):
        if calls[kind]:
            cause = (turn + at) % len(HOWS)
            yield kind, 1 + calls[kind] * (2 * cause + 1) // (2 * len(HOWS)), list(HOWS)[cause]


def _every_fault(calls: dict[str, int]) -> Iterator[tuple[str, int, str]]:
    """Give each call by each cause."""
    return ((kind, number, how) for kind in KINDS for how in HOWS for number in range(1, calls[kind] + 1))


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", CASES)
def test_a_call_that_fails_costs_no_event_and_hides_none(  # noqa: PLR0917 - fixtures
    server: Server, isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, every: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    scene = Scene(server, isolated, tmp_path, name)
    calls = dict(scene.run().calls)
    assert sum(calls.values()) > 10, "the shim saw nothing"
    for fault in _every_fault(calls) if every else _faults(name, calls):
        scene.check(scene.run(fault), f"{name}, {fault}")
