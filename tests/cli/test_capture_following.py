"""Tests how `capture --follow` waits for growth and ends: specs/cli.md (X-156) and specs/capture.md (K-274)."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import command_line, environment, run
from tests.cli.test_capture import TALK, texts
from tests.learning.transcripts.writing import claude, jsonl, person


@pytest.fixture(autouse=True)
def talk(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's ledger, seen from an empty folder with one transcript."""
    _ = isolated
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    Path("talk.jsonl").write_bytes(TALK)


def test_following_waits_for_growth() -> None:
    """X-156: a file that is not there yet is named once."""

    def grow() -> None:
        time.sleep(0.8)
        Path("late.jsonl").write_bytes(
            jsonl(person("Remember that I prefer Rust over Go", uuid="m8", sessionId="s2"))
        )

    writer = threading.Thread(target=grow)
    writer.start()
    done = run("capture", "--follow", "--for", "3", "talk.jsonl", "late.jsonl")
    writer.join()
    assert done.out.count("created") == 3
    assert done.err.count("late.jsonl cannot be read") == 1
    assert done.err.count("talk.jsonl:") == 1


def test_ctrl_c_ends_following_well() -> None:
    """X-156."""
    process = subprocess.Popen(
        command_line("capture", "--follow", "talk.jsonl"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert process.stdout is not None
    assert b"Luna" in process.stdout.readline()
    assert b"French" in process.stdout.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, b"what was read is noted" in err) == (0, True)
    assert "nothing new" in run("capture", "talk.jsonl").err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_following_well(number: signal.Signals) -> None:
    """K-274: what was read is noted, and what came of it is counted."""
    process = _following("talk.jsonl")
    time.sleep(1)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"")
    assert err.decode().splitlines()[1:] == [
        "muniment: told to stop; what was read is noted",
        "muniment: 2 created",
    ]
    assert "nothing new" in run("capture", "talk.jsonl").err


def test_a_signal_ends_a_long_file_between_two_turns() -> None:
    """K-274: the rest is read the next time."""
    filler = (claude("assistant", "On it.", uuid=f"f{number}") for number in range(40_000))
    Path("talk.jsonl").write_bytes(
        TALK + jsonl(*filler, person("Remember that I prefer Rust over Go", uuid="end"))
    )
    process = _following("talk.jsonl")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"")
    assert b"what was read is noted" in err
    assert "Rust" in run("capture", "talk.jsonl").ok().out
    assert len(texts()) == 3


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """K-274: as under nohup."""
    process = _following("talk.jsonl", "--for", "3", preexec_fn=_ignore_hangups)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, b"told to stop" in err) == (0, False)


def test_a_signal_ends_a_capture_that_does_not_follow_as_any_process() -> None:
    """K-274: what was acknowledged stays."""
    process = subprocess.Popen(
        command_line("capture", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(TALK)
    process.stdin.flush()
    assert b"Luna" in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM


def _ignore_hangups() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _following(*args: str, **how: Any) -> subprocess.Popen[bytes]:
    """Return a process that follows a file, and has told what it learned of its beginning."""
    process = subprocess.Popen(
        command_line("capture", "--follow", *args),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), **how,
    )  # fmt: skip
    assert process.stdout is not None
    assert b"Luna" in process.stdout.readline()
    assert b"French" in process.stdout.readline()
    return process
