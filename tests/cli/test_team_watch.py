"""`muniment team sync --watch` as a process that runs until Ctrl-C (specs/cli.md X-345)."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.computers import Computer
from tests.cli.driver import command_line


@pytest.fixture
def desk(tmp_path: Path) -> Computer:
    """A computer that alone is the team in a folder."""
    desk = Computer(tmp_path, "desk")
    desk.run("init").ok()
    desk.run("team", "init", f"folder:{tmp_path / 'share'}").ok()
    return desk


@pytest.fixture
def watching(desk: Computer) -> Iterator[subprocess.Popen[str]]:
    """A process that watches there."""
    process = subprocess.Popen(
        command_line("team", "sync", "--watch", "--interval", "1", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=desk.environment(),
    )
    yield process
    process.kill()
    process.communicate()


def test_it_shows_what_it_exchanges_and_survives_an_address_that_is_away(
    desk: Computer, watching: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert watching.stdout
    assert watching.stderr
    assert watching.stderr.readline() == "muniment: syncing every 1 second; Ctrl-C ends it\n"
    desk.run("add", "One").ok()
    done = json.loads(watching.stdout.readline())
    assert (done["sent"], done["received"], done["findings"]) == (1, 0, [])
    (tmp_path / "share").rename(tmp_path / "away")
    assert "share" in watching.stderr.readline()
    desk.run("add", "Two").ok()
    (tmp_path / "away").rename(tmp_path / "share")
    assert watching.stderr.readline() == f"muniment: folder:{tmp_path / 'share'} answers again\n"
    assert json.loads(watching.stdout.readline())["sent"] == 1
    watching.send_signal(signal.SIGINT)
    assert watching.communicate(timeout=60) == ("", "")
    assert watching.returncode == 0
