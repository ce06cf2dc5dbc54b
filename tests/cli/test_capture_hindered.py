"""Capture where something is in its way: a ledger or a disk that takes nothing, pipes, files that move, deaths, races.

Tests cli/commands/capture.py and cli/capture_report.py against specs/cli.md (X-186, X-187) and
specs/capture.md (K-151, K-153…K-156, K-158, K-91).
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import learning.writer
from documents.scope import Scope
from tests.cli.driver import Result, command_line, environment, run, run_process
from tests.cli.unprivileged import needs_modes, run_unprivileged


def talk(*texts: str) -> bytes:
    """Return the messages of a person as JSON lines."""
    rows = [{"id": f"m{n}", "role": "user", "content": text} for n, text in enumerate(texts)]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


CAT = talk("Remember that my cat is called Luna", "Remember that my dog is called Rex")
LONG = talk(
    *(f"Remember that my {word} is called Q" for word in "boat car bike kite sled tram raft cart".split())
)


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger that has been written to, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    run("add", "one").ok()
    Path("talk.jsonl").write_bytes(CAT)
    return isolated / ".muniment"


@contextmanager
def read_only(*folders: Path) -> Iterator[None]:
    """Take the right to write to folders and all that lies there away for a while."""
    modes = {path: path.stat().st_mode for folder in folders for path in (folder, *folder.rglob("*"))}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def outcomes(*args: object) -> list[str]:
    return [line["outcome"] for line in run_process("capture", "--json", *args).ok().json_lines]


def at_once(*commands: Sequence[str]) -> list[Result]:
    """Run commands, each a process, all at the same time; all go well."""
    with ThreadPoolExecutor(len(commands)) as threads:
        return [done.ok() for done in threads.map(lambda command: run_process(*command), commands)]


@pytest.mark.parametrize("source", ["talk.jsonl", "-"])
def test_a_ledger_that_is_read_only_makes_it_wait(ledger: Path, tmp_path: Path, source: str) -> None:
    """K-73, X-187."""
    needs_modes(tmp_path)
    with read_only(ledger):
        done = run_unprivileged("capture", source, input=CAT).ok()
    assert [line.split()[0] for line in done.out.splitlines()] == ["queued", "queued"]
    assert [line.split()[0] for line in run("upkeep", "retry").ok().out.splitlines()] == [
        "created",
        "created",
    ]


def test_where_nothing_keeps_it_a_file_is_read_again_and_a_stream_is_named(
    ledger: Path, tmp_path: Path, isolated: Path
) -> None:
    """K-155, X-187."""
    needs_modes(tmp_path)
    state = isolated / ".local" / "state" / "muniment"
    assert state.is_dir()
    with read_only(ledger, state):
        done = run_unprivileged("capture", "talk.jsonl")
        assert done.code == 9
        assert "nothing is lost" in done.err
        assert [line.split()[0] for line in done.out.splitlines()] == ["unwritten"]
        streamed = run_unprivileged("capture", "-", input=CAT)
        assert streamed.code == 9
        assert "is lost: keep the input" in streamed.err
        assert "nothing is lost" not in streamed.out + streamed.err
        assert [line.split()[0] for line in streamed.out.splitlines()] == ["unwritten", "unwritten"]
    assert outcomes("talk.jsonl") == ["created", "created"]


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """X-186: as a stream, episodes included."""
    os.mkfifo("pipe")

    def write() -> None:
        Path("pipe").write_bytes(LONG)

    threading.Thread(target=write, daemon=True).start()
    done = subprocess.run(
        command_line("capture", "--json", "pipe"),
        capture_output=True,
        env=environment(),
        timeout=30,
        check=True,
    )
    found = [json.loads(line)["outcome"] for line in done.stdout.splitlines()]
    assert found == ["created"] * 8 + ["episode"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_stdout_is_no_fault_of_the_file() -> None:
    """X-187: the message names stdout, and what was not heard is heard the next time."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command_line("capture", "talk.jsonl"),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=30,
            check=False,
        )
    assert done.returncode == 9
    assert b"the result cannot be printed" in done.stderr
    assert b"talk.jsonl" not in done.stderr
    assert outcomes("talk.jsonl") == ["known", "created"]


def test_a_ledger_that_is_held_delays_the_episode_and_ends_nothing(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-164, K-154: one wait for all."""
    Path("talk.jsonl").write_bytes(LONG)
    monkeypatch.setattr(learning.writer, "PATIENCE", 0.1)
    write, waited = Scope.write, []

    def waiting(*args: Any, timeout: float) -> Any:
        waited.append(timeout)
        return write(*args, timeout=timeout)

    with monkeypatch.context() as patched, (ledger / "chain.jsonl").open("rb") as holder:
        patched.setattr(Scope, "write", waiting)
        fcntl.flock(holder, fcntl.LOCK_EX)
        done = run("capture", "talk.jsonl").ok()
    assert [each for each in waited if each] == [0.1]
    assert [line.split()[0] for line in done.out.splitlines()] == ["queued"] * 8
    assert "capture --anew makes it" in done.err


def test_four_at_once_report_what_was_written() -> None:
    """K-156: of each memory one says that it made it."""
    Path("talk.jsonl").write_bytes(LONG)
    done = at_once(*[("capture", "--json", "talk.jsonl")] * 4)
    told = [each["outcome"] for one in done for each in one.json_lines]
    assert (told.count("created"), told.count("episode")) == (8, 1)
    assert set(told) <= {"created", "episode", "known"}
    assert len(run("list", "--json").json_lines) == 10


def test_beside_checkpoint_and_curate_nothing_is_lost(ledger: Path) -> None:
    """Each is a process, all at once."""
    (ledger / "session-buffer.md").write_text(
        "## Decisions\n- 09:05 Decided to use PostgreSQL 16\n- the tests ran\n"
    )
    commands = [
        ("capture", "talk.jsonl"),
        ("checkpoint",),
        ("curate",),
        ("capture", "talk.jsonl"),
        ("checkpoint",),
    ]
    at_once(*commands)
    run("checkpoint").ok()
    run("curate").ok()
    standing = [entry["text"] for entry in run("list", "--json").json_lines]
    for text in (
        "my cat is called Luna",
        "my dog is called Rex",
        "09:05 Decided to use PostgreSQL 16",
    ):
        assert standing.count(text) == 1
    assert run("verify").code == 0


def test_two_homes_know_nothing_of_each_other(tmp_path: Path) -> None:
    """What one person's capture read, the other's reads as well; each ledger has its own."""
    hers = {"HOME": str(tmp_path / "her"), "MUNIMENT_HOME": str(tmp_path / "her" / ".muniment")}
    hers |= {
        "XDG_STATE_HOME": str(tmp_path / "her" / "state"),
        "MUNIMENT_STATE": str(tmp_path / "her" / "state"),
    }
    Path(hers["HOME"]).mkdir()
    run("init", "--scope", "user", env=hers).ok()
    mine = run("capture", "talk.jsonl", "--json").ok().json_lines
    theirs = run("capture", "talk.jsonl", "--json", env=hers).ok().json_lines
    assert [each["outcome"] for each in mine + theirs] == ["created"] * 4
    assert {each["id"] for each in mine}.isdisjoint(each["id"] for each in theirs)
    assert len(run("list", "--json", env=hers).json_lines) == 2
    assert len(run("list", "--json").json_lines) == 3


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_an_episode_is_of_the_same_day_in_every_time_zone(zone: str) -> None:
    """K-105: instants are UTC, wherever the machine stands and however they were written."""
    rows = [
        {
            "role": "user",
            "content": f"Question {n} about the database",
            "timestamp": f"2026-03-01T23:{n:02}:00-05:00",
        }
        for n in range(9)
    ]
    Path("zone.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run_process("capture", "zone.jsonl", env={"TZ": zone}).ok()
    [episode] = [each for each in run("list", "--json").json_lines if each["type"] == "episode"]
    assert episode["provenance"]["date"] == "2026-03-02"
    assert "04:00" in episode["text"]
